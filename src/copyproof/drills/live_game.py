"""One game on the live principal: a market in memory, and rewards that two games share.

The k-th play of agent i meets the uniform number u_{i,k}, whatever arm is shown and whenever: an
arm of mean μ pays 1 if u_{i,k} < μ. So a game with an attack and one without it, of equal seed,
share their luck as the strategies of the pathwise theorem do.
"""

import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from copyproof.live import Decision, MarketConfig, Principal
from copyproof.policy import parse_policy

# Uniform numbers that are drawn at once.
_CHUNK = 4096


class Play(NamedTuple):
    """A decision, and the reward that is to be told for it."""

    decision: Decision
    reward: float


class LiveGame:
    """A market in memory, who is in it, and what they earned.

    Parameters
    ----------
    policy : str
        The policy that decides.
    seed : int
        Of the market and of all luck.
    attacks : bool
        Whether the deviating agent does what the scenario is about.
    horizon : int
        T, for a policy that needs it.
    config : mapping
        Settings of the market.

    Attributes
    ----------
    visits : numpy.random.Generator
        For what visitors are and do. A scenario draws the same from it with the attack and without.
    others : numpy.random.Generator
        For what is there with the attack only.
    revenue, plays : dict
        By agent.
    path : list of str
        The agents, in the order of the decisions.

    Examples
    --------
    >>> game = LiveGame("h-ucb", 1, attacks=False, horizon=10, config={})
    >>> game.register("ann", 1.0)
    >>> game.register("bob", 0.0)
    >>> for _ in range(10):
    ...     plays = game.show()
    >>> game.revenue["ann"] == game.plays["ann"] > game.plays["bob"]
    True
    """

    def __init__(
        self, policy: str, seed: int, *, attacks: bool, horizon: int, config: Mapping[str, Any]
    ) -> None:
        needed = horizon if parse_policy(policy).needs_horizon else None
        self.now = 0.0
        self.principal = Principal(
            config=MarketConfig(policy, seed=seed, horizon=needed, **config),
            clock=lambda: self.now,
        )
        self.attacks = attacks
        self.visits = np.random.default_rng([seed, 0])
        self.others = np.random.default_rng([seed, 1])
        self.revenue: dict[str, float] = {}
        self.plays: dict[str, int] = {}
        self.path: list[str] = []
        self._seed = seed
        self._mean: dict[tuple[str, str], float] = {}
        self._streams: dict[str, np.random.Generator] = {}
        self._luck: dict[str, list[float]] = {}

    def register(
        self, agent: str, mean: float, *, copies: int = 1, content: str | None = None
    ) -> None:
        """Register copies of an arm that pays 1 with a probability; arms are named by numbers."""
        known = sum(owner == agent for owner, _ in self._mean)
        arms = [(agent, str(known + n)) for n in range(copies)]
        self._mean |= dict.fromkeys(arms, mean)
        self.revenue.setdefault(agent, 0.0)
        self.plays.setdefault(agent, 0)
        if content is None:
            self.principal.register_arms(arms)
        else:
            self.principal.register_arms([(*arm, content) for arm in arms])

    def decide(self, count: int = 1, **request: Any) -> list[Play]:
        """Ask, and find out what the plays are worth; nothing is told yet."""
        made = self.principal.ask(count, **request)
        return [Play(one, self._worth(one)) for one in made]

    def tell(self, plays: Sequence[Play]) -> None:
        """Tell the rewards of some plays."""
        self.principal.tell_many([(one.decision.id, one.reward) for one in plays])

    def show(self, count: int = 1, **request: Any) -> list[Play]:
        """Ask, and tell the rewards at once."""
        plays = self.decide(count, **request)
        self.tell(plays)
        return plays

    def _worth(self, decision: Decision) -> float:
        """The reward of a decision, by its agent's own luck."""
        agent = decision.agent
        k = self.plays[agent]
        luck = self._luck.setdefault(agent, [])
        if k == len(luck):
            name = zlib.crc32(agent.encode())
            stream = self._streams.setdefault(agent, np.random.default_rng([self._seed, 2, name]))
            luck += stream.random(_CHUNK).tolist()
        reward = float(luck[k] < self._mean[agent, decision.arm])
        self.plays[agent] = k + 1
        self.revenue[agent] += reward
        self.path.append(agent)
        return reward
