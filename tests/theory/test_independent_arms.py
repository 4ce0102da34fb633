"""Theorem A′ with rates, item 4: arms that are good independently, held against μ′, by enumeration.

With probability (1 − c)^K no arm is good. Held against the market's own best mean, parts 2 and 3
are false.
"""

import math
from collections.abc import Iterator
from itertools import product

import pytest

from copyproof import Agent, Market, exact
from copyproof.theory import information_rate_at_share, least_probability

BAD, GOOD, RIVAL, C, T = 0.45, 0.95, 0.5, 0.05, 8


def markets(arms: int) -> Iterator[tuple[float, Market]]:
    """The market with each number of good arms of agent i, with its probability."""
    for good in range(arms + 1):
        kinds = [(mean, n) for mean, n in ((GOOD, good), (BAD, arms - good)) if n > 0]
        agent = Agent("i", [mean for mean, _ in kinds], copies=[n for _, n in kinds])
        weight = math.comb(arms, good) * C**good * (1 - C) ** (arms - good)
        yield weight, Market([agent, Agent("rival", [RIVAL])])


@pytest.mark.parametrize("policy", ["h-ucb", "h-ucb-t-free", "rh-kl-ucb(L=0.5)"])
@pytest.mark.parametrize("arms", [1, 2, 3])
def test_regret_is_held_against_the_good_mean(policy: str, arms: int) -> None:
    alone = exact(Market([Agent("i", [BAD]), Agent("rival", [RIVAL])]), policy, horizon=T)
    plays = float(alone.agents[0].plays)
    z = least_probability(1 - plays / T, information_rate_at_share(GOOD, BAD, C) * plays)
    least = (GOOD - RIVAL) * T * z
    own = sum(weight * float(exact(one, policy, horizon=T).regret) for weight, one in markets(arms))
    without = (1 - C) ** arms * (GOOD - max(RIVAL, BAD)) * T
    assert own < least  # the market's own best mean: false
    assert own + without >= least  # the good mean
    if (policy, arms) == ("h-ucb", 1):
        assert [round(one, 2) for one in (least, own + without, own)] == [1.16, 3.67, 0.25]


def test_lost_games_are_held_against_the_good_mean() -> None:
    """Play i once, and again for ever if that pays; 20 rounds, K = 1."""
    rounds = 20
    plays = (1 - BAD) * 1 + BAD * rounds
    usual = 1 - BAD  # of N_i = 1, which is at most T/20
    z = least_probability(usual, information_rate_at_share(GOOD, BAD, C) * plays)
    lost = {"good mean": 0.0, "own best": 0.0}
    for is_good, pays in product((True, False), repeat=2):
        mean = GOOD if is_good else BAD
        chance = (C if is_good else 1 - C) * (mean if pays else 1 - mean)
        played = mean if pays else RIVAL  # in the last tenth
        for name, best in (("good mean", GOOD), ("own best", max(mean, RIVAL))):
            lost[name] += chance * (best - played >= (GOOD - RIVAL) / 2)
    assert lost["own best"] < z <= lost["good mean"]
    assert lost["own best"] >= z - (1 - C)
