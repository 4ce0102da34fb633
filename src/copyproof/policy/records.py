"""A policy is data: an agent rule, an arm rule, a sampling rule and a tie rule.

Phase 1 of a hierarchical policy picks an agent by the agent rule, phase 2 one of that agent's arms
by the arm rule; a flat policy has no agent rule and one pool of all arms. Each rule reads a clock
τ:

- ``"round"``: N + 1, the round of the rule's own game, where N counts its owner's plays. For the
  agent rule and for flat policies this is the round t; for Fair(A) it is the clock of each agent's
  own A.
- ``"plays"``: N, as in the paper's phase 2, where N = N(î) counts the chosen agent's plays.
- ``"horizon"``: T. An agent rule with this clock is free of t.

Records are frozen, compare and hash by value, and know nothing of state or randomness.
"""

import math
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from copyproof.validation import FieldError, known

Clock: TypeAlias = Literal["round", "plays", "horizon"]
Ties: TypeAlias = Literal["random", "priority"]
CLOCKS: tuple[Clock, ...] = ("round", "plays", "horizon")
TIES: tuple[Ties, ...] = ("random", "priority")


def _check_number(
    name: str, value: object, accepted: str, *, above_zero: bool = False, most: float = 1e300
) -> None:
    """Refuse what is not a number from 0 to the most, or 0 where that is not accepted."""
    if (
        not isinstance(value, int | float)
        or isinstance(value, bool)
        or not 0 <= value <= most
        or (above_zero and value == 0)
    ):
        raise FieldError(name, value, accepted)


def _check_word(name: str, value: object, accepted: tuple[str, ...]) -> None:
    known(name, value, accepted)


@dataclass(frozen=True, slots=True)
class UCB:
    """Largest r(a) + √(f(τ)/n(a)) with f(τ) = a·τ^b·(ln τ)^c; unplayed ones first.

    Parameters
    ----------
    a, b, c : float
        The width f. The default is UCB1's 2 ln τ (Auer, Cesa-Bianchi, Fischer 2002).
    clock : {"round", "plays", "horizon"}
        What τ reads.

    Examples
    --------
    >>> UCB(a=1, b=0.5).b
    0.5
    """

    a: float = 2.0
    b: float = 0.0
    c: float = 1.0
    clock: Clock = "round"

    def __post_init__(self) -> None:
        # Limits that keep f(τ) finite for every τ.
        for name, most in (("a", 1e12), ("b", 4), ("c", 20)):
            _check_number(name, getattr(self, name), f"a number in [0, {most:g}]", most=most)
        _check_word("clock", self.clock, CLOCKS)


@dataclass(frozen=True, slots=True)
class KLUCB:
    """Largest q with n(a)·kl(r(a), q) ≤ scale·ln τ (Garivier, Cappé 2011); unplayed ones first.

    Examples
    --------
    >>> KLUCB().scale
    1.0
    """

    scale: float = 1.0
    clock: Clock = "round"

    def __post_init__(self) -> None:
        _check_number("scale", self.scale, "a number >= 0")
        _check_word("clock", self.clock, CLOCKS)


@dataclass(frozen=True, slots=True)
class EpsilonGreedy:
    """With probability ε any one, else the largest mean; unplayed ones first.

    Examples
    --------
    >>> EpsilonGreedy(0.05).epsilon
    0.05
    """

    epsilon: float = 0.1

    def __post_init__(self) -> None:
        _check_number("epsilon", self.epsilon, "a number in [0, 1]", most=1)


@dataclass(frozen=True, slots=True)
class EpsilonDecreasing:
    """ε-greedy with ε = min(1, scale/τ) (Auer, Cesa-Bianchi, Fischer 2002).

    Examples
    --------
    >>> EpsilonDecreasing(scale=20).scale
    20
    """

    scale: float = 10.0
    clock: Clock = "round"

    def __post_init__(self) -> None:
        _check_number("scale", self.scale, "a number > 0", above_zero=True)
        _check_word("clock", self.clock, CLOCKS)


@dataclass(frozen=True, slots=True)
class Thompson:
    """Largest draw from the posterior Beta(1 + S, 1 + n − S) (Thompson 1933); no forced plays.

    Examples
    --------
    >>> len({Thompson(), Thompson()})
    1
    """


@dataclass(frozen=True, slots=True)
class Uniform:
    """Any one, with equal chances.

    Examples
    --------
    >>> len({Uniform(), Uniform()})
    1
    """


