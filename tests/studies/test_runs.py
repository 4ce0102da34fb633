"""Rows that are kept are taken for the same game under the same rules, and for no other."""

import json
from pathlib import Path
from typing import Any

import pytest

from copyproof import Agent, Market, parse_policy
from copyproof.policy import own_rules
from late import COMPARED, play_late
from markets import Case
from runs import play_all, read
from studies.uninformed import read_known, rules_of

CASE = Case("two agents", "rational", Market([Agent("a", [0.9]), Agent("b", [0.5])]), 200, 2)
POLICIES = {"ours": parse_policy("trial"), "theirs": parse_policy("h-ucb")}


def marked(path: Path) -> None:
    """Let all rows of a file claim a regret of 123."""
    rows = read(path)
    header, *lines = path.read_text().splitlines()
    changed = [
        line.replace(f",{row['regret']},", ",123,") for line, row in zip(lines, rows, strict=True)
    ]
    path.write_text("\n".join([header, *changed]) + "\n")


def regrets(path: Path) -> list[str]:
    return [row["regret"] for row in play_all([CASE], POLICIES, path, workers=1)]


def test_a_rule_whose_constants_have_changed_is_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.csv"
    ours, theirs = regrets(path)
    marked(path)
    assert regrets(path) == ["123", "123"]
    with monkeypatch.context() as changed:
        changed.setattr(own_rules, "GATE", 0.25)
        found = regrets(path)
        assert found[0] != "123"
        assert found[1] == "123"
    assert regrets(path) == [ours, "123"]
    assert theirs != "123"


def test_rows_of_before_rows_said_their_rules_are_played_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    first = regrets(path)
    marked(path)
    place = path.read_text().splitlines()[0].split(",").index("rules")
    lines = [line.split(",") for line in path.read_text().splitlines()]
    path.write_text("".join(",".join(line[:place] + line[place + 1 :]) + "\n" for line in lines))
    assert regrets(path) == first


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
