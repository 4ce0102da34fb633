"""``attacks``: what an agent can try besides copying.

**Several identities.** One person takes part as m agents, each with the best arm, or with a part of
its arms. To the principal
these are different agents, and no policy here is proof against it: over identities the hierarchy is
a flat bandit again. What the person gains with m identities, divided by m − 1, is the gain per
further identity: verification stops m names if an identity costs more than that. **The price of an
identity** is the most of these over the m that were tried, c* = max_m gain(m)/(m − 1), or 0: a fee
per identity above it stops them all.

**Remove and re-register.** Arms are withdrawn and submitted again as new during the game, so that
their record is lost: after every play, after every tenth, whenever the record is below the arm's
mean, or all at fixed rounds. A policy that keeps its agents' statistics whatever becomes of their
arms gives nothing for it.

Both are held against the reference strategy with the same luck and the same statistics as copies
are (``sampled_gains``), all of them together at the stated confidence.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from copyproof._progress import Progress
from copyproof.auditing.deviations import Deviation
from copyproof.auditing.request import checked_request, positive
from copyproof.auditing.result import Gain, Method, Verdict, plain, worst_verdict
from copyproof.auditing.sampled_gains import sample
from copyproof.auditing.strategies import Reference, reference_strategy
from copyproof.auditing.trials import DeviationTrial
from copyproof.defaults import CONFIDENCE, IDENTITIES, REFERENCE, SEED, SPLIT
from copyproof.external import AnyPolicy
from copyproof.external.arms import takes_arms
from copyproof.game import (
    GivenMarket,
    Market,
    Renew,
    Schedule,
    Strategy,
    as_market,
    churn,
    principal_of,
    split,
)
from copyproof.game.identities import How
from copyproof.policy import Policy
from copyproof.simulation import Interval
from copyproof.validation import FieldError, items, known, shortened, shown, whole_in

if TYPE_CHECKING:
    import pandas as pd

_MOST_IDENTITIES = 10_000
_LONG_RECORD = 10
# At fixed rounds, all arms are submitted anew so many times, less one.
_CHURNS = 10


@dataclass(frozen=True, slots=True)
class Identities:
    """What m identities gain over one."""

    count: int
    gain: Gain

    @property
    def each(self) -> Interval:
        """The gain per further identity: what verifying one must cost to stop the attack."""
        more = self.count - 1
        gain = self.gain.gain
        return Interval(gain.mean / more, gain.low / more, gain.high / more)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"identities": self.count, **self.gain.to_dict(), **plain(self, "each")}


@dataclass(frozen=True, slots=True)
class Attacks:
    """What ``attacks`` found for one agent.

    Attributes
    ----------
    market, policy, agent, horizon, seed, confidence, method
        What was asked.
    reference : tuple of int
        The strategy that all is held against.
    identities : tuple of Identities
        One person as several agents.
    renewals : tuple of Gain
        Arms withdrawn and submitted again; empty for a policy that takes no arms during the game.
    rounds, seconds
        What it took.
    """

    market: Market
    policy: str
    agent: str
    horizon: int
    seed: int
    confidence: float
    method: Method
    reference: Strategy
    identities: tuple[Identities, ...]
    renewals: tuple[Gain, ...]
    rounds: int
    seconds: float

    @property
    def identities_verdict(self) -> Verdict:
        """Whether several identities pay."""
        return worst_verdict([one.gain.verdict for one in self.identities])

    @property
    def identity_price(self) -> Interval:
        """The fee per identity above which none of these numbers of names pays, c* ≥ 0.

        Its limits are the largest ones of all gains per further identity, which hold together.

        Examples
        --------
        >>> from copyproof import attacks, paper_market
        >>> found = attacks(paper_market("1a"), "h-ucb", agent="0.5-agent", horizon=500, seed=1)
        >>> found.identity_price.low > 0, found.dearest.count
        (True, 2)
        """
        each = [one.each for one in self.identities]
        return Interval(
            self.dearest.each.mean if self.dearest.each.mean > 0 else 0.0,
            max(0.0, *(one.low for one in each)),
            max(0.0, *(one.high for one in each)),
        )

    @property
    def dearest(self) -> Identities:
        """The number of identities that gains most per further one."""
        known = [one for one in self.identities if not math.isnan(one.each.mean)]
        return max(known or self.identities, key=lambda one: one.each.mean)

    @property
    def renewals_verdict(self) -> Verdict:
        """Whether re-registering pays; undecided if it was not tried."""
        if not self.renewals:
            return "undecided"
        return worst_verdict([gain.verdict for gain in self.renewals])

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        found = "identities_verdict identities identity_price renewals_verdict renewals"
        asked = "horizon seed confidence method"
        answer = plain(self, f"policy agent reference {found} {asked} rounds seconds")
        answer["identity_price"]["identities"] = self.dearest.count
        return answer

    def to_frame(self) -> "pd.DataFrame":
        """A row per attack: policy, market, seed, horizon, agent, and the gain with its limits.

        Examples
        --------
        >>> from copyproof import attacks, paper_market
        >>> found = attacks(paper_market("1a"), "h-ucb", agent="0.5-agent", horizon=500, seed=1)
        >>> found.to_frame()[["deviation", "verdict"]].iloc[0].tolist()
        ['2 identities', 'prone']
        """
        from copyproof.auditing.display import attacks_frame

        return attacks_frame(self)

    def __repr__(self) -> str:
        """Say on one line what was tried, and the verdicts."""
        from copyproof.auditing.display import examined

        found = f"identities {self.identities_verdict}, renewals {self.renewals_verdict}"
        return f"<Attacks by {shortened(self.agent)}, {examined(self)}: {found}>"

    def _repr_html_(self) -> str:
        """Show every attack's gain in a notebook."""
        from copyproof.auditing.display import attacks_html

        return attacks_html(self)


