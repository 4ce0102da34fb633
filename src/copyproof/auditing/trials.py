"""Trials: one deviation of one agent, held against its reference strategy.

One kind of trial needs no luck. Under a hierarchical policy whose agent rule sees an agent's
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
from numpy.typing import NDArray

from copyproof.auditing.deviations import Deviation
from copyproof.auditing.paired_games import Outcomes
from copyproof.auditing.result import Verdict
from copyproof.auditing.unseen_events import mean_range, revenue_of_event
from copyproof.external import ExternalPolicy
from copyproof.game import NEUTRAL, Agent, Bernoulli, Market, Prior, RiskAverse, Schedule
from copyproof.policy import Policy, why_not_covered
from copyproof.simulation import Interval


@dataclass(frozen=True, slots=True)
class DeviationTrial:
    """One deviation of one agent against its reference."""

    # Of the agent in the market.
    position: int
    reference: Market
    deviated: Market
    deviation: Deviation
    # None for 0.1 % of the reference's worth.
    tolerance: float | None
    # Whether only a gain above the tolerance counts as one, not any gain above 0.
    clearly: bool = False
    # Positions of further agents in ``deviated`` that are the same person.
    identities: tuple[int, ...] = ()
    # Arms that the deviation withdraws and submits again during the game.
    schedule: Schedule | None = None

    @property
    def agent(self) -> Agent:
        """The agent as it deviates."""
        return self.deviated.agents[self.position]

    @property
    def person(self) -> list[int]:
        """Positions in ``deviated`` of all agents that are the deviating person."""
        return [self.position, *self.identities]

    @property
    def fees(self) -> float:
        """What the deviation pays in fees beyond the reference, before the game."""
        registered = sum(self.deviated.agents[place].registered for place in self.person)
        more = registered - self.reference.agents[self.position].registered
        return self.reference.fee * more

    def revenue(self, games: Outcomes) -> NDArray[np.float64]:
        """What the person earns, with all its identities."""
        return np.asarray(games.revenue[:, self.person].sum(axis=1))

    def worth(self, revenue: NDArray[np.float64]) -> NDArray[np.float64]:
        """U of the person's revenue, before fees."""
        return self.agent.utility.of(revenue)

    def late_fees(self, games: Outcomes) -> NDArray[np.float64]:
        """What the deviation pays in fees during the game."""
        if games.new_arms is None:
            return np.zeros(len(games))
        return np.asarray(self.reference.fee * games.new_arms[:, self.person].sum(axis=1))

    def judged(self, gain: Interval, worth: float) -> Verdict:
        """What the limits of the gain say, the reference being worth so much before fees."""
        tolerance = tolerated(self.tolerance, worth)
        if gain.low > (tolerance if self.clearly else 0):
            return "prone"
        return "no-gain" if gain.high <= tolerance else "undecided"

    def margins(self, gain: float, worth: float) -> tuple[float, float]:
        """How far the limits may reach down for a gain to be one, and up for it to be none."""
        tolerance = tolerated(self.tolerance, worth)
        return gain - (tolerance if self.clearly else 0), tolerance - gain

    def is_same_on_every_path(self, policy: Policy | ExternalPolicy) -> bool:
        """Whether the deviation earns what the reference earns in every game, by construction."""
        if isinstance(policy, ExternalPolicy) or policy.is_flat:
            return False
        if self.identities or (self.schedule and self.reference.fee > 0):
            return False
        # Two arms of one prior are not the same: each has a mean of its own.
        before, after = (
            {
                (arm, number) if isinstance(arm, Prior) else arm
                for number, arm in enumerate(agent.arms)
                if agent.copies[number] > 0
            }
            for agent in (self.reference.agents[self.position], self.agent)
        )
        return len(before) == 1 and before == after

    def is_never_ahead(self, policy: Policy | ExternalPolicy) -> bool:
        """Whether the pathwise theorem says that the deviation cannot earn more on any path."""
        if isinstance(policy, ExternalPolicy) or why_not_covered(policy) or self.identities:
            return False
        agents = self.reference.agents
        agent = agents[self.position]
        bernoulli = all(isinstance(arm, Bernoulli | Prior) for one in agents for arm in one.arms)
        informed = bernoulli and agent.is_informed
        return informed and agent.copies == agent.best_arm_only().copies

    def worth_range(self, horizon: int) -> tuple[float, float]:
        """The worst and the best that a game can be worth to the agent, before fees."""
        supports = [arm.support for arm in self.agent.arms]
        total = self.reference.discount.total(horizon)
        low = min(0.0, *(low for low, _ in supports)) * total
        high = max(0.0, *(high for _, high in supports)) * total
        of = self.agent.utility.of
        worst = float(of([low])[0]) if math.isfinite(low) else -math.inf
        return worst, float(of([high])[0]) if math.isfinite(high) else math.inf

    def worth_of_event(self, horizon: int, chance: float) -> tuple[float, float]:
        """The least and the most that an event's games can be worth on average, before fees.

        A concave U is at most U of their mean revenue (Jensen); any other that is not the identity
        is given its whole range.
        """
        worst, best = self.worth_range(horizon)
        utility = self.agent.utility
        least, most = revenue_of_event(self.agent, self.reference.discount, horizon, chance)
        if utility == NEUTRAL:
            return max(worst, least), min(best, most)
        if isinstance(utility, RiskAverse):
            return worst, min(best, float(utility.of([most])[0]))
        return worst, best

    def gain_of_event(self, horizon: int, chance: float) -> tuple[float, float]:
        """The least and the most that the gain can be over the games of an event, before fees."""
        worst, best = self.worth_of_event(horizon, chance)
        return worst - best - self._most_late(horizon), best - worst

    def gain_width(self, horizon: int) -> float:
        """The length of the interval that a difference of two utilities must lie in."""
        worst, best = self.worth_range(horizon)
        return 2 * (best - worst) + self._most_late(horizon)

    def _most_late(self, horizon: int) -> float:
        """The most that can be paid in fees during the game."""
        return self.reference.fee * horizon if self.schedule else 0.0


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
