"""Cases: what a market brings, what goes before it, and functions that draw them."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
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

def text():
    return "a"

def endless():
    for case in drawn(seed=7):
        yield case
    while True:
        yield case

def chatty():
    print("drawing")
    yield from drawn(seed=7)

def ruled():
    return [Case("ruled", next(drawn()).market, 10, 1, 1, policy="rule.py:Rule")]
"""
RULE = """
class Rule:
    def __init__(self, arms, *, owners, horizon, seed):
        self.arm = arms[-1]

    def choose(self):
        return self.arm

    def learn(self, arm, reward):
        pass
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


def test_two_folders_have_modules_of_one_name(tmp_path: Path) -> None:
    found = []
    before = [*sys.path]
    for low in (0.1, 0.2):
        folder = tmp_path / str(low)
        folder.mkdir()
        path = written(folder)
        (folder / "mine.py").write_text(f"import sys\nsys.path.insert(0, {str(folder)!r})\n{FILE}")
        (folder / "beside").mkdir()  # a package goes before a module
        (folder / "beside" / "__init__.py").write_text("from beside.means import MEANS\n")
        (folder / "beside" / "means.py").write_text(f"MEANS = ({low},)\n")
        found.append([p.cell.market["bob"].best_mean for p in Study.read(path).points()])
    assert found == [[0.1, 0.1], [0.2, 0.2]]
    assert not {"beside", "beside.means"} & set(sys.modules)
    assert sys.path == before


def test_one_function_draws_twice_under_names(tmp_path: Path) -> None:
    one, other = (f'{{ generator = "mine.py:drawn(best={best}, seed=7)"' for best in (0.8, 0.7))
    head = 'policies = ["ucb1"]\n'
    twice = written(tmp_path, f'{head}markets = [{one} }}, {other}, name = "low", count = 1 }}]')
    assert [p.market for p in Study.read(twice).points()] == [
        "gap 0",
        "gap 1",
        "gap 2",
        "low gap 0",
    ]
    same = written(tmp_path, f"{head}markets = [{one} }}, {other} }}]")
    with pytest.raises(ValueError, match=r"markets\[1\].name = 'gap 0' is the name of"):
        Study.read(same)


def test_a_function_that_never_ends_is_cut(tmp_path: Path) -> None:
    path = written(tmp_path, STUDY.replace('drawn(best=0.8, seed=7)"', 'endless", count = 2'))
    assert [one[0] for one in told(Study.read(path))[::2]] == ["gap 0", "gap 1"]


def test_what_a_function_prints_goes_to_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Study.read(written(tmp_path, STUDY.replace("drawn(best=0.8, seed=7)", "chatty")))
    assert capsys.readouterr() == ("", "drawing\n")


def test_a_policy_of_a_case_lies_beside_the_study_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "drawing").mkdir()
    written(tmp_path / "drawing")
    (tmp_path / "rule.py").write_text(RULE)
    (tmp_path / "study.toml").write_text('markets = [{ generator = "drawing/mine.py:ruled" }]\n')
    monkeypatch.chdir(tmp_path)
    study = Study.read("study.toml")
    monkeypatch.chdir(tmp_path / "drawing")
    frame = study.run(workers=1).frame()
    assert frame["policy"].tolist() == ["rule.py:Rule"]
    assert frame["regret_mean"].tolist() == [pytest.approx(8.0)]
    with pytest.raises(ValueError, match=r"^policy = 'rule\.py:Rule'"):
        Case("a", MARKET, policy="rule.py:Rule")


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    case = Case("a", MARKET, np.int64(10), np.int32(2), np.uint64(1))  # type: ignore[arg-type]
    assert [type(one) for one in (case.horizon, case.repetitions, case.seed)] == [int, int, int]
    assert Study(["ucb1"], [case]).run(tmp_path / "out", workers=1).frame()["horizon"][0] == 10
    json.dumps([case.horizon, case.repetitions, case.seed])


def test_cases_may_bring_everything() -> None:
    assert len(Study(markets=[Case("a", MARKET, 10, 3, 5, "ucb1")])) == 1
    with pytest.raises(ValueError, match=r"^markets is empty: at least one"):
        Study(["ucb1"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "drawn(best=0.8, seed=7)",
            "drawn",
            "seed is missing, and market 'gap 0' has none of its own",
        ),
        ("drawn(best=0.8, seed=7)", "drawn(low=1)", "got an unexpected keyword argument 'low'"),
        ("drawn(best=0.8, seed=7)", "drawn(0.8)", "mine.py:drawn(0.8)': 0.8 needs a name, as in"),
        (
            "drawn(best=0.8, seed=7)",
            "drawn(best=2)",
            "mine.py:drawn(best=2)': arms[0].mean = 2.0 is not",
        ),
        ("drawn(best=0.8, seed=7)", "drawn(seed=-1)", "': seed = -1 is not a whole number"),
        ("drawn(best=0.8, seed=7)", "wrong", " is not a Case"),
        (
            "drawn(best=0.8, seed=7)",
            "fails",
            "mine.py:fails': ValueError: no such markets (mine.py, line 14)",
        ),
        ("drawn(best=0.8, seed=7)", "ruled", "there is no file"),
        (
            "drawn(best=0.8, seed=7)",
            "text",
            "mine.py:text': what it returns = 'a' is not a list of cases",
        ),
        (
            "drawn(best=0.8, seed=7)",
            "nothing",
            "mine.py:nothing': what it returns is empty: at least one",
        ),
        ("drawn(best=0.8, seed=7)", "none", "mine.py:none': there is no none in mine.py"),
        ("mine.py:drawn(best=0.8, seed=7)", "mine", "zipf, FILE.py:FUNCTION(KEY=VALUE)"),
        ("mine.py", "none.py", "there is no file"),
        (" }]", ", seed = 1 }]", "seed is not a parameter of generator 'mine.py:drawn"),
        (" }]", ", count = 0 }]", "count = 0 is not a whole number from 1"),
        (" }]", ', name = "" }]', "name = '' is not one line of visible text"),
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
