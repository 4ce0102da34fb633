"""Cases: what a market brings, what goes before it, and functions that draw them."""

import re
from pathlib import Path
from typing import Any

import pytest

from copyproof import Agent, Case, Market, RandomMarkets, Study, Variation, paper_market
from tests.studies.studies import table_digest

MARKET = Market([Agent("ann", [0.9]), Agent("bob", [0.5])])
FILE = """
from beside import MEANS
from copyproof import Agent, Case, Market

def drawn(best=0.9, seed=None):
    for k, mean in enumerate(MEANS):
        market = Market([Agent("ann", [best]), Agent("bob", [mean])])
        yield Case(f"gap {k}", market, horizon=100 * (k + 1), repetitions=4, seed=seed)

def wrong():
    return [Market([Agent("ann", [0.5])])]

def fails():
    raise ValueError("no such\\nmarkets")

def nothing():
    return []
"""
STUDY = """
policies = ["ucb1", "h-ucb"]
markets = [{ generator = "mine.py:drawn(best=0.8, seed=7)" }]
"""


def written(folder: Path, study: str = STUDY) -> Path:
    (folder / "mine.py").write_text(FILE)
    (folder / "beside.py").write_text("MEANS = (0.1, 0.3, 0.5)\n")
    path = folder / "study.toml"
    path.write_text(study)
    return path


def told(study: Study) -> list[tuple[Any, ...]]:
    points = study.points()
    return [(p.market, p.cell.horizon, p.cell.repetitions, p.cell.seed) for p in points]


def test_a_case_brings_what_the_study_does_not_say() -> None:
    cases = [Case("a", MARKET, horizon=10, repetitions=3, seed=5), Case("b", MARKET, 20, 4, 6)]
    study = Study(["ucb1"], cases)
    assert len(study) == 2
    assert told(study) == [("a", 10, 3, 5), ("b", 20, 4, 6)]
    assert told(Study(["ucb1"], cases, horizons=[7, 8], seed=1)) == [
        ("a", 7, 3, 1), ("a", 8, 3, 1), ("b", 7, 4, 1), ("b", 8, 4, 1)
    ]  # fmt: skip
    assert study._repr_html_().count("of each market") == 3


def test_a_case_is_the_same_cell_as_its_market() -> None:
    (mine,) = Study(["ucb1"], [Case("x", MARKET, 10, 3, 5)]).points()
    (theirs,) = Study(["ucb1"], [MARKET], horizons=10, repetitions=3, seed=5).points()
    assert mine.cell.digest == theirs.cell.digest


def test_a_case_may_bring_a_policy_and_how_it_is_audited() -> None:
    asked: dict[str, Any] = {"agent": "bob", "deviations": [[2]], "budget": 1000}
    cases = [
        Case("a", MARKET, 10, 3, 5, "ucb1", asked),
        Case("b", MARKET, 10, 3, 5, "h-ucb", asked | {"agent": "ann"}),
    ]
    study = Study(None, cases, measure=["audit"])
    assert len(study) == 2
    frame = study.run().frame()
    assert frame["policy"].tolist() == ["ucb1", "h-ucb"]
    assert [list(one) for one in frame["audit_agents"]] == [["bob"], ["ann"]]
    assert [len(one) for one in frame["audit_deviations"]] == [1, 1]
    (theirs,) = Study(
        ["ucb1"], [MARKET], horizons=10, repetitions=3, seed=5, measure=["audit"], audit=asked
    ).points()
    assert frame["cell"][0] == theirs.cell.digest
    first = Study(["kl-ucb"], cases, measure=["audit"], audit={"agent": "ann"}).points()
    assert {(p.cell.policy.text, p.cell.terms.audit["agent"]) for p in first} == {("kl-ucb", "ann")}


def test_rounds_of_a_cell_have_a_limit() -> None:
    limited: dict[str, Any] = {"repetitions": 50, "seed": 1, "most_rounds": 1000}
    study = Study(["ucb1"], [MARKET], horizons=[10, 100, 3000], **limited)
    assert [(T, games) for _, T, games, _ in told(study)] == [(10, 50), (100, 10), (3000, 1)]


