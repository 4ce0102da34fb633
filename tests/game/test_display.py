"""Markets as people see them: names, lines, tables and frames."""

import copy
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyproof import (
    Agent,
    Beta,
    Custom,
    Geometric,
    Market,
    RiskAverse,
    UniformPrior,
    paper_market,
    read_market,
    write_market,
)
from copyproof.game import market_digest, market_to_dict
from copyproof.validation import FieldError, name
from tests.pages.parsed import Page

MARKET = Market(
    [
        Agent("<b>ann</b>", [0.5, Beta(2, 3)], copies=[1000, 0], utility=RiskAverse(0.5)),
        Agent("bob", [UniformPrior(0.2, 0.6)], copies=[3]),
    ],
    fee=0.25,
    discount=Geometric(0.99),
)


def is_name(text: str) -> bool:
    try:
        name("name", text)
    except FieldError:
        return False
    return True


names = st.text(min_size=1, max_size=30).filter(is_name)


def test_a_name_is_no_part_of_the_game(tmp_path: Path) -> None:
    named = MARKET.named("two shops")
    assert named == MARKET
    assert hash(named) == hash(MARKET)
    assert market_to_dict(named) == market_to_dict(MARKET)
    assert market_digest(named) == market_digest(MARKET)
    assert (named.label, named.name, MARKET.name) == ("two shops", "two shops", None)
    for again in (copy.deepcopy(named), pickle.loads(pickle.dumps(named))):
        assert (again, again.name) == (named, "two shops")
    write_market(named, tmp_path / "x.toml")
    assert "two shops" not in (tmp_path / "x.toml").read_text()


def test_files_and_figures_are_names(tmp_path: Path) -> None:
    write_market(MARKET, tmp_path / "my shop.toml")
    assert read_market(tmp_path / "my shop.toml").label == "my shop"
    hidden = tmp_path / "a\u200bb.json"  # which cannot be seen, and is no name
    write_market(MARKET, hidden)
    assert read_market(hidden).name is None
    assert paper_market("2c").label == "paper:2c"
    assert paper_market("1a", copies=7).label == "paper:1a:7"


def test_another_strategy_is_another_market_without_a_name() -> None:
    market = paper_market("2a")
    changed = [market.honest(), market.truthful(), market.replicate("0.5-agent", 3)]
    assert [one.name for one in changed] == [None] * 3
    assert len({one.label for one in [*changed, market]}) == 3  # two of them are one market
    assert market.honest().label == market.truthful().label


def test_a_digest_tells_markets_apart_by_all_that_is_in_them() -> None:
    base = Market([Agent("a", [0.5])])
    others = [
        Market([Agent("b", [0.5])]),
        Market([Agent("a", [0.6])]),
        Market([Agent("a", [0.5], copies=[2])]),
        Market([Agent("a", [0.5], utility=RiskAverse(0.5))]),
        Market([Agent("a", [0.5], utility=Custom("log", np.log1p))]),
        Market([Agent("a", [0.5], utility=Custom("root", np.sqrt))]),
        Market([Agent("a", [0.5])], fee=1),
        Market([Agent("a", [0.5])], discount=Geometric(0.99)),
    ]
    assert len({market_digest(one) for one in [base, *others]}) == 9
    assert base.label == f"market-{market_digest(base)[:8]}"


@pytest.mark.parametrize("bad", ["", "two\nlines", 3])
def test_what_is_no_name_is_refused(bad: object) -> None:
    with pytest.raises(FieldError, match=r"name = .* is not one line of visible text"):
        MARKET.named(bad)  # type: ignore[arg-type]


def test_a_line() -> None:
    assert repr(MARKET) == "<Market: 2 agents, 1,003 registered arms>"
    assert repr(Market([Agent("a", [0.5])])) == "<Market: 1 agent, 1 registered arm>"
    assert len(repr(MARKET.named("x" * 200))) < 120


def test_a_frame_has_a_row_for_every_original() -> None:
    frame = MARKET.named("two shops").to_frame()
    assert list(frame.columns) == ["market", "agent", "arm", "family", "mean", "copies"]
    assert len(frame) == MARKET.originals
    assert frame["copies"].sum() == MARKET.registered
    assert frame["family"].tolist() == ["bernoulli", "beta", "uniform prior"]
    assert frame["mean"].tolist()[:2] == [0.5, 0.4]
    assert math.isnan(frame["mean"][2])


@given(names, names)
def test_names_are_shown_as_text(agent: str, market: str) -> None:
    page = Page(Market([Agent(agent, [0.5])]).named(market)._repr_html_())
    assert page.text.count(" ".join(agent.split())) >= 1
    assert " ".join(market.split()) in page.text
    assert not {"script", "b", "i", "img"} & {tag for tag, _ in page.tags}


def test_a_table_shows_arms_copies_fee_and_discount() -> None:
    text = Page(MARKET._repr_html_()).text
    assert "<b>ann</b>" in text
    for part in ("0.5 × 1,000", "beta 0.4 hidden", "uniform prior × 3", "0.25", "factor=0.99"):
        assert part in text
    many = Market([Agent(f"a{k}", [0.5] * 9) for k in range(30)])
    text = Page(many._repr_html_()).text
    assert "10 more rows." in text
    assert "3 more" in text
