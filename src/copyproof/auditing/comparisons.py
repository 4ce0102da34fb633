"""Comparisons: a deviation against one strategy, and what all comparisons of a deviation come to.

The gain of a deviation is the smallest of its differences to the strategies that it is compared
with. All error rates below are parts of α, and every limit holds at all numbers of games at once
(``confidence_sequences``).

- **Lower limit**: the least of the differences' lower limits, each at 0.4 α/k for k deviations. To
  err, the limit of the smallest difference must, so that the number of comparisons does not count.
- **Upper limit**: the least of the differences' upper limits. One that errs is enough, so that the
  comparisons of a deviation share its rate: half for the reference, the rest for the others. The
  rate is 0.1 α/k.
- **All deviations of a group together**: if each has an upper limit at 0.5 α/g, for g groups, the
  largest of them is one for the largest gain, whatever the number of deviations. To err, the limit
  of the deviation with the largest gain must.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from copyproof.auditing.confidence_sequences import (
    Values,
    games_above,
    games_below,
    lower_limit,
    upper_limit,
)
from copyproof.auditing.dominance import NONE, Advantage, sampled_advantage
from copyproof.auditing.limits import share_at
from copyproof.auditing.paired_games import Outcomes, PairedGames
from copyproof.auditing.result import Difference, Gain
from copyproof.auditing.trials import DeviationTrial, largest_regret, tolerated
from copyproof.external import AnyPolicy
from copyproof.game import Market
from copyproof.simulation import Interval

# The parts of α for lower limits, for upper limits of single gains, and for those of groups.
_LOW, _HIGH, _GROUP = 0.4, 0.1, 0.5
_UNKNOWN = Interval(math.nan, -math.inf, math.inf)
_ZERO = Interval(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Shares:
    """The error rate of every limit."""

    low: float
    high: float
    group: float
    # Of a loss, and of an advantage: families of their own.
    other: float


def shares(trials: Sequence[DeviationTrial], policy: AnyPolicy, alpha: float) -> Shares:
    """Share out α among the limits of these trials, as far as luck decides any of them."""
    sampled = [
        trial
        for trial in trials
        if not all(trial.is_same_on_every_path(policy, one) for one in trial.references)
    ]
    groups = len({trial.group for trial in sampled if trial.group is not None})
    one = alpha / max(1, len(sampled))
    return Shares(_LOW * one, _HIGH * one, _GROUP * alpha / max(1, groups), other=one)


@dataclass(slots=True)
class Comparison:
    """One deviation against one strategy, as the games so far show it."""

    reference: Market
    # The part of an upper limit's error rate that it has.
    weight: float
    gain: Interval = _UNKNOWN
    group_high: float = math.inf
    advantage: Advantage | None = None
    # Whether it is certain to gain against this strategy, which then needs no more games.
    is_above: bool = False
    # Whether some play of some game differs.
    is_changed: bool = True
    # Whether the reference is certain to be worth at least as much as this strategy.
    is_dominated: bool = False
    # Games that would decide that the deviation gains nothing, or that it gains over this strategy.
    below: int | None = None
    above: int | None = None


class Judge:
    """All comparisons of one deviation.

    Parameters
    ----------
    trial : DeviationTrial
        The deviation.
    games : PairedGames
        What plays it.
    share : Shares
        The error rates.
    """

    def __init__(self, trial: DeviationTrial, games: PairedGames, share: Shares) -> None:
        self.trial = trial
        self._games = games
        self._share = share
        others = len(trial.others)
        weights = [1.0] if others == 0 else [0.5, *[0.5 / others] * others]
        pairs = zip(trial.references, weights, strict=True)
        self.comparisons = [Comparison(market, weight) for market, weight in pairs]
        self._worth = math.nan
        self.gain = Gain(trial.deviation, _UNKNOWN, _UNKNOWN, None, "undecided", 0)

    @property
    def open_references(self) -> list[Market]:
        """What has to be played on, besides the deviation."""
        return [one.reference for one in self._open]

    @property
    def _open(self) -> list[Comparison]:
        return [one for one in self.comparisons if not one.is_above and not one.is_dominated]

    @property
    def _counted(self) -> list[Comparison]:
        """The comparisons that the smallest difference may be of."""
        return [one for one in self.comparisons if not one.is_dominated]

    @property
    def group_high(self) -> float:
        """The upper limit at the rate of a group."""
        return min(one.group_high for one in self.comparisons)

    @property
    def tolerance(self) -> float:
        """The gain that counts as none, as the games so far have the reference's worth."""
        if math.isnan(self._worth):
            return math.nan
        return tolerated(self.trial.tolerance, self._worth)

    @property
    def is_cleared(self) -> bool:
        """Whether the group may be cleared, as far as it is up to this deviation."""
        return self.trial.group is not None and self.group_high <= self.tolerance

    def look(self, repetitions: int, stage: int) -> None:
        """Play every open comparison up to so many games, and judge."""
        first = self.comparisons[0]
        if not first.is_above:
            reference = self._games.of(self.trial.reference, repetitions)
            self._worth = float(self.trial.worth(reference, deviated=False).mean())
        loss = self.gain.loss
        for one in self._open:
            self._compare(one, repetitions, stage)
        if not first.is_above or math.isnan(loss.mean):
            loss = self._loss(repetitions)
        self.gain = self._gain(loss, repetitions)
        least = self.trial.least_gain(self._worth)
        for one in self.comparisons:
            one.is_above = one.is_above or one.gain.low > least

    def leave_out(self, dominated: Collection[tuple[int, Market]]) -> None:
        """Judge without strategies that the reference is certain to be worth at least as much as.

        The difference to one of them is no smaller than the difference to the reference.

        Parameters
        ----------
        dominated : collection of (int, Market)
            The agent's position, and the market in which it plays such a strategy.
        """
        new = [
            one
            for one in self.comparisons[1:]
            if (self.trial.position, one.reference) in dominated and not one.is_dominated
        ]
        for one in new:
            one.is_dominated = True
        if new and self.gain.repetitions > 0:
            self.gain = self._gain(self.gain.loss, self.gain.repetitions)

    def expect(self) -> None:
        """Say how many games it takes at least, before any was played.

        As if all differences were 0, and as if the agent had every play: no tolerance is larger.
        """
        trial, policy = self.trial, self._games.policy
        span = trial.gain_range(self._games.horizon)
        needed: int | None = 2
        if not trial.is_decided(policy):
            level = tolerated(trial.tolerance, trial.worth_range(self._games.horizon).most)
            needed = games_below(np.zeros(2), level, span.most, self._upper_share(1.0))
        self.gain = Gain(trial.deviation, _UNKNOWN, _UNKNOWN, None, "undecided", 0, needed)

    @property
    def worth(self) -> float:
        """Of the reference, on average over the games so far, before fees."""
        return self._worth

    def settle(self, group_high: float, worth: float) -> None:
        """Judge again, with what the whole group rules out, and the reference's worth to it."""
        gain = self.gain.gain
        if group_high < gain.high:
            self._worth = worth
            gain = Interval(gain.mean, gain.low, max(gain.mean, group_high))
            self.gain = self._judged(gain, self.gain.loss, self.gain.repetitions)

    def finish(self) -> None:
        """Say that nothing changed, where limits leave it open and no play of any game differs."""
        same = not all(one.is_changed for one in self.comparisons)
        if self.gain.verdict == "undecided" and same:
            self.gain = replace(self.gain, verdict="unchanged", needed=None)

    def _upper_share(self, weight: float) -> float:
        """The rate of the upper limit that is to decide."""
        share = self._share.high if self.trial.group is None else self._share.group
        return share * weight

    def _compare(self, one: Comparison, repetitions: int, stage: int) -> None:
        trial, games = self.trial, self._games
        reference = games.of(one.reference, repetitions)
        deviated = games.of(trial.deviated, repetitions, trial.schedule)
        fees = trial.fees(one.reference)
        if trial.is_same_on_every_path(games.policy, one.reference):
            if not np.array_equal(reference.revenue, deviated.revenue):
                raise _contradiction(trial, "changed a game that they cannot change")
            exact = 0.0 - fees
            one.gain, one.group_high = Interval(exact, exact, exact), exact
            one.advantage = NONE
            one.below = 2
            return
        one.is_changed = not (
            reference.paths is not None
            and deviated.paths is not None
            and np.array_equal(reference.paths, deviated.paths)
            and np.array_equal(reference.revenue, deviated.revenue)
        )
        worths = [trial.worth(each, deviated=side) for each, side in _sides(reference, deviated)]
        worth = trial.worth_range(games.horizon)
        won, clipped = (
            after - trial.late_fees(deviated) - before
            for before, after in (worths, [np.clip(x, worth.least, worth.most) for x in worths])
        )
        self._set_limits(one, won, clipped, fees)
        before, after = (
            trial.revenue(each, deviated=side) for each, side in _sides(reference, deviated)
        )
        rate = share_at(stage, len(self.comparisons), self._share.other)
        one.advantage = sampled_advantage(before, after, rate)
        if trial.is_never_ahead(games.policy, one.reference):
            ahead = np.flatnonzero(after > before * (1 + 1e-12) + 1e-9)
            if len(ahead) > 0:
                what = f"earned more in repetition {ahead[0]}, which the theorem excludes"
                raise _contradiction(trial, what)
            one.group_high = min(one.group_high, 0.0 - fees)
            one.gain = Interval(one.gain.mean, one.gain.low, min(one.gain.high, 0.0 - fees))
            one.below = 2

    def _set_limits(self, one: Comparison, won: Values, clipped: Values, fees: float) -> None:
        """The limits of one difference, after fees, and the games that would decide it."""
        span = self.trial.gain_range(self._games.horizon)
        mean = float(won.mean())
        share, extra = self._share, span.beyond
        low = lower_limit(clipped, span.least, share.low) - extra
        high = upper_limit(clipped, span.most, share.high * one.weight) + extra
        if self.trial.group is not None:
            one.group_high = upper_limit(clipped, span.most, share.group * one.weight)
            one.group_high += extra - fees
        one.gain = Interval(mean - fees, min(low, mean) - fees, max(high, mean) - fees)
        rate = self._upper_share(one.weight)
        one.below = games_below(clipped, self.tolerance + fees - extra, span.most, rate)
        least = self.trial.least_gain(self._worth) + fees + extra
        one.above = games_above(clipped, least, span.least, share.low)

    def _loss(self, repetitions: int) -> Interval:
        trial, games = self.trial, self._games
        reference = games.of(trial.reference, repetitions).regret
        deviated = games.of(trial.deviated, repetitions, trial.schedule).regret
        if trial.is_same_on_every_path(games.policy, trial.reference):
            return _ZERO
        more = deviated - reference
        most, rate = largest_regret(trial.reference, games.horizon), self._share.other / 2
        mean = float(more.mean())
        return Interval(mean, lower_limit(more, -most, rate), upper_limit(more, most, rate))

    def _gain(self, loss: Interval, repetitions: int) -> Gain:
        """The smallest difference, with its limits."""
        gains = [one.gain for one in self._counted]
        mean = min(gain.mean for gain in gains)
        low, high = min(gain.low for gain in gains), min(gain.high for gain in gains)
        return self._judged(Interval(mean, low, max(mean, high)), loss, repetitions)

    def _judged(self, gain: Interval, loss: Interval, repetitions: int) -> Gain:
        verdict = self.trial.judged(gain, self._worth)
        needed = self._needed() if verdict == "undecided" else None
        over = tuple(
            Difference(self.trial.strategy(one.reference), one.gain) for one in self.comparisons
        )
        known = [one.advantage for one in self.comparisons if one.advantage is not None]
        advantage = smallest_advantage(known) if known else None
        return Gain(self.trial.deviation, gain, loss, advantage, verdict, repetitions, needed, over)

    def _needed(self) -> int | None:
        """About how many games would decide the deviation: one that is below, or all above."""
        ways = [one.below for one in self._counted if one.below is not None]
        above = [one.above for one in self._open]
        known = [count for count in above if count is not None]
        if len(known) == len(above):
            ways.append(max(known, default=2))
        return min(ways) if ways else None


def smallest_advantage(advantages: Sequence[Advantage]) -> Advantage:
    """The advantage over the strategy that the deviation is ahead of least.

    Examples
    --------
    >>> smallest_advantage([NONE, Advantage(0.5, 0.4, 0.6, 0.3)]) == NONE
    True
    """
    if len(advantages) == 1:
        return advantages[0]
    better = [one.paths_better for one in advantages]
    return Advantage(
        min(one.value for one in advantages),
        min(one.low for one in advantages),
        min(one.high for one in advantages),
        None if None in better else min(one for one in better if one is not None),
    )


def _sides(reference: Outcomes, deviated: Outcomes) -> tuple[tuple[Outcomes, bool], ...]:
    return (reference, False), (deviated, True)


def _contradiction(trial: DeviationTrial, what: str) -> RuntimeError:
    return RuntimeError(
        f"copies {trial.deviation.copies} of agent {trial.agent.name!r} {what}: please report "
        "this as a bug"
    )
