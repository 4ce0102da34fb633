"""Trials: one deviation of one agent, judged against strategies that copy nothing.

A deviation that copies is compared with several strategies: the reference, its own arms without
their copies, and every other strategy without copies that is tried. Its gain is the smallest of
the differences, so that what hiding or showing arms gains is not taken for a gain of copies.

One kind of comparison needs no luck. Under a hierarchical policy whose agent rule sees an agent's
rewards only, a strategy whose registered arms all have the distribution of the reference's arms
earns the same on every path: the agent's k-th play pays F⁻¹(u_{i,k}) whichever arm it is. Such a
gain is 0 ± 0 by construction, less the fees. It is the same with a schedule that never leaves the
agent without an arm.

Another kind can only lose: under a policy that the pathwise theorem covers (``policy.theorem``),
against the best arm only, with Bernoulli arms, for an agent who knows its means. Its upper limit is
0, less the fees. It may be said of one such agent among others who know only priors: the theorem
holds for every draw of their means. Of an agent who knows only a prior it says nothing.
"""

import math
from dataclasses import dataclass

import numpy as np

from copyproof.auditing.confidence_sequences import Values
from copyproof.auditing.deviations import Deviation
from copyproof.auditing.paired_games import Outcomes
from copyproof.auditing.result import Verdict
from copyproof.auditing.unseen_events import mean_range, revenue_limits
from copyproof.external import AnyPolicy, ExternalPolicy
from copyproof.game import (
    NEUTRAL,
    Agent,
    Bernoulli,
    Market,
    Neutral,
    Prior,
    RiskAverse,
    Schedule,
    Strategy,
)
from copyproof.game.discount import Discount
from copyproof.policy import why_not_covered
from copyproof.simulation import Interval


@dataclass(frozen=True, slots=True)
class Range:
    """Where a worth or a difference lies, up to so much on average beyond its ends."""

    least: float
    most: float
    # What lies beyond either end is worth no more than this on average.
    beyond: float = 0.0


