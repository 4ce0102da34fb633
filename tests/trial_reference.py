"""The rules of trial a second time, slow and plain, from the list of all rewards of an agent."""

import math
from dataclasses import dataclass, field
from fractions import Fraction

from copyproof.policy.own_rules import GATE, SHARE, SPARE, TURNS
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
    def needed(self) -> int:
        return math.ceil(round(math.log(self.lost) / math.log(1 - self.c), 9))

    @property
    def tries(self) -> int:
        return math.ceil(round(SPARE * self.needed, 9))

    def starts(self, T: int, n: int) -> list[int]:
        """The numbers of plays after which an agent starts anew, with what it claims then."""
        most = max(1, math.floor(Fraction(str(SHARE)) * T / n))
        q = min(math.ceil(round(TURNS * self.needed, 9)), most, max(1, T // (5 * n)))
        starts = [math.floor(q * 2 ** (0.3 * j)) for j in range(24)]
        return sorted({min(start, most) for start in starts})

    def claim(self, rewards: list[float], q: int) -> float:
        """What an agent claims after these rewards, in steps of 64 to an octave."""
        N = len(rewards)
        S = 0 if self.memory else math.fsum(rewards)
        v = (q + min(0.4 * S, 0.3 * q)) / N
        return 1.0 if v >= 1 else 2 ** (-math.ceil(-math.log2(v) / 1.2 * 64) / 64)

    def index(self, rewards: list[float], T: int, n: int) -> float:
        N, starts = len(rewards), self.starts(T, n)
        q = starts[0]
        if N == 0:
            return math.inf
        if q > N:
            return 3 - N / q
        values = [self.claim(rewards, q)] if starts[-1] > N else []
        for start in starts:
            if start <= N:
                bounds = [self.claim(rewards[:start], q)]
                for count in self.counting(rewards, start):
                    w = len(count)
                    bounds.append(kl_bound(math.fsum(count) / w, w, allowance(15 * T, n, w)))
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
        in_trial = self.judged_since(agent.rewards, m, T, n) is None
        if self.is_gated(agent, m, T, n):
            return top
        is_tried = any(agent.last is one for one in tried)
        if agent.last is not None and is_tried and not last_was_top and not agent.failed:
            return agent.last
        if in_trial and not may_try:
            return max(tried, key=wilson)
        if in_trial and agent.failed:
            returns = not last_was_top and len(tried) % 8 == 0 and self.fails_seldom(top, tried)
            return top if returns else None
        if in_trial:
            return top
        if may_try and (m <= 0.5 or (last_was_top and agent.failed)):
            return None
        place = tried.index(agent.pointer) + 1 if agent.pointer is not None else 0
        agent.pointer = a = tried[place % len(tried)]
        N, K, r = len(agent.rewards), len(tried), a.s / a.n
        level = max(log(N / (K * a.n)), log(T) / K)
        return a if a is not top and (r >= m or a.n * kl(r, m) <= level) else top

    def tries_fresh(self, agent: Agent, m: float, T: int, n: int) -> bool:
        """Whether a fresh arm is tried where only some arms may be chosen, the best of mean m."""
        return m <= 0.5 and len(agent.tried) < self.tries and not self.is_gated(agent, m, T, n)

    def fails_seldom(self, arm: Candidate, tried: list[Candidate]) -> bool:
        """Whether an arm falls short of 1 at most a third as much as the tried ones on average."""
        average = sum(map(self.estimate, tried)) / len(tried)
        return 3 * (arm.n - arm.s) <= (1 - average) * arm.n

    @staticmethod
    def fails(arm: Candidate, reward: float, bar: float) -> bool:
        """Whether a play takes its arm's shortfall, rounded, over a whole number."""
        return math.floor(arm.n + 1 - (arm.s + reward) + 0.5) > math.floor(arm.n - arm.s + 0.5)

    def judged_since(self, rewards: list[float], m: float, T: int, n: int) -> int | None:
        """The first start with a claim not far above m, or the last one; None in a trial."""
        starts = self.starts(T, n)
        for start in (one for one in starts if one <= len(rewards)):
            if start == starts[-1] or self.claim(rewards[:start], starts[0]) <= min(1, 1.3 * m):
                return start
        return None

    def is_gated(self, agent: Agent, m: float, T: int, n: int) -> bool:
        """Whether search has brought the agent's mean too far below its champion's."""
        start = self.judged_since(agent.rewards, m, T, n)
        for count in [] if start is None else self.counting(agent.rewards, start):
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
    return max(0.0, log(T / n / w))


def wilson(arm: Candidate) -> float:
    """The upper end of Wilson's interval, two standard deviations wide to each side."""
    s, n = arm.s, arm.n
    return (s + 2 + 2 * math.sqrt(s * (1 - s / n) + 1)) / (n + 4)
