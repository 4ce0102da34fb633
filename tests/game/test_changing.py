"""Arms whose means change know what they are when, and say that they have no one mean."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyproof.game import Agent, BetaPrior, Drift, Market, Piecewise


def test_a_step_holds_from_its_round_on() -> None:
    arm = Piecewise([(1, 0.9), (10, 0.1), (20, 0.5)])
    assert [arm.mean_at(t) for t in (1, 9, 10, 19, 20, 10**9)] == [0.9, 0.9, 0.1, 0.1, 0.5, 0.5]
    assert arm.reach == (0.1, 0.9)


@given(
    st.floats(0, 1), st.floats(0, 1), st.integers(1, 50), st.integers(1, 50), st.integers(1, 200)
)
def test_a_drift_is_a_line_between_two_levels(
    start: float, end: float, first: int, length: int, t: int
) -> None:
    arm = Drift(start, end, first, first + length)
    share = min(max((t - first) / length, 0), 1)
    assert arm.mean_at(t) == pytest.approx(start + share * (end - start), abs=1e-12)
    low, high = arm.reach
    assert low - 1e-12 <= arm.mean_at(t) <= high + 1e-12


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: Piecewise([]), "means is empty: at least one is needed"),
        (
            lambda: Piecewise([(2, 0.5)]),
            "means[0][0] = 2 is not 1: the first mean is that of round 1",
        ),
        (lambda: Piecewise([(1, 0.5), (1, 0.6)]), "means[1][0] = 1 is not later than round 1"),
        (lambda: Piecewise([(1, 1.5)]), "means[0][1] = 1.5 is not in [0, 1]"),
        (
            lambda: Piecewise([(1, 0.5, 2)]),  # type: ignore[list-item]
            "means[0] = [1, 0.5, 2] is not two numbers, a round and a mean",
        ),
        (lambda: Drift(0.1, 1.2, 1, 5), "end = 1.2 is not in [0, 1]"),
        (lambda: Drift(0.1, 0.2, 5, 5), "last = 5 is not later than first = 5"),
        (
            lambda: Piecewise([(1, 0.5)]).mean,
            "mean has no value of its own: it changes during the game, and mean_at(t) is that of "
            "round t",
        ),
        (
            lambda: Market([Agent("a", [Drift(0, 1, 1, 9)]), Agent("b", [BetaPrior(1, 1)])]),
            "agents have priors and means that change: a market has one or the other",
        ),
        (
            lambda: Agent("a", [Drift(0, 1, 1, 9)]).best_mean,
            "arms[0] has a mean that changes, so that agent 'a' knows no best mean of its own",
        ),
        (
            lambda: Market([Agent("a", [0.5, Drift(0, 1, 1, 9)])]).truthful(),
            "arms[1] has a mean that changes, so that agent 'a' knows no best arm of its own",
        ),
        (
            lambda: Market([Agent("a", [Drift(0, 1, 1, 9)])]).require_known_means("exact"),
            "agents[0].arms[0] has a mean that changes: exact takes fixed means only",
        ),
    ],
)
def test_refusals(build: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(said)}\Z"):
        build()


def test_an_only_arm_is_the_best_one_whatever_its_mean_does() -> None:
    agent = Agent("ann", [Drift(0, 1, 1, 9)], copies=[5])
    assert agent.knows_best_arm
    assert agent.best_arm_only().copies == (1,)
    assert not Agent("bob", [Drift(0, 1, 1, 9), 0.5]).knows_best_arm
