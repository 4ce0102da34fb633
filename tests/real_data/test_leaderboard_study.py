"""The leaderboard as a market, and its study in small."""

import json
from pathlib import Path

import pytest

from copyproof import read_market
from copyproof.real_data.leaderboard import Entry, leaderboard_market, read_leaderboard
from copyproof.real_data.leaderboard_study import LAB, large_labs, run
from tests.real_data.sets import real


def test_models_are_arms_and_a_draw_is_half_a_win() -> None:
    entries = read_leaderboard(real("alpaca-eval"))
    market = leaderboard_market(entries)
    assert sum(len(agent.arms) for agent in market.agents) == len(entries) == 223
    reference = next(one for one in entries if one.model == "gpt4_1106_preview")
    assert (reference.wins, reference.battles) == (402.5, 805)  # against itself
    assert large_labs(market)[:2] == ["OpenAI", "ExPO"]


def test_a_labs_arms_come_from_the_best_to_the_worst() -> None:
    board = [Entry("a", "x", 10, 100), Entry("b", "x", 60, 100), Entry("c", "y", 30, 100)]
    (x, y) = leaderboard_market(board).agents
    means = [getattr(arm, "mean", 0.0) for arm in x.arms]
    assert means == sorted(means, reverse=True)
    assert (x.name, y.name) == ("x", "y")


@pytest.mark.slow
def test_variants_pay_under_ucb1_and_not_under_the_default(tmp_path: Path) -> None:
    found = run(real("alpaca-eval"), tmp_path, horizon=5000, repetitions=40)
    flat, default = found["policies"]["ucb1"], found["policies"]["trial"]
    assert flat["gain"][-1]["low"] > 0
    assert flat["fee"]["mean"] > default["fee"]["mean"]
    assert json.loads((tmp_path / "results.json").read_text(encoding="utf-8")) == found
    assert (tmp_path / "leaderboard.png").stat().st_size > 10_000
    assert len(read_market(tmp_path / "market.toml").agent(LAB).arms) == 10
