"""Theorem D against exact probabilities, simulated indices and whole games."""

import functools
import itertools
import math
import random

import numpy as np
import pytest

from copyproof import Agent, Empirical, Market, simulate
from copyproof.policy.own_rules import Trial
from copyproof.theory import (
    TrialTerms,
    falls_below,
    keeps_costing,
    kl,
    stays_above,
    theorem_d,
)
from lost_bound import bound, bounds_as_markdown, floor
from tests.theory.one_bound import of, value

D = "theorem D, lost games"
Q = Trial().in_turn


def falls(r: float, theta: float) -> float:
    """kl(r, θ) where r is below θ, else 0."""
    return kl(r, theta) if r < theta else 0.0


def level(unit: float, w: int) -> float:
    return max(0.0, math.log(15 * unit / w))


def exact_fall(theta: float, mean: float, plays: int, unit: float) -> float:
    """The probability that w kl(r, θ) > ℓ(w), r < θ, for some w: all sums, play by play."""
    alive, fallen = np.zeros(plays + 1), 0.0
    alive[0] = 1.0
    for w in range(1, plays + 1):
        alive[1:] = alive[1:] * (1 - mean) + alive[:-1] * mean
        alive[0] *= 1 - mean
        for earned in range(w + 1):
            if w * falls(earned / w, theta) <= level(unit, w):
                break
            fallen += alive[earned]
            alive[earned] = 0.0
    return fallen


@pytest.mark.parametrize("mean", [0.99, 0.9, 0.5, 0.1])
@pytest.mark.parametrize("factor", [0.7, 0.9, 1.0])
@pytest.mark.parametrize(("T", "n"), [(300, 2), (5000, 2), (600, 30)])
def test_the_index_of_a_good_agent_falls_less_often(
    mean: float, factor: float, T: int, n: int
) -> None:
    terms = TrialTerms.of(Q, T, n)
    exact = exact_fall(factor * mean, mean, 250, T / n)
    most = falls_below(factor * mean, mean, 250, terms)
    assert exact <= most * (1 + 1e-9)
    assert most < 100 * exact or most < 1e-3  # and no wild guess


@functools.cache
def least_earned(terms: TrialTerms, plays: int, theta: float) -> float:
    return terms.least_earned(plays, theta)


def is_above(sums: list[float], theta: float, terms: TrialTerms) -> bool:
    """Whether the index after plays of these sums is θ or more, by its definition."""
    N = len(sums) - 1
    if terms.starts[-1] > N and sums[N] >= least_earned(terms, N, theta):
        return True
    for start in terms.starts:
        if start > N or sums[start] < least_earned(terms, start, theta):
            continue
        w = N - start
        if w == 0 or w * falls((sums[N] - sums[start]) / w, theta) <= level(terms.unit, w):
            return True
    return False


@pytest.mark.parametrize(
    ("T", "n", "mean", "theta", "plays"),
    [(10_000, 2, 0.8, 0.88, 800), (10_000, 2, 0.5, 0.6, 900), (400, 4, 0.5, 0.8, 60)],
)
def test_the_index_of_a_rival_stays_less_often(
    T: int, n: int, mean: float, theta: float, plays: int
) -> None:
    rng, terms, games = random.Random(1), TrialTerms.of(Q, T, n), 300
    rewards = ([float(rng.random() < mean) for _ in range(plays)] for _ in range(games))
    paths = ([0.0, *itertools.accumulate(path)] for path in rewards)
    share = sum(is_above(path, theta, terms) for path in paths) / games
    most = stays_above(theta, mean, plays, terms)
    assert share <= most + 3 * math.sqrt(most * (1 - most) / games)


def costs_so_much(
    rng: random.Random,
    theta: float,
    rival: tuple[float, float],
    lowest: float,
    cost: float,
    terms: TrialTerms,
) -> bool:
    """Whether a hostile rival's index is θ or more until its plays cost so much.

    It plays its worst arm while half of the level is left, and its best one below that.
    """
    sums = [0.0]
    while True:
        w = len(sums) - 1 - terms.in_turn
        high = w <= 0 or is_above(sums, theta, terms)
        since = sums[-1] - sums[terms.in_turn] if w > 0 else 0.0
        is_safe = w <= 0 or w * falls(since / w, theta) <= 0.5 * level(terms.unit, w)
        mean = rival[1] if is_safe else rival[0]
        cost -= lowest - mean if w >= 0 else 0.0
        if not high or cost <= 0:
            return high
        sums.append(sums[-1] + float(rng.random() < mean))


@pytest.mark.parametrize(
    ("T", "n", "rival", "lowest", "theta", "cost"),
    [
        (10_000, 2, (0.5, 0.0), 0.9, 0.75, 140.0),
        (3000, 3, (0.6, 0.2), 0.95, 0.85, 85.0),
    ],
)
def test_a_hostile_rival_stays_less_often(
    T: int, n: int, rival: tuple[float, float], lowest: float, theta: float, cost: float
) -> None:
    rng, terms, games = random.Random(2), TrialTerms.of(Q, T, n), 50
    share = sum(costs_so_much(rng, theta, rival, lowest, cost, terms) for _ in range(games)) / games
    most = keeps_costing(theta, rival, lowest, cost, terms)
    assert most < 1
    assert share <= most + 3 * math.sqrt(most * (1 - most) / games)


