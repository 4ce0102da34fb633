"""`trial` a second time, from the text of its page: no code is shared with the engine's rule.

``game`` plays one game and lists the arm of every round, by its number in registration order. Only
logarithms, exponentials and the keys of random numbers are those of the engine
(``docs/explanation/engine.md``): the last bit of an index decides between agents whose rewards
differ by their order alone.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate

from copyproof.engine.numerics import expm1
from copyproof.engine.numerics import log as engine_log

Reward = Callable[[int, int, int, int], float]
"""Agent, arm, plays of the agent so far in this epoch, and epoch → what the play pays."""
WORD = 2**32 - 1


@cache
def uniform(seed: int, owner: int, epoch: int, k: int, purpose: int, arm: int = 0) -> float:
    """Philox4x32-10, once for a key of seed and owner, once for the rest; repetition 0."""
    a, b, _, _ = _philox((owner, epoch, 0, 0), (seed & WORD, seed >> 32))
    a, b, _, _ = _philox((k & WORD, (k >> 32) | purpose << 16, arm, 0), (a, b))
    return (((a << 32 | b) >> 12) + 0.5) / 2**52


def _philox(block: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    (a, b, c, d), (k, h) = block, key
    for _ in range(10):
        left, right = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = (right >> 32) ^ b ^ k, right & WORD, (left >> 32) ^ d ^ h, left & WORD
        k, h = (k + 0x9E3779B9) & WORD, (h + 0xBB67AE85) & WORD
    return a, b, c, d


def log(x: float) -> float:
    return float(engine_log(float(x)))


def kl(p: float, q: float) -> float:
    """The divergence of Bernoulli distributions, 0 < q < 1."""
    return sum(x * log(x / y) for x, y in ((p, q), (1 - p, 1 - q)) if x > 0)


TILTS = [2.0 ** (j / 32 - 24) for j in range(897)]


def kl_index(r: float, level: float) -> float:
    """The least (1 − e^−(level + s r))/(1 − e^−s) over the tilts: it falls in s, then rises."""
    if r >= 1 or level >= 64:
        return 1.0
    if level <= 0:
        return r
    if r <= 0:
        return -expm1(-level)

    def bound(j: int) -> float:
        return expm1(-(level + TILTS[j] * r)) / expm1(-TILTS[j])

    low, high = 0, len(TILTS) - 1
    while high - low > 4:
        middle = (low + high) // 2
        low, high = (middle, high) if bound(middle + 1) < bound(middle - 1) else (low, middle)
    return max(r, min(1.0, *map(bound, range(max(0, low - 2), min(897, high + 3)))))


@dataclass
class Rules:
    """What does not change in a game of T rounds with n agents."""

    T: int
    n: int
    c: float = 1 / 21
    lost: float = 0.01
    q: int = field(init=False)
    tries: int = field(init=False)
    starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        k = math.ceil(round(log(self.lost) / math.log1p(-self.c), 9))
        self.tries = -(-5 * k // 4)
        self.q = min(-(-102 * k // 100), max(1, self.T // (5 * self.n)))
        most = max(1, 3 * self.T // (10 * self.n))
        self.starts = []
        for j in range(24):
            self.starts.append(min(math.floor(self.q * 2 ** (0.3 * j)), most))
            if self.starts[-1] == most:
                break

    def claim(self, plays: int, paid: float) -> float:
        v = (self.q + min(0.4 * paid, 0.3 * self.q)) / plays
        g = bisect_left(range(385), True, key=lambda g: 2.0 ** (-1.2 * g / 64) <= v)
        return float(2.0 ** (-min(g, 384) / 64))

    def width(self, factor: float, w: int) -> float:
        return max(0.0, log(factor * self.T / (self.n * w)))


@dataclass
class Agent:
    rules: Rules
    arms: int
    plays: int = 0
    paid: float = 0.0
    claims: list[float] = field(default_factory=list)
    since: list[float] = field(default_factory=list)
    sums: dict[int, float] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    last: int = -1
    failed: bool = False
    challenger: int = -1

    def index(self) -> float:
        rules = self.rules
        if self.plays < rules.starts[0]:
            return 3 - self.plays / rules.starts[0]
        values = [rules.claim(self.plays, self.paid)] if self.plays < rules.starts[-1] else []
        for start, x, paid in zip(rules.starts, self.claims, self.since, strict=False):
            w = self.plays - start
            values.append(min(x, kl_index(paid / w, rules.width(15, w) / w)) if w else x)
        return max(values)

    def estimate(self, arm: int) -> float:
        return (self.sums[arm] + 0.5) / (self.counts[arm] + 1)

    def mean(self, arm: int) -> float:
        return self.sums[arm] / self.counts[arm]

    def wilson(self, arm: int) -> float:
        n, r = self.counts[arm], self.mean(arm)
        s = n * r  # as rounded: it decides between arms of equal plays and equal rewards
        return (s + 2 + 2 * math.sqrt(s * (1 - r) + 1)) / (n + 4)

    def end_of_trial(self, m: float) -> int | None:
        """The start at which the trial is over, or None while it is not."""
        for j, x in enumerate(self.claims):
            if x <= min(1.0, 1.3 * m) or j == len(self.rules.starts) - 1:
                return j
        return None

    def choice(self, u: float) -> int:
        """An arm; the uniform u draws a fresh one."""
        tried = sorted(self.counts)
        untried = [arm for arm in range(self.arms) if arm not in self.counts]
        fresh = untried[int(u * len(untried))] if untried else -1
        if not tried:
            return fresh
        champion = max(tried, key=self.estimate)  # of equals the first
        m, over = self.estimate(champion), self.end_of_trial(self.estimate(champion))
        if over is not None and self._gate_is_shut(over, m):
            return champion
        searches = len(tried) < self.rules.tries and bool(untried)
        if not self.failed and (self.last != champion or (over is None and searches)):
            return self.last
        if over is None:
            if not searches:
                return max(tried, key=self.wilson)
            if self.last == champion or len(tried) % 8:
                return fresh
            mu = sum(map(self.estimate, tried)) / len(tried)
            seldom = 1 - self.mean(champion) <= (1 - mu) / 3
            return champion if seldom else fresh
        if searches and (m <= 0.5 or (self.last == champion and self.failed)):
            return fresh
        self.challenger = min(tried, key=lambda arm: (arm <= self.challenger, arm))
        return self.challenger if self._challenges(champion, m, len(tried)) else champion

    def _gate_is_shut(self, over: int, m: float) -> bool:
        w = self.plays - self.rules.starts[over]
        if w == 0 or self.since[over] / w >= m:
            return False
        return w * kl(self.since[over] / w, m) > self.rules.width(1, w) / 2

    def _challenges(self, champion: int, m: float, tried: int) -> bool:
        if self.challenger == champion:
            return False
        r, count = self.mean(self.challenger), self.counts[self.challenger]
        most = max(log(self.plays / (tried * count)), log(self.rules.T) / tried)
        return r >= m or count * kl(r, m) <= most

    def learn(self, arm: int, reward: float) -> None:
        n, s = self.counts.get(arm, 0), self.sums.get(arm, 0.0)
        self.failed = math.floor(n + 1 - (s + reward) + 0.5) > math.floor(n - s + 0.5)
        self.last, self.counts[arm], self.sums[arm] = arm, n + 1, s + reward
        self.plays, self.paid = self.plays + 1, self.paid + reward
        self.since = [paid + reward for paid in self.since]
        for _ in range(self.rules.starts.count(self.plays)):  # of few plays, starts coincide
            self.claims.append(self.rules.claim(self.plays, self.paid))
            self.since.append(0.0)


def game(
    arms: list[int],
    reward: Reward,
    *,
    horizons: list[int],
    rounds: int,
    seed: int,
    c: float = 1 / 21,
    lost: float = 0.01,
) -> list[int]:
    """The arm of every round; ``arms`` of each agent, and the T of each epoch."""
    first = [0, *accumulate(arms)]
    made: list[int] = []
    n = sum(count > 0 for count in arms)
    for epoch, T in enumerate(horizons):
        rules = Rules(T, n, c, lost)
        agents = [Agent(rules, count) for count in arms]
        line: list[int] = []
        for i in range(len(arms)):  # Fisher and Yates, from the inside out
            place = int(uniform(seed, 0, epoch, 0, 4, i) * (i + 1))
            line.append(i)
            line[i], line[place] = line[place], i
        line = [i for i in line if arms[i]]
        value = {i: agents[i].index() for i in line}
        for _ in range(min(T, rounds - len(made))):
            i = max(line, key=lambda i: value[i])  # of equals the first in line
            k = agents[i].plays
            arm = agents[i].choice(uniform(seed, i + 1, epoch, k, 1))
            agents[i].learn(arm, reward(i, arm, k, epoch))
            value[i] = agents[i].index()
            made.append(first[i] + arm)
    return made
