"""n counts the agents that have an arm as an epoch begins: names without arms change nothing."""

import numpy as np
import pytest

from copyproof import Admit, Agent, Market, Retire, Schedule, lost_probability, simulate
from copyproof.engine.lower import lower
from copyproof.engine.plan import Plan
from copyproof.engine.pools import next_epoch, reset
from copyproof.engine.registration import admit, retire
from copyproof.engine.state import State
from copyproof.policy import parse_policy, with_market_defaults

READ_N = [
    "trial",
    "trial(c=0.5, lost=0.1, memory=100)",
    "trial-anytime(c=0.3, first=200, factor=2, power=1)",
    "rh-kl-ucb(L=3)",
    "h-moss",
]
ARMS = [Agent("A", [0.9, 0.2], copies=[2, 5]), Agent("B", [0.8]), Agent("C", [0.5, 0.7])]


def with_names(count: int) -> Market:
    """The market, with so many agents behind that register nothing."""
    return Market([*ARMS, *(Agent(f"name {k}", [0.1], copies=[0]) for k in range(count))])


@pytest.mark.parametrize("policy", READ_N)
def test_names_without_arms_change_no_decision(policy: str) -> None:
    given = parse_policy(policy).ties == "priority"
    few, many = (
        simulate(
            with_names(count),
            policy,
            horizon=2000,
            repetitions=3,
            seed=7,
            priority=[1, *range(3, 3 + count), 0, 2] if given else None,
        )
        for count in (0, 60)
    )
    assert np.array_equal(few.revenue, many.revenue[:, :3])
    assert np.array_equal(few.plays, many.plays[:, :3])


def test_the_defaults_of_moss_count_agents_that_take_part() -> None:
    policy = with_market_defaults(parse_policy("h-moss"), with_names(60))
    assert "agents=3" in str(policy)


def test_the_attack_of_armless_names_earns_nothing() -> None:
    """With 1,000 of them in n the rival had 30,055 in place of 2,294, and 15 of 40 games."""
    arms = [Agent("A", [0.9, 0.2], copies=[10, 200]), Agent("B", [0.8])]
    names = [Agent(f"name {k}", [0.1], copies=[0]) for k in range(100)]
    alone, attacked = (
        simulate(
            Market([*arms, *more]),
            "trial",
            horizon=20_000,
            repetitions=8,
            seed=1,
            priority=[0, 1, *range(2, 2 + len(more))],
        )
        for more in ([], names)
    )
    assert attacked.agents[1].revenue.mean == alone.agents[1].revenue.mean


def test_a_probability_of_loss_counts_agents_with_an_arm() -> None:
    few, many = (
        lost_probability(
            Market([*ARMS[:2], *(Agent(f"name {k}", [0.1], copies=[0]) for k in range(count))]),
            "trial",
            horizon=2000,
            seed=1,
            runs=4,
        )
        for count in (0, 30)
    )
    assert many.probability == few.probability
    assert many.agents == few.agents == 2


def begun(schedule: Schedule) -> tuple[State, Plan]:
    market = Market([Agent("A", [0.9]), Agent("B", [0.8, 0.1]), Agent("C", [0.5], copies=[0])])
    policy = parse_policy("trial(season=100)")
    lowered = lower(market, policy, horizon=1000, seed=1, schedule=schedule)
    state = lowered.new_state()
    reset(lowered.plan, state, 0)
    return state, lowered.plan


def test_n_is_counted_as_each_epoch_begins() -> None:
    """Who goes and who comes during an epoch changes nobody's n before the next one."""
    state, plan = begun(Schedule([Admit(50, "C", 0), Retire(150, "A", 0)]))
    assert state.epoch["unit"].tolist() == [50.0, 50.0, 50.0, 0.0]
    a, c = 3, 6
    retire(plan, state, a)
    admit(plan, state, c)  # the third agent that has had an arm in this epoch
    assert state.epoch["unit"].tolist() == [50.0, 50.0, 50.0, 100 / 3]
    next_epoch(plan, state, 0)
    assert state.epoch["unit"].tolist() == [50.0, 0.0, 50.0, 50.0]
    admit(plan, state, a)
    assert state.epoch["unit"].tolist() == [50.0, 100 / 3, 50.0, 50.0]
    retire(plan, state, a)
    admit(plan, state, a)  # its n stays
    assert state.epoch["unit"].tolist() == [50.0, 100 / 3, 50.0, 50.0]