def attacks(
    market: GivenMarket,
    policy: AnyPolicy | str,
    *,
    agent: str,
    horizon: int,
    seed: int = SEED,
    identities: Sequence[int] = IDENTITIES,
    split_arms: How = SPLIT,
    reference: Reference = REFERENCE,
    tolerance: float | None = None,
    confidence: float = CONFIDENCE,
    budget: int | None = None,
    workers: int | None = None,
    progress: Progress = None,
) -> Attacks:
    """Find out what several identities, and re-registering arms, gain an agent.

    Parameters
    ----------
    market : Market, path or str
        The game, or the path of its file, or ``"paper:2a"``; the other agents play as it says.
    policy : Policy, ExternalPolicy or str
        As for ``audit``. Re-registering is tried on ours, and on those whose learners have
        ``retire`` and ``admit``.
    agent : str
        Who attacks; it must know its means.
    horizon, seed, reference, tolerance, confidence, budget, workers, progress
        As for ``audit``.
    identities : sequence of int
        How many identities to try, each at least 2.
    split_arms : {"best", "deal"}
        Each identity registers the best arm; or the reference's arms are dealt out to them.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> found = attacks(paper_market("1a"), "h-ucb", agent="0.5-agent", horizon=2000, seed=1)
    >>> found.identities_verdict, found.renewals_verdict
    ('prone', 'no-gain')
    >>> found.renewals[0].gain.high
    0.0
    """
    named = as_market(market)
    market, agent = named.quotient, principal_of(named, agent)
    asked = checked_request(market, policy, horizon, seed, confidence, budget, workers)
    tolerance = positive("tolerance", tolerance)
    if not market.agent(agent).has_fixed_means:
        knows = "has means that change" if market.agent(agent).is_informed else "knows only a prior"
        said = f"= {shown(agent)} {knows}: attacks takes agents who know their fixed means"
        raise FieldError("agent", agent, "one who knows its fixed means", said)
    counts = [
        whole_in(f"identities[{k}]", count, 2, _MOST_IDENTITIES)
        for k, count in enumerate(items("identities", identities, "whole numbers"))
    ]
    known("split_arms", split_arms, get_args(How))
    strategy = reference_strategy(market.agent(agent), reference)
    against = market.with_strategy(agent, strategy)
    trials = [_identity_trial(against, agent, count, split_arms, tolerance) for count in counts]
    if isinstance(asked.policy, Policy) or takes_arms(asked.policy):
        trials += _renewal_trials(against, agent, horizon, tolerance)
    with asked.watched(progress):
        gains = sample(trials, asked.games, alpha=asked.alpha, budget=asked.budget)
    pairs = zip(counts, gains[: len(counts)], strict=True)
    return Attacks(
        market=market,
        agent=agent,
        method="sampling",
        reference=strategy,
        identities=tuple(Identities(count, gain) for count, gain in pairs),
        renewals=tuple(gains[len(counts) :]),
        **asked.summary(),
    )


def _identity_trial(
    against: Market, agent: str, count: int, how: How, tolerance: float | None
) -> DeviationTrial:
    deviated, names = split(against, agent, count, how)
    own = [deviated.names.index(name) for name in names]
    copies = against.agent(agent).copies
    if how == "best":
        copies = tuple(count * one for one in against.agent(agent).best_arm_only().copies)
    return DeviationTrial(
        position=own[0],
        reference=against,
        deviated=deviated,
        deviation=Deviation(copies, f"{count} identities"),
        tolerance=tolerance,
        group="identities",
        identities=tuple(own[1:]),
    )


def _renewal_trials(
    against: Market, agent: str, horizon: int, tolerance: float | None
) -> list[DeviationTrial]:
    mean = against.agent(agent).best_mean
    every = max(1, horizon // _CHURNS)
    schedules = {
        "new after every play": Schedule(renewals=[Renew(agent, after=1)]),
        f"new after {_LONG_RECORD} plays": Schedule(renewals=[Renew(agent, after=_LONG_RECORD)]),
        "new when the record is bad": Schedule(renewals=[Renew(agent, below=mean)]),
        f"all new every {every} rounds": churn(against, agent, every=every, horizon=horizon),
    }
    return [
        DeviationTrial(
            position=against.names.index(agent),
            reference=against,
            deviated=against,
            deviation=Deviation(against.agent(agent).copies, name),
            tolerance=tolerance,
            group="renewals",
            schedule=schedule,
        )
        for name, schedule in schedules.items()
        if schedule
    ]
