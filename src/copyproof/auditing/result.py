"""What an audit found: gains with their limits, verdicts, the principal's loss, and a fee.

The **verdict** about an agent looks at the deviations that copy, that is, register some arm more
than once, and more often than the reference. The gain of such a deviation is the smallest of its
differences to strategies that copy nothing: *prone* if the lower limit of some gain is above 0;
*no-gain* if the upper limit of every gain is at most the tolerance; *unchanged* if no play of any
game differs; otherwise *undecided*. The policy is prone if some agent is, and no-gain if every
agent is. Hiding and showing arms is not copying: its gains over the reference are reported apart.

The **fee** that stops an agent: a deviation does not pay if a strategy without copies that has m
arms fewer does as well, that is, if every registered arm costs 1/m of their difference more than
now. The deviation with all its copies left out is such a strategy.
"""

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from copyproof.auditing.deviations import Deviation
from copyproof.auditing.dominance import Advantage
from copyproof.game import ByName, Market, Strategy
from copyproof.simulation import Interval

if TYPE_CHECKING:
    import pandas as pd

Verdict: TypeAlias = Literal["prone", "no-gain", "unchanged", "undecided"]
Method: TypeAlias = Literal["exact", "sampling"]


@dataclass(frozen=True, slots=True)
class Difference:
    """A deviation compared with one strategy that copies nothing.

    Attributes
    ----------
    copies : tuple of int
        That strategy.
    gain : Interval
        E[u(deviation)] − E[u(strategy)]. The limits are those that the gain is made of: they hold
        together for the smallest difference, not for all of them.
    """

    copies: Strategy
    gain: Interval

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"copies": list(self.copies), "gain": plain_value(self.gain.mean)}


@dataclass(frozen=True, slots=True)
class Gain:
    """What one deviation gains, in utility, and what it costs the principal.

    Attributes
    ----------
    deviation : Deviation
        The strategy.
    gain : Interval
        With its simultaneous limits: E[u(deviation)] − E[u(reference)], or the smallest such
        difference where there are several strategies to compare with.
    loss : Interval
        The principal's: regret under the deviation − regret under the reference.
    advantage : Advantage or None
        Whether the revenue's distribution is better for some attitude to risk, by the comparison in
        which it is least; None where exact values were asked for a discounted market, whose
        distribution is not known.
    verdict : str
        Of this gain alone.
    repetitions : int
        Games behind it; 0 for exact values.
    needed : int or None
        Games that would decide it, about, if they go on as they did; None where it is decided, or
        where that is not known.
    over : tuple of Difference
        All that the deviation was compared with, the reference first; empty if nothing was played.
    """

    deviation: Deviation
    gain: Interval
    loss: Interval
    advantage: Advantage | None
    verdict: Verdict
    repetitions: int
    needed: int | None = None
    over: tuple[Difference, ...] = ()

    @property
    def copies(self) -> Strategy:
        """The deviation's copy counts."""
        return self.deviation.copies

    def to_dict(self) -> dict[str, Any]:
        """For JSON; limits that are not known are None."""
        return {
            "copies": list(self.copies),
            "name": self.deviation.name,
            **_gain_dict(self.gain),
            **plain(self, "verdict loss"),
            "dominance": plain_value(self.advantage),
            "repetitions": self.repetitions,
            "games_needed": self.needed,
            "over": plain_value(self.over),
        }

    @property
    def fee(self) -> Interval:
        """The smallest further fee per registered arm at which the deviation stops paying."""
        quotients = [
            Interval(one.gain.mean / more, one.gain.low / more, one.gain.high / more)
            for one in self.over
            if (more := sum(self.copies) - sum(one.copies)) > 0
        ]
        if not quotients:
            return Interval(math.nan, 0.0, math.inf)
        parts = ([getattr(one, part) for one in quotients] for part in ("mean", "low", "high"))
        return Interval(*(max(0.0, min(part)) for part in parts))


