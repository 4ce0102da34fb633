"""Trial: a larger reward never costs an agent plays, to the last bit, and rewards may be late."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest

from copyproof import Agent, Beta, Empirical, Market, parse_policy, simulate
from copyproof.engine import trial
from copyproof.engine.lower import lower
from copyproof.engine.plan import LEAVES, TOURNAMENT
from copyproof.engine.state import BLOCK, EPOCH, LEVELS
from copyproof.live import MarketConfig, Principal
from copyproof.simulation.threads import fill, new_record


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


def test_claims_are_next_below_the_formula_and_never_fall_where_more_is_earned() -> None:
    rng = random.Random(3)
    for _ in range(2000):
        q, plays = rng.randint(1, 2000), rng.randint(1, 200_000)
        earned = rng.choice([rng.random() * plays, float(rng.randint(0, plays))])
        v = (q + min(0.4 * earned, 0.3 * q)) / plays
        exact = min(1.0, v ** (1 / 1.2))
        least = 2**-6
        found = trial._claim(float(q), plays, earned)
        assert max(least, exact * 2 ** (-1 / 64)) * (1 - 1e-12) <= found
        assert found <= max(least, exact) * (1 + 1e-12)
        for _ in range(5):
            more = float(np.nextafter(earned, math.inf))
            assert trial._claim(float(q), plays, more) >= trial._claim(float(q), plays, earned)
            earned = more


def test_claims_never_fall_across_a_step_of_the_grid() -> None:
    """Of neighbouring floats on both sides of a step, the larger one never claims less."""
    for q, plays in [(97, 500), (97, 11_000), (3, 77), (938, 1000)]:
        low, high = 0.0, float(plays)
        steps = []
        for claim in sorted({trial._claim(float(q), plays, k / 50 * plays) for k in range(51)})[1:]:
            below, above = low, high
            while float(np.nextafter(below, math.inf)) < above:
                middle = (below + above) / 2
                if trial._claim(float(q), plays, middle) >= claim:
                    above = middle
                else:
                    below = middle
            steps.append(above)
            near = [below]
            for _ in range(20):
                near = [float(np.nextafter(near[0], 0)), *near, float(np.nextafter(near[-1], 9e9))]
            claims = [trial._claim(float(q), plays, one) for one in near]
            assert claims == sorted(claims)
            assert claims[0] < claim <= claims[-1]
        assert steps == sorted(steps)


def test_the_last_start_is_what_whole_numbers_give() -> None:
    """In floats 0.3·(1000/3) is below 100."""
    rng = random.Random(8)
    games = [
        (1000, 3),
        *((rng.randint(1, 10 ** rng.randint(1, 6)), rng.randint(1, 400)) for _ in range(3000)),
    ]
    for T, n in games:
        epoch = np.zeros(1, EPOCH)[0]
        epoch["unit"] = T / n
        q, last = trial.limits_of((1e6, 0.3, 0.5), epoch)
        assert (q, last) == (max(1, T // (5 * n)), max(1, 3 * T // (10 * n)))


def test_an_index_is_said_to_be_above_a_bar_only_if_it_is() -> None:
    rng = np.random.default_rng(4)
    market = Market([Agent("a", [0.5]), Agent("b", [0.5])])
    one = lower(market, parse_policy("trial"), horizon=1000, seed=1)
    state, numbers, none = one.new_state(), one.plan.agent.parameters, np.zeros(1, BLOCK)
    item, starts, sums = state.items[0], state.starts[0], state.trials[0]
    said = 0
    for _ in range(3000):
        state.epoch["unit"] = math.exp(rng.uniform(3, 13))
        item["plays"] = item["answers"] = plays = int(math.exp(rng.uniform(5, 14)))
        mean = rng.choice([rng.random(), rng.random() ** 4, 1 - rng.random() ** 4, 0.0, 1.0])
        item["total"] = total = round(mean * plays)
        starts["claim"] = 2.0 ** -np.sort(rng.integers(0, 65, LEVELS) / 64)
        starts["claim"][0] = 1.0
        sums[:] = np.minimum(total, np.round(total * (1 - 0.1 * rng.random(LEVELS))))
        index = trial.trial_index(item, sums, starts, none, state.epoch[0], numbers, 0)
        for bar in (index, index - 1e-12, index - 1e-3 * rng.random(), index * rng.random()):
            if trial.trial_is_above(state, 0, numbers, float(bar)):
                assert bar < index
                said += 1
    assert said > 1000


@pytest.mark.parametrize("policy", ["trial", "trial-anytime", "trial(memory=300)"])
@pytest.mark.parametrize("horizon", [300, 20_000])
def test_indices_that_are_not_computed_change_no_decision(policy: str, horizon: int) -> None:
    tenths = Empirical([k / 10 for k in range(11)])
    markets = [
        Market([Agent("a", [0.9], copies=[40]), Agent("b", [0.89, 0.2]), Agent("c", [0.5, 0.7])]),
        Market([Agent(name, [Beta(2, 3), tenths], copies=[2, 3]) for name in "abcd"]),
        Market([Agent("sure", [1.0]), Agent("never", [0.0]), Agent("rare", [0.01, 0.03])]),
    ]
    for market in markets:
        usual = lower(market, parse_policy(policy), horizon=horizon, seed=2)
        assert usual.plan.agent_search == LEAVES
        every = replace(usual, plan=usual.plan._replace(agent_search=TOURNAMENT))
        found = [new_record(one, 1, 3, trace=True) for one in (usual, every)]
        for one, record in zip((usual, every), found, strict=True):
            fill(one, np.array([horizon]), record, workers=1)
        for name, array in found[0]._asdict().items():
            np.testing.assert_array_equal(array, getattr(found[1], name))


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