def test_strategies_vary_cases() -> None:
    copies = Variation(name="bob copies", agent="bob", copies=3)
    study = Study(["ucb1"], [Case("a", MARKET, 10, 3, 5)], strategies=[copies])
    (point,) = study.points()
    assert point.cell.market.profile == ((1,), (3,))


def test_a_function_draws_markets(tmp_path: Path) -> None:
    study = Study.read(written(tmp_path))
    assert len(study) == 6
    assert told(study)[::2] == [("gap 0", 100, 4, 7), ("gap 1", 200, 4, 7), ("gap 2", 300, 4, 7)]
    assert {p.cell.market["ann"].best_mean for p in study.points()} == {0.8}
    two = written(tmp_path, STUDY.replace('")" }', '")"').replace(" }]", ", count = 2 }]"))
    assert len(Study.read(two)) == 4
    study.run(tmp_path / "one", workers=1)
    Study.read(written(tmp_path)).run(tmp_path / "two", workers=2)
    assert table_digest(tmp_path / "one") == table_digest(tmp_path / "two")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("drawn(best=0.8, seed=7)", "drawn", "seed is missing"),
        ("drawn(best=0.8, seed=7)", "drawn(low=1)", "got an unexpected keyword argument 'low'"),
        ("drawn(best=0.8, seed=7)", "drawn(0.8)", "needs a name, as in KEY=VALUE"),
        (
            "drawn(best=0.8, seed=7)",
            "drawn(best=2)",
            "mine.py:drawn(best=2)': arms[0].mean = 2.0 is not",
        ),
        ("drawn(best=0.8, seed=7)", "drawn(seed=-1)", "': seed = -1 is not a whole number"),
        ("drawn(best=0.8, seed=7)", "wrong", " is not a Case"),
        ("drawn(best=0.8, seed=7)", "fails", "mine.py:fails': ValueError: no such markets"),
        ("drawn(best=0.8, seed=7)", "nothing", "mine.py:nothing': is empty: at least one"),
        ("drawn(best=0.8, seed=7)", "none", "has no attribute 'none'"),
        ("mine.py", "none.py", "there is no file"),
        (" }]", ", seed = 1 }]", "seed is not a parameter of generator 'mine.py:drawn"),
        (" }]", ", count = 0 }]", "count = 0 is not a whole number from 1"),
    ],
)
def test_what_cannot_be_drawn_is_one_line(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in STUDY
    path = written(tmp_path, STUDY.replace(old, new))
    with pytest.raises(ValueError, match=r"^\S*study.toml") as caught:
        Study.read(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"market": "paper:2a"}, "market = 'paper:2a' is not a Market"),
        ({"name": 3}, "name = 3 is not one line"),
        ({"horizon": 0}, "horizon = 0 is not a whole number from 1"),
        ({"repetitions": 2.5}, "repetitions = 2.5 is not a whole number from 1"),
        ({"seed": -1}, "seed = -1 is not a whole number from 0"),
        ({"policy": "ucb9"}, "policy = 'ucb9' is not known"),
        ({"audit": {"budgt": 3}}, "audit.budgt is not a known key"),
    ],
)
def test_a_case_that_is_none(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        Case(**(dict[str, Any](name="a", market=MARKET) | given))


@pytest.mark.parametrize("missing", ["policies", "horizons", "repetitions", "seed"])
def test_what_neither_the_study_nor_the_market_says_is_missing(missing: str) -> None:
    said: dict[str, Any] = {"horizons": 10, "repetitions": 2, "seed": 1, "policies": ["ucb1"]}
    said[missing] = None
    for market in (paper_market("2a"), RandomMarkets(count=1), Case("a", MARKET)):
        with pytest.raises(ValueError, match=f"^{missing} is missing"):
            Study(markets=[market], **said)


def test_two_cases_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match=r"markets\[1\].name = 'a' is the name of markets\[0\]"):
        Study(["ucb1"], [Case("a", MARKET, 10, 2, 1), Case("a", MARKET, 20, 2, 1)])
