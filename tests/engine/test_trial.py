"""Trial: a larger reward never costs an agent plays, to the last bit, and rewards may be late."""

import random

import numpy as np

from copyproof import Agent, Market, simulate
from copyproof.live import MarketConfig, Principal


def plays(tape: list[list[float]], horizon: int, policy: str) -> int:
    """How often the first of three agents is played, with given rewards."""
    market = Market([Agent(name, [0.5]) for name in "abc"])
    found = simulate(market, policy, horizon=horizon, repetitions=1, seed=3, tape=tape)
    return int(found.plays[0, 0])


def test_a_smaller_early_reward_is_never_followed_by_more_plays() -> None:
    """Sums that are taken as differences of others break this, by their rounding."""
    rng = random.Random(5)
    for _ in range(12):
        horizon = rng.randint(30, 200)
        tape = [[rng.choice([0.1, 0.2, 0.3]) for _ in range(horizon)] for _ in range(3)]
        lower = [row.copy() for row in tape]
        for play in range(rng.randint(1, 5)):
            lower[0][play] = float(np.nextafter(lower[0][play], 0)) if rng.random() < 0.5 else 0.05
        for policy in ("trial(c=0.9, lost=0.5)", "trial(c=0.5, lost=0.1)", "trial"):
            assert plays(lower, horizon, policy) <= plays(tape, horizon, policy)


def test_a_trial_goes_on_while_rewards_are_late() -> None:
    """An agent whose rewards are not known yet tries one arm after the other."""
    principal = Principal(config=MarketConfig("trial", horizon=10_000))
    principal.register_arms([("ann", str(number)) for number in range(40)])
    assert len({decision.arm for decision in principal.ask(40)}) == 40


def test_a_champion_that_pays_is_played_on() -> None:
    principal = Principal(config=MarketConfig("trial", horizon=10_000))
    principal.register_arms([("ann", str(number)) for number in range(40)])
    shown = []
    for _ in range(20):
        [decision] = principal.ask()
        shown.append(decision.arm)
        principal.tell(decision.id, 1)
    assert len(set(shown)) == 1
