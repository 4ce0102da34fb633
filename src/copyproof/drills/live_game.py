"""One game on the live principal's state, without a journal, and rewards that two games share.

What a principal does with a request is done to a ``SegmentedState``; the rest, ids and the store,
decides nothing, and is left out here, so that a visit takes some 30 µs. (A test plays the same
game on a ``Principal``.)

The k-th play of agent i meets the uniform number u_{i,k}, whatever arm is shown and whenever: an
arm of mean μ pays 1 if u_{i,k} < μ. So a game with an attack and one without it, of equal seed,
share their luck as the strategies of the pathwise theorem do, as long as no epoch has ended: there
the theorem counts the plays of each epoch anew. (In expectation that is one, as all numbers are
independent.) An agent here is a person, who may go by several names: its plays, and its luck, are
those of all its names.
"""

import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from copyproof.live import MarketConfig, NoArm, events
from copyproof.live.events import Eligible
from copyproof.live.segments import SegmentedState
from copyproof.policy import parse_policy

# Uniform numbers that are drawn at once.
_CHUNK = 4096


class Play(NamedTuple):
    """A decision, and the reward that is to be told for it."""

    round: int
    agent: str
    arm: str
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
    now : float
        The time, in seconds; the scenario moves it.
    visits : numpy.random.Generator
        For what visitors are and do. A scenario draws the same from it with the attack and without.
    others : numpy.random.Generator
        For what is there with the attack only.
    plays : dict
        By person.
    path, rewards, missed : list
        By decision: the person, the reward, and how much the best arm that was registered has in
        mean above the one that was shown.

    Examples
    --------
    >>> game = LiveGame("h-ucb", 1, attacks=False, horizon=10, config={})
    >>> game.register("ann", 1.0)
    >>> game.register("bob", 0.0)
    >>> for _ in range(10):
    ...     plays = game.show()
    >>> sum(game.rewards) == game.plays["ann"] > game.plays["bob"] == sum(game.missed)
    True
    """

    def __init__(
        self, policy: str, seed: int, *, attacks: bool, horizon: int, config: Mapping[str, Any]
    ) -> None:
        needed = horizon if parse_policy(policy).needs_horizon else None
        self.now = 0.0
        self.state = SegmentedState(MarketConfig(policy, seed=seed, horizon=needed, **config))
        self.attacks = attacks
        self.visits = np.random.default_rng([seed, 0])
        self.others = np.random.default_rng([seed, 1])
        self.plays: dict[str, int] = {}
        self.path: list[str] = []
        self.rewards: list[float] = []
        self.missed: list[float] = []
        self._seed = seed
        self._expired_by = 0.0  # the time at which it was last seen to what has expired
        self._mean: list[float] = []  # by arm, in order of registration
        self._best = 0.0  # of the arms that are registered
        self._person: dict[str, str] = {}  # by name
        self._streams: dict[str, np.random.Generator] = {}
        self._luck: dict[str, list[float]] = {}

    def register(
        self,
        agent: str,
        mean: float,
        *,
        copies: int = 1,
        content: str | None = None,
        person: str | None = None,
        group: str | None = None,
    ) -> None:
        """Register copies of an arm that pays 1 with a probability; arms are named by numbers.

        An agent that is new may be one more name of a ``person``, and bound to a ``group``.
        """
        registry = self.state.registry
        if agent not in registry.agents:
            self.state.enter(events.AgentRegistered(agent, self.now, group=group))
            self._person[agent] = who = person or agent
            self.plays.setdefault(who, 0)
            self._luck.setdefault(who, [])
            name = zlib.crc32(who.encode())
            self._streams.setdefault(who, np.random.default_rng([self._seed, 2, name]))
        known = len(registry.arm_numbers[registry.agents[agent]])
        what = () if content is None else (content,)
        arms = [[agent, str(known + n), *what] for n in range(copies)]
        self.state.enter(events.ArmsRegistered(arms, self.now))
        self._mean += [mean] * copies
        self._note_best()

    def bind(self, agents: Sequence[str], group: str) -> None:
        """Bind names to one group, as an operator does who has found out."""
        numbers = [self.state.registry.agents[agent] for agent in agents]
        self.state.enter(events.Bound(numbers, self.now, group))

    def retire(self, agent: str, arm: str) -> None:
        """Withdraw an arm."""
        self.state.enter(events.ArmRetired(agent, arm, self.now))
        self._note_best()

    def bring_back(self, agent: str, arm: str) -> None:
        """Register a retired arm again, under its old name."""
        self.state.enter(events.ArmsRegistered([[agent, arm]], self.now))
        self._note_best()

    def _note_best(self) -> None:
        there = zip(self._mean, self.state.registry.there, strict=True)
        self._best = max((mean for mean, is_there in there if is_there), default=0.0)

    def decide(
        self,
        count: int = 1,
        *,
        eligible: Eligible | None = None,
        slate: bool = False,
        seen: Mapping[str, Sequence[str]] | None = None,
        segment: str | None = None,
    ) -> list[Play]:
        """Ask, and find out what the plays are worth; nothing is told yet."""
        registry, among = self.state.registry, None
        if eligible is not None or seen is not None:
            had = [-1 - one for one in registry.numbers_of(seen or {}, "seen")]
            among = registry.among(eligible, had)
        choosable = registry.choosable(among, slate=slate)
        if choosable == 0:
            raise NoArm("there is nothing to choose")
        made = min(count, choosable) if slate else count
        self._expire()
        arms = self.state.decide(made, self.now, among, slate, segment)
        return [self._play(arm) for arm in arms]

    def tell(self, plays: Sequence[Play]) -> None:
        """Tell the rewards of some plays; one call of the kernel counts them and decides next."""
        self._expire()
        rounds, rewards = [one.round for one in plays], [one.reward for one in plays]
        self.state.enter(events.Rewarded(rounds, rewards, self.now))

    def show(self, count: int = 1, **request: Any) -> list[Play]:
        """Ask, and tell the rewards at once."""
        plays = self.decide(count, **request)
        self.tell(plays)
        return plays

    def _expire(self) -> None:
        """Let what has waited too long take the default reward."""
        if self.now > self._expired_by:
            self._expired_by = self.now
            due = self.state.due(self.now)
            if due is not None:
                self.state.enter(events.Expired(*due, self.now))

    def _play(self, arm: int) -> Play:
        """A decision with its reward, by its agent's own luck."""
        agent, name = self.state.registry.name_of(arm)
        mean, who = self._mean[arm], self._person[agent]
        reward = 1.0 if self.uniform(who) < mean else 0.0
        self.plays[who] += 1
        self.path.append(who)
        self.rewards.append(reward)
        self.missed.append(self._best - mean)
        return Play(len(self.path), agent, name, reward)

    def uniform(self, who: str) -> float:
        """The uniform number that a person's next play meets."""
        k, luck = self.plays[who], self._luck[who]
        if k == len(luck):
            luck += self._streams[who].random(_CHUNK).tolist()
        return luck[k]
