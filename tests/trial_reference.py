"""The rules of trial a second time, slow and plain, from the list of all rewards of an agent."""

import math
from dataclasses import dataclass, field

from copyproof.policy.own_rules import GATE, SHARE, SPARE
from tests.reference import Candidate, Rule, Stream, kl, kl_bound, log


@dataclass
class Agent:
    stream: Stream
    arms: list[Candidate]
    rewards: list[float] = field(default_factory=list)
    tried: list[Candidate] = field(default_factory=list)
    last: Candidate | None = None
    failed: bool = False
    pointer: Candidate | None = None


@dataclass
class Trial:
    """Agents chosen by trial; ``arm`` None is trial for arms."""

    c: float = 1 / 21
    lost: float = 0.01
    arm: Rule | None = None
    memory: int = 0
    horizons: tuple[int, ...] = ()
    """Of the epochs; none for one game of the given length."""

    @staticmethod
    def estimate(arm: Candidate) -> float:
        return (arm.s + 0.5) / (arm.n + 1)

    @property
    def tries(self) -> int:
        q = math.ceil(round(math.log(self.lost) / math.log(1 - self.c), 9))
        return math.ceil(round(SPARE * q, 9))

    def levels(self, T: int, n: int) -> list[tuple[float, int]]:
        """Each level x, and how many plays may be forgotten by who claims it."""
        most = math.floor(max(1.0, SHARE * (T / n)))
        budget = min(self.tries, most)
        levels = [(2 ** (-g / 4), math.floor(budget * 2 ** (0.3 * g))) for g in range(24)]
        below = [one for one in levels if one[1] < most]
        return [*below, *((x, most) for x, _ in levels[len(below) : len(below) + 1])]

    def index(self, rewards: list[float], T: int, n: int) -> float:
        N, levels = len(rewards), self.levels(T, n)
        if N == 0:
            return math.inf
        in_turn = levels[0][1]
        if in_turn > N:
            return 3 - N / in_turn
        values = []
        for x, forgotten in levels:
            bounds = [x]
            for count in self.counting(rewards, forgotten):
                w = len(count)
                bounds.append(kl_bound(math.fsum(count) / w, w, allowance(T, n, w)))
            values.append(min(bounds))
        return max(values)

    def counting(self, rewards: list[float], forgotten: int) -> list[list[float]]:
        """The rewards that count, and those of windows, where there is a memory."""
        since = len(rewards) - forgotten
        all_count = since > 0 and (not self.memory or since <= self.memory)
        return [rewards[forgotten:]] * all_count + windows(rewards, forgotten, self.memory)

    def choice(self, agent: Agent, T: int, n: int) -> Candidate | None:
        """An arm, or None for a fresh one."""
        tried = sorted(agent.tried, key=lambda arm: arm.number)
        if not tried:
            return None
        m = max(map(self.estimate, tried))
        top = next(arm for arm in tried if self.estimate(arm) == m)
        last_was_top = agent.last is top
        may_try = len(tried) < min(self.tries, len(agent.arms))
        if self.is_gated(agent, m, T, n):
            return top
        is_tried = any(agent.last is one for one in tried)
        if agent.last is not None and is_tried and not last_was_top and not agent.failed:
            return agent.last
        if may_try and len(agent.rewards) < self.forgotten(m, T, n):
            if m <= 0.5:
                return top if not agent.failed else None
            return None if agent.failed and (last_was_top or len(tried) % 4 != 0) else top
        if may_try and (m <= 0.5 or (last_was_top and agent.failed)):
            return None
        place = tried.index(agent.pointer) + 1 if agent.pointer is not None else 0
        agent.pointer = a = tried[place % len(tried)]
        N, K, r = len(agent.rewards), len(tried), a.s / a.n
        level = max(log(N / (K * a.n)), log(T) / K)
        if len(tried) == len(agent.arms) and len(agent.rewards) < self.forgotten(m, T, n):
            level = max(level, 2.0)
        return a if a is not top and (r >= m or a.n * kl(r, m) <= level) else top

    def tries_fresh(self, agent: Agent, m: float, T: int, n: int) -> bool:
        """Whether a fresh arm is tried where only some arms may be chosen, the best of mean m."""
        return m <= 0.5 and len(agent.tried) < self.tries and not self.is_gated(agent, m, T, n)

    def forgotten(self, m: float, T: int, n: int) -> int:
        """The plays that may be forgotten one level above the lowest that is not below m."""
        levels = [forgotten for x, forgotten in self.levels(T, n) if x >= m]
        return levels[max(0, len(levels) - 2)]

    def is_gated(self, agent: Agent, m: float, T: int, n: int) -> bool:
        """Whether search has brought the agent's mean too far below its champion's."""
        for count in self.counting(agent.rewards, self.forgotten(m, T, n)):
            w = len(count)
            r = math.fsum(count) / w
            if r < m and w * kl(r, m) > GATE * allowance(T, n, w):
                return True
        return False


def windows(rewards: list[float], forgiven: float, memory: int) -> list[list[float]]:
    """The rewards of an agent's last plays, in nested windows that begin after the forgiven."""
    N = len(rewards)
    found = []
    size = memory
    while memory and (size == memory or size >= 50):
        h = size // 2
        begin = (N - 1) // h * h - h
        if begin >= max(forgiven, 1):
            found.append(rewards[begin:])
        size //= 4
    return found


def allowance(T: int, n: int, w: int) -> float:
    z = T / n / w
    return log(z * (1 + log(z) ** 2)) if z > 1 else 0.0
