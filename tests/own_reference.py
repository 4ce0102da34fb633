"""Policies that are free of the round t, a second time, slow and plain.

An agent keeps the list of all its rewards, and everything is computed from it anew: which of them
count, the index, the champion. Epochs are games played one after the other. ``trial_reference`` has
the rules of trial.
"""

import math
from dataclasses import dataclass

from copyproof import Market
from tests.reference import (
    PICK,
    REWARD,
    Candidate,
    Draws,
    Rule,
    Stream,
    drawn_order,
    kl,
    kl_bound,
    log,
    reward_of,
    thompson,
    two_log,
    ucb,
)
from tests.trial_reference import Agent, Trial, windows


@dataclass
class Own:
    """A hierarchical policy with an own index; ``arm`` None is the champion rule."""

    arm: Rule | None = None
    recent: bool = True
    hoeffding: bool = False
    scale: float = 1.0
    turns: float = 0.0
    doubt: float = 2.0
    fresh: float = 4.0
    threshold: float = 0.5
    memory: int = 0
    horizons: tuple[int, ...] = ()
    """Of the epochs; none for one game of the given length."""

    @staticmethod
    def estimate(arm: Candidate) -> float:
        return (arm.s + 1) / (arm.n + 2)

    def index(self, rewards: list[float], T: int, n: int) -> float:
        return index(self, rewards, T, n)

    def choice(self, agent: Agent, T: int, n: int) -> Candidate | None:
        return champions_choice(self, agent, T, n)

    @staticmethod
    def fails(arm: Candidate, reward: float, bar: float) -> bool:
        return reward <= bar

    def tries_fresh(self, agent: Agent, m: float, T: int, n: int) -> bool:
        most = 1 + self.fresh * log(T) ** 2 * (1 - m)
        may_try = m <= self.threshold and len(agent.tried) < most
        return may_try and not is_gated(self, agent, m, T, n)


def counting(rewards: list[float]) -> list[float]:
    """Those after play 2^(k−1), where 2^k < N ≤ 2^(k+1)."""
    N = len(rewards)
    if N <= 2:
        return rewards
    k = 0
    while 2 ** (k + 1) < N:
        k += 1
    return rewards[2 ** (k - 1) :]


def index(spec: Own, rewards: list[float], T: int, n: int) -> float:
    N = len(rewards)
    if N == 0:
        return math.inf
    M = min(math.sqrt(T / n), log(T) ** 2)
    if spec.turns * M > N:
        return 3 - N / (spec.turns * M)
    count = counting(rewards) if spec.recent else rewards
    forgiven = max(spec.turns, spec.doubt) * M
    all_count = not spec.memory or N - forgiven <= spec.memory
    last = windows(rewards, forgiven, spec.memory)
    value = min(bound(spec, one, T) for one in [count] * all_count + last)
    if spec.doubt * M > N:
        value = max(value, 1 - N / (3 * spec.doubt * M))
    return value


def bound(spec: Own, count: list[float], T: int) -> float:
    w, mean = len(count), math.fsum(count) / len(count)
    level = spec.scale * log(T)
    return mean + math.sqrt(level / w / 2) if spec.hoeffding else kl_bound(mean, w, level)


def is_gated(spec: Own, agent: Agent, m: float, T: int, n: int) -> bool:
    """Whether search has brought one of the agent's windows too far below its champion's mean."""
    forgiven = spec.doubt * min(math.sqrt(T / n), log(T) ** 2)
    for count in windows(agent.rewards, forgiven, spec.memory):
        r = math.fsum(count) / len(count)
        if r < m and len(count) * kl(r, m) > 0.4 * log(T):
            return True
    return False


def champions_choice(spec: Own, agent: Agent, T: int, n: int) -> Candidate | None:
    """An arm, or None for a fresh one."""
    tried = sorted(agent.tried, key=lambda arm: arm.number)
    outside = len(agent.arms) - len(tried)
    if not tried:
        return None
    keys = [spec.estimate(arm) for arm in tried]
    m = max(keys)
    top = tried[keys.index(m)]
    most = 1 + spec.fresh * log(T) ** 2 * (1 - m)
    if is_gated(spec, agent, m, T, n):
        return top
    disappoints = agent.failed and agent.last is top
    if outside and (m <= spec.threshold or disappoints) and len(tried) < most:
        return None
    place = tried.index(agent.pointer) + 1 if agent.pointer is not None else 0
    challenger = tried[place % len(tried)]
    agent.pointer = challenger
    N, K, a = len(agent.rewards), len(tried), challenger
    if challenger is not top and N / (K * a.n) >= 1:
        r = a.s / a.n
        if r >= m or a.n * kl(r, m) <= log(N / (K * a.n)):
            return challenger
    return top


def own_choices(
    market: Market, spec: Own | Trial, horizon: int, seed: int, repetition: int
) -> list[int]:
    """The arm of every round, as a number in registration order; Bernoulli markets only."""
    found: list[int] = []
    for epoch, T in enumerate(spec.horizons or (horizon,)):
        rounds = min(T, horizon - len(found))
        found += _game(market, spec, T, rounds, seed, repetition, epoch)
    assert len(found) == horizon
    return found


def _game(
    market: Market, spec: Own | Trial, T: int, rounds: int, seed: int, repetition: int, epoch: int
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


UCB_PLAYS = ucb(two_log)
OWN_POLICIES: dict[str, Own | Trial] = {
    "grace": Own(),
    "grace(doubt=0.5, scale=0.3, fresh=1)": Own(doubt=0.5, scale=0.3, fresh=1),
    "grace(memory=60)": Own(memory=60),
    "grace(doubt=0.3, scale=0.2, memory=201)": Own(doubt=0.3, scale=0.2, memory=201),
    "grace-anytime": Own(horizons=(1000, 31623)),
    "grace-anytime(first=50, factor=2, power=1)": Own(horizons=tuple(50 * 2**k for k in range(9))),
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
    "hierarchical(own-index(statistic=mean, width=hoeffding), ucb(clock=plays), ties=priority)": (
        Own(UCB_PLAYS, recent=False, hoeffding=True)
    ),
    "hierarchical(own-index(turns=0.3, doubt=0), thompson, ties=priority)": Own(
        thompson, turns=0.3, doubt=0
    ),
    "hierarchical(own-index(width=hoeffding), champion(fresh=0.1, threshold=0.9), ties=priority)": (
        Own(hoeffding=True, fresh=0.1, threshold=0.9)
    ),
}
"""Text form → the same policy in plain Python."""
