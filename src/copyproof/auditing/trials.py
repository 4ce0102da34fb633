"""Trials: one deviation each, sampled in stages until it is decided or the budget is spent.

A stage plays every open trial, and its reference, up to the same number of repetitions: a first
number, then twice as many each time. Gains are paired differences, repetition by repetition, and
their limits share one error rate over all trials and all stages (``limits``), so that it does not
matter when a trial stops.

One kind of trial needs no luck. Under a hierarchical policy whose agent rule sees an agent's
rewards only, a strategy whose registered arms all have the distribution of the reference's arms
earns the same on every path: the agent's k-th play pays F⁻¹(u_{i,k}) whichever arm it is. Such a
gain is 0 ± 0 by construction (less the fees), and the games are checked to say so. It is the same
with a schedule that never leaves the agent without an arm.

Another kind can only lose: under a policy that the pathwise theorem covers (``policy.theorem``),
against the best arm only, with Bernoulli arms. Its upper limit is 0 (less the fees), and every pair
of games is checked for the one that would contradict the theorem.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from copyproof.auditing.deviations import Deviation
from copyproof.auditing.dominance import NONE, sampled_advantage
from copyproof.auditing.laboratory import Games, Laboratory
from copyproof.auditing.limits import (
    bounded_limits,
    bounded_rest,
    large_sample_limits,
    share_at,
    unseen,
)
from copyproof.auditing.result import Gain, Method, Verdict
from copyproof.external import ExternalPolicy
from copyproof.game import NEUTRAL, Agent, Bernoulli, Market, Schedule
from copyproof.policy import Policy, why_not_covered
from copyproof.simulation import Interval

__all__ = ["LIMITS", "Trial", "sample", "tolerated"]

LIMITS: tuple[Method, ...] = ("bounded", "large-sample")
"""The kinds of limits for what is sampled."""
_FIRST_ROUNDS = 400_000
_FEWEST, _MOST = 32, 4096
"""Repetitions of the first stage: as many as make so many rounds, within limits."""
_LEAST_GROWTH = 1.25
"""A last stage that is cut short by the budget must add this much to be worth it."""
_LATE_STAGE = 6
"""The stage whose share of the error rate decides whether bounded limits are affordable."""
_RARE = 0.01
"""Of events that are rarer than this, and huge, large samples do not speak."""
_UNKNOWN = Interval(math.nan, -math.inf, math.inf)
_ZERO = Interval(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Trial:
    """One deviation of one agent against its reference."""

    position: int
    """Of the agent in the market."""
    reference: Market
    deviated: Market
    deviation: Deviation
    tolerance: float | None
    """None for 0.1 % of the reference's worth."""
    clearly: bool = False
    """Whether only a gain above the tolerance counts as one, not any gain above 0."""
    identities: tuple[int, ...] = ()
    """Positions of further agents in ``deviated`` that are the same person."""
    schedule: Schedule | None = None
    """Arms that the deviation withdraws and submits again during the game."""

    @property
    def agent(self) -> Agent:
        """The agent as it deviates."""
        return self.deviated.agents[self.position]

    @property
    def fees(self) -> float:
        """What the deviation pays in fees beyond the reference, before the game."""
        own = (self.position, *self.identities)
        registered = sum(self.deviated.agents[place].registered for place in own)
        more = registered - self.reference.agents[self.position].registered
        return self.reference.fee * more

    def revenue(self, games: Games) -> NDArray[np.float64]:
        """What the person earns, with all its identities."""
        own = np.array([self.position, *self.identities])
        return np.asarray(games.revenue[:, own].sum(axis=1))

    def worth(self, revenue: NDArray[np.float64]) -> NDArray[np.float64]:
        """U of the person's revenue, before fees."""
        return self.agent.utility.of(revenue)

    def late_fees(self, games: Games) -> NDArray[np.float64]:
        """What the deviation pays in fees during the game."""
        if games.new_arms is None:
            return np.zeros(len(games))
        own = np.array([self.position, *self.identities])
        return np.asarray(self.reference.fee * games.new_arms[:, own].sum(axis=1))

    def judged(self, gain: Interval, worth: float, *, rare: float = 0.0) -> Verdict:
        """What the limits of the gain say, the reference being worth so much before fees.

        ``rare`` is the chance that an event may have which no game has shown.
        """
        tolerance = tolerated(self.tolerance, worth)
        if gain.low > (tolerance if self.clearly else 0):
            return "prone"
        return "no-gain" if gain.high <= tolerance and rare <= _RARE else "undecided"