@dataclass(frozen=True, slots=True)
class AgentAudit:
    """What one agent gains by copying, and by hiding or showing arms.

    Attributes
    ----------
    name : str
        The agent.
    reference : tuple of int
        The strategy that all gains are held against.
    revenue : float
        Its mean revenue under the reference.
    tolerance : float
        The gain that counts as none.
    copying, showing : tuple of Gain
        Deviations that copy, and those that do not.
    """

    name: str
    reference: Strategy
    revenue: float
    tolerance: float
    copying: tuple[Gain, ...]
    showing: tuple[Gain, ...]

    @property
    def verdict(self) -> Verdict:
        """Whether copying pays this agent."""
        return worst_verdict([gain.verdict for gain in self.copying])

    @property
    def best_deviation(self) -> Gain:
        """The copying with the largest gain; of equal ones the first."""
        return max(self.copying, key=lambda gain: gain.gain.mean)

    @property
    def without_copies(self) -> Gain | None:
        """The hiding or showing with the largest gain over the reference; None if none was tried.

        Its verdict is "prone" where it surely gains, which is no fault of a policy.
        """
        return max(self.showing, key=lambda gain: gain.gain.mean, default=None)

    @property
    def fee(self) -> Interval:
        """The smallest further fee per registered arm that makes copying unprofitable.

        As the estimated gains have it, and from their lower and upper limits: ``high`` is enough at
        the audit's confidence.

        Examples
        --------
        >>> from copyproof import audit, paper_market
        >>> found = audit(paper_market("1a"), "h-ucb", agent="0.5-agent", horizon=1000, seed=1)
        >>> found.agents[0].fee.high
        0.0
        """
        fees = [gain.fee for gain in self.copying]
        return Interval(
            max(fee.mean for fee in fees),
            max(fee.low for fee in fees),
            max(fee.high for fee in fees),
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        best = self.best_deviation
        return {
            **plain(self, "name verdict"),
            "best_deviation": {"copies": list(best.copies), **_gain_dict(best.gain)},
            "without_copies": _without_copies(self.without_copies),
            **plain(self, "reference revenue tolerance fee copying showing"),
        }


@dataclass(frozen=True, slots=True)
class Audit:
    """What ``audit`` found.

    Attributes
    ----------
    market : Market
        The other agents play as it says; where agents are bound to groups, that of the principals.
    groups : dict
        The names bound to each group.
    policy : str
        Text form of the policy, or the name of one that is not ours.
    horizon, seed, confidence, method, budget
        What was asked; the method as it was taken.
    agents : tuple of AgentAudit
        The audited ones, in the market's order; by position or by name, ``agents["ann"]``.
    coalitions : tuple of AgentAudit
        Two agents who copy at once, and what they gain in all; by position or by name,
        ``coalitions["ann + bob"]``. Only for a policy that is not ours.
    rounds : int
        Played in all, by sampling.
    seconds : float
        For all of it.
    """

    market: Market
    policy: str
    horizon: int
    seed: int
    confidence: float
    method: Method
    budget: int
    agents: ByName[AgentAudit]
    rounds: int
    seconds: float
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    coalitions: ByName[AgentAudit] = field(default_factory=ByName)

    @property
    def verdict(self) -> Verdict:
        """Whether copying pays some agent, or two who copy at once."""
        return worst_verdict([one.verdict for one in self.parties])

    @property
    def parties(self) -> list[AgentAudit]:
        """The agents, and then those who copy at once."""
        return [*self.agents, *self.coalitions]

    @property
    def loss(self) -> Interval:
        """The principal's loss by the copying that pays its agent best, of all agents.

        That is the loss it has to expect if it leaves the policy as it is; 0 if nobody gains.
        """
        gains = [one for who in self.parties for one in who.copying if one.verdict == "prone"]
        if not gains:
            return Interval(0.0, 0.0, 0.0)
        return max(gains, key=lambda gain: gain.gain.mean).loss

    @property
    def _deciding(self) -> list[Gain]:
        """The open gains that decide: one that seems to be above the tolerance, or else all."""
        pairs = [
            (agent, gain)
            for agent in self.parties
            for gain in agent.copying
            if gain.verdict == "undecided"
        ]
        above = [gain for agent, gain in pairs if gain.needed and gain.gain.mean > agent.tolerance]
        if above:
            return [min(above, key=lambda gain: gain.needed or 0)]
        return [gain for _, gain in pairs]

    @property
    def budget_needed(self) -> int | None:
        """About the rounds that would decide the verdict; None if it is decided, or not known."""
        gains = self._deciding
        counts = [gain.needed for gain in gains if gain.needed is not None]
        if self.verdict != "undecided" or len(counts) < len(gains):
            return None
        more = [count - gain.repetitions for count, gain in zip(counts, gains, strict=True)]
        # Stages double, and what is open beside these gains is played, too.
        return rounded_up(2 * (self.rounds + self.horizon * (sum(more) + max(more))))

    @property
    def why_undecided(self) -> str | None:
        """Why the verdict is undecided, and what would decide it; None if it is not undecided.

        Examples
        --------
        >>> from copyproof import audit, paper_market
        >>> how = {"agent": "0.5-agent", "most_copies": 2, "horizon": 1000, "seed": 1}
        >>> few = audit(paper_market("1a"), "ucb1", budget=100_000, **how)
        >>> few.why_undecided.partition("; ")[2]
        'about 140 games would decide'
        >>> audit(paper_market("1a"), "ucb1", budget=few.budget_needed, **how).verdict
        'prone'
        """
        if self.verdict != "undecided":
            return None
        gains = self._deciding
        most = max(gain.repetitions for gain in gains)
        if most == 0:
            return f"a budget of {self.budget:,} rounds is too small to play each of them twice"
        counts = [gain.needed for gain in gains if gain.needed is not None]
        would = f"about {rounded_up(max(counts)):,} games" if counts else "no number of games"
        return (
            f"with {most:,} games of each strategy, chance and what no game has shown can still "
            f"turn them; {would} would decide"
        )

    def to_dict(self) -> dict[str, Any]:
        """The summary that the command line prints as JSON."""
        asked = "horizon seed confidence method budget"
        found = plain(self, f"policy verdict why_undecided agents loss {asked} rounds seconds")
        groups = {group: list(names) for group, names in self.groups.items()}
        if self.coalitions:
            found["coalitions"] = [one.to_dict() for one in self.coalitions]
        return found | ({"groups": groups} if groups else {})

    def to_frame(self) -> "pd.DataFrame":
        """A row per agent and deviation: gain, loss and advantage with their limits.

        It opens with policy, market, seed and horizon.

        Examples
        --------
        >>> from copyproof import audit, paper_market
        >>> found = audit(paper_market("1a"), "h-ucb", agent="0.5-agent", horizon=1000, seed=1)
        >>> found.to_frame()["copies"].tolist()
        ['[2]', '[5]', '[10]', '[20]', '[50]', '[100]']
        """
        from copyproof.auditing.display import audit_frame

        return audit_frame(self)

    def __repr__(self) -> str:
        """Say on one line what was audited, and the verdict."""
        from copyproof.auditing.display import examined

        return f"<Audit {examined(self)}: {self.verdict}>"

    def _repr_html_(self) -> str:
        """Show every agent's verdict in a notebook."""
        from copyproof.auditing.display import audit_html

        return audit_html(self)


def worst_verdict(verdicts: list[Verdict]) -> Verdict:
    """Prone if one is, no-gain if all are."""
    worse: tuple[Verdict, ...] = ("prone", "undecided", "unchanged")
    return next((one for one in worse if one in verdicts), "no-gain")


def rounded_up(count: int) -> int:
    """The next number with two digits that are not 0.

    Examples
    --------
    >>> rounded_up(1_234_567)
    1300000
    """
    unit = int("1" + "0" * (len(str(count)) - 2))
    return -(-count // unit) * unit


def plain(record: object, names: str) -> dict[str, Any]:
    """For JSON: the named attributes of a record, in that order.

    Examples
    --------
    >>> plain(Interval(0.5, -math.inf, 1.0), "low mean")
    {'low': None, 'mean': 0.5}
    """
    return {name: plain_value(getattr(record, name)) for name in names.split()}


def plain_value(value: Any) -> Any:
    """For JSON: records as dictionaries, tuples as lists; a number that is not known is None."""
    match value:
        case Interval():
            return plain(value, "mean low high")
        case float():
            return value if math.isfinite(value) else None
        case tuple():
            return [plain_value(one) for one in value]
        case _:
            return value.to_dict() if hasattr(value, "to_dict") else value


# Verdicts on strategies that do not copy.
WITHOUT_COPIES = {"prone": "gains", "no-gain": "no gain", "undecided": "undecided"}


def _without_copies(gain: Gain | None) -> dict[str, Any] | None:
    if gain is None:
        return None
    said = {"copies": list(gain.copies), "name": gain.deviation.name}
    verdict = WITHOUT_COPIES.get(gain.verdict, gain.verdict)
    return {**said, "verdict": verdict, **_gain_dict(gain.gain)}


def _gain_dict(gain: Interval) -> dict[str, float | None]:
    return {"gain": plain_value(gain.mean), **plain(gain, "low high")}
