"""Study files: what they say, and one line with its place for whatever is wrong."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from copyproof import Agent, Market, Study, Variation, audit, write_market
from copyproof.studies import schema
from copyproof.studies.cases import AUDIT_KEYS
from copyproof.studies.generators import GENERATORS
from copyproof.studies.schema import read_parts

GOOD = """
policies = ["ucb1", "rh-ucb(L=3)"]
horizons = [100, 200]
repetitions = 3
seed = [1, 2]
measure = ["lost", "regret"]
markets = ["mine.toml", "paper:2a", { generator = "random", count = 2 }]

[[strategies]]
name = "as given"

[[strategies]]
name = "the worst copies"
rank = -1
copies = 3
"""
PARTS = """
policies = ["ucb1"]
repetitions = 3
seed = 1
markets = ["paper:2a"]

[[parts]]
name = "short"
horizons = 100

[[parts]]
name = "long"
horizons = 1000
repetitions = 2
"""


def written(folder: Path, text: str) -> Path:
    write_market(Market([Agent("ann", [0.5]), Agent("bob", [0.9])]), folder / "mine.toml")
    path = folder / "study.toml"
    path.write_text(text)
    return path


def test_a_file_says_its_product(tmp_path: Path) -> None:
    study = Study.read(written(tmp_path, GOOD))
    points = list(study.points())
    assert len(study) == len(points) == 2 * 4 * 2 * 2 * 2
    assert study.measure == ("regret", "lost")
    first, last = points[0], points[-1]
    assert (first.market, first.strategy, first.cell.horizon) == ("mine.toml", "as given", 100)
    assert (last.market, last.strategy, last.cell.seed) == ("random 2", "the worst copies", 2)
    assert last.cell.policy.text == "rh-ucb(L=3)"
    copied = next(one for one in points if one.strategy == "the worst copies")
    assert copied.cell.market.profile == ((3,), (1,))


def test_parts_inherit(tmp_path: Path) -> None:
    short, long = read_parts(written(tmp_path, PARTS))
    assert (short.name, short.horizons, short.repetitions) == ("short", (100,), 3)
    assert (long.name, long.horizons, long.repetitions) == ("long", (1000,), 2)
    assert short.policies == long.policies


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"ucb1"', '"ucb9"', "policies[0] = 'ucb9' is not known"),
        ('"ucb1"', "1", "policies[0] = 1 is not text"),
        ("horizons = [100, 200]", "horizons = [100, 0]", "horizons[1] = 0 is not a whole number"),
        ("horizons = [100, 200]", "horizon = 100", "horizon is not a known key"),
        ("repetitions = 3", "", "repetitions is missing"),
        ("repetitions = 3", "repetitions = 0", "repetitions = 0 is not a whole number from 1"),
        ("seed = [1, 2]", "seed = -1", "seed = -1 is not a whole number from 0"),
        ('"lost"', '"loss"', "measure[0] = 'loss' is not one of regret, revenue, shares, lost"),
        ('"paper:2a"', '"paper:2z"', "markets[1] = 'paper:2z': figure = '2z' is not one of 1a, 1b"),
        ('"mine.toml"', '"none.toml"', "markets[0] = 'none.toml': "),
        ("random", "rnd", "markets[2].generator = 'rnd' is not one of random, mixed"),
        ("count = 2", "cont = 2", "markets[2].cont is not a known key"),
        ("count = 2", "count = 2, bad = [1, 2]", "markets[2].bad is not a parameter of generator"),
        ("count = 2", "seed = 2", "markets[2].count is missing"),
        ("rank = -1", "", "strategies[1].agent or rank is missing: who has copies?"),
        ("rank = -1", "rank = 0", "strategies[1].rank = 0 is not 1, 2"),
        ("copies = 3", "copies = 0", "strategies[1].copies = 0 is not a whole number >= 1"),
        ("the worst copies", "as given", "strategies[1].name = 'as given' is not a name of its"),
        ("measure =", "arrays = 1\nmeasure =", "arrays = 1 is not true or false"),
        ('"rh-ucb(L=3)"', '"ucb1"', "policies[1] = 'ucb1' is policies[0] again"),
        ("[100, 200]", "1e3", "study.toml: horizons = 1000.0 is not a whole number from 1 to"),
        ("[100, 200]", "[1, 2.5]", "study.toml: horizons[1] = 2.5 is not a whole number from 1"),
        ("repetitions = 3", "repetitions = '2'", "repetitions = '2' is not a whole number from 1"),
        ("repetitions = 3", "repetitions = true", "repetitions = true is not a whole number"),
        ("seed = [1, 2]", "seed = 'x'", "study.toml: seed = 'x' is not a whole number from 0"),
        ("count = 2", "count = 2.0", "markets[2].count = 2.0 is not a whole number"),
        ("rank = -1", "rank = 1.5", "strategies[1].rank = 1.5 is not a whole number"),
        ("copies = 3", "copies = '3'", "strategies[1].copies = '3' is not a whole number >= 1"),
        ("copies = 3", "copies = [1, -1]", "strategies[1].copies[1] = -1 is not a whole number"),
        ("[[str", "[audit]\nmethod = 'magic'\n[[str", "audit.method = 'magic' is not one of auto"),
        ("[[str", "[audit]\nconfidence = 95\n[[str", "audit.confidence = 95.0 is not in (0, 1)"),
        ("[[str", "[audit]\nbudget = 0\n[[str", "audit.budget = 0 is not a whole number from 1"),
        ("[[str", "[audit]\nmost_copies = 1\n[[str", "audit.most_copies = 1 is not a whole number"),
        ("[[str", "[audit]\ntolerance = 0\n[[str", "audit.tolerance = 0.0 is not a number > 0"),
        ("[[str", "[audit]\ndeviations = [[2, -1]]\n[[str", "audit.deviations[0][1] = -1 is not"),
        ("[[str", "[audit]\ndeviations = []\n[[str", "audit.deviations is empty: at least one"),
        (
            '"paper:2a"',
            "{ market = 'paper:2a', count = 2 }",
            "markets[1].count is not taken beside",
        ),
        ("measure =", "parts = []\nmeasure =", "parts is empty: at least one is needed"),
        ("seed = [1, 2]", "seed = [1", "study.toml is not TOML"),
    ],
)
def test_an_error_is_one_line_with_its_place(
    old: str, new: str, message: str, tmp_path: Path
) -> None:
    assert old in GOOD
    path = written(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(ValueError, match=r"^\S*study.toml") as caught:
        Study.read(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_errors_of_parts_name_the_part(tmp_path: Path) -> None:
    wrong = PARTS.replace("horizons = 1000", "horizons = -1")
    with pytest.raises(ValueError, match=r"study.toml: parts\[1\].horizons = -1 is not"):
        Study.read(written(tmp_path, wrong))
    with pytest.raises(ValueError, match=r"study.toml: policies\[0\] = 'x' is not known"):
        Study.read(written(tmp_path, PARTS.replace('"ucb1"', '"x"')))
    with pytest.raises(ValueError, match=r"parts\[1\].name = 'short' is not a name of its own"):
        Study.read(written(tmp_path, PARTS.replace('"long"', '"short"')))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"measure": ["exact"], "strategies": [{"name": "x", "rank": 1, "churn": 10}]}, "exact"),
        ({"audit": {"confidnce": 0.9}}, "audit.confidnce is not a known key"),
        ({"markets": [{"name": "x"}]}, "markets[0].market or generator or agents: exactly one"),
        (
            {"markets": [{"market": "paper:2a", "generator": "zipf"}]},
            "exactly one of the three is needed; market and generator are given",
        ),
        ({"markets": ["paper:2a", "paper:2a"]}, "markets[1].name = 'paper:2a' is the name of"),
    ],
)
def test_what_does_not_go_together(change: dict[str, Any], message: str) -> None:
    good = {"policies": ["ucb1"], "markets": ["paper:2a"], "horizons": 10, "repetitions": 2}
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        Study.from_dict(good | {"seed": 1} | change)
    assert message in str(caught.value)


def test_a_strategy_that_does_not_fit_names_the_market() -> None:
    study = Study.from_dict(
        {
            "policies": ["ucb1"], "markets": ["paper:2a"], "horizons": 10, "repetitions": 2,
            "seed": 1, "strategies": [{"name": "sixth", "rank": 6, "copies": 2}],
        }
    )  # fmt: skip
    message = (
        "strategies[0].rank = 6 is not within the 5 agents of the market "
        "(strategy 'sixth' on market 'paper:2a')"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        list(study.points())


@pytest.mark.parametrize("place", ["", "parts[1]."])
def test_a_strategy_that_does_not_fit_names_the_file_and_its_place(
    place: str, tmp_path: Path
) -> None:
    table = "parts.strategies" if place else "strategies"
    text = f"{PARTS}[[{table}]]\nname = 'x'\nagent = 'zed'\ncopies = 2\n"
    path = written(tmp_path, text)
    message = f"{path}: {place}strategies[0].agent = 'zed' is not one of "
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        list(Study.read(path).points())


@pytest.mark.parametrize("name", ["PartEntry", "MarketEntry", "StrategyEntry", "AuditEntry"])
def test_the_documentation_lists_every_key(name: str) -> None:
    page = (Path(__file__).parents[2] / "docs/how-to/studies.md").read_text(encoding="utf-8")
    told = page.partition(f"<!-- keys: {name} -->")[2].partition("<!-- end -->")[0]
    rows = [line for line in told.splitlines() if line.startswith("| `")]
    model = getattr(schema, name)
    assert rows == [f"| `{key}` | {one.description} |" for key, one in model.model_fields.items()]


def test_the_records_take_what_the_file_has() -> None:
    taken = {one.name for kind in GENERATORS.values() for one in fields(kind)}
    market_file = {"market", "generator", "name", "fee", "discount"}
    assert set(schema.MarketEntry.model_fields) == taken | market_file
    assert set(schema.StrategyEntry.model_fields) == {one.name for one in fields(Variation)}
    assert set(schema.AuditEntry.model_fields) == set(AUDIT_KEYS)
    assert set(AUDIT_KEYS) <= set(audit.__annotations__)
