"""In a live market, too, n counts the agents that have an arm as an epoch begins."""

from typing import Any

import numpy as np
import pytest

from copyproof import Agent, Market
from copyproof.drills import LiveGame
from copyproof.engine.lower import lower
from copyproof.engine.luck import fill_uniforms
from copyproof.engine.play import play
from copyproof.live import MarketConfig, Principal, events
from copyproof.live.stores import open_store
from copyproof.policy import parse_policy
from copyproof.simulation.threads import new_record

READ_N = ["trial", "trial(c=0.5, lost=0.1, memory=100)", "trial(season=400)"]
MEANS = {"left": [0.9, 0.2, 0.1], "right": [0.8], "third": [0.3, 0.6]}
T, SEED = 1500, 11


class Served(LiveGame):
    """A live market whose arms pay by the uniform numbers of a simulation."""

    def __init__(self, policy: str, names: int) -> None:
        super().__init__(policy, SEED, attacks=False, horizon=T, config={})
        self.uniforms = np.zeros((3, T))
        for number in range(3):
            fill_uniforms(np.uint64(SEED), number, 0, 0, self.uniforms[number])
        for agent, means in MEANS.items():
            for mean in means:
                self.register(agent, mean)
        for name in range(names):
            self.sign_up(f"name {name}")

    def sign_up(self, name: str) -> None:
        """Register a name without an arm."""
        self.state.enter(events.AgentRegistered(name, 0.0))
        self._person[name] = name
        self.plays[name], self._luck[name] = 0, []
        self._streams[name] = np.random.default_rng(0)

    def uniform(self, who: str) -> float:
        """As a simulation has it, where an arm pays 1 if the number is above 1 − μ."""
        if who not in MEANS:
            return super().uniform(who)
        return float(1.0 - self.uniforms[list(MEANS).index(who), self.plays[who]])


def unit_of(state: Any) -> list[float]:
    """What the market, and then each agent, counts plays in."""
    state.settle()
    return state.arrays.state.epoch["unit"].tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("policy", READ_N[:2])
def test_names_without_arms_change_no_decision(policy: str) -> None:
    """The market decides as a simulation that has never heard of them."""
    game = Served(policy, names=50)
    game.show()
    order = [one for one in game.state.arrays.state.order.tolist() if one < 3]
    for _ in range(T - 1):
        game.show()
    market = Market([Agent(name, means) for name, means in MEANS.items()])
    lowered = lower(market, parse_policy(policy), horizon=T, seed=SEED, priority=order)
    record = new_record(lowered, 1, 1, trace=True)
    control = np.zeros(2, np.int64)
    play(lowered.plan, lowered.new_state(), lowered.game, np.array([T]), 0, record, control, 0)
    assert np.array_equal(record.agent_plays[0], [game.plays[name] for name in MEANS])
    owners = np.repeat(np.arange(3), [3, 1, 2])
    assert [list(MEANS)[owners[arm]] for arm in record.choices[0]] == game.path


@pytest.mark.parametrize("policy", ["trial", "trial-anytime"])
def test_the_attack_of_armless_names_changes_no_unit(policy: str) -> None:
    alone, attacked = (Served(policy, names) for names in (0, 1000))
    for game in (alone, attacked):
        game.show()
    assert unit_of(attacked.state)[:4] == unit_of(alone.state)
    assert set(unit_of(attacked.state)[4:]) == {0.0}


def test_n_is_counted_as_each_epoch_begins() -> None:
    game = Served("trial(season=400)", names=1)
    game.show()
    assert unit_of(game.state) == [400 / 3] * 4 + [0.0]
    game.retire("left", "0")
    game.retire("left", "1")
    game.retire("left", "2")
    game.sign_up("new")
    assert unit_of(game.state) == [400 / 3] * 4 + [0.0, 0.0]
    game.register("new", 0.5)  # the fourth that has had an arm in this epoch
    game.register("new", 0.5)
    assert unit_of(game.state) == [400 / 3] * 4 + [0.0, 100.0]
    for name in ("right", "left"):  # a suspension changes no n, with arms or without
        game.state.enter(events.Suspended(name, 0.0))
    for _ in range(400):
        game.show()
    assert unit_of(game.state) == [400 / 3, 0.0, 400 / 3, 400 / 3, 0.0, 400 / 3]
    game.bring_back("left", "0")
    assert unit_of(game.state) == [400 / 3, 100.0, 400 / 3, 400 / 3, 0.0, 400 / 3]
    game.retire("left", "0")
    game.bring_back("left", "0")
    assert unit_of(game.state)[1] == 100.0


def test_names_that_are_bound_count_once_and_have_a_unit() -> None:
    """Also where the principal has the number of a name without an arm."""
    game = Served("trial(season=400)", names=2)
    game.show()
    game.bind(["name 0", "third"], "one")
    numbers = game.state.registry.principals.number
    principal = numbers[game.state.registry.agents["third"]]
    assert unit_of(game.state)[1 + principal] == 400 / 3
    game.bind(["name 1", "left"], "two")
    for _ in range(400):
        game.show()
    assert unit_of(game.state)[0] == 400 / 3


@pytest.mark.parametrize("policy", ["trial", "trial-anytime"])
def test_markets_with_names_without_arms_are_opened_again(policy: str) -> None:
    """From the journal as from a snapshot, however the requests were gathered."""
    with open_store("memory:") as store:
        needed = T if parse_policy(policy).needs_horizon else None
        principal = Principal(
            store=store, market="m", config=MarketConfig(policy, seed=3, horizon=needed)
        )
        for name in "abcd":
            principal.register_agent(name)
        principal.register_arms([("a", "1"), ("b", "1")])
        for count in range(4):
            principal.tell_many([(one.id, 1.0) for one in principal.ask(150)])
            principal.register_agent(f"late {count}")
            principal.register_arms([("d", str(count)), (f"later {count}", "1")])
            principal.retire_arm("d", str(count))
            if count == 1:
                principal.snapshot()
        digest = principal.digest()
        assert Principal(store=store, market="m").digest() == digest
        with open_store("memory:") as journal:
            journal.create_market("m", principal.config.to_dict())
            journal.append("m", 1, [event for _, event in store.events("m")])
            assert Principal(store=journal, market="m").digest() == digest
