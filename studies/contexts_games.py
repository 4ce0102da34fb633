"""Games with contexts, whose agents are chosen blind to the visitor: markets, rules and kernels.

A game draws everything random beforehand. ``contexts.py`` plays them and makes the tables.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import njit

SEED = 2028
NEW = 1e300
"""The index of what has not been played."""


@dataclass(frozen=True)
class Market:
    """Arms in a row: their owners, their features and their mean rewards by context."""

    owner: np.ndarray
    feature: np.ndarray
    mean: np.ndarray
    shares: np.ndarray
    """The probability of each context."""

    def with_copies(self, copies: dict[int, int]) -> "Market":
        """The same market in which some arms are registered several times, or not at all."""
        rows = [arm for arm in range(len(self.owner)) for _ in range(copies.get(arm, 1))]
        return replace(
            self, owner=self.owner[rows], feature=self.feature[rows], mean=self.mean[rows]
        )

    @property
    def values(self) -> np.ndarray:
        """V: what every agent earns a round if its best arm is chosen for each visitor."""
        agents = range(self.owner.max() + 1)
        return np.array([self.mean[self.owner == i].max(0) @ self.shares for i in agents])

    @property
    def optimum(self) -> float:
        """The best arm of all for each visitor."""
        return float(self.mean.max(0) @ self.shares)


def market(arms: Sequence[tuple[int, Sequence[float]]], shares: Sequence[float]) -> Market:
    """A market of arms of different features, from their owners and means."""
    return Market(
        np.array([i for i, _ in arms]),
        np.arange(len(arms)),
        np.array([means for _, means in arms], dtype=float),
        np.array(shares, dtype=float),
    )


@dataclass(frozen=True)
class Platform:
    """How an agent and its arm are chosen.

    Attributes
    ----------
    segments : bool
        Agents are chosen within a context, each context being a game of its own.
    sees_context : bool
        The rule inside an agent sees the visitor's context.
    by_feature : bool
        Arms of one feature share their statistics.
    by_round : bool
        Contexts are drawn by round; otherwise by the agent's own play, as in the re-keyed game.
    counted : bool
        The agent's index and the rule inside are those of theorem C(d), with ρ.
    flat : bool
        UCB1 over all arms, within each context.
    """

    segments: bool = False
    sees_context: bool = True
    by_feature: bool = True
    by_round: bool = False
    counted: bool = False
    flat: bool = False


@njit(nogil=True)
def first_largest(values: Any, order: Any) -> Any:
    """The place of the largest value; the first in the order of priority if several are."""
    best = order[0]
    for place in order[1:]:
        if values[place] > values[best]:
            best = place
    return best


@njit(nogil=True)
def hierarchical_game(
    owner: Any,
    key: Any,
    mean: Any,
    visits: Any,
    own_visits: Any,
    uniforms: Any,
    agent_order: Any,
    arm_order: Any,
    segments: Any,
    sees_context: Any,
    level: Any,
    inner_level: Any,
    credit: Any,
    base: Any,
) -> Any:
    """One game: the revenue of every agent, its plays, and the sum of expected rewards.

    visits: the context of every round; own_visits: of every play of an agent, used in its place if
    it is not empty. The index of an agent is (S + base + credit·√N)/N + √(2·level/N).
    """
    rounds, contexts, agents, arms = len(visits), mean.shape[1], len(agent_order), len(owner)
    games = contexts if segments else 1
    count, total = np.zeros((games, agents)), np.zeros((games, agents))
    plays = np.zeros(agents, np.int64)
    keys = key.max() + 1
    key_count, key_total = np.zeros((keys, contexts)), np.zeros((keys, contexts))
    seen = np.zeros((agents, contexts))
    revenue, expected = np.zeros(agents), 0.0
    index, inner = np.zeros(agents), np.zeros(arms)
    for t in range(rounds):
        game = visits[t] if segments else 0
        for i in range(agents):
            N = count[game, i]
            index[i] = NEW
            if N > 0:
                index[i] = (total[game, i] + min(N, base + credit * math.sqrt(N))) / N
                index[i] += math.sqrt(2 * level / N)
        i = first_largest(index, agent_order)
        x = own_visits[i, plays[i]] if own_visits.shape[1] > 0 else visits[t]
        cell = x if sees_context else 0
        width = 2 * math.log(seen[i, cell] + 1) if inner_level == 0 else 2 * inner_level
        for a in range(arms):
            inner[a] = -1.0
            if owner[a] == i:
                n = key_count[key[a], cell]
                inner[a] = NEW if n == 0 else key_total[key[a], cell] / n + math.sqrt(width / n)
        a = first_largest(inner, arm_order)
        reward = 1.0 if uniforms[i, plays[i]] < mean[a, x] else 0.0
        count[game, i] += 1
        total[game, i] += reward
        plays[i] += 1
        key_count[key[a], cell] += 1
        key_total[key[a], cell] += reward
        seen[i, cell] += 1
        revenue[i] += reward
        expected += mean[a, x]
    return revenue, plays, expected


@njit(nogil=True)
def flat_game(
    owner: Any, mean: Any, visits: Any, uniforms: Any, arm_order: Any, agents: Any
) -> Any:
    """One game of UCB1 over all arms, within each context."""
    arms, contexts = mean.shape
    count, total = np.zeros((arms, contexts)), np.zeros((arms, contexts))
    seen, index = np.zeros(contexts), np.zeros(arms)
    plays, revenue, expected = np.zeros(agents, np.int64), np.zeros(agents), 0.0
    for x in visits:
        width = 2 * math.log(seen[x] + 1)
        for a in range(arms):
            n = count[a, x]
            index[a] = NEW if n == 0 else total[a, x] / n + math.sqrt(width / n)
        a = first_largest(index, arm_order)
        i = owner[a]
        reward = 1.0 if uniforms[i, plays[i]] < mean[a, x] else 0.0
        count[a, x] += 1
        total[a, x] += reward
        seen[x] += 1
        plays[i] += 1
        revenue[i] += reward
        expected += mean[a, x]
    return revenue, plays, expected


@njit(nogil=True)
def paired_game(successes: Any, rival: Any, level: Any) -> Any:
    """One agent's given rewards against a rival's: the revenue of the first."""
    count, total = np.zeros(2), np.zeros(2)
    index = np.zeros(2)
    for _ in range(len(rival)):
        for i in range(2):
            N = count[i]
            index[i] = NEW if N == 0 else total[i] / N + math.sqrt(2 * level / N)
        i = 0 if index[0] > index[1] else 1
        k = int(count[i])
        total[i] += successes[k] if i == 0 else rival[k]
        count[i] += 1
    return total[0]


@dataclass(frozen=True)
class InnerRegret:
    """ρ(N) = min(N, cells + √(8·level·cells·N)) of UCB with statistics by feature and context.

    With ``cells`` features times contexts an agent's inner regret is at most ρ(N) for all N ≤ T,
    with probability at least 1 − 1/T.
    """

    cells: int
    horizon: int

    @property
    def level(self) -> float:
        return math.log(2 * self.cells * self.horizon**2)

    @property
    def credit(self) -> float:
        return math.sqrt(8 * self.level * self.cells)

    def bound(self, agents: int) -> float:
        """The regret bound of theorem C(d), with δ = 1/T."""
        n, T = agents, self.horizon
        rho = min(T / n, self.cells + self.credit * math.sqrt(T / n))
        return n * rho + math.sqrt(2 * n * T * math.log(n * T)) + n + 1 + 1 / n**2


def play(arms: Market, platform: Platform, horizon: int, game: int) -> tuple[np.ndarray, float]:
    """Play a game: the revenue of every agent, and the sum of expected rewards.

    Everything random is drawn beforehand from ``game``, so that games with copies have common
    random numbers with games without.
    """
    agents, contexts = arms.owner.max() + 1, len(arms.shares)
    rng = np.random.default_rng([SEED, game])
    visits = rng.choice(contexts, horizon, p=arms.shares)
    uniforms = rng.random((agents, horizon))
    own_visits = rng.choice(contexts, (agents, horizon), p=arms.shares)
    if platform.by_round or platform.segments:
        own_visits = own_visits[:, :0]
    agent_order = rng.permutation(agents)
    key = arms.feature if platform.by_feature else np.arange(len(arms.owner))
    # Copies share the place of their feature in the order, so that they change no draw.
    arm_order = np.argsort(rng.permutation(key.max() + 1)[key], kind="stable")
    if platform.flat:
        revenue, _, expected = flat_game(arms.owner, arms.mean, visits, uniforms, arm_order, agents)
        return revenue, expected
    inner_level = credit = base = 0.0
    level = math.log(horizon)
    if platform.counted:
        inner = InnerRegret(most_features(arms) * contexts, horizon)
        level, inner_level = math.log(agents * horizon), inner.level / 4
        credit, base = inner.credit, float(inner.cells)
    revenue, _, expected = hierarchical_game(
        arms.owner, key, arms.mean, visits, own_visits, uniforms, agent_order, arm_order,
        platform.segments, platform.sees_context, level, inner_level, credit, base,
    )  # fmt: skip
    return revenue, expected


def most_features(arms: Market) -> int:
    """The largest number of features of one agent."""
    return max(len(set(arms.feature[arms.owner == i])) for i in range(arms.owner.max() + 1))
