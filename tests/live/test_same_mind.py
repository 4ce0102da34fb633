"""A simulated run fed through ask and tell gives the identical decisions, for every policy."""

import random
import zlib

import numpy as np
import pytest

from copyproof import Market, Schedule, parse_policy
from copyproof.engine.lower import lower
from copyproof.engine.luck import fill_uniforms
from copyproof.game import registrations
from copyproof.live import MarketConfig, Principal
from copyproof.simulation.decisions import decisions_of_games
from tests.live.simulated import EVERY_ROW, Run
from tests.markets import random_market, random_schedule


def replayed(policy: str, horizon: int, salt: int, bound: str = "") -> Principal:
    run = Run(policy, horizon, seed=zlib.crc32(policy.encode()) + salt, bound=bool(bound))
    principal = Principal(config=run.config)
    groups = {agent.name: agent.group for agent in run.market.agents}

    def register(agents: list[str], arms: list[tuple[str, str]]) -> None:
        for agent in agents:
            principal.register_agent(agent, group=groups[agent] if bound == "at once" else None)
        principal.register_arms(arms)
        for agent in reversed(agents if bound == "afterwards" else []):
            principal.bind([agent], groups[agent])

    def ask() -> tuple[str, str, str]:
        [decision] = principal.ask()
        return decision.id, decision.agent, decision.arm

    run.play(register, ask, principal.tell)
    return principal


@pytest.mark.parametrize("policy", EVERY_ROW)
def test_a_thousand_rounds_of_every_policy(policy: str) -> None:
    replayed(policy, 1000, salt=0)


@pytest.mark.parametrize("policy", EVERY_ROW)
def test_a_thousand_rounds_with_names_that_are_bound(policy: str) -> None:
    """As ``simulate`` decides on the quotient, be they bound as they register or afterwards."""
    for salt, bound in enumerate(("at once", "afterwards")):
        principal = replayed(policy, 1000, salt=5 + salt, bound=bound)
        assert {one.group for one in principal.statistics().agents} >= {"even"}
        assert Principal(store=principal.store).digest() == principal.digest()


@pytest.mark.parametrize("policy", ["prh-ucb", "h-ucb", "ucb1"])
def test_ten_thousand_rounds(policy: str) -> None:
    principal = replayed(policy, 10_000, salt=1)
    assert principal.round == 10_000
    assert principal.pending == 0
    assert Principal(store=principal.store).digest() == principal.digest()


@pytest.mark.slow
@pytest.mark.parametrize("policy", EVERY_ROW)
def test_ten_thousand_rounds_of_every_policy(policy: str) -> None:
    principal = replayed(policy, 10_000, salt=2)
    assert Principal(store=principal.store).digest() == principal.digest()


HIERARCHICAL = [
    "h-ucb",
    "prh-ucb",
    "rh-ucb(L=0.5)",
    "h-ucb-t-free",
    "h-thompson",
    "fair",
    "trial(c=0.5)",
]


@pytest.mark.parametrize("policy", HIERARCHICAL)
def test_arms_that_come_and_go_are_decided_as_in_a_simulation(policy: str) -> None:
    """The live rules of churn are the rules that the attacks are simulated under."""
    for salt in range(6):
        rng = random.Random(zlib.crc32(policy.encode()) + salt)
        market = random_market(rng)
        schedule = Schedule(random_schedule(rng, market, 300).changes)
        if any(change.round == 1 for change in schedule.changes):
            continue  # what comes before a live market's first decision comes before round 1
        seed = rng.getrandbits(60)
        expected = decisions_of_games(market, policy, horizon=300, seed=seed, schedule=schedule)[0]
        compare(market, schedule, policy, seed, expected.tolist())


def compare(
    market: Market, schedule: Schedule, policy: str, seed: int, expected: list[int]
) -> None:
    booked = registrations(market, schedule, 300)
    lowered = lower(market, parse_policy(policy), horizon=300, seed=seed, schedule=schedule)
    names = market.names
    numbers = [
        (names[agent], str(arm))
        for agent, count in enumerate(lowered.counts)
        for arm in range(count)
    ]
    luck = np.zeros((len(names), 300))
    for agent in range(len(names)):
        fill_uniforms(np.uint64(seed), agent, 0, 0, luck[agent])
    config = MarketConfig(policy, seed=seed, horizon=300)
    principal = Principal(config=config)
    for name in names:
        principal.register_agent(name)
    there = [pair for pair, late in zip(numbers, lowered.late, strict=True) if not late]
    principal.register_arms(there)
    changes = list(booked.changes)
    plays = dict.fromkeys(names, 0)
    for t, number in enumerate(expected, 1):
        while changes and changes[0].round == t:
            change = changes.pop(0)
            pair = names[change.agent], str(change.arm)
            if change.joins:
                principal.register_arm(*pair)
            else:
                principal.retire_arm(*pair)
        [decision] = principal.ask()
        assert (decision.agent, decision.arm) == numbers[number], f"round {t} of {schedule}"
        u = luck[names.index(decision.agent), plays[decision.agent]]
        plays[decision.agent] += 1
        fails = lowered.game.rewards.originals[lowered.originals[number]]["first"]
        principal.tell(decision.id, float(u >= fails))
