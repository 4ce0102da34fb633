"""Sampled gains: trials are played in stages until each is decided or the budget is spent.

A stage plays every open trial, and its reference, up to the same number of repetitions: a first
number, then twice as many each time. Once that would take more than half of what is left of the
budget, single trials that it can still decide come first: they skip stages. Gains
are paired differences, repetition by repetition, and their limits share one error rate over all
trials and all stages (``limits``), so that it does not matter when a trial stops.

Where theory knows the answer for every path (``trials``), each pair of games is checked for the one
that would contradict it.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from copyproof.auditing.dominance import NONE, sampled_advantage
from copyproof.auditing.limits import (
    LEAST_GAMES,
    Values,
    bounded_limits,
    bounded_rest,
    games_needed,
    large_sample_limits,
    share_at,
    unseen,
)
from copyproof.auditing.paired_games import PairedGames
from copyproof.auditing.result import Gain, Method
from copyproof.auditing.trials import DeviationTrial, largest_regret, tolerated
from copyproof.game import Market, Schedule
from copyproof.policy import Policy
from copyproof.simulation import Interval, t_quantile

# The kinds of limits for what is sampled.
LIMITS: tuple[Method, ...] = ("bounded", "large-sample")
# Repetitions of the first stage: as many as make so many rounds, within limits.
_FIRST_ROUNDS = 400_000
_FEWEST, _MOST = 32, 4096
# A last stage that is cut short by the budget must add this much to be worth it.
_LEAST_GROWTH = 1.25
# The stage whose share of the error rate decides whether bounded limits are affordable.
_LATE_STAGE = 6
# How many more games a later stage needs, as its share of the error rate is smaller; roughly.
_LATER_SHARES = 1.25
_UNKNOWN = Interval(math.nan, -math.inf, math.inf)
_ZERO = Interval(0.0, 0.0, 0.0)


def sample(
    trials: Sequence[DeviationTrial],
    games: PairedGames,
    *,
    alpha: float,
    budget: int,
    method: Method | None,
) -> tuple[list[Gain], Method]:
    """Play until every trial is decided or the budget of rounds is spent.

    Parameters
    ----------
    trials : sequence of DeviationTrial
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
    first = min(first, max(2, most // 2), most)
    until = games.rounds + budget
    if first < 2:
        method = method or "large-sample"
        share = share_at(1, len(trials), alpha)
        needed = [_needed_at_least(trial, games, share, method) for trial in trials]
        return [replace(gain, needed=n) for gain, n in zip(gains, needed, strict=True)], method
    games.prepare(_all_played(trials), first)
    if method is None:
        affordable = all(
            _bounded_is_affordable(trial, games, first, most, len(trials), alpha)
            for trial in trials
        )
        method = "bounded" if affordable else "large-sample"
    numbers, repetitions = list(range(len(trials))), first
    while numbers:
        stage = 1 + math.ceil(math.log2(repetitions / first))
        games.prepare(_all_played([trials[number] for number in numbers]), repetitions)
        for number in numbers:
            share = share_at(stage, len(trials), alpha)
            gains[number] = _judge(trials[number], games, repetitions, share, method)
            if gains[number].verdict != "undecided" and trials[number].deviated not in references:
                games.forget(*_played(trials[number]))
        numbers, repetitions = _next_stage(trials, gains, (until - games.rounds) // horizon)
    return gains, method


def _next_stage(
    trials: Sequence[DeviationTrial], gains: Sequence[Gain], games: int
) -> tuple[list[int], int]:
    """Which trials are played on with so many games, and up to how many repetitions; or none.

    All that are open, while doubling them takes half of the games at most; else a single one.
    """
    left = [number for number, gain in enumerate(gains) if gain.verdict == "undecided"]
    known = {gains[number].repetitions for number in left}
    so_far = max(known, default=0)
    more = games // _games([trials[number] for number in left]) if len(known) == 1 else 0
    if left and more >= 2 * so_far:
        return left, 2 * so_far
    single = _most_promising(gains, games)
    if single is not None:
        return [single[0]], single[1]
    if left and more >= (_LEAST_GROWTH - 1) * so_far:
        return left, so_far + min(more, so_far)
    return [], 0


def _most_promising(gains: Sequence[Gain], games: int) -> tuple[int, int] | None:
    """The trial to be decided alone, and up to how many repetitions; None if none can be.

    Of those that so many games would decide, one that seems to gain, and needs the fewest.
    """
    found = []
    for number, gain in enumerate(gains):
        most = gain.repetitions + games // 2  # half of them are its reference's
        if gain.needed is None or gain.needed > most or most < _LEAST_GROWTH * gain.repetitions:
            continue
        doublings = max(1, math.ceil(math.log2(gain.needed / gain.repetitions)))
        repetitions = min(most, gain.repetitions * 2**doublings)
        found.append((gain.gain.mean <= 0, gain.needed, number, repetitions))
    return min(found)[2:] if found else None


def _games(trials: Sequence[DeviationTrial]) -> int:
    """How many different games one more repetition of all these trials is."""
    return len({trial.reference for trial in trials}) + len({_played(trial) for trial in trials})


def _all_played(trials: Sequence[DeviationTrial]) -> list[tuple[Market, Schedule | None]]:
    """The games of some trials, references and deviations."""
    return [
        *((trial.reference, None) for trial in trials),
        *(_played(trial) for trial in trials),
    ]


def _played(trial: DeviationTrial) -> tuple[Market, Schedule | None]:
    return trial.deviated, trial.schedule


def _bounded_is_affordable(
    trial: DeviationTrial, games: PairedGames, now: int, most: int, together: int, alpha: float
) -> bool:
    """Whether bounded limits could come within half the tolerance, with as many games as can be."""
    width = trial.gain_width(games.horizon)
    if not math.isfinite(width) or most < 2:
        return False
    revenue = games.of(trial.reference, now).revenue[:, trial.position]
    rest = bounded_rest(width, most, share_at(_LATE_STAGE, together, alpha))
    return rest <= tolerated(trial.tolerance, float(trial.worth(revenue).mean())) / 2


def _judge(
    trial: DeviationTrial, games: PairedGames, repetitions: int, alpha: float, method: Method
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
        gain, loss, advantage = _ZERO, _ZERO, NONE
    else:
        won = trial.worth(after) - trial.late_fees(deviated) - worth
        gain = _gain_limits(trial, won, horizon, alpha, method)
        more = deviated.regret - reference.regret
        most = largest_regret(trial.reference, horizon)
        loss = (
            bounded_limits(more, 2 * most, alpha)
            if method == "bounded"
            else large_sample_limits(more, alpha, least=-most, most=most)
        )
        advantage = sampled_advantage(before, after, alpha)
        if trial.is_never_ahead(games.policy):
            ahead = np.flatnonzero(after > before * (1 + 1e-12) + 1e-9)
            if len(ahead) > 0:
                what = f"earned more in repetition {ahead[0]}, which the theorem excludes"
                raise _contradiction(trial, what)
            gain = Interval(gain.mean, gain.low, min(gain.high, 0.0))
    gain = Interval(gain.mean - trial.fees, gain.low - trial.fees, gain.high - trial.fees)
    verdict = trial.judged(gain, float(worth.mean()))
    needed = None
    if verdict == "undecided":
        margins = trial.margins(gain.mean, float(worth.mean()))
        needed = _needed(trial, won, margins, horizon, alpha, method)
    return Gain(trial.deviation, gain, loss, advantage, verdict, repetitions, needed)


def _gain_limits(
    trial: DeviationTrial, won: Values, horizon: int, alpha: float, method: Method
) -> Interval:
    """The gain before fees."""
    if method == "bounded":
        return bounded_limits(won, trial.gain_width(horizon), alpha)
    least, most = trial.gain_of_event(horizon, min(1.0, unseen(len(won), alpha)))
    return large_sample_limits(won, alpha, least=least, most=most)


def _needed_at_least(
    trial: DeviationTrial, games: PairedGames, alpha: float, method: Method
) -> int | None:
    """How many games it takes at least to decide that there is no gain, before any was played.

    As if all differences were 0, and as if the agent had every play: no tolerance is larger.
    """
    if trial.is_same_on_every_path(games.policy) or trial.is_never_ahead(games.policy):
        return 2
    _, best = trial.worth_of_event(games.horizon, 1.0)
    if not math.isfinite(best):
        return None
    margin = tolerated(trial.tolerance, best)
    return _needed(trial, np.zeros(LEAST_GAMES), (-1.0, margin), games.horizon, alpha, method)


def _needed(
    trial: DeviationTrial,
    won: Values,
    margins: tuple[float, float],
    horizon: int,
    alpha: float,
    method: Method,
) -> int | None:
    """About how many games would decide a gain, if they go on as they did."""
    n, mean = len(won), float(won.mean())
    if method == "bounded":
        quantile = math.sqrt(2 * math.log(4 / alpha))
        rests = [n * bounded_rest(trial.gain_width(horizon), n, alpha)] * 2
    else:
        quantile = t_quantile(alpha, max(n, LEAST_GAMES) - 1)
        rare = unseen(n, alpha)
        least, most = trial.gain_of_event(horizon, min(1.0, rare))
        rests = [n * rare * (mean - least), n * rare * (most - mean)]
    spread = quantile * float(won.std(ddof=1))
    found = [
        games_needed(margin, spread, max(0.0, rest))
        for margin, rest in zip(margins, rests, strict=True)
    ]
    counts = [math.ceil(_LATER_SHARES * count) for count in found if count is not None]
    return max(LEAST_GAMES, min(counts)) if counts else None


def _contradiction(trial: DeviationTrial, what: str) -> RuntimeError:
    return RuntimeError(
        f"copies {trial.deviation.copies} of agent {trial.agent.name!r} {what}: please report "
        "this as a bug"
    )
