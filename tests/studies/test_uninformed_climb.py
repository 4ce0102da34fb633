"""The climb to the largest gain of an uninformed agent: its places, and what it publishes."""

import random
import sys
from pathlib import Path

import pytest

import uninformed_climb
from copyproof.simulation import Interval
from uninformed_climb import Gain, Place, as_markdown, climb, gain_at

START = Place(good=1.0, bad=0.0, bad_arms=1, arms=2, rival=0.3, horizon=50, copies=3)


def test_a_place_is_a_market() -> None:
    market = START.market(shown=1, copies=3)
    assert market.agents[0].copies == (3, 0)
    assert market.agents[1].best_mean == 0.3
    near = [START.near(random.Random(n)) for n in range(50)]
    assert all(2 <= place.arms <= 20 and 50 <= place.horizon <= 63 for place in near)
    assert len(set(near)) > 40


def test_a_climb_never_ends_lower() -> None:
    def height(place: Place) -> float:
        return gain_at("ucb1", place, 40, 5, sorted({1, place.arms - 1, place.arms})).share

    end = climb("ucb1", START, steps=6, games=40)
    assert height(end) >= height(START)


def test_the_gain_is_held_against_the_best_without_copies() -> None:
    gain = gain_at("ucb1", START, 60, 5, [1, 2])
    shares = [gain_at("ucb1", START, 60, 5, [shown]).plain for shown in (1, 2)]
    assert gain.plain == max(shares)
    assert gain.shown == 1 + shares.index(max(shares))
    assert gain.copying - gain.plain == pytest.approx(gain.gain.mean)


def test_what_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(uninformed_climb, "STARTS", (START,))
    options = ["--policy", "rh-kl-ucb", "--steps", "1", "--games", "20", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["", *options])
    uninformed_climb.main()
    table = (tmp_path / "uninformed_climb.md").read_text()
    assert "| `rh-kl-ucb` | " in table
    assert table in capsys.readouterr().out
    head, row = (tmp_path / "uninformed_climb.csv").read_text().splitlines()
    assert head.count(",") == row.count(",")


def test_minus_signs() -> None:
    gain = Gain(2, 10.0, 9.0, Interval(-1.0, -2.0, 0.5))
    assert "| −10.0 [−20.0, +5.0] |" in as_markdown([("rh-kl-ucb", START, gain)])