def test_plays_of_one_mean_are_those_of_given_number() -> None:
    terms = TrialTerms.of(Q, 100_000, 2)
    assert keeps_costing(0.85, (0.8, 0.8), 0.9, 100.05, terms) == pytest.approx(
        stays_above(0.85, 0.8, Q + 1000, terms)
    )
    assert keeps_costing(0.85, (0.8, 0.8), 0.9, 0.05, terms) == 1


def test_what_makes_the_bound_larger() -> None:
    usual = theorem_d(0.9, 0.9, [(0.7, 0.7)], 30_000, Q)
    assert 0 < usual < 1e-4
    assert usual < theorem_d(0.9, 0.9, [(0.7, 0.7)] * 3, 30_000, Q) < 1
    assert usual < theorem_d(0.9, 0.9, [(0.7, 0.1)], 30_000, Q) < 1
    assert usual < theorem_d(0.9, 0.85, [(0.7, 0.7)], 30_000, Q) < 1
    assert usual < theorem_d(0.9, 0.9, [(0.75, 0.75)], 30_000, Q) < 1
    assert usual < theorem_d(0.9, 0.9, [(0.7, 0.7)], 10_000, Q) < 1
    assert usual > theorem_d(0.9, 0.9, [(0.7, 0.7)], 100_000, Q)


def test_where_the_bound_says_nothing() -> None:
    assert theorem_d(0.9, 0.8, [(0.7, 0.7)], 10**6, Q) == 1  # ρ is the middle
    assert theorem_d(0.9, 0.9, [(0.7, 0.7)] * 91, 100, Q) == 1  # in turn to the end
    assert theorem_d(0.9, 0.9, [(0.7, 0.7)], 1, Q) == 1
    assert theorem_d(0.9, 0.9, [], 100, Q) == 0


def test_sure_rewards() -> None:
    assert theorem_d(1.0, 1.0, [(0.0, 0.0)], 10_000, Q) < 1e-300
    assert falls_below(0.9, 1.0, 1000, TrialTerms.of(Q, 10_000, 2)) == 0


def test_starts_in_short_games_and_long_ones() -> None:
    assert TrialTerms.of(Q, 10, 20).starts == (1,)
    short, long = TrialTerms.of(Q, 10_000, 3).starts, TrialTerms.of(Q, 10**100, 3).starts
    assert (short[-1], short[0], len(long), long[0]) == (1000, Q, 24, Q)


def test_copies_and_equal_agents() -> None:
    single = Market([Agent("a", [0.9]), Agent("b", [0.7])])
    copies = Market([Agent("a", [0.9], copies=[50]), Agent("b", [0.7])])
    found = of(copies, "trial", D)
    assert value(found) == value(of(single, "trial", D)) < 1e-6
    assert (found.of, found.kind, found.proven) == ("lost games", "upper", True)
    assert found.parameters == {"gap": pytest.approx(0.2), "rho": 0.9, "q": Q}
    two = Market([Agent("a", [0.9]), Agent("c", [0.9, 0.85]), Agent("b", [0.7, 0.1])])
    assert 0 < value(of(two, "trial", D)) < 1
    assert value(of(Market([Agent("a", [0.9]), Agent("b", [0.9])]), "trial", D)) == 0


def test_a_bound_that_says_nothing_is_vacuous() -> None:
    found = of(Market([Agent("a", [0.9]), Agent("b", [0.8])]), "trial", D, horizon=100)
    assert (found.value, found.vacuous) == (1.0, True)
    assert "no probability is above 1" in found.why
    assert repr(found).endswith("share of lost games ≤ 1, which says nothing>")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agents", "horizon"),
    [
        ([[0.9], [0.7]], 3000),
        ([[0.9], [0.8]], 12_000),
        ([[0.5], [0.3, 0.25]], 12_000),
        ([[0.9], [0.5], [0.4], [0.1]], 3000),
        ([[0.9], [0.9, 0.85], [0.6, Empirical([0.59])]], 6000),
    ],
)
def test_measured_losses_are_below_the_bound(agents: list[list[float]], horizon: int) -> None:
    market = Market([Agent(str(place), arms) for place, arms in enumerate(agents)])
    most = value(of(market, "trial", D, horizon=horizon))
    assert most < 1
    games = 1000
    lost = simulate(market, "trial", horizon=horizon, repetitions=games, seed=1).lost
    assert lost is not None
    assert lost.count <= games * most + 3 * math.sqrt(games * most)


def test_the_study() -> None:
    line = bounds_as_markdown([(0.9, 0.5)]).splitlines()[-1]
    assert line.startswith("| 0.9 | 0.5 | ")
    assert line.count("|") == 9
    assert bound(0.9, 0.5, 2, 10**5) < 1e-9
    least = floor(0.85, 0.525, 20_000)
    assert least is not None
    assert 0 < least < 0.15