@dataclass(frozen=True, slots=True)
class OwnIndex:
    """Largest index that is made of an agent's own rewards, T and n: free of the round t.

    With N plays of the agent so far, of which the last w count and have the mean reward r, its
    index is the largest q with w·kl(r, q) ≤ scale·ln T, or r + √(scale·ln T / (2 w)) for the width
    of Hoeffding. Two ways to let an agent find its feet before it is judged, both in multiples of

        M = min(√(T/n), ln² T):

    *turns*: every agent has turns·M plays first, in turn; *doubt*: up to doubt·M plays, the index
    is at least 1 − N/(3 doubt·M), so that an agent has the benefit of the doubt against a leader
    that is not much better than that.

    Parameters
    ----------
    statistic : {"recent", "mean"}
        Which plays count: with 2^k < N ≤ 2^(k+1) those after play 2^(k−1), which is between half
        and three quarters of them, in constant memory; or all.
    width : {"kl", "hoeffding"}
        The confidence width.
    scale : float
        Of the width.
    turns, doubt : float
        As multiples of M; 0 for none.

    Examples
    --------
    >>> OwnIndex().doubt
    2.0
    """

    statistic: Literal["recent", "mean"] = "recent"
    width: Literal["kl", "hoeffding"] = "kl"
    scale: float = 1.0
    turns: float = 0.0
    doubt: float = 2.0

    def __post_init__(self) -> None:
        _check_word("statistic", self.statistic, ("recent", "mean"))
        _check_word("width", self.width, ("kl", "hoeffding"))
        for name in ("scale", "turns", "doubt"):
            _check_number(name, getattr(self, name), "a number in [0, 1e6]", most=1e6)


@dataclass(frozen=True, slots=True)
class Champion:
    """Plays its best arm, tries fresh ones, and lets old ones challenge it.

    The champion is the tried arm of largest posterior mean m = (S + 1)/(n + 2). A fresh arm is
    tried if m is at most the threshold, or if the champion was played last and paid no more than m,
    as long as fewer than 1 + fresh·ln² T·(1 − m) arms have been tried. Otherwise the tried arms
    challenge in turn, one each time: arm a with n plays and mean r is played if
    n·kl(r, m) ≤ ln(N/(K n)), with N plays of the agent and K tried arms; else the champion is.

    Examples
    --------
    >>> Champion().fresh
    4.0
    """

    fresh: float = 4.0
    threshold: float = 0.5

    def __post_init__(self) -> None:
        _check_number("fresh", self.fresh, "a number in [0, 1e6]", most=1e6)
        _check_number("threshold", self.threshold, "a number in [0, 1]", most=1)


Rule: TypeAlias = (
    UCB | KLUCB | EpsilonGreedy | EpsilonDecreasing | Thompson | Uniform | OwnIndex | Champion
)


@dataclass(frozen=True, slots=True)
class AllArms:
    """Every registered arm is in play.

    Examples
    --------
    >>> len({AllArms(), AllArms()})
    1
    """


@dataclass(frozen=True, slots=True)
class FixedSample:
    """A uniform sample of ⌊factor·(ln T)^power⌋ arms, at least 1, drawn once.

    Parameters
    ----------
    factor : float or None
        The paper's l or L. None stands for the paper's choice: the number of originals in the
        market for a flat policy, the largest number of originals of one agent otherwise.
    power : float
        1 in S-UCB and RH-UCB; 2 where the share c of best arms is not known.

    Examples
    --------
    >>> FixedSample(3).power
    1.0
    """

    factor: float | None = None
    power: float = 1.0

    def __post_init__(self) -> None:
        if self.factor is not None:
            _check_number("factor", self.factor, "a number > 0", above_zero=True)
        _check_number("power", self.power, "a number >= 0")


@dataclass(frozen=True, slots=True)
class GrowingSample:
    """A sample B that grows by one fresh arm whenever |B| < min(|S|, factor·(ln τ)^power).

    The bound is compared unfloored and is never below 1. ``clock`` is "game" for τ = t, the round
    of the game, and "own" for τ = N + 1, the round of the pool's own game.

    Examples
    --------
    >>> GrowingSample(factor=1.0, power=2.0).power
    2.0
    """

    factor: float | None = None
    power: float = 1.0
    clock: Literal["game", "own"] = "game"

    def __post_init__(self) -> None:
        if self.factor is not None:
            _check_number("factor", self.factor, "a number > 0", above_zero=True)
        _check_number("power", self.power, "a number >= 0")
        _check_word("clock", self.clock, ("game", "own"))


Sampling: TypeAlias = AllArms | FixedSample | GrowingSample


