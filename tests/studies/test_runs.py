"""Rows that are kept are taken for the same game under the same rules, and for no other."""

import json
import sqlite3
from pathlib import Path

import pytest

from copyproof import Agent, Market, paper_market, parse_policy, simulate
from copyproof.policy import own_rules
from copyproof.studies import cells
from late import COMPARED, play_late
from markets import Case
from runs import play_all, read, store_of
from variants import VARIANTS

CASE = Case("two agents", "rational", Market([Agent("a", [0.9]), Agent("b", [0.5])]), 200, 2)
POLICIES = {"ours": parse_policy("trial"), "theirs": parse_policy("h-ucb")}


def played(path: Path) -> list[str]:
    return [row["regret"] for row in play_all([CASE], POLICIES, path, workers=1)]


def test_rows_are_what_simulate_finds(tmp_path: Path) -> None:
    rows = play_all([CASE], POLICIES, tmp_path / "rows.csv", workers=1)
    assert read(tmp_path / "rows.csv") == rows
    for row in rows:
        alone = simulate(CASE.market, row["policy"], horizon=200, repetitions=2, seed=CASE.seed)
        assert row["regret"] == f"{alone.regret.mean:.6g}"
        assert row["worst"] == f"{alone.regret_curves[:, -1].max():.6g}"
        assert alone.lost is not None
        assert row["lost"] == str(alone.lost.count)


def test_a_cell_is_played_once_but_for_rules_that_have_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.csv"
    ours, theirs = played(path)
    with sqlite3.connect(store_of(path) / "study.db") as store:
        store.execute("UPDATE cells SET found = json_set(found, '$.regret_mean', 123)")
    path.unlink()  # it is published, and not read
    assert played(path) == ["123", "123"]
    with monkeypatch.context() as changed:
        changed.setattr(own_rules, "GATE", 0.25)
        cells._rules.cache_clear()
        found = played(path)
        assert found[0] != "123"
        assert found[1] == "123"
    cells._rules.cache_clear()
    assert played(path) == ["123", "123"]
    assert "123" not in (ours, theirs)


def test_late_runs_are_lost_games(tmp_path: Path) -> None:
    path = tmp_path / "late.json"
    first = play_late(path, 4, 300, 1)
    assert [one["variant"] for one in first] == list(COMPARED)
    assert json.loads(path.read_text()) == first
    alone = simulate(
        paper_market("2c"), VARIANTS["doubt 1"], horizon=300, repetitions=4, seed=2,
        checkpoints=[270],
    )  # fmt: skip
    (line,) = (one for one in first if one["variant"] == "doubt 1")
    assert line["regret"] == alone.regret.mean
    tenth = alone.regret_curves[:, 1] - alone.regret_curves[:, 0]
    assert line["late"] == (tenth >= 0.1 / 2 * 30).mean()
    path.unlink()  # it is published, and not read
    with sqlite3.connect(store_of(path) / "study.db") as store:
        store.execute("UPDATE cells SET found = json_set(found, '$.regret_mean', 123)")
    assert {one["regret"] for one in play_late(path, 4, 300, 1)} == {123}
