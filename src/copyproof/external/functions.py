"""A policy from plain functions: plays and rewards are counted, and ``choose`` reads the counts.

Most index policies need no more than the plays n(a) and the sums of rewards of every arm, and the
round t. These are kept in a ``Tally``, so that a policy is one function. What else it wants to
remember goes into ``Tally.memory``, by a second function that is told every reward.
"""

import functools
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from copyproof.external.records import ExternalPolicy
from copyproof.validation import require


@dataclass(slots=True)
class Tally:
    """What a policy of plain functions is given: the game, and what has happened in it.

    Attributes
    ----------
    arms, owners, horizon
        As a factory is told them: names in registration order, the agent of each arm, and T. Where
        arms come and go, ``arms`` has those that can be chosen now.
    rng : random.Random
        Seeded by the game's seed: the one source of randomness that keeps results reproducible.
    round : int
        t = 1, 2, …: the round that is being played.
    plays, total : dict
        Plays n(a) and sum of rewards of every arm so far.
    memory : dict
        Empty at the start of every game, and never touched.
    """

    arms: tuple[str, ...]
    owners: Mapping[str, str]
    horizon: int
    rng: random.Random
    plays: dict[str, int]
    total: dict[str, float]
    round: int = 1
    memory: dict[Any, Any] = field(default_factory=dict)


Choose: TypeAlias = Callable[[Tally], str]
Learn: TypeAlias = Callable[[Tally, str, float], object] | None


@dataclass(slots=True)
class _FunctionLearner:
    tally: Tally
    chosen: Choose
    told: Learn

    def choose(self) -> str:
        return self.chosen(self.tally)

    def learn(self, arm: str, reward: float) -> None:
        tally = self.tally
        tally.plays[arm] += 1
        tally.total[arm] += reward
        if self.told is not None:
            self.told(tally, arm, reward)
        tally.round += 1

    def retire(self, arm: str) -> None:
        self.tally.arms = tuple(one for one in self.tally.arms if one != arm)

    def admit(self, arm: str, owner: str) -> None:
        tally = self.tally
        tally.arms = (*tally.arms, arm)
        tally.owners = {**tally.owners, arm: owner}
        tally.plays.setdefault(arm, 0)
        tally.total.setdefault(arm, 0.0)


def _learner(
    choose: Choose, learn: Learn, arms: Sequence[str], *, owners: Any, horizon: int, seed: int
) -> _FunctionLearner:
    plays, total = dict.fromkeys(arms, 0), dict.fromkeys(arms, 0.0)
    tally = Tally(tuple(arms), owners, horizon, random.Random(seed), plays, total)
    return _FunctionLearner(tally, choose, learn)


def function_policy(
    choose: Choose, learn: Learn = None, *, name: str | None = None
) -> ExternalPolicy:
    """Make a policy from a function that chooses and, if wanted, one that learns.

    Parameters
    ----------
    choose : callable
        ``choose(tally)`` returns the name of an arm; see ``Tally`` for what it can read.
    learn : callable, optional
        ``learn(tally, arm, reward)`` is called after every round, when the tally's plays and totals
        hold the reward already.
    name : str, optional
        What to call it; the name of ``choose`` by default.

    Returns
    -------
    ExternalPolicy

    Examples
    --------
    >>> def least_played(tally):
    ...     return min(tally.arms, key=tally.plays.__getitem__)
    >>> from copyproof import paper_market, simulate
    >>> found = simulate(
    ...     paper_market("1a"), function_policy(least_played), horizon=10, repetitions=1, seed=1
    ... )
    >>> found.plays.tolist()
    [[2, 2, 2, 2, 2]]
    """
    require(callable(choose), "choose", choose, "a function choose(tally)")
    if learn is not None:
        require(callable(learn), "learn", learn, "a function learn(tally, arm, reward)")
    default = getattr(choose, "__name__", type(choose).__name__)
    return ExternalPolicy(
        default if name is None else name, functools.partial(_learner, choose, learn)
    )
