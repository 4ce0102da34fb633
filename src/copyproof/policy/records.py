"""A policy is data: an agent rule, an arm rule, a sampling rule and a tie rule.

Phase 1 of a hierarchical policy picks an agent by the agent rule, phase 2 one of that agent's arms
by the arm rule; a flat policy has no agent rule and one pool of all arms. Each rule reads a clock
τ:

- ``"round"``: N + 1, the round of the rule's own game, where N counts its owner's plays. For the
  agent rule and for flat policies this is the round t; for Fair(A) it is the clock of each agent's
  own A.
- ``"plays"``: N, as in the paper's phase 2, where N = N(î) counts the chosen agent's plays.
- ``"horizon"``: T. An agent rule with this clock is free of t.

Records are frozen, compare and hash by value, and know nothing of state or randomness. Rules that
see an agent's own plays and rewards only are in ``own_rules``.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from copyproof.policy.baselines import (
    IMED,
    MOSS,
    DiscountedUCB,
    Exp3,
    MOSSAnytime,
    SlidingWindowUCB,
)
from copyproof.policy.own_rules import SampledKLUCB, Trial, TrialArms
from copyproof.policy.sampling import (
    AllArms,
    Epochs,
    FixedSample,
    GrowingSample,
    Sampling,
    check_number,
    set_whole,
)
from copyproof.policy.traits import CLOCKS, BaseRule, Clock, Coin, Traits
from copyproof.validation import FieldError, known, require, shortened

if TYPE_CHECKING:
    import pandas as pd

Ties: TypeAlias = Literal["random", "priority"]
TIES: tuple[Ties, ...] = ("random", "priority")

_TOSSED = "agent = ε-greedy: a coin thrown by the round t explores, whatever the indices"


@dataclass(frozen=True, slots=True)
class UCB(BaseRule):
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
class KLUCB(BaseRule):
    """Largest q with n(a)·kl(r(a), q) ≤ scale·ln τ (Garivier, Cappé 2011); unplayed ones first."""

    traits = Traits("kl-ucb", index="computed", rewards="unit", memory="sums", not_pathwise=None)
    scale: float = 1.0
    clock: Clock = "round"

    def __post_init__(self) -> None:
        check_number("scale", self.scale, "a number >= 0")
        known("clock", self.clock, CLOCKS)


@dataclass(frozen=True, slots=True)
class EpsilonGreedy(BaseRule):
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
class EpsilonDecreasing(BaseRule):
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
class Thompson(BaseRule):
    """Largest draw from the posterior Beta(1 + S, 1 + n − S) (Thompson 1933); no forced plays."""

    traits = Traits(
        "thompson",
        index="drawn",
        rewards="unit",
        memory="sums",
        not_pathwise="agent = Thompson: indices are drawn anew in every round t",
    )


@dataclass(frozen=True, slots=True)
class Uniform(BaseRule):
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
class ExploreThenCommit(BaseRule):
    """Plays every arm m times in turn, then the one of largest mean for ever.

    The arm with the fewest plays is explored first; ties are drawn. It is committed to the arm that
    has the largest mean when each has m plays, and that arm is the one with more than m plays
    since. An arm that joins later is explored, too, and may take over if the committed one leaves.

    Parameters
    ----------
    plays : int
        Of each arm, the literature's m. What is best depends on the gaps between the arms, and on
        T: for two arms with means apart by Δ about ln(TΔ²)/Δ².

    Examples
    --------
    >>> ExploreThenCommit(plays=20).plays
    20
    """

    traits = Traits(
        "etc",
        index="line",
        rewards="any",
        memory="sums",
        not_pathwise=None,
    )
    plays: int = 50

    def __post_init__(self) -> None:
        set_whole(self, "plays", 1, "1e9")


Rule: TypeAlias = (
    UCB
    | KLUCB
    | EpsilonGreedy
    | EpsilonDecreasing
    | Thompson
    | Uniform
    | ExploreThenCommit
    | Trial
    | TrialArms
    | MOSS
    | MOSSAnytime
    | IMED
    | SlidingWindowUCB
    | DiscountedUCB
    | Exp3
    | SampledKLUCB
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
    restart : Restart, Season or None
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
    restart: Epochs | None = None

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
        if self.arm.traits.not_live and isinstance(self.sampling, GrowingSample):
            said = f"grows, but under {self.arm.traits.name} all arms are in play from the start"
            raise FieldError("sampling", self.sampling, "all or fixed", said)
        if isinstance(self.arm, TrialArms) and not isinstance(self.agent, Trial):
            said = f"= {self.arm.traits.name}: its c and lost are those of agents chosen by trial"
            raise FieldError("arm", self.arm, "another rule", said)
        if isinstance(self.agent, SampledKLUCB) and not isinstance(self.sampling, FixedSample):
            said = f"= {self.agent.traits.name}: it needs a sample of fixed size (sample=fixed)"
            raise FieldError("agent", self.agent, "another rule", said)

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
    def not_live(self) -> str | None:
        """Why a live market cannot serve it, and arms cannot come and go; None if they can."""
        return next((rule.traits.not_live for rule in self.rules if rule.traits.not_live), None)

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

    def __repr__(self) -> str:
        """Give the text form, cut if it is long."""
        return f"<Policy {shortened(str(self))}>"

    def _repr_html_(self) -> str:
        """Show the parts in a notebook."""
        from copyproof.pages import notebook_table
        from copyproof.policy.text import parts_of

        title = f"Policy {shortened(str(self))}"
        return notebook_table(
            ["part", "rule"], list(parts_of(self).items()), title=title, words=["rule"]
        )

    def to_frame(self) -> "pd.DataFrame":
        """A row per part of the policy: the rules for agents and arms, samples, ties, restarts.

        Examples
        --------
        >>> from copyproof import parse_policy
        >>> print(parse_policy("h-ucb").to_frame().head(2).to_string(index=False))
        policy  part             rule
         h-ucb agent              ucb
         h-ucb   arm ucb(clock=plays)
        """
        import pandas as pd

        from copyproof.policy.text import parts_of

        rows = [(str(self), part, rule) for part, rule in parts_of(self).items()]
        return pd.DataFrame(rows, columns=["policy", "part", "rule"])


def clock_of(rule: Rule) -> Clock | None:
    """What a rule's τ reads; None for a rule without one."""
    return getattr(rule, "clock", None)
