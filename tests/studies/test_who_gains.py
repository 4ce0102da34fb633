"""The map of who gains, with a few markets."""

import json
import sys
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

import who_gains
import who_gains_figure
from copyproof import Agent, Market, simulate
from many import Clock

SOME = ["--markets", "12", "--candidates", "3", "--again", "2", "4"]


def found_in(folder: Path, monkeypatch: pytest.MonkeyPatch, *more: str) -> dict[str, object]:
    monkeypatch.setattr(sys, "argv", ["who_gains.py", *SOME, "--out", str(folder), *more])
    monkeypatch.setattr(who_gains, "PORTION", 6)
    who_gains.main()
    found: dict[str, object] = json.loads((folder / "who_gains.json").read_text())
    return found


def test_copies_of_one_arm_change_nothing_but_under_ucb1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = found_in(tmp_path, monkeypatch)
    assert (found["markets"], found["portions"]) == (12, 2)
    cells = {
        policy: {name: np.array(array) for name, array in of.items()}
        for policy, of in found["cells"].items()  # type: ignore[attr-defined]
    }
    assert all(of["markets"].sum(axis=(1, 2)).tolist() == [12] * 3 for of in cells.values())
    assert all((of["gain"][0] == 0).all() for of in cells.values())
    for policy in ("h-ucb", "rh-ucb", "trial"):
        assert cells[policy]["games with a gain"][1].sum() == 0
        assert cells[policy]["games with a loss"][1].sum() == 0
    assert cells["trial"]["games with a gain"].sum() == 0  # theorem of the package, game by game
    assert cells["ucb1"]["gain"][1].sum() > 0
    again = found["challenged"]["h-ucb"]  # type: ignore[index]
    assert [one["games"] for one in again] == [4, 4, 4]
    assert found_in(tmp_path, monkeypatch) == found  # all is played: nothing is added


def test_a_study_that_is_out_of_time_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = found_in(tmp_path / "whole", monkeypatch)
    options = Namespace(device="cpu", markets=6, out=tmp_path)
    state = {**whole, "portions": 0, "markets": 0, "cells": {}, "largest": {}, "challenged": {}}
    who_gains.play_portions(state, options, Clock(60.0))
    assert state["portions"] == 1
    who_gains.play_portions(state, Namespace(device="cpu", markets=12, out=tmp_path), Clock(0.0))
    assert state["portions"] == 1
    found = found_in(tmp_path, monkeypatch)
    assert found["cells"] == whole["cells"]


def test_games_are_those_of_simulate() -> None:
    structure, means = who_gains.drawn(0, 5)
    options = Namespace(device="cpu")
    revenue = who_gains.revenues("trial", 300, structure, means, 0, 2, options, Clock(60.0))
    n = int(who_gains.agents_of(structure[:1] // 3)[0])
    copies = who_gains.COPIES[int(structure[0]) // 3 % 3]
    pairs = means[0].reshape(-1, 2)[:n].tolist()
    others = [Agent(f"a{k}", pair) for k, pair in enumerate(pairs) if k]
    for place, own in enumerate(([1, 0], [copies, 0], [copies, copies])):
        market = Market([Agent("a0", pairs[0], copies=own), *others])
        result = simulate(market, "trial", horizon=300, repetitions=2, seed=who_gains.SEED)
        assert revenue[0, place].tolist() == result.revenue[:, 0].tolist()


def test_the_published_map_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = found_in(tmp_path, monkeypatch)
    picture = tmp_path / "map.png"
    monkeypatch.setattr(sys, "argv", ["", "--out", str(tmp_path), "--to", str(picture)])
    monkeypatch.setattr(who_gains_figure, "LEAST", 1)
    who_gains_figure.main()
    assert picture.read_bytes().startswith(b"\x89PNG")
    lines = (tmp_path / "who_gains.md").read_text().splitlines()
    assert len(lines) == 2 + 2 * len(who_gains.POLICIES)
    assert lines[2].startswith("| UCB1 | best arm | +")
    share, _ = who_gains_figure.share_of(found["cells"]["trial"], 1)  # type: ignore[index]
    assert np.nansum(abs(share)) == 0


def test_what_the_page_says_is_in_the_published_file() -> None:
    published = json.loads((who_gains.RESULTS / "who_gains.json").read_text())
    assert published["markets"] == 1_000_000
    page = Path("docs/explanation/millions.md").read_text(encoding="utf-8")
    assert who_gains_figure.as_markdown(published) in page
