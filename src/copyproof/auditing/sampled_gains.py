"""Sampled gains: trials are played in stages until each is decided or the budget is spent.

A stage plays every open trial, and the strategies that it is compared with, up to the same number
of games: a first number, then at most twice as many each time. Once that would take more than half
of what is left of the budget, single trials that it can still decide come first. Gains are paired
differences, game by game, and their limits hold at all numbers of games at once, so that it does
not matter when a trial stops (``comparisons``).

Where theory knows the answer for every path (``trials``), each pair of games is checked for the one
that would contradict it.
"""

import math
from collections.abc import Iterable, Sequence

from copyproof.auditing.comparisons import Judge, shares
from copyproof.auditing.paired_games import PairedGames
from copyproof.auditing.result import Gain
from copyproof.auditing.trials import DeviationTrial
from copyproof.game import Market, Schedule
from copyproof.policy import Policy

# Repetitions of the first stage: as many as make so many rounds, within limits.
_FIRST_ROUNDS = 400_000
_FEWEST, _MOST = 32, 4096
# A stage adds this much at least, and twice as much at most.
_LEAST_GROWTH, _MOST_GROWTH = 1.25, 2.0
# More games than a trial seems to need, for it may need a few more.
_SPARE = 1.1


def sample(
    trials: Sequence[DeviationTrial], games: PairedGames, *, alpha: float, budget: int
) -> list[Gain]:
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

    Returns
    -------
    list of Gain
        In the order of the trials.
    """
    return _Sampling(trials, games, alpha, budget).gains()


class _Sampling:
    """The stages of one sample."""

    def __init__(
        self, trials: Sequence[DeviationTrial], games: PairedGames, alpha: float, budget: int
    ) -> None:
        self._games = games
        share = shares(trials, games.policy, alpha)
        self._judges = [Judge(trial, games, share) for trial in trials]
        self._until = games.rounds + budget
        self._references = {one for trial in trials for one in trial.references}
        self._stage = 0

    def gains(self) -> list[Gain]:
        """Play, and judge."""
        most = self._left // self._cost(self._judges, 1)
        ours = isinstance(self._games.policy, Policy)  # others are slow: begin with few games
        first = _FEWEST
        if ours:
            first = max(_FEWEST, min(_MOST, _FIRST_ROUNDS // self._games.horizon))
        first = min(first, max(2, most // 2), most)
        if first < 2:
            for judge in self._judges:
                judge.expect()
        judges, repetitions = (self._judges, first) if first >= 2 else ([], 0)
        while judges:
            self._look(judges, repetitions)
            judges, repetitions = self._next_stage()
        for group in {judge.trial.group for judge in self._judges} - {None}:
            members = [one for one in self._judges if one.trial.group == group]
            high = max(one.group_high for one in members)
            worth = max((one.worth for one in members), key=abs)
            for one in members:
                one.settle(high, worth)
        for judge in self._judges:
            judge.finish()
        return [judge.gain for judge in self._judges]

    @property
    def _left(self) -> int:
        """Rounds that may still be played."""
        return self._until - self._games.rounds

    def _look(self, judges: Sequence[Judge], repetitions: int) -> None:
        """Play these trials up to so many games, and judge them."""
        self._stage += 1
        self._games.prepare(_played(judges), repetitions)
        for judge in judges:
            judge.look(repetitions, self._stage)
            trial = judge.trial
            if judge.gain.verdict != "undecided" and trial.deviated not in self._references:
                self._games.forget(trial.deviated, trial.schedule)
        # Strategies without copies that are certain to be no better than the reference.
        worse = {
            (judge.trial.position, judge.trial.deviated)
            for judge in self._judges
            if judge.trial.group is None and judge.gain.gain.high <= 0
        }
        for judge in self._judges:
            judge.leave_out(worse)

    def _open(self) -> list[Judge]:
        """The trials that more games may decide.

        One that its group may be cleared of is done, unless another member of the group gains.
        """
        gaining = {one.trial.group for one in self._judges if one.gain.verdict == "prone"}
        return [
            one
            for one in self._judges
            if one.gain.verdict == "undecided"
            and not (one.is_cleared and one.trial.group not in gaining)
        ]

    def _next_stage(self) -> tuple[list[Judge], int]:
        """Which trials are played on, and up to how many games; or none.

        All that are open, while that takes half of the rounds at most; else a single one.
        """
        judges = self._open()
        if not judges:
            return [], 0
        so_far = max(one.gain.repetitions for one in judges)
        needed = [one.gain.needed for one in judges if one.gain.needed is not None]
        aim = _SPARE * min(needed, default=math.inf)
        repetitions = math.ceil(min(max(aim, _LEAST_GROWTH * so_far), _MOST_GROWTH * so_far))
        if 2 * self._cost(judges, repetitions) <= self._left:
            return judges, repetitions
        single = self._most_promising(judges)
        if single is not None:
            return [single[0]], single[1]
        rest = so_far + self._left // self._cost(judges, so_far + 1, so_far)
        if rest >= _LEAST_GROWTH * so_far and self._cost(judges, rest) <= self._left:
            return judges, min(rest, repetitions)
        return [], 0

    def _most_promising(self, judges: Sequence[Judge]) -> tuple[Judge, int] | None:
        """The trial to be decided alone, and up to how many games; None if none can be.

        Of those that the rest would decide, one that copies, seems to gain, and needs the fewest.
        """
        found = []
        for number, judge in enumerate(judges):
            gain = judge.gain
            if gain.needed is None:
                continue
            least = math.ceil(_LEAST_GROWTH * gain.repetitions)
            wanted = max(least, math.ceil(_SPARE * gain.needed))
            if self._cost([judge], wanted) > self._left:
                continue
            rank = (judge.trial.group is None, gain.gain.mean <= 0, gain.needed, number)
            repetitions = min(wanted, max(least, math.ceil(_MOST_GROWTH * gain.repetitions)))
            found.append((rank, judge, repetitions))
        return min(found, key=lambda one: one[0])[1:] if found else None

    def _cost(self, judges: Sequence[Judge], repetitions: int, first: int | None = None) -> int:
        """The rounds of these trials up to so many games, beyond those that were played."""
        games = dict.fromkeys(_played(judges))
        played = [self._games.so_far(*one) if first is None else first for one in games]
        return self._games.horizon * sum(max(0, repetitions - count) for count in played)


def _played(judges: Iterable[Judge]) -> list[tuple[Market, Schedule | None]]:
    """The games of some trials, and of what they are still compared with."""
    return [
        game
        for judge in judges
        for game in (
            *((one, None) for one in judge.open_references),
            (judge.trial.deviated, judge.trial.schedule),
        )
    ]
