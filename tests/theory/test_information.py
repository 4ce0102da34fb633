"""Theorem A′ with rates: by hand, for every path of small games, and against what policies do."""

import math
import random
from collections.abc import Iterator
from itertools import combinations, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copyproof import Agent, Market, exact, simulate
from copyproof.simulation import last_tenth
from copyproof.theory import (
    information_rate,
    information_rate_at_share,
    kl,
    least_probability,
    plays_needed_at_share,
    plays_needed_to_tell,
)

SHARES = st.floats(0.001, 0.9)
MEANS = st.tuples(st.floats(0, 0.98), st.floats(0, 1)).map(
    lambda drawn: (drawn[0], drawn[0] + (1 - drawn[0]) * max(0.01, drawn[1]))
)


def test_by_hand() -> None:
    assert information_rate(0.9, [(0.5, 3)], g=1) == pytest.approx(kl(0.5, 0.9) / 4)
    kinds = [(0.5, 3), (0.8, 1)]
    assert information_rate(0.9, kinds, g=1) == pytest.approx(
        min(kl(0.5, 0.9) / 4, kl(0.8, 0.9) / 2)
    )
    # Two good arms: one in the place of each kind.
    kinds = [(0.5, 3), (0.6, 2)]
    assert information_rate(0.9, kinds, g=2) == pytest.approx(
        max(kl(0.5, 0.9) / 4, kl(0.6, 0.9) / 3)
    )
    # Bad arms never pay: what tells is a reward, of probability c μ′ on a fresh arm.
    assert information_rate_at_share(0.05, 0.0, 0.25) == pytest.approx(-math.log(1 - 0.0125))


@settings(max_examples=15)
@given(MEANS, SHARES)
def test_the_rate_is_at_most_a_part_of_theorem_a_prime(
    means: tuple[float, float], c: float
) -> None:
    bad, good = means
    rate = information_rate_at_share(good, bad, c)
    assert 0 < rate <= -(good - bad) * math.log1p(-c) * (1 + 1e-9)
    assert rate <= c * kl(bad, good)
    plays = plays_needed_to_tell(0.01, rate)
    assert plays >= plays_needed_at_share(0.01, c) / (good - bad) * (1 - 1e-9)


@given(st.floats(0.2, 1), st.floats(0, 8))
def test_the_least_probability_is_the_least(usual: float, information: float) -> None:
    least = least_probability(usual, information)
    assert 0 <= least <= usual
    if least > 0:
        assert kl(usual, least) == pytest.approx(information, abs=1e-6)
    entropy = math.log(2) - kl(usual, 0.5)
    assert least >= math.exp(-(information + entropy) / usual) * (1 - 1e-6)


def test_ends() -> None:
    assert least_probability(1.0, 3.0) == pytest.approx(math.exp(-3))
    assert least_probability(0.7, 0.0) == pytest.approx(0.7)
    assert least_probability(0.0, 1.0) == 0
    assert least_probability(0.9, math.inf) == 0


def test_the_rate_is_attained_where_good_arms_never_fail() -> None:
    """F fresh arms, each until it fails: N = F/(1 − μ) plays, lost if none of them is good."""
    for c, mean in product((0.01, 1 / 21, 0.5), (0.0, 0.3, 0.5)):
        plays, lost = 7 / (1 - mean), (1 - c) ** 7
        assert lost == pytest.approx(math.exp(-plays * information_rate_at_share(1.0, mean, c)))
        # A difference of probability c δ a play would promise more, and that is not so.
        assert lost <= (1 - c * (1 - mean)) ** plays * (1 + 1e-12)
    assert (1 - 0.5) ** 7 < (1 - 0.5 * 0.5) ** 14


@pytest.mark.parametrize(("good", "bad"), [(0.95, 0.5), (0.95, 0.8), (0.9, 0.2), (0.3, 0.1)])
def test_the_rate_is_that_of_a_good_way_of_playing(good: float, bad: float) -> None:
    """Play an arm until it looks so much worse than a good one: never above the rate, and near."""
    c, per_play = 1 / 21, []
    for threshold in (0.2, 0.4, 0.6, 0.8, 0.95):
        alive, plays, learned = {0: 1.0}, 0.0, 0.0
        for n in range(1, 300):
            plays += sum(alive.values())
            after: dict[int, float] = {}
            for wins, weight in alive.items():
                for win, part in ((1, bad), (0, 1 - bad)):
                    after[wins + win] = after.get(wins + win, 0.0) + weight * part
            alive = {}
            for wins, weight in after.items():
                ratio = (good / bad) ** wins * ((1 - good) / (1 - bad)) ** (n - wins)
                if ratio < threshold or n == 299:
                    learned -= weight * math.log1p(c * (ratio - 1))
                else:
                    alive[wins] = weight
        per_play.append(learned / plays)
    rate = information_rate_at_share(good, bad, c)
    assert 0.9 * rate < max(per_play) <= rate * (1 + 1e-9)


# --- every path of small games -----------------------------------------------------------------

ROUNDS, RIVAL = 7, 0.5
Path = tuple[tuple[int, int], ...]


