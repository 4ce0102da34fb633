"""Rows that are kept are taken for the same game under the same rules, and for no other."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from copyproof import Agent, Market, parse_policy, simulate
from copyproof.policy import own_rules
from copyproof.studies import cells
from late import COMPARED, play_late
from markets import Case
from runs import play_all, read, store_of
from studies.uninformed import read_known, rules_of

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


def test_late_runs_are_those_of_the_rules_of_today(tmp_path: Path) -> None:
    path = tmp_path / "late.json"
    first = play_late(path, 2, 100, 1)
    assert [one["variant"] for one in first] == list(COMPARED)
    lines: list[dict[str, Any]] = [one | {"regret": -1.0} for one in first]
    lines[0]["rules"] = "others"
    del lines[1]["rules"]
    path.write_text(json.dumps(lines))
    again = play_late(path, 2, 100, 1)
    assert again == [*first[:2], *lines[2:]]
    assert json.loads(path.read_text()) == again


def test_answers_about_former_rules_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "uninformed.json"
    kept = {"policy": "trial", "rules": rules_of("trial")}
    lines = [{"policy": "trial"}, kept, {"policy": "h-ucb", "rules": rules_of("trial")}]
    path.write_text(json.dumps({"markets": lines, "search": lines[:1]}))
    assert read_known(path) == {"markets": [kept], "search": []}
