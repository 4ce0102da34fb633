"""The search among variants of the default, with few variants and games."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import search_trial
from copyproof import parse_policy, simulate
from copyproof.policy import Trial
from many import Clock
from mixed import development_mixed
from search_trial import default_numbers, play_all, small, variants


def test_rounds_leave_fewer_variants_and_held_out_markets_come_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ["--variants", "20", "--scale", "0.003", "--every", "8", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["search_trial.py", *given])
    monkeypatch.setattr(search_trial, "LONGEST", 3000)
    monkeypatch.setattr(search_trial, "FINALISTS", 2)
    search_trial.main()
    found = json.loads((tmp_path / "search_trial.json").read_text())
    assert next(one["variants"] for one in found["rounds"]) == 20
    assert all(one["variants"] <= 20 for one in found["rounds"])
    assert next(one["numbers"] for one in found["held-out"]) == default_numbers().tolist()
    assert found["held-out"][0]["score"] == pytest.approx(1.0)
    assert len(found["held-out"]) == 3
    search_trial.main()  # all is done: nothing is played again
    assert json.loads((tmp_path / "search_trial.json").read_text()) == found


def test_the_default_is_among_the_variants_and_plays_as_ever() -> None:
    rules = variants(3)
    agent = parse_policy("default").agent
    assert isinstance(agent, Trial)
    assert (rules[0, 0], rules[0, 3]) == (agent.in_turn, agent.tries)
    case = next(one for one in small(development_mixed()) if one.horizon == 1000)
    regret, lost = play_all([case], rules, 5, 2, "cpu", Clock(60.0))
    result = simulate(
        case.market, "default", horizon=1000, repetitions=7, seed=search_trial.SEED, checkpoints=10
    )
    assert regret[0, 0].tolist() == result.regret_curves[5:, -1].tolist()
    assert result.lost_games is not None
    assert lost[0, 0].tolist() == result.lost_games[5:].tolist()
    assert regret[0, 0].tolist() != regret[0, 1].tolist()


def test_a_score_is_regret_over_the_default() -> None:
    default = np.array([[10.0, 30.0], [1.0, 1.0]])
    regret = np.stack([default, 2 * default], axis=1)
    lost = np.zeros(regret.shape, bool)
    lost[0, 1, 0] = True
    one, two = search_trial.judge(regret, lost, default)
    assert (one["score"], one["lost"], one["standard error of the difference"]) == (1.0, 0.0, 0.0)
    assert (two["score"], two["lost"], two["lost on the worst"]) == (2.0, 0.25, 0.5)
    assert two["standard error of the difference"] > 0


def test_the_page_has_the_published_table() -> None:
    published = json.loads((search_trial.RESULTS / "search_trial.json").read_text())
    page = Path("docs/explanation/millions.md").read_text(encoding="utf-8")
    assert search_trial.as_markdown(published) in page