@dataclass(frozen=True, slots=True)
class Restart:
    """Epochs for an unknown horizon, each a game of its own that forgets the ones before.

    The first epoch is a game of T_0 = first rounds, and T_{k+1} = ⌈factor·T_k^power⌉: factor = 2
    and power = 1 doubles; the default grows faster, which costs less where horizons are long.

    Examples
    --------
    >>> Restart(first=1000).horizons(100_000)
    (1000, 31623, 5623473)
    """

    first: int = 1000
    factor: float = 1.0
    power: float = 1.5

    def __post_init__(self) -> None:
        _check_number("first", self.first, "a whole number from 2 to 1e12", most=1e12)
        if self.first < 2 or self.first != int(self.first):
            raise ValueError(f"first = {self.first!r} is not a whole number from 2 to 1e12")
        object.__setattr__(self, "first", int(self.first))
        _check_number("factor", self.factor, "a number in [0, 1e6]", most=1e6)
        _check_number("power", self.power, "a number in [0, 3]", most=3)
        if not self._next(self.first) > self.first:
            raise ValueError(
                f"factor = {self.factor!r}, power = {self.power!r}: epochs would not grow"
            )

    def horizons(self, rounds: int) -> tuple[int, ...]:
        """The horizons T_0, T_1, … of the epochs that a number of rounds reaches into."""
        found = [self.first]
        while sum(found) < rounds:
            found.append(self._next(found[-1]))
        return tuple(found)

    def _next(self, horizon: int) -> int:
        longer: float = self.factor * float(horizon) ** self.power
        return math.ceil(min(longer, 2.0**62))


@dataclass(frozen=True, slots=True)
class Policy:
    """How the principal picks one arm a round.

    Parameters
    ----------
    agent : Rule or None
        Phase 1, or None for a flat policy.
    arm : Rule
        Phase 2, or the one rule of a flat policy.
    sampling : Sampling
        Which arms are in play: of each agent, or of the one pool of a flat policy.
    ties : {"random", "priority"}
        How ties between agents are broken, unplayed agents included: anew each time, or by one
        random order drawn at the start. Ties between arms are always broken anew.
    restart : Restart or None
        Epochs that each forget the ones before, for a policy that needs T where none is known.

    Examples
    --------
    >>> h_ucb = Policy(agent=UCB(), arm=UCB(clock="plays"))
    >>> h_ucb.is_flat
    False
    >>> h_ucb.agent.a
    2.0
    """

    agent: Rule | None
    arm: Rule
    sampling: Sampling = field(default_factory=AllArms)
    ties: Ties = "random"
    restart: Restart | None = None

    def __post_init__(self) -> None:
        _check_word("ties", self.ties, TIES)
        if isinstance(self.arm, OwnIndex):
            raise ValueError("arm = own-index: it is a rule for agents")
        if isinstance(self.agent, Champion):
            raise ValueError("agent = champion: it is a rule for arms")
        if isinstance(self.arm, Champion) and self.sampling != AllArms():
            raise ValueError("sampling: champion tries arms by its own rule; it takes all")
        if self.agent is None and self.ties != "random":
            raise ValueError(f"ties = {self.ties!r}: a flat policy has no ties between agents")
        if isinstance(self.agent, UCB | KLUCB | EpsilonDecreasing) and self.agent.clock == "plays":
            raise ValueError("agent.clock = 'plays' is not one of round, horizon")
        if self.agent is None and getattr(self.arm, "clock", "round") == "plays":
            raise ValueError("arm.clock = 'plays' is not one of round, horizon (a flat policy)")

    @property
    def is_flat(self) -> bool:
        """Whether all arms stand in one pool."""
        return self.agent is None

    @property
    def needs_unit_rewards(self) -> bool:
        """Whether a rule is only defined for rewards in [0, 1]."""
        kinds = KLUCB | Thompson | OwnIndex | Champion
        return any(isinstance(rule, kinds) for rule in (self.agent, self.arm))

    @property
    def needs_horizon(self) -> bool:
        """Whether the policy must be told T before round 1."""
        if self.restart is not None:
            return False
        rules = (self.agent, self.arm)
        return (
            isinstance(self.sampling, FixedSample)
            or any(getattr(rule, "clock", None) == "horizon" for rule in rules)
            or any(isinstance(rule, OwnIndex | Champion) for rule in rules)
        )

    def __str__(self) -> str:
        """Give the text form, which ``parse_policy`` reads back."""
        from copyproof.policy.text import to_text

        return to_text(self)
