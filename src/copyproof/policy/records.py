"""A policy is data: an agent rule, an arm rule, a sampling rule and a tie rule.

Phase 1 of a hierarchical policy picks an agent by the agent rule, phase 2 one of that agent's arms
by the arm rule; a flat policy has no agent rule and one pool of all arms. Each rule reads a clock
τ:

- ``"round"``: N + 1, the round of the rule's own game, where N counts its owner's plays. For the
  agent rule and for flat policies this is the round t; for Fair(A) it is the clock of each agent's
  own A.
- ``"plays"``: N, as in the paper's phase 2, where N = N(î) counts the chosen agent's plays.
- ``"horizon"``: T. An agent rule with this clock is free of t.

Records are frozen, compare and hash by value, and know nothing of state or randomness. What the
rest of the package has to know of a rule stands here as its ``traits`` and its ``coin``, and
nowhere else.
"""

import math
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple, TypeAlias, get_args

from copyproof.policy.sampling import AllArms, FixedSample, Restart, Sampling, check_number
from copyproof.validation import FieldError, known, require

Clock: TypeAlias = Literal["round", "plays", "horizon"]
Ties: TypeAlias = Literal["random", "priority"]
CLOCKS: tuple[Clock, ...] = ("round", "plays", "horizon")
TIES: tuple[Ties, ...] = ("random", "priority")


@dataclass(frozen=True, slots=True)
class Traits:
    """What the rest of the package has to know of a rule; what has no default, each rule states."""

    name: str  # in the text form
    # A line in an x that depends on the clock alone and never falls, so that a tournament keeps the
    # largest; or anything else; or a random number.
    index: Literal["line", "computed", "drawn"]
    rewards: Literal["any", "unit"]  # which it is defined for; unit: in [0, 1] only
    # Of an item it sees plays and sums of rewards only, or the order of rewards, too.
    memory: Literal["sums", "order"]
    # Why the pathwise theorem does not cover agents chosen by this rule, whatever its clock.
    not_pathwise: str | None
    needs_horizon: bool = False  # reads T, whatever its clock
    only_for: Literal["agents", "arms"] | None = None
    # Says itself when a fresh arm is tried, and takes no sampling rule.
    brings_fresh_arms: bool = False


class Coin(NamedTuple):
    """With this chance any item is taken, whatever the indices; min(1, chance/τ) if it falls."""

    chance: float
    falls: bool = False


_TOSSED = "agent = ε-greedy: a coin thrown by the round t explores, whatever the indices"


class _Rule:
    """What rules share."""

    __slots__ = ()
    traits: ClassVar[Traits]

    @property
    def coin(self) -> Coin:
        """The coin that is tossed before indices are looked at, once all items are played."""
        return Coin(0.0)


@dataclass(frozen=True, slots=True)
class UCB(_Rule):
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

    traits = Traits("ucb", index="line", rewards="any", memory="sums", not_pathwise=None)
    a: float = 2.0
    b: float = 0.0
    c: float = 1.0
    clock: Clock = "round"

    def __post_init__(self) -> None:
        # Limits that keep f(τ) finite for every τ.
        for name, most in (("a", 1e12), ("b", 4), ("c", 20)):
            check_number(name, getattr(self, name), f"a number in [0, {most:g}]", most=most)
        known("clock", self.clock, CLOCKS)


@dataclass(frozen=True, slots=True)
class KLUCB(_Rule):
    """Largest q with n(a)·kl(r(a), q) ≤ scale·ln τ (Garivier, Cappé 2011); unplayed ones first."""

    traits = Traits("kl-ucb", index="computed", rewards="unit", memory="sums", not_pathwise=None)
    scale: float = 1.0
    clock: Clock = "round"

    def __post_init__(self) -> None:
        check_number("scale", self.scale, "a number >= 0")
        known("clock", self.clock, CLOCKS)


@dataclass(frozen=True, slots=True)
class EpsilonGreedy(_Rule):
    """With probability ε any one, else the largest mean; unplayed ones first.

    Examples
    --------
    >>> EpsilonGreedy(0.05).epsilon
    0.05
    """

    traits = Traits(
        "epsilon-greedy", index="line", rewards="any", memory="sums", not_pathwise=_TOSSED
    )
    epsilon: float = 0.1

    def __post_init__(self) -> None:
        check_number("epsilon", self.epsilon, "a number in [0, 1]", most=1)

    @property
    def coin(self) -> Coin:
        """Any one with probability ε."""
        return Coin(self.epsilon)


@dataclass(frozen=True, slots=True)
class EpsilonDecreasing(_Rule):
    """ε-greedy with ε = min(1, scale/τ) (Auer, Cesa-Bianchi, Fischer 2002).

    Examples
    --------
    >>> EpsilonDecreasing(scale=20).scale
    20
    """

    traits = Traits(
        "epsilon-decreasing", index="line", rewards="any", memory="sums", not_pathwise=_TOSSED
    )
    scale: float = 10.0
    clock: Clock = "round"

    def __post_init__(self) -> None:
        check_number("scale", self.scale, "a number > 0", above_zero=True)
        known("clock", self.clock, CLOCKS)

    @property
    def coin(self) -> Coin:
        """Any one with probability min(1, scale/τ)."""
        return Coin(self.scale, falls=True)