def paths(seed: int, arms: int) -> Iterator[Path]:
    """All courses of a game under a policy drawn at random: (arm, reward); arm 0 is the rival."""
    for rewards in product((0, 1), repeat=ROUNDS):
        path: Path = ()
        for reward in rewards:
            choice = random.Random(f"{seed} {path}").choice([0, *range(1, arms + 1)])
            path = (*path, (choice, reward))
        yield path


def chance(path: Path, means: tuple[float, ...]) -> float:
    return math.prod(means[arm] if reward else 1 - means[arm] for arm, reward in path)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("bad", "good"), [(0.3, 0.6), (0.1, 0.9), (0.6, 0.7), (0.0, 0.8)])
def test_what_is_learned_on_every_path(seed: int, bad: float, good: float) -> None:
    arms, g = random.Random(seed).choice([(1, 1), (2, 1), (3, 1), (4, 2), (5, 1)])
    c = g / arms

    def means(good_ones: tuple[int, ...]) -> tuple[float, ...]:
        return (RIVAL, *(good if arm in good_ones else bad for arm in range(1, arms + 1)))

    subsets = list(combinations(range(1, arms + 1), g))
    every = [one for size in range(arms + 1) for one in combinations(range(1, arms + 1), size)]
    weights = [c ** len(one) * (1 - c) ** (arms - len(one)) for one in every]
    plays = learned = learned_apart = rest_a = rest_b = rest_apart = 0.0
    for path in paths(seed, arms):
        on_a, own = chance(path, means(())), sum(arm > 0 for arm, _ in path)
        on_b = sum(chance(path, means(one)) for one in subsets) / len(subsets)
        rest_b += on_b * (1 - own / ROUNDS)
        apart = sum(w * chance(path, means(one)) for w, one in zip(weights, every, strict=True))
        rest_apart += apart * (1 - own / ROUNDS)
        if on_a == 0:
            continue
        plays += on_a * own
        rest_a += on_a * (1 - own / ROUNDS)
        learned += on_a * math.log(on_a / on_b)
        learned_apart += on_a * math.log(on_a / apart)
    rate = information_rate(good, [(bad, arms - g)], g)
    assert learned <= rate * plays + 1e-9
    if c < 1:
        information = information_rate_at_share(good, bad, c) * plays
        assert learned_apart <= information + 1e-9
        # Times T (μ′ − m) it is at most the regret against μ′.
        assert least_probability(rest_a, information) <= rest_apart + 1e-9
    assert least_probability(rest_a, rate * plays) <= rest_b + 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_what_is_learned_where_bad_arms_differ(seed: int) -> None:
    """Two good arms, each in the place of one of a kind, in any order."""
    on_a, on_b = (
        [(RIVAL, *order) for order in set(permutations(means))]
        for means in ((0.2, 0.2, 0.5, 0.5), (0.2, 0.8, 0.5, 0.8))
    )
    plays = learned = 0.0
    for path in paths(seed, arms=4):
        a, b = (sum(chance(path, one) for one in each) / len(each) for each in (on_a, on_b))
        plays += a * sum(arm > 0 for arm, _ in path)
        learned += a * math.log(a / b)
    assert 0 < learned <= information_rate(0.8, [(0.2, 1), (0.5, 1)], g=2) * plays


# --- what policies do --------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["h-ucb", "h-ucb-t-free", "rh-ucb(L=1)", "prh-ucb"])
def test_regret_is_not_below_it(policy: str) -> None:
    T, K, g, rival = 7, 4, 1, Agent("rival", [0.5])
    for good, bad in ((0.75, 0.25), (0.875, 0.5), (0.625, 0.5)):
        plays = float(exact(Market([Agent("i", [bad]), rival]), policy, horizon=T).agents[0].plays)
        few = Agent("i", [good, bad], copies=[g, K - g])
        regret = exact(Market([few, rival]), policy, horizon=T).regret
        least = least_probability(1 - plays / T, information_rate(good, [(bad, K - g)], g) * plays)
        assert 0.25 < (good - 0.5) * T * least <= float(regret)


@pytest.mark.parametrize("bad", [[(0.7, 200)], [(0.7, 100), (0.6, 100)]])
def test_games_lost_are_not_fewer(bad: list[tuple[float, int]]) -> None:
    policy = "trial"
    T, games, rival = 20_000, 100, Agent("rival", [0.8])
    one = Market([Agent("i", [bad[0][0]]), rival])
    plays = simulate(one, policy, horizon=T, repetitions=games, seed=1).plays[:, 0]
    means, copies = zip((0.9, 10), *bad, strict=True)
    market = Market([Agent("i", means, copies=copies), rival])
    lost = simulate(
        market, policy, horizon=T, repetitions=games, seed=2, checkpoints=[last_tenth(T)]
    ).lost
    assert lost is not None
    information = information_rate(0.9, bad, g=10) * float(plays.mean())
    least = least_probability(float((plays <= T / 20).mean()), information)
    assert 0.01 < least <= lost.share + 4 * math.sqrt(0.25 / games)
