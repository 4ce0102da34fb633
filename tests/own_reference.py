"""Policies that are free of the round t, a second time, slow and plain.

An agent keeps the list of all its rewards, and everything is computed from it anew: the index, the
champion. Epochs are games played one after the other. ``trial_reference`` has the rules of trial.
"""

import math

from copyproof import Market
from tests.reference import (
    PICK,
    REWARD,
    Candidate,
    Draws,
    Stream,
    drawn_order,
    reward_of,
    thompson,
)
from tests.trial_reference import Agent, Trial


def own_choices(market: Market, spec: Trial, horizon: int, seed: int, repetition: int) -> list[int]:
    """The arm of every round, as a number in registration order; Bernoulli markets only."""
    found: list[int] = []
    for epoch, T in enumerate(spec.horizons or (horizon,)):
        rounds = min(T, horizon - len(found))
        found += _game(market, spec, T, rounds, seed, repetition, epoch)
    assert len(found) == horizon
    return found


def _game(
    market: Market, spec: Trial, T: int, rounds: int, seed: int, repetition: int, epoch: int
) -> list[int]:
    n = sum(agent.takes_part for agent in market.agents)
    principal = Stream(seed, 0, repetition, epoch)
    means = [[arm.mean for arm in agent.arms] for agent in market.agents]
    agents, first = [], [0]
    for i, one in enumerate(market.agents):
        originals = [k for k, copies in enumerate(one.copies) for _ in range(copies)]
        arms = [Candidate(number, original) for number, original in enumerate(originals)]
        agents.append(Agent(Stream(seed, i + 1, repetition, epoch), arms))
        first.append(first[-1] + len(arms))
    present = [i for i in drawn_order(principal, len(agents)) if agents[i].arms]
    values = dict.fromkeys(present, math.inf)
    found = []
    for _ in range(rounds):
        i = max(present, key=lambda i: values[i])  # of equals the first
        agent = agents[i]
        k = len(agent.rewards)
        draws = Draws(agent.stream, k)
        bar = 0.5
        if spec.arm is not None:
            arm = spec.arm(agent.arms, max(k, 1), draws)
        else:
            if agent.tried:
                bar = max(map(spec.estimate, agent.tried))
            chosen = spec.choice(agent, T, n)
            if chosen is None:
                outside = [one for one in agent.arms if all(one is not a for a in agent.tried)]
                chosen = outside[int(agent.stream.one(k, PICK) * len(outside))]
                agent.tried.append(chosen)
            arm = chosen
        reward = reward_of(means[i][arm.original], agent.stream.one(k, REWARD))
        agent.last, agent.failed = arm, spec.fails(arm, reward, bar)
        arm.n += 1
        arm.s += reward
        agent.rewards.append(reward)
        values[i] = spec.index(agent.rewards, T, n)
        found.append(first[i] + arm.number)
    return found


class OwnServed:
    """A live market under one of these policies, whose rewards come at once."""

    def __init__(self, policy: str, arms: list[int], horizon: int, seed: int) -> None:
        self.spec, self.T = OWN_POLICIES[policy], horizon
        self.agents = [
            Agent(Stream(seed, i + 1, 0), [Candidate(number) for number in range(count)])
            for i, count in enumerate(arms)
        ]
        self.order = drawn_order(Stream(seed, 0, 0), len(arms))
        self.bars = [0.5] * len(arms)

    def ask(self, allowed: set[tuple[int, int]]) -> tuple[int, int]:
        """The agent and its arm, among those that are allowed."""
        n = sum(bool(agent.arms) for agent in self.agents)
        here = [i for i in self.order if any(agent == i for agent, _ in allowed)]
        i = max(here, key=lambda i: self.spec.index(self.agents[i].rewards, self.T, n))
        agent = self.agents[i]
        may = [arm for arm in agent.arms if (i, arm.number) in allowed]
        draws = Draws(agent.stream, len(agent.rewards))
        if self.spec.arm is not None:
            return i, self.spec.arm(may, max(draws.k, 1), draws).number
        tried = sorted(agent.tried, key=lambda arm: arm.number)
        mine = [arm for arm in tried if any(arm is one for one in may)]
        others = [arm for arm in may if all(arm is not one for one in tried)]
        if len(may) == len(agent.arms):  # not restricted
            self.bars[i] = max(map(self.spec.estimate, tried), default=0.5)
            chosen = self.spec.choice(agent, self.T, n)
            if chosen is not None:
                return i, chosen.number
            fresh = True
        else:
            m = max(map(self.spec.estimate, mine), default=0.0)
            if len(tried) < len(agent.arms):
                self.bars[i] = m
            fresh = self.spec.tries_fresh(agent, m, self.T, n)
        if others and (fresh or not tried):
            arm = others[int(agent.stream.one(draws.k, PICK) * len(others))]
            agent.tried.append(arm)
        elif mine:
            arm = draws.pick([one for one in mine if self.spec.estimate(one) == m])
        else:
            arm = others[int(agent.stream.one(draws.k, PICK) * len(others))]
        return i, arm.number

    def tell(self, i: int, number: int, reward: float) -> None:
        agent = self.agents[i]
        arm = agent.arms[number]
        agent.last, agent.failed = arm, self.spec.fails(arm, reward, self.bars[i])
        arm.n += 1
        arm.s += reward
        agent.rewards.append(reward)


OWN_POLICIES: dict[str, Trial] = {
    "trial": Trial(),
    "trial(c=0.5, lost=0.1)": Trial(c=0.5, lost=0.1),
    "trial(c=0.3, lost=0.05)": Trial(c=0.3, lost=0.05),
    "trial(memory=20)": Trial(memory=20),
    "trial(c=0.5, lost=0.3, memory=200)": Trial(c=0.5, lost=0.3, memory=200),
    "trial-anytime(c=0.3, memory=60)": Trial(c=0.3, memory=60, horizons=(500, 500**3)),
    "trial-anytime": Trial(horizons=(500, 500**3)),
    "trial-anytime(c=0.2, first=50, factor=2, power=1)": Trial(
        c=0.2, horizons=tuple(50 * 2**k for k in range(9))
    ),
    "trial(c=0.1, season=150)": Trial(c=0.1, horizons=(150,) * 67),
    "hierarchical(trial(c=0.4), thompson, ties=priority)": Trial(c=0.4, arm=thompson),
}
"""Text form → the same policy in plain Python."""
