"""Results: estimates, frames, frozen arrays."""

import json
import math

import numpy as np
import pytest

from copyproof import (
    Agent,
    Market,
    Result,
    RiskAverse,
    Schedule,
    paper_market,
    simulate,
)

MARKET = Market(
    [
        Agent("a", [0.5, 0.3], copies=[4, 0], utility=RiskAverse(0.5)),
        Agent("absent", [0.7], copies=[0]),
        Agent("b", [0.9]),
    ],
    fee=0.25,
)


@pytest.fixture(scope="module")
def result() -> Result:
    return simulate(MARKET, "rh-ucb", horizon=500, repetitions=30, seed=9, checkpoints=5)


def test_estimates(result: Result) -> None:
    regret = result.regret_curves[:, -1]
    assert result.regret.mean == pytest.approx(regret.mean())
    assert result.regret.std == pytest.approx(regret.std(ddof=1))
    assert result.regret.stderr == pytest.approx(regret.std(ddof=1) / math.sqrt(30))
    first, absent, last = result.agents
    assert first.revenue.mean + last.revenue.mean == pytest.approx(result.revenue.sum() / 30)
    assert (absent.revenue.mean, absent.plays.mean) == (0, 0)
    assert first.utility.mean == pytest.approx(np.sqrt(result.revenue[:, 0]).mean() - 1.0)
    assert last.utility.mean == pytest.approx(result.revenue[:, 2].mean() - 0.25)
    assert result.curve.round.tolist() == [100, 200, 300, 400, 500]
    assert result.curve.mean[-1] == result.regret.mean
    assert str(result.policy) == "rh-ucb"
    assert str(result.resolved_policy) == "rh-ucb(L=2)"


def test_one_repetition_has_no_deviation() -> None:
    one = simulate(MARKET, "h-ucb", horizon=50, repetitions=1, seed=9)
    assert math.isnan(one.regret.std)
    assert math.isnan(one.regret.stderr)
    data = json.loads(json.dumps(one.to_dict(), allow_nan=False))
    assert data["regret"]["std"] is None
    assert set(data["curve"]["regret_std"]) == {None}


def test_nothing_returned_can_be_written(result: Result) -> None:
    for name in ("rounds", "regret_curves", "revenue", "plays", "original_plays"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(result, name)[0] = 1
    with pytest.raises(AttributeError):
        result.__setattr__("seed", 2)


def test_frames(result: Result) -> None:
    frame = result.to_frame()
    identity = ["policy", "market", "seed", "horizon"]
    own = ["repetition", "agent", "revenue", "plays", "utility", "regret"]
    assert list(frame.columns) == identity + own
    assert frame[identity].drop_duplicates().values.tolist() == [
        ["rh-ucb", result.market.label, 9, 500]
    ]
    assert len(frame) == 30 * 3
    assert frame.groupby("agent").plays.sum().sum() == 500 * 30
    curve = result.curve_frame()
    regret = ["regret_mean", "regret_std", "regret_stderr"]
    assert list(curve.columns) == [*identity, "round", *regret]
    assert curve["regret_mean"].is_monotonic_increasing


def test_figure_2a_tells_the_papers_story() -> None:
    market = paper_market("2a")
    regret = {
        policy: simulate(market, policy, horizon=20_000, repetitions=10, seed=1).regret.mean
        for policy in ("ucb1", "h-ucb", "rh-ucb")
    }
    assert regret["h-ucb"] < regret["rh-ucb"] < regret["ucb1"]


def test_without_a_schedule_registrations_are_the_strategies(result: Result) -> None:
    assert result.schedule is None
    assert result.registrations.tolist() == [[4, 0, 1]] * 30
    empty = simulate(MARKET, "rh-ucb", horizon=9, repetitions=1, seed=9, schedule=Schedule())
    assert empty.schedule is None
