"""Rare losses, with few games."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import rare
from copyproof import simulate


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, *more: str) -> Any:
    monkeypatch.setattr(sys, "argv", ["rare.py", "--out", str(folder), *more])
    rare.main()
    return json.loads((folder / "rare.json").read_text())["markets"]


def test_games_lost_are_those_of_simulate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rare, "BAD", (0.55, 0.2))
    found = run(tmp_path, monkeypatch, "--portion", "100", "--most", "200", "--enough", "1000")
    assert [one["games"] for one in found] == [200, 200]
    result = simulate(
        rare.market(0.55), "default", horizon=rare.HORIZON, repetitions=200, seed=rare.SEED
    )
    assert result.lost is not None
    assert result.lost_games is not None
    assert found[0]["lost"] == result.lost.count > 0
    assert found[0]["named"] == result.lost_games.nonzero()[0].tolist()[: rare.NAMED]
    checked = run(tmp_path, monkeypatch, "--check")
    assert checked[0]["lost by the engine, too"] == len(found[0]["named"])


def test_a_market_that_has_lost_enough_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rare, "BAD", (0.6, 0.2))
    most = ("--portion", "50", "--most", "150")
    found = run(tmp_path, monkeypatch, *most, "--enough", "1")
    assert [one["games"] for one in found] == [50, 150]
    more = run(tmp_path, monkeypatch, "--estimate", "--runs", "4")
    assert more[0]["estimate"]["probability"] > 0
    text = (tmp_path / "rare.md").read_text().splitlines()
    assert len(text) == 4
    assert text[2].startswith("| 0.6 | 50 |")


def test_no_time_no_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["rare.py", "--out", str(tmp_path), "--seconds", "0"])
    rare.main()
    assert not (tmp_path / "rare.json").exists()


def test_the_page_has_the_published_table() -> None:
    published = json.loads((rare.RESULTS / "rare.json").read_text())
    page = Path("docs/explanation/millions.md").read_text(encoding="utf-8")
    assert rare.as_markdown(published) in page
