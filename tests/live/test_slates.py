"""Slates, and choices among all but a few: by the agents' tree as by a look at every agent."""

import random
from typing import Any

import numpy as np
import pytest

from copyproof.engine.plan import ANEW, TOURNAMENT
from copyproof.live import MarketConfig, NoArm, Principal

# Rules of agents that have a tree, with and without a coin, an order of ties, samples and epochs.
POLICIES = [
    "trial-anytime",
    "h-ucb",
    "prh-ucb",
    "rh-ucb(L=2)",
    "h-ucb-t-free",
    "h-kl-ucb",
    "h-moss(agents=12, K=5)",
    "h-etc",
    "h-epsilon-greedy",
    "h-epsilon-decreasing",
    "hierarchical(kl-ucb, ucb, ties=priority)",
]


class Game:
    """Random requests to a market; the same for the same seed."""

    def __init__(self, policy: str, seed: int, *, scans: bool) -> None:
        self.random = random.Random(seed)
        pick = self.random.choice
        config: dict[str, Any] = {"per_agent": pick([1, 1, 2, None]), "horizon": 3000}
        config["seen"] = pick(["agent", "content"])
        config["unanswered"] = pick(["estimated", "patient", "omitted"])
        self.now = 0.0
        self.market = Principal(
            config=MarketConfig(policy, seed=seed, reward_window=50.0, **config),
            clock=lambda: self.now,
        )
        self.scans = scans
        self.shown: list[Any] = []
        self.said: list[Any] = []
        arms = [(f"a{n}", f"x{m}") for n in range(12) for m in range(pick([1, 1, 2, 5]))]
        self.market.register_arms([(*arm, f"c{pick(range(8))}") for arm in arms])
        self.arms = arms

    def step(self) -> None:
        market, pick = self.market, self.random.choice
        self.now += self.random.random()
        agent, arm = pick(self.arms)
        match pick(["slate"] * 6 + ["ask", "tell", "tell", "tell", "retire", "out", "in", "back"]):
            case "slate":
                seen: Any = None
                if self.random.random() < 0.5:
                    some = self.random.sample(self.shown, 2)
                    seen = {one.agent: [one.arm] for one in some}
                self.ask(pick([1, 2, 5, 30]), slate=True, seen=seen)
            case "ask":
                one = pick(self.shown)
                self.ask(3, seen={one.agent: [one.arm]})
            case "tell":
                one = pick(self.shown)
                told = market.tell(one.id, float(one.arm in ("x0", "x3")))
                self.said.append((told.status, told.reward))
            case "retire":
                market.retire_arm(agent, arm)
            case "out":
                market.suspend_agent(agent)
            case "in":
                market.resume_agent(agent)
            case _:
                market.register_arm(agent, arm)

    def ask(self, count: int, **how: Any) -> None:
        state = self.market._state
        if self.scans:
            state.arrays.plan = state.arrays.plan._replace(agent_search=ANEW)
            state.arrays.stale = True
        else:
            assert state.arrays.plan.agent_search == TOURNAMENT
        try:
            made = self.market.ask(count, **how)
        except NoArm:
            made = []
        self.shown += made
        self.said.append([(one.round, one.agent, one.arm) for one in made])
        live = state.arrays.live
        assert not np.any(live.marks)
        assert not np.any(live.left)

    def play(self, steps: int) -> list[Any]:
        self.ask(3)
        for _ in range(steps):
            self.step()
        return self.said


@pytest.mark.parametrize("policy", POLICIES)
def test_decisions_are_those_of_a_scan(policy: str) -> None:
    for seed in range(4):
        by_tree = Game(policy, seed, scans=False)
        by_scan = Game(policy, seed, scans=True)
        assert by_tree.play(120) == by_scan.play(120), (policy, seed)
        assert by_tree.market.digest() == by_scan.market.digest()


def test_a_slate_leaves_the_tree_as_it_was() -> None:
    game = Game("h-ucb", 1, scans=False)
    game.play(40)
    arrays = game.market._state.arrays
    top = arrays.state.pools[0]
    leaves = arrays.state.nodes[top["base"] + top["cap"] :][: top["size"]]
    assert np.all(leaves["count"] == 1)
