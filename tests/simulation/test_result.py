"""Results: estimates, frames, frozen arrays, save and load."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from copyproof import (
    Admit,
    Agent,
    Market,
    Renew,
    Result,
    Retire,
    RiskAverse,
    Schedule,
    UniformPrior,
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


def test_save_and_load(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    result.save(path)
    again = Result.load(path)
    assert again.market == result.market
    assert again.policy == result.policy
    assert again.to_dict() == result.to_dict()
    assert again.versions == result.versions
    assert np.array_equal(again.regret_curves, result.regret_curves)
    assert not again.revenue.flags.writeable
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.npz"]


def test_drawn_means_are_kept(tmp_path: Path) -> None:
    market = Market([Agent("a", [UniformPrior(0, 1)]), Agent("b", [0.5])])
    result = simulate(market, "h-ucb", horizon=20, repetitions=4, seed=1)
    result.save(tmp_path / "run.npz")
    again = Result.load(tmp_path / "run.npz")
    assert again.market == market
    assert again.means is not None
    assert result.means is not None
    assert not again.means.flags.writeable
    assert np.array_equal(again.means, result.means)
    assert again.to_dict() == result.to_dict()
    best = result.to_dict()["best_mean"]
    assert 0.5 <= best["mean"] <= 1
    assert best["stderr"] > 0


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 broken"])
def test_what_is_not_a_result_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"x.npz is not a saved simulation"):
        Result.load(path)


@pytest.mark.parametrize(
    ("name", "cut", "shapes"),
    [
        ("means", (slice(1), slice(None)), r"\(1, 2\), not \(4, 2\)"),
        ("means", (slice(None), 0), r"\(4,\), not \(4, 2\)"),
        ("revenue", (slice(None), slice(1)), r"\(4, 1\), not \(4, 2\)"),
        ("regret_curves", (slice(3), slice(None)), r"\(3, 20\), not \(4, 20\)"),
        ("rounds", (None, slice(None)), r"\(1, 20\), not \(20,\)"),
    ],
)
def test_arrays_of_another_shape_are_refused(
    name: str, cut: Any, shapes: str, tmp_path: Path
) -> None:
    market = Market([Agent("a", [UniformPrior(0, 1)]), Agent("b", [0.5])])
    result = simulate(market, "h-ucb", horizon=20, repetitions=4, seed=1)
    path = tmp_path / "x.npz"
    replace(result, **{name: getattr(result, name)[cut]}).save(path)
    with pytest.raises(ValueError, match=rf"x.npz is not a saved simulation: {name} is .*{shapes}"):
        Result.load(path)


def test_a_damaged_file_is_refused_wherever_the_damage_is(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    result.save(path)
    content = path.read_bytes()
    refused = 0
    for place in range(0, len(content), max(1, len(content) // 400)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        try:
            Result.load(path)
        except ValueError:  # and nothing else
            refused += 1
    assert refused > 300


def test_missing_and_unwritable_files(result: Result, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        Result.load(tmp_path / "missing.npz")
    with pytest.raises(ValueError, match="cannot be written: No such file"):
        result.save(tmp_path / "no" / "folder.npz")
    other = tmp_path / "other.npz"
    np.savez(other, x=np.zeros(3))
    with pytest.raises(ValueError, match="is not a saved simulation"):
        Result.load(other)


def test_figure_2a_tells_the_papers_story() -> None:
    market = paper_market("2a")
    regret = {
        policy: simulate(market, policy, horizon=20_000, repetitions=10, seed=1).regret.mean
        for policy in ("ucb1", "h-ucb", "rh-ucb")
    }
    assert regret["h-ucb"] < regret["rh-ucb"] < regret["ucb1"]


def test_a_schedule_is_saved_and_loaded(tmp_path: Path) -> None:
    schedule = Schedule(
        [Retire(50, "a", 0, 2), Admit(60, "a", 1), Admit(70, "a", 0, new=False)],
        [Renew("b", after=5, below=0.25)],
    )
    result = simulate(
        MARKET, "rh-ucb", horizon=500, repetitions=30, seed=9, checkpoints=5, schedule=schedule
    )
    result.save(tmp_path / "x.npz")
    again = Result.load(tmp_path / "x.npz")
    assert again.schedule == schedule
    assert np.array_equal(again.registrations, result.registrations)
    assert np.array_equal(again.utility, result.utility)
    assert result.registrations[:, 0].tolist() == [5] * 30


def test_without_a_schedule_registrations_are_the_strategies(result: Result) -> None:
    assert result.schedule is None
    assert result.registrations.tolist() == [[4, 0, 1]] * 30
    empty = simulate(MARKET, "rh-ucb", horizon=9, repetitions=1, seed=9, schedule=Schedule())
    assert empty.schedule is None