@dataclass(frozen=True, slots=True)
class DeviationTrial:
    """One deviation of one agent against its reference, and against other strategies."""

    # Of the agent in the market.
    position: int
    reference: Market
    deviated: Market
    deviation: Deviation
    # None for 0.1 % of the reference's worth.
    tolerance: float | None
    # Further markets in which the agent copies nothing: the gain is the smallest difference.
    others: tuple[Market, ...] = ()
    # Trials of one group rule out a gain together; None for a trial on its own.
    group: str | None = None
    # Whether only a gain above the tolerance counts as one, not any gain above 0.
    clearly: bool = False
    # Positions of further agents in ``deviated`` that are the same person.
    identities: tuple[int, ...] = ()
    # Arms that the deviation withdraws and submits again during the game.
    schedule: Schedule | None = None
    # Positions of further agents that deviate, too; their worth counts with the agent's.
    partners: tuple[int, ...] = ()

    @property
    def references(self) -> tuple[Market, ...]:
        """All that the deviation is compared with, the reference first."""
        return (self.reference, *self.others)

    @property
    def name(self) -> str:
        """Who deviates."""
        places = (self.position, *self.partners)
        return " + ".join(self.reference.names[place] for place in places)

    @property
    def agent(self) -> Agent:
        """The agent as it deviates."""
        return self.deviated.agents[self.position]

    @property
    def person(self) -> list[int]:
        """Positions in ``deviated`` of all agents that are the deviating person."""
        return [self.position, *self.identities]

    def strategy(self, market: Market) -> Strategy:
        """The copy counts of those who deviate, as a market has them."""
        places = (self.position, *self.partners)
        return tuple(count for place in places for count in market.agents[place].copies)

    def fees(self, reference: Market) -> float:
        """What the deviation pays in fees beyond a reference, before the game."""
        deviating = sum(
            self.deviated.agents[place].registered for place in (*self.person, *self.partners)
        )
        more = deviating - sum(self.strategy(reference))
        return reference.fee * more

    def revenue(self, games: Outcomes, *, deviated: bool) -> Values:
        """What the person earns, with all its identities and partners."""
        places = [*(self.person if deviated else [self.position]), *self.partners]
        return np.asarray(games.revenue[:, places].sum(axis=1))

    def worth(self, games: Outcomes, *, deviated: bool) -> Values:
        """U of the person's revenue, and of each partner's, before fees."""
        places = self.person if deviated else [self.position]
        worth = self.agent.utility.of(games.revenue[:, places].sum(axis=1))
        for place in self.partners:
            worth = worth + self.deviated.agents[place].utility.of(games.revenue[:, place])
        return worth

    def late_fees(self, games: Outcomes) -> Values:
        """What the deviation pays in fees during the game."""
        if games.new_arms is None:
            return np.zeros(len(games))
        return np.asarray(self.reference.fee * games.new_arms[:, self.person].sum(axis=1))

    def judged(self, gain: Interval, worth: float) -> Verdict:
        """What the limits of the gain say, the reference being worth so much before fees."""
        if gain.low > self.least_gain(worth):
            return "prone"
        return "no-gain" if gain.high <= tolerated(self.tolerance, worth) else "undecided"

    def least_gain(self, worth: float) -> float:
        """The gain that the lower limit must be above for the deviation to pay."""
        return tolerated(self.tolerance, worth) if self.clearly else 0.0

    def is_same_on_every_path(self, policy: AnyPolicy, reference: Market) -> bool:
        """Whether the deviation earns what a reference earns in every game, by construction."""
        if isinstance(policy, ExternalPolicy) or policy.is_flat:
            return False
        if self.identities or self.partners or (self.schedule and self.reference.fee > 0):
            return False
        # Two arms of one prior are not the same: each has a mean of its own.
        before, after = (
            {
                (arm, number) if isinstance(arm, Prior) else arm
                for number, arm in enumerate(agent.arms)
                if agent.copies[number] > 0
            }
            for agent in (reference.agents[self.position], self.agent)
        )
        return len(before) == 1 and before == after

    def is_never_ahead(self, policy: AnyPolicy, reference: Market) -> bool:
        """Whether the pathwise theorem says that the deviation cannot earn more on any path."""
        if isinstance(policy, ExternalPolicy) or why_not_covered(policy):
            return False
        if self.identities or self.partners:
            return False
        agents = reference.agents
        agent = agents[self.position]
        bernoulli = all(isinstance(arm, Bernoulli | Prior) for one in agents for arm in one.arms)
        informed = bernoulli and agent.is_informed
        return informed and agent.copies == agent.best_arm_only().copies

    def is_decided(self, policy: AnyPolicy) -> bool:
        """Whether theory says that the deviation gains nothing before fees."""
        return any(
            self.is_same_on_every_path(policy, one) or self.is_never_ahead(policy, one)
            for one in self.references
        )

    def worth_range(self, horizon: int) -> Range:
        """What a game can be worth, with or without the deviation, before fees."""
        members = [self.deviated.agents[place] for place in (self.position, *self.partners)]
        discount = self.reference.discount
        if all(member.utility == NEUTRAL for member in members):
            # They have all the plays at most, together.
            arms = tuple(arm for member in members for arm in member.arms)
            return _worth_range(Agent("all of them", arms), discount, horizon)
        ranges = [_worth_range(member, discount, horizon) for member in members]
        return Range(
            math.fsum(one.least for one in ranges),
            math.fsum(one.most for one in ranges),
            math.fsum(one.beyond for one in ranges),
        )

    def gain_range(self, horizon: int) -> Range:
        """Where a difference of two worths lies, before fees, where each is clipped to its own."""
        worth = self.worth_range(horizon)
        late = self.reference.fee * horizon if self.schedule else 0.0
        wide = worth.most - worth.least
        return Range(-wide - late, wide, 2 * worth.beyond)


def _worth_range(agent: Agent, discount: Discount, horizon: int) -> Range:
    """What a game can be worth to an agent.

    A concave U is below its chord beyond any point, so that E (U(v) − U(b))⁺ is at most the chord's
    slope times E (v − b)⁺. Any other U but the identity is given the whole range of its rewards.
    """
    supports = [arm.support for arm in agent.arms]
    total = discount.total(horizon)
    low = min(0.0, *(low for low, _ in supports)) * total
    high = max(0.0, *(high for _, high in supports)) * total
    of = agent.utility.of
    worst = float(of([low])[0]) if math.isfinite(low) else -math.inf
    best = float(of([high])[0]) if math.isfinite(high) else math.inf
    if not isinstance(agent.utility, Neutral | RiskAverse):
        return Range(worst, best)
    least, most, beyond = revenue_limits(agent, discount, horizon)
    if low >= least and high <= most:
        return Range(worst, best)
    if agent.utility == NEUTRAL:
        return Range(max(low, least), min(high, most), beyond)
    end = min(high, most)
    return Range(worst, float(of([end])[0]), beyond * (float(of([end])[0]) - worst) / end)


def largest_regret(market: Market, horizon: int) -> float:
    """The largest regret of a game: the worst of all arms in every round, for the worst of means.

    Examples
    --------
    >>> largest_regret(Market([Agent("ann", [0.25]), Agent("bob", [0.75])]), 100)
    50.0
    """
    ends = [mean_range(arm) for agent in market.agents for arm in agent.arms]
    return (max(high for _, high in ends) - min(low for low, _ in ends)) * horizon


def tolerated(given: float | None, worth: float) -> float:
    """The gain that counts as none: as given, or 0.1 % of the reference's worth and ≥ 0.001.

    Examples
    --------
    >>> tolerated(None, 5000.0)
    5.0
    """
    return given if given is not None else max(0.001, 0.001 * abs(worth))