@dataclass(frozen=True, slots=True)
class Thompson(_Rule):
    """Largest draw from the posterior Beta(1 + S, 1 + n − S) (Thompson 1933); no forced plays."""

    traits = Traits(
        "thompson",
        index="drawn",
        rewards="unit",
        memory="sums",
        not_pathwise="agent = Thompson: indices are drawn anew in every round t",
    )


@dataclass(frozen=True, slots=True)
class Uniform(_Rule):
    """Any one, with equal chances."""

    traits = Traits(
        "uniform",
        index="computed",
        rewards="any",
        memory="sums",
        not_pathwise=(
            "agent = Uniform: agents are drawn by the round t, not by an index (what an agent "
            "registers never changes who is asked)"
        ),
    )

    @property
    def coin(self) -> Coin:
        """Any one, always."""
        return Coin(1.0)


@dataclass(frozen=True, slots=True)
class OwnIndex(_Rule):
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
    """

    traits = Traits(
        "own-index",
        index="line",
        rewards="unit",
        memory="order",
        not_pathwise=None,
        needs_horizon=True,
        only_for="agents",
    )
    statistic: Literal["recent", "mean"] = "recent"
    width: Literal["kl", "hoeffding"] = "kl"
    scale: float = 1.0
    turns: float = 0.0
    doubt: float = 2.0

    def __post_init__(self) -> None:
        known("statistic", self.statistic, ("recent", "mean"))
        known("width", self.width, ("kl", "hoeffding"))
        for name in ("scale", "turns", "doubt"):
            check_number(name, getattr(self, name), "a number in [0, 1e6]", most=1e6)


@dataclass(frozen=True, slots=True)
class Champion(_Rule):
    """Plays its best arm, tries fresh ones, and lets old ones challenge it.

    The champion is the tried arm of largest posterior mean m = (S + 1)/(n + 2). A fresh arm is
    tried if m is at most the threshold, or if the champion was played last and paid no more than m,
    as long as fewer than 1 + fresh·ln² T·(1 − m) arms have been tried. Otherwise the tried arms
    challenge in turn, one each time: arm a with n plays and mean r is played if
    n·kl(r, m) ≤ ln(N/(K n)), with N plays of the agent and K tried arms; else the champion is.
    """

    traits = Traits(
        "champion",
        index="line",
        rewards="unit",
        memory="order",
        not_pathwise="agent = champion: it is a rule for arms",
        needs_horizon=True,
        only_for="arms",
        brings_fresh_arms=True,
    )
    fresh: float = 4.0
    threshold: float = 0.5

    def __post_init__(self) -> None:
        check_number("fresh", self.fresh, "a number in [0, 1e6]", most=1e6)
        check_number("threshold", self.threshold, "a number in [0, 1]", most=1)

    def most_tried(self, horizon: int) -> int:
        """An upper bound on the arms that are ever tried: m is at least 0."""
        return int(self.fresh * math.log(horizon) ** 2) + 3


Rule: TypeAlias = (
    UCB | KLUCB | EpsilonGreedy | EpsilonDecreasing | Thompson | Uniform | OwnIndex | Champion
)
# Every rule by its name in the text form.
RULES: dict[str, type[Rule]] = {kind.traits.name: kind for kind in get_args(Rule)}


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
        known("ties", self.ties, TIES)
        self._check_rules()
        if self.agent is None and self.ties != "random":
            said = f"= {self.ties!r}: a flat policy has no ties between agents"
            raise FieldError("ties", self.ties, "random", said)
        if self.agent is not None and clock_of(self.agent) == "plays":
            raise FieldError("agent.clock", "plays", "one of round, horizon")
        if self.agent is None and clock_of(self.arm) == "plays":
            raise FieldError("arm.clock", "plays", "one of round, horizon (a flat policy)")

    def _check_rules(self) -> None:
        for place, rule, others in (("agent", self.agent, "arms"), ("arm", self.arm, "agents")):
            if rule is not None:
                require(type(rule) in RULES.values(), place, rule, "a rule")
                if rule.traits.only_for == others:
                    said = f"= {rule.traits.name}: it is a rule for {others}"
                    raise FieldError(place, rule, "another rule", said)
        if self.brings_fresh_arms and self.sampling != AllArms():
            said = f"is given, but {self.arm.traits.name} tries arms by its own rule; it takes all"
            raise FieldError("sampling", self.sampling, "all", said)

    @property
    def is_flat(self) -> bool:
        """Whether all arms stand in one pool."""
        return self.agent is None

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The agent rule, if there is one, and the arm rule."""
        return (self.arm,) if self.agent is None else (self.agent, self.arm)

    @property
    def brings_fresh_arms(self) -> bool:
        """Whether the arm rule itself says when a fresh arm is tried."""
        return self.arm.traits.brings_fresh_arms

    @property
    def needs_unit_rewards(self) -> bool:
        """Whether a rule is only defined for rewards in [0, 1]."""
        return any(rule.traits.rewards == "unit" for rule in self.rules)

    @property
    def needs_horizon(self) -> bool:
        """Whether the policy must be told T before round 1."""
        if self.restart is not None:
            return False
        return isinstance(self.sampling, FixedSample) or any(
            rule.traits.needs_horizon or clock_of(rule) == "horizon" for rule in self.rules
        )

    def __str__(self) -> str:
        """Give the text form, which ``parse_policy`` reads back."""
        from copyproof.policy.text import to_text

        return to_text(self)


def clock_of(rule: Rule) -> Clock | None:
    """What a rule's τ reads; None for a rule without one."""
    return getattr(rule, "clock", None)
