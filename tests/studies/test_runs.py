"""Rows of published tables are of the games that were asked for, under the rules as they are."""

import collections
import sqlite3
from pathlib import Path

import pytest

import copyproof
from copyproof import Agent, Market, Study, simulate
from copyproof.policy import own_rules
from copyproof.studies import cells
from markets import Case
from price import CHOICES, choice
from runs import Row, read, rows_of, table_of, write
from tests.studies.studies import STUDIES

MARKET = Market([Agent("a", [0.9]), Agent("b", [0.5])])
CASE = Case("two agents", "rational", MARKET, 200, 2)
POLICIES = ("trial", "h-ucb")


def played(folder: Path) -> list[Row]:
    case = copyproof.Case(CASE.name, MARKET, CASE.horizon, CASE.repetitions, CASE.seed)
    Study(POLICIES, [case], measure=["regret", "lost"]).run(folder)
    return rows_of(table_of(folder), [CASE], POLICIES)


def test_rows_are_what_simulate_finds(tmp_path: Path) -> None:
    rows = played(tmp_path)
    write(tmp_path / "rows.csv", rows)
    assert read(tmp_path / "rows.csv") == rows
    assert [row["variant"] for row in rows] == list(POLICIES)
    for row in rows:
        alone = simulate(MARKET, row["policy"], horizon=200, repetitions=2, seed=CASE.seed)
        assert row["regret"] == f"{alone.regret.mean:.6g}"
        assert row["worst"] == f"{alone.regret_curves[:, -1].max():.6g}"
        assert alone.lost is not None
        assert row["lost"] == str(alone.lost.count)


def test_a_cell_is_played_once_but_for_rules_that_have_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = (row["regret"] for row in played(tmp_path))
    with sqlite3.connect(tmp_path / "study.db") as store:
        store.execute("UPDATE cells SET found = json_set(found, '$.regret_mean', 123)")
    assert [row["regret"] for row in played(tmp_path)] == ["123", "123"]
    with monkeypatch.context() as changed:
        changed.setattr(own_rules, "GATE", 0.35)
        cells._rules.cache_clear()
        found = [row["regret"] for row in played(tmp_path)]
        assert found[0] != "123"
        assert found[1] == "123"
    cells._rules.cache_clear()
    assert [row["regret"] for row in played(tmp_path)] == ["123", "123"]
    assert "123" not in (ours, theirs)


def test_a_table_that_is_not_there_or_of_other_markets_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"^there is no table yet: copyproof study run .*price\.t"):
        table_of(tmp_path / "price")
    played(tmp_path)
    other = Case(CASE.name, "rational", MARKET.best_arm_only("a").replicate("a", 2), 200, 2)
    with pytest.raises(SystemExit, match="two agents is another market by now"):
        rows_of(table_of(tmp_path), [other], POLICIES)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("lost_games", 1200),
        ("lost_games_development", 1296),
        ("targets", 36),
        ("price", 48),
        ("least_lost", 214),
        ("trade", 516),
    ],
)
def test_the_study_files_say_what_is_published(name: str, size: int) -> None:
    points = list(Study.read(STUDIES / f"{name}.toml").points())
    assert len({point.cell.digest for point in points}) == len(points) == size
    asked = {(p.market, p.cell.policy.text, p.cell.horizon, p.cell.repetitions) for p in points}
    path = STUDIES / "results" / f"{name}.csv"
    if path.is_file() and name != "least_lost":
        assert {_size(row) for row in read(path)} <= asked


def test_the_calibration_is_a_study_file() -> None:
    points = list(Study.read(STUDIES.parent / "benchmarks" / "calibration.toml").points())
    parts = collections.Counter(point.part for point in points)
    assert parts == {"truth": 56, "settings": 1600, "random": 600, "exact": 1890}
    assert len({point.cell.digest for point in points}) == len(points)


def _size(row: Row) -> tuple[str, str, int, int]:
    return row["market"], row["variant"], int(row["horizon"]), int(row["repetitions"])


def test_the_study_of_the_price_has_every_choice() -> None:
    points = Study.read(STUDIES / "price.toml").points()
    assert {p.cell.policy.text for p in points} == {choice(*one) for one in CHOICES}
