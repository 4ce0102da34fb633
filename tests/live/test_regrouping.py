"""Names that are bound while a market lives: sums, samples, late rewards, and all others."""

import random
from typing import Any

import numpy as np
import pytest

from copyproof import Agent, Market, parse_policy
from copyproof.live import MarketConfig, Principal
from copyproof.policy import with_market_defaults
from tests.live.exported import are_due, check_known
from tests.live.simulated import EVERY_ROW
from tests.live.test_principal import reopened

MEANS = {"a": 0.7, "b": 0.5, "c": 0.6, "d": 0.4, "e": 0.3}
OWNERS = {"a": "ann", "b": "bob", "c": "cid", "d": "dan", "e": "ann"}


def market(policy: str = "trial", **settings: Any) -> Principal:
    config = MarketConfig(policy, seed=11, horizon=2000, **settings)
    principal = Principal(config=config)
    principal.register_arms([(owner, arm) for arm, owner in OWNERS.items()])
    return principal


def play(principal: Principal, rounds: int, seed: int, told: float = 1.0) -> list[str]:
    """Ask and tell, and leave some untold; the arms."""
    luck, shown = random.Random(seed), []
    for _ in range(rounds):
        [decision] = principal.ask()
        shown.append(decision.arm)
        reward = float(luck.random() < MEANS[decision.arm])
        if luck.random() < told:
            principal.tell(decision.id, reward)
    return shown


def sums(principal: Principal) -> dict[str, tuple[int, int, float]]:
    found = principal.statistics().agents
    return {one.agent: (one.plays, one.answered, one.revenue) for one in found}


def row(principal: Principal, name: str) -> Any:
    """What the policy knows of the principal of a name, in this epoch."""
    state = principal._state
    number = state.registry.principals.number[state.registry.agents[name]]
    return state.arrays.export()["agents"][number]


LAB = Market([Agent("ann", [0.7, 0.3]), Agent("bob", [0.5])])
LIVE = [str(with_market_defaults(parse_policy(name), LAB)) for name in EVERY_ROW]


@pytest.mark.parametrize("unanswered", ["estimated", "patient", "omitted"])
@pytest.mark.parametrize("policy", LIVE)
def test_what_is_known_of_a_principal_is_the_sum_of_its_names(policy: str, unanswered: str) -> None:
    principal = market(policy, unanswered=unanswered)
    play(principal, 400, 1, told=0.8)
    before, rows = sums(principal), {name: row(principal, name).copy() for name in OWNERS.values()}
    assert principal.bind(["dan", "bob"], "x")
    bound = row(principal, "dan")
    for field in ("plays", "answers"):
        assert bound[field] == rows["bob"][field] + rows["dan"][field]
    assert bound["total"] == pytest.approx(rows["bob"]["total"] + rows["dan"]["total"], abs=1e-9)
    assert sums(principal) == before  # by name nothing changes
    for other in ("ann", "cid"):
        assert row(principal, other) == rows[other]
    play(principal, 300, 2, told=0.8)
    assert principal.bind(["dan"], None)
    parts = [row(principal, name) for name in ("bob", "dan")]
    known = sums(principal)
    for name, part in zip(("bob", "dan"), parts, strict=True):
        if parse_policy(policy).restart is None:
            assert part["plays"] == known[name][0]
    play(principal, 200, 3, told=0.8)
    reopened(principal)
    principal.snapshot()
    reopened(principal)


def test_bound_names_are_asked_as_one_from_then_on() -> None:
    """Under H-UCB four equal names get four shares; bound, what is left of one."""
    config = MarketConfig("h-ucb", seed=5)
    principal = Principal(config=config)
    names = [f"n{k}" for k in range(4)]
    principal.register_arms([("ann", "a"), *((name, "b") for name in names)])

    def show(rounds: int) -> dict[str, int]:
        for _ in range(rounds):
            principal.tell(principal.ask()[0].id, 0.5)
        return {agent: known[0] for agent, known in sums(principal).items()}

    assert show(1000) == {"ann": 200, **dict.fromkeys(names, 200)}
    principal.bind(names, "x")
    assert show(600)["ann"] == 800  # 200 against 800: who is behind comes first
    assert show(400)["ann"] == 1000


def test_late_rewards_find_their_play_after_names_were_bound() -> None:
    """A market that is told late ends with the statistics of one that is told at once."""
    late, at_once = market("trial"), market("trial")
    waiting = []
    for principal in (late, at_once):
        for k in range(300):
            [decision] = principal.ask(eligible=[("ann", "bob", "cid", "dan")[k % 4]])
            reward = float(k % 3 == 0)
            if principal is at_once or k % 2:
                principal.tell(decision.id, reward)
            else:
                waiting.append((decision.id, reward))
        principal.bind(["bob", "dan"], "x")
    for one_id, reward in waiting:
        late.tell(one_id, reward)
    assert sums(late) == sums(at_once)
    log = late._state.arrays.export()
    owner = log["arms"]["owner"][log["log"]["arm"]]
    for name in ("ann", "bob", "cid"):
        assert row(late, name)["plays"] == row(at_once, name)["plays"]
    for one in np.unique(owner):
        mine = owner == one
        assert log["numbers"][mine].tolist() == list(range(mine.sum()))
        assert log["agents"]["total"][one] == log["counted"][mine].sum()
    assert not are_due(log).all()
    check_known(log, owner)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_known_follows_names_that_are_bound_and_freed(seed: int) -> None:
    rng = random.Random(seed)
    principal = market("trial", default_reward=0.5)
    for step in range(12):
        waiting = [(one.id, rng.choice([0.0, 0.5, 1.0])) for one in principal.ask(25)]
        for one, reward in rng.sample(waiting, rng.randint(0, 25)):
            principal.tell(one, reward)
        names = rng.sample(["ann", "bob", "cid", "dan"], 2)
        principal.bind(names, f"group {step}" if rng.random() < 0.6 else None)
        arrays = principal._state.arrays.export()
        check_known(arrays, arrays["arms"]["owner"][arrays["log"]["arm"]])
    reopened(principal)


@pytest.mark.parametrize("policy", ["rh-ucb(L=0.3)", "prh-ucb"])
def test_a_sample_keeps_to_its_bound_and_to_what_was_played_most(policy: str) -> None:
    config = MarketConfig(policy, seed=3, horizon=1000)
    principal = Principal(config=config)
    for name in ("ann", "bob", "cid"):
        principal.register_arms([(name, str(k)) for k in range(10)])
    principal.ask(400)
    in_play = {
        name: [(one.plays, one.arm) for one in principal.statistics(name).arms if one.in_play]
        for name in ("ann", "bob")
    }
    bound = 2 if policy != "prh-ucb" else int(np.log(400) ** 2)
    principal.bind(["ann", "bob"], "x")
    left = [
        one for name in ("ann", "bob") for one in principal.statistics(name).arms if one.in_play
    ]
    every = sorted((plays for some in in_play.values() for plays, _ in some), reverse=True)
    assert len(left) == min(bound, len(every))
    assert sorted((one.plays for one in left), reverse=True) == every[: len(left)]
    principal.ask(300)
    reopened(principal)