def tolerated(given: float | None, worth: float) -> float:
    """The gain that counts as none: as given, or 0.1 % of the reference's worth and ≥ 0.001.

    Examples
    --------
    >>> tolerated(None, 5000.0)
    5.0
    """
    return given if given is not None else max(0.001, 0.001 * abs(worth))


def sample(
    trials: Sequence[Trial],
    laboratory: Laboratory,
    *,
    alpha: float,
    budget: int,
    method: Method | None,
) -> tuple[list[Gain], Method]:
    """Play until every trial is decided or the budget of rounds is spent.

    Parameters
    ----------
    trials : sequence of Trial
        Judged together: their limits hold for all of them with the chance 1 − α.
    laboratory : Laboratory
        Plays the games.
    alpha : float
        The error rate of all together.
    budget : int
        Rounds.
    method : str or None
        The kind of limits; None for bounded ones where the budget can pay for them.

    Returns
    -------
    list of Gain
        In the order of the trials.
    str
        The kind of limits that was taken.
    """
    gains = [Gain(trial.deviation, _UNKNOWN, _UNKNOWN, None, "undecided", 0) for trial in trials]
    references = {trial.reference for trial in trials}
    horizon = laboratory.horizon
    markets = len(references) + len({_played(trial) for trial in trials})
    ours = isinstance(laboratory.policy, Policy)  # others are slow: let them begin with few games
    first = max(_FEWEST, min(_MOST, _FIRST_ROUNDS // horizon)) if ours else _FEWEST
    repetitions = min(first, budget // (horizon * markets))
    known = 0
    until = laboratory.rounds + budget
    if repetitions < 2:
        return gains, method or "large-sample"
    if method is None:
        most = budget // (horizon * markets)
        affordable = all(
            _bounded_is_affordable(trial, laboratory, repetitions, most, len(trials), alpha)
            for trial in trials
        )
        method = "bounded" if affordable else "large-sample"
    stage = 0
    left = list(range(len(trials)))
    while left and repetitions >= _LEAST_GROWTH * known:
        stage += 1
        for number in left:
            share = share_at(stage, len(trials), alpha)
            gains[number] = _judge(trials[number], laboratory, repetitions, share, method)
            if gains[number].verdict != "undecided" and trials[number].deviated not in references:
                laboratory.forget(*_played(trials[number]))
        left = [number for number in left if gains[number].verdict == "undecided"]
        known = repetitions
        played = {_played(trials[number]) for number in left}
        against = {trials[number].reference for number in left}
        price = horizon * max(1, len(played) + len(against))
        repetitions = min(2 * known, known + (until - laboratory.rounds) // price)
    return gains, method


def _played(trial: Trial) -> tuple[Market, Schedule | None]:
    return trial.deviated, trial.schedule


def _bounded_is_affordable(
    trial: Trial, laboratory: Laboratory, now: int, most: int, together: int, alpha: float
) -> bool:
    """Whether bounded limits could come within half the tolerance, with as many games as can be."""
    width = _width(trial, laboratory.horizon)
    if not math.isfinite(width) or most < 2:
        return False
    games = laboratory.games(trial.reference, now)
    worth = float(trial.worth(games.revenue[:, trial.position]).mean())
    rest = bounded_rest(width, most, share_at(_LATE_STAGE, together, alpha))
    return rest <= tolerated(trial.tolerance, worth) / 2


def _judge(
    trial: Trial, laboratory: Laboratory, repetitions: int, alpha: float, method: Method
) -> Gain:
    reference = laboratory.games(trial.reference, repetitions)
    deviated = laboratory.games(trial.deviated, repetitions, trial.schedule)
    pair = _Pair(
        before=reference.revenue[:, trial.position],
        after=trial.revenue(deviated),
        late_fees=trial.late_fees(deviated),
        regret_before=reference.regret,
        regret_after=deviated.regret,
    )
    if _same_on_every_path(trial, laboratory.policy):
        if not np.array_equal(reference.revenue, deviated.revenue):
            raise RuntimeError(
                f"copies {trial.deviation.copies} of agent {trial.agent.name!r} changed a game "
                "that they cannot change: please report this as a bug"
            )
        gain, loss, advantage, rare = _ZERO, _ZERO, NONE, 0.0
    else:
        gain, loss = _limits(trial, pair, laboratory.horizon, alpha, method)
        advantage = sampled_advantage(pair.before, pair.after, alpha)
        rare = unseen(repetitions, alpha) if method == "large-sample" else 0.0
        if _never_ahead(trial, laboratory.policy):
            _check_never_ahead(trial, pair)
            gain = Interval(gain.mean, gain.low, min(gain.high, 0.0))
            rare = 0.0
    gain = Interval(gain.mean - trial.fees, gain.low - trial.fees, gain.high - trial.fees)
    verdict = trial.judged(gain, float(trial.worth(pair.before).mean()), rare=rare)
    return Gain(trial.deviation, gain, loss, advantage, verdict, repetitions)


@dataclass(frozen=True, slots=True)
class _Pair:
    """The same repetitions under the reference and under the deviation."""

    before: NDArray[np.float64]
    """The person's revenue."""
    after: NDArray[np.float64]
    late_fees: NDArray[np.float64]
    regret_before: NDArray[np.float64]
    regret_after: NDArray[np.float64]


def _limits(
    trial: Trial, pair: _Pair, horizon: int, alpha: float, method: Method
) -> tuple[Interval, Interval]:
    """The gain before fees, and the principal's loss."""
    before, after = trial.worth(pair.before), trial.worth(pair.after) - pair.late_fees
    more_regret = pair.regret_after - pair.regret_before
    if method == "bounded":
        gain = bounded_limits(after - before, _width(trial, horizon), alpha)
        most_regret = 2 * _largest_gap(trial.reference) * horizon
        return gain, bounded_limits(more_regret, most_regret, alpha)
    seen = _range_of(before, after)
    worst = _worth_range(trial, horizon)[0]
    kept = float(after.mean()) - worst if math.isfinite(worst) else seen
    gain = large_sample_limits(
        after - before, alpha, below=max(kept, 0.0), above=max(seen, _play(trial, horizon))
    )
    seen = _range_of(pair.regret_before, pair.regret_after)
    return gain, large_sample_limits(more_regret, alpha, below=seen, above=seen)


def _same_on_every_path(trial: Trial, policy: Policy | ExternalPolicy) -> bool:
    if isinstance(policy, ExternalPolicy) or policy.is_flat:
        return False
    if trial.identities or (trial.schedule and trial.reference.fee > 0):
        return False
    agents = (trial.reference.agents[trial.position], trial.agent)
    registered = [
        {arm for arm, count in zip(agent.arms, agent.copies, strict=True) if count > 0}
        for agent in agents
    ]
    return len(registered[0]) == 1 and registered[0] == registered[1]


def _never_ahead(trial: Trial, policy: Policy | ExternalPolicy) -> bool:
    """Whether the pathwise theorem says that the deviation cannot earn more on any path."""
    if isinstance(policy, ExternalPolicy) or why_not_covered(policy) or trial.identities:
        return False
    agent = trial.reference.agents[trial.position]
    bernoulli = all(
        isinstance(arm, Bernoulli) for one in trial.reference.agents for arm in one.arms
    )
    return bernoulli and agent.copies == agent.best_arm_only().copies


def _check_never_ahead(trial: Trial, pair: "_Pair") -> None:
    """Every game is a test of the theorem."""
    ahead = np.flatnonzero(pair.after > pair.before * (1 + 1e-12) + 1e-9)
    if len(ahead) > 0:
        raise RuntimeError(
            f"copies {trial.deviation.copies} of agent {trial.agent.name!r} earned more in "
            f"repetition {ahead[0]}, which the theorem excludes: please report this as a bug"
        )


def _range_of(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return float(max(one.max(), other.max()) - min(one.min(), other.min()))


def _play(trial: Trial, horizon: int) -> float:
    """The least that something unseen could change: a play, or all of a U that is not linear."""
    if trial.agent.utility == NEUTRAL:
        rewards = [max(map(abs, arm.support)) for arm in trial.agent.arms]
        return max(one if math.isfinite(one) else 1.0 for one in rewards)
    worst, best = _worth_range(trial, horizon)
    return best - worst if math.isfinite(best - worst) else 0.0


def _worth_range(trial: Trial, horizon: int) -> tuple[float, float]:
    """The worst and the best that a game can be worth to the agent, before fees."""
    supports = [arm.support for arm in trial.agent.arms]
    total = trial.reference.discount.total(horizon)
    low = min(0.0, *(low for low, _ in supports)) * total
    high = max(0.0, *(high for _, high in supports)) * total
    if not math.isfinite(high - low):
        return -math.inf, math.inf
    worst, best = trial.agent.utility.of([low, high])
    return float(worst), float(best)


def _width(trial: Trial, horizon: int) -> float:
    """The length of the interval that a difference of two utilities must lie in."""
    worst, best = _worth_range(trial, horizon)
    most_late = trial.reference.fee * horizon if trial.schedule else 0.0
    return 2 * (best - worst) + most_late


def _largest_gap(market: Market) -> float:
    return max(market.best_mean - arm.mean for agent in market.agents for arm in agent.arms)
