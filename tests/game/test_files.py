"""Market files are read, written and refused as their module says."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyproof.game import (
    NEUTRAL,
    NO_DISCOUNT,
    PAPER_FIGURES,
    Agent,
    Bernoulli,
    Beta,
    BetaPrior,
    Custom,
    Drift,
    Empirical,
    Explicit,
    Exponential,
    Gaussian,
    Geometric,
    ListPrior,
    Market,
    Mixture,
    Piecewise,
    Poisson,
    Prior,
    RiskAverse,
    RiskSeeking,
    UniformPrior,
    market_from_dict,
    market_to_dict,
    paper_market,
    read_market,
    write_market,
)
from copyproof.validation import FieldError

DESIGN = """
[[agents]]
name = "ann"
arms = [{ mean = 0.5, copies = 1000 }, { mean = 0.2 }, { mean = 0.1, copies = 0 }]   # a comment
[[agents]]
name = "bob"
arms = [{ mean = 0.9 }]
"""

unit = st.floats(0, 1)
positive = st.floats(0, 1e6, exclude_min=True)
families = st.one_of(
    st.builds(Bernoulli, unit),
    st.builds(Beta, positive, positive),
    st.builds(Gaussian, st.floats(-1e12, 1e12), positive),
    st.builds(Poisson, st.floats(0, 1e6)),
    st.builds(Exponential, positive),
    st.builds(Empirical, st.lists(unit, min_size=1, max_size=5)),
)
mixed = st.lists(st.tuples(families, positive), min_size=1, max_size=3).map(
    lambda parts: Mixture([one for one, _ in parts], [weight for _, weight in parts])
)
priors = st.one_of(
    st.builds(BetaPrior, positive, positive),
    st.lists(unit, min_size=2, max_size=2).map(lambda ends: UniformPrior(*sorted(ends))),
    st.builds(ListPrior, st.lists(unit, min_size=1, max_size=5)),
)
later = st.dictionaries(st.integers(2, 10**6), unit, max_size=4).map(
    lambda means: sorted(means.items())
)
changing = st.one_of(
    st.builds(lambda first, means: Piecewise([(1, first), *means]), unit, later),
    st.builds(
        lambda start, end, first, length: Drift(start, end, first, first + length),
        unit,
        unit,
        st.integers(1, 1000),
        st.integers(1, 1000),
    ),
)
utilities = st.one_of(
    st.just(NEUTRAL),
    st.builds(RiskAverse, st.floats(0, 1, exclude_min=True, exclude_max=True)),
    st.builds(RiskSeeking, st.floats(1, 1e6, exclude_min=True)),
)
discounts = st.one_of(
    st.just(NO_DISCOUNT),
    st.builds(Geometric, st.floats(1e-9, 1)),
    st.lists(st.floats(0, 1, exclude_min=True), min_size=5, max_size=9).map(
        lambda weights: Explicit(sorted(weights, reverse=True))
    ),
)
names = st.text(
    st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"]), min_size=1, max_size=8
).filter(str.strip)


@st.composite
def markets(draw: st.DrawFn) -> Market:
    agents: list[Agent] = []
    rewards = families | mixed | draw(st.sampled_from([priors, changing]))
    for name in draw(st.lists(names, min_size=1, max_size=4, unique=True)):
        arms = draw(st.lists(rewards, min_size=1, max_size=4))
        copies = [draw(st.integers(0 if agents else 1, 1000)) for _ in arms]
        may_lose = any(arm.support[0] < 0 for arm in arms)
        utility = NEUTRAL if may_lose else draw(utilities)
        agents.append(Agent(name, arms, copies, utility))
    return Market(agents, draw(st.floats(0, 1e9)), draw(discounts))


@given(market=markets(), suffix=st.sampled_from(["toml", "json"]))
def test_what_is_written_is_read_back(
    market: Market, suffix: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.getbasetemp() / f"market.{suffix}"
    write_market(market, file)
    assert read_market(file) == market


@given(market=markets())
def test_dicts_are_plain_and_read_back(market: Market) -> None:
    data = market_to_dict(market)
    before = json.dumps(data)
    assert market_from_dict(data) == market
    assert json.dumps(data) == before


@pytest.mark.parametrize("figure", PAPER_FIGURES)
def test_the_papers_markets_round_trip(figure: str, tmp_path: Path) -> None:
    write_market(paper_market(figure), tmp_path / "market.toml")
    assert read_market(str(tmp_path / "market.toml")) == paper_market(figure)


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_the_designs_example(start: bytes, tmp_path: Path) -> None:
    file = tmp_path / "market.toml"
    file.write_bytes(start + DESIGN.replace("\n", "\r\n").encode())
    assert read_market(file) == Market(
        [Agent("ann", [0.5, 0.2, 0.1], copies=[1000, 1, 0]), Agent("bob", [0.9])]
    )


def test_priors(tmp_path: Path) -> None:
    file = tmp_path / "market.toml"
    file.write_text(
        'agents = [{ name = "cat", arms = [{ prior = { beta = [2, 5] } }, '
        "{ prior = { uniform = [0.2, 0.6] }, copies = 3 }, "
        "{ prior = { list = [0.1, 0.9] }, copies = 0 }] }]"
    )
    arms: list[Prior] = [BetaPrior(2, 5), UniformPrior(0.2, 0.6), ListPrior([0.1, 0.9])]
    assert read_market(file) == Market([Agent("cat", arms, copies=[1, 3, 0])])


def test_a_written_file_is_easy_to_read(tmp_path: Path) -> None:
    file = tmp_path / "market.toml"
    write_market(Market([Agent("Zoë", [0.5, 0.2], copies=[3, 1])], fee=0.01), file)
    assert file.read_text(encoding="utf-8") == (
        'fee = 0.01\n\n[[agents]]\nname = "Zoë"\n'
        "arms = [\n    { mean = 0.5, copies = 3 },\n    { mean = 0.2 },\n]\n"
    )


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("m.toml", b"agents = [{", "is not TOML: Invalid initial character for a key part"),
        ("m.toml", b"fee = 1\nfee = 2", "is not TOML: Cannot overwrite a value"),
        ("m.toml", b"fee = " + b"9" * 5000, "is not TOML: Exceeds the limit"),
        ("m.toml", b"a = " + b"[" * 100_000, "is not a market: it is nested too deeply"),
        ("m.toml", b'a = "\xff"', "is not UTF-8 text at byte 5"),
        ("m.toml", b"", "agents is missing"),
        ("m.json", b"{", "is not JSON: Expecting property name"),
        ("m.json", b"", "is not JSON: Expecting value"),
        ("m.json", b"[" * 100_000, "is not a market: it is nested too deeply"),
        ("m.json", b'{"fee": 1, "fee": 2}', "is not JSON: the key 'fee' appears twice"),
        ("m.json", b'{"agents": [], "fee": NaN}', "fee = nan is not a finite number"),
        ("m.JSON", b"[]", "the whole = [] is not a table"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_malformed_files(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(ValueError, match=f"^{re.escape(f'{file}: {said}')}.*\\Z"):
        read_market(file)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    paths: list[tuple[Any, str]] = [
        (missing, f"{missing}: cannot be read: No such file or directory"),
        (tmp_path, f"{tmp_path}: cannot be read: Is a directory"),
        ("a\0b", "'a\\x00b': cannot be read: embedded null byte"),
    ]
    for path, said in paths:
        with pytest.raises(ValueError, match=rf"^{re.escape(said)}\Z"):
            read_market(path)


@pytest.mark.parametrize(
    ("name", "suggested"),
    [("2a", "paper:2a"), ("1B", "paper:1b"), ("papr:2c", "paper:2c"), ("m.toml", None)],
)
def test_a_market_of_the_paper_is_suggested(
    name: str, suggested: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tail = f"; did you mean {suggested!r}?" if suggested else ""
    said = f"{name}: cannot be read: No such file or directory{tail}"
    with pytest.raises(FieldError, match=rf"^{re.escape(said)}\Z"):
        read_market(name)


def test_files_that_cannot_be_written(tmp_path: Path) -> None:
    missing = tmp_path / "missing" / "m.toml"
    paths: list[tuple[Any, str]] = [
        (missing, f"{missing}: cannot be written: No such file or directory"),
        (tmp_path, f"{tmp_path}: cannot be written: Is a directory"),
        ("a\0b", "'a\\x00b': cannot be written: embedded null byte"),
    ]
    for path, said in paths:
        with pytest.raises(ValueError, match=rf"^{re.escape(said)}\Z"):
            write_market(paper_market("2a"), path)
    assert os.listdir(tmp_path) == []


def test_a_users_own_utility_cannot_be_written(tmp_path: Path) -> None:
    market = Market([Agent("ann", [0.5], utility=Custom("log", np.log1p))])
    with pytest.raises(ValueError, match=r"^utility = 'log' is a function of your own.*'ann'\)$"):
        write_market(market, tmp_path / "m.toml")
    assert os.listdir(tmp_path) == []


def test_importing_the_game_does_not_load_pydantic() -> None:
    code = "import sys, copyproof.game; print('pydantic' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
