"""Sampled gains: trials are played in stages until each is decided or the budget is spent.

A stage plays every open trial, and its reference, up to the same number of repetitions: a first
number, then twice as many each time. Gains are paired differences, repetition by repetition, and
their limits share one error rate over all trials and all stages (``limits``), so that it does not
matter when a trial stops.

Where theory knows the answer for every path (``trials``), each pair of games is checked for the one
that would contradict it.
"""

import math
from collections.abc import Sequence

import numpy as np

from copyproof.auditing.dominance import NONE, sampled_advantage
from copyproof.auditing.limits import (
    Values,
    bounded_limits,
    bounded_rest,
    difference_limits,
    large_sample_limits,
    range_of,
    share_at,
    unseen,
)
from copyproof.auditing.paired_games import PairedGames
from copyproof.auditing.result import Gain, Method
from copyproof.auditing.trials import Trial, tolerated
from copyproof.game import Market, Schedule
from copyproof.policy import Policy
from copyproof.simulation import Interval

# The kinds of limits for what is sampled.
LIMITS: tuple[Method, ...] = ("bounded", "large-sample")
# Repetitions of the first stage: as many as make so many rounds, within limits.
_FIRST_ROUNDS = 400_000
_FEWEST, _MOST = 32, 4096
# A last stage that is cut short by the budget must add this much to be worth it.
_LEAST_GROWTH = 1.25
# The stage whose share of the error rate decides whether bounded limits are affordable.
_LATE_STAGE = 6
_UNKNOWN = Interval(math.nan, -math.inf, math.inf)
_ZERO = Interval(0.0, 0.0, 0.0)


def sample(
    trials: Sequence[Trial], games: PairedGames, *, alpha: float, budget: int, method: Method | None
) -> tuple[list[Gain], Method]:
    """Play until every trial is decided or the budget of rounds is spent.

    Parameters
    ----------
    trials : sequence of Trial
        Judged together: their limits hold for all of them with the chance 1 − α.
    games : PairedGames
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
    horizon = games.horizon
    most = budget // (horizon * _games(trials))
    ours = isinstance(games.policy, Policy)  # others are slow: let them begin with few games
    first = max(_FEWEST, min(_MOST, _FIRST_ROUNDS // horizon)) if ours else _FEWEST
    repetitions = min(first, most)
    known = 0
    until = games.rounds + budget
    if repetitions < 2:
        return gains, method or "large-sample"
    if method is None:
        affordable = all(
            _bounded_is_affordable(trial, games, repetitions, most, len(trials), alpha)
            for trial in trials
        )
        method = "bounded" if affordable else "large-sample"
    stage = 0
    left = list(range(len(trials)))
    while left and repetitions >= _LEAST_GROWTH * known:
        stage += 1
        for number in left:
            share = share_at(stage, len(trials), alpha)
            gains[number] = _judge(trials[number], games, repetitions, share, method)
            if gains[number].verdict != "undecided" and trials[number].deviated not in references:
                games.forget(*_played(trials[number]))
        left = [number for number in left if gains[number].verdict == "undecided"]
        known = repetitions
        price = horizon * max(1, _games([trials[number] for number in left]))
        repetitions = min(2 * known, known + (until - games.rounds) // price)
    return gains, method


def _games(trials: Sequence[Trial]) -> int:
    """How many different games one more repetition of all these trials is."""
    return len({trial.reference for trial in trials}) + len({_played(trial) for trial in trials})


def _played(trial: Trial) -> tuple[Market, Schedule | None]:
    return trial.deviated, trial.schedule


def _bounded_is_affordable(
    trial: Trial, games: PairedGames, now: int, most: int, together: int, alpha: float
) -> bool:
    """Whether bounded limits could come within half the tolerance, with as many games as can be."""
    width = trial.gain_width(games.horizon)
    if not math.isfinite(width) or most < 2:
        return False
    revenue = games.of(trial.reference, now).revenue[:, trial.position]
    rest = bounded_rest(width, most, share_at(_LATE_STAGE, together, alpha))
    return rest <= tolerated(trial.tolerance, float(trial.worth(revenue).mean())) / 2


def _judge(
    trial: Trial, games: PairedGames, repetitions: int, alpha: float, method: Method
) -> Gain:
    """The gain of a trial, with its limits, as so many pairs of games show it."""
    horizon = games.horizon
    reference = games.of(trial.reference, repetitions)
    deviated = games.of(trial.deviated, repetitions, trial.schedule)
    before, after = reference.revenue[:, trial.position], trial.revenue(deviated)
    worth = trial.worth(before)
    if trial.is_same_on_every_path(games.policy):
        if not np.array_equal(reference.revenue, deviated.revenue):
            raise _contradiction(trial, "changed a game that they cannot change")
        gain, loss, advantage, rare = _ZERO, _ZERO, NONE, 0.0
    else:
        worth_after = trial.worth(after) - trial.late_fees(deviated)
        gain = _gain_limits(trial, worth, worth_after, horizon, alpha, method)
        loss = (
            bounded_limits(deviated.regret - reference.regret, trial.loss_width(horizon), alpha)
            if method == "bounded"
            else difference_limits(deviated.regret, reference.regret, alpha)
        )
        advantage = sampled_advantage(before, after, alpha)
        rare = unseen(repetitions, alpha) if method == "large-sample" else 0.0
        if trial.is_never_ahead(games.policy):
            ahead = np.flatnonzero(after > before * (1 + 1e-12) + 1e-9)
            if len(ahead) > 0:
                what = f"earned more in repetition {ahead[0]}, which the theorem excludes"
                raise _contradiction(trial, what)
            gain = Interval(gain.mean, gain.low, min(gain.high, 0.0))
            rare = 0.0
    gain = Interval(gain.mean - trial.fees, gain.low - trial.fees, gain.high - trial.fees)
    verdict = trial.judged(gain, float(worth.mean()), rare=rare)
    return Gain(trial.deviation, gain, loss, advantage, verdict, repetitions)


def _gain_limits(
    trial: Trial, before: Values, after: Values, horizon: int, alpha: float, method: Method
) -> Interval:
    """The gain before fees."""
    if method == "bounded":
        return bounded_limits(after - before, trial.gain_width(horizon), alpha)
    seen = range_of(before, after)
    worst = trial.worth_range(horizon)[0]
    kept = float(after.mean()) - worst if math.isfinite(worst) else seen
    above = max(seen, trial.least_unseen(horizon))
    return large_sample_limits(after - before, alpha, below=max(kept, 0.0), above=above)


def _contradiction(trial: Trial, what: str) -> RuntimeError:
    return RuntimeError(
        f"copies {trial.deviation.copies} of agent {trial.agent.name!r} {what}: please report "
        "this as a bug"
    )
