"""State that grows decides as state that was laid out at once."""

import random

import numpy as np
import pytest

from copyproof.engine.live_records import Live
from copyproof.engine.state import State
from copyproof.live import MarketConfig, Principal
from copyproof.live.events import (
    AgentRegistered,
    ArmRetired,
    ArmsRegistered,
    Rewarded,
)
from copyproof.live.layout import TABLE
from copyproof.live.market import MarketState
from copyproof.live.snapshots import from_bytes, to_bytes


def entered(policy: str, seed: int, *, reload: bool) -> MarketState:
    """Agents and arms that come while the market is asked; laid out anew at times, or not."""
    rng = random.Random(seed)
    state = MarketState(MarketConfig(policy, seed=seed, horizon=1000))
    names = []
    for step in range(400):
        at = float(step)
        if step < 3 or rng.random() < 0.2:
            names.append(f"agent {step}")
            state.enter(AgentRegistered(agent=names[-1], at=at))
        arms = [[rng.choice(names), f"arm {step} {n}"] for n in range(rng.randint(1, 9))]
        state.enter(ArmsRegistered(arms=arms, at=at))
        if rng.random() < 0.3:
            agent, arm = arms[0]
            state.enter(ArmRetired(agent=agent, arm=arm, at=at))
        state.settle()
        state.decide(3, at, None, slate=False)
        rounds = [state.round - 2, state.round - 1, state.round]
        state.enter(Rewarded(rounds=rounds, rewards=[rng.random() for _ in range(3)], at=at))
        if reload and step % 7 == 0:
            state.settle()
            again = from_bytes(to_bytes(state))
            assert again is not None
            state = again
    state.settle()
    return state


@pytest.mark.parametrize(
    "policy",
    [
        "prh-ucb",
        "h-ucb",
        "ucb1",
        "rh-ucb(L=1)",
        "h-ucb-t-free",
        "kl-ucb",
        "h-kl-ucb",
        "thompson",
        "h-thompson",
    ],
)
def test_growth_in_place_and_a_fresh_layout_decide_alike(policy: str) -> None:
    grown = entered(policy, 1, reload=False)
    assert grown.arrays.arms > 1000
    assert grown.arrays.agents > 60
    assert entered(policy, 1, reload=True).digest() == grown.digest()


def test_registering_one_by_one_or_all_at_once_is_the_same() -> None:
    pairs = [(f"agent {n % 37}", f"arm {n}") for n in range(2000)]
    config = MarketConfig("prh-ucb", seed=0)
    one, other = (Principal(config=config, clock=lambda: 5.0) for _ in range(2))
    one.register_arms(pairs)
    with other.group():
        for agent, arm in pairs:
            other.register_arm(agent, arm)
    assert one.digest() == other.digest()
    assert [decision.arm for decision in one.ask(500)] == [d.arm for d in other.ask(500)]
    more = [(f"agent {n % 50}", f"late {n}") for n in range(2000)]
    one.register_arms(more)
    for agent, arm in more[:20]:
        other.register_arm(agent, arm)
    other.register_arms(more[20:])
    assert [decision.arm for decision in one.ask(900)] == [d.arm for d in other.ask(900)]


def test_the_table_has_every_array_of_the_kernels_once() -> None:
    names = [one.name for one in TABLE]
    assert sorted(names) == sorted([*State._fields, *Live._fields])
    arrays = MarketState(MarketConfig("h-ucb")).arrays
    for one in TABLE:
        shown = getattr(arrays.state if one.name in State._fields else arrays.live, one.name)
        assert shown.dtype == (one.dtype.base if isinstance(one.dtype, np.dtype) else one.dtype)
