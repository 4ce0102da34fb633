"""Repetitions of an external policy over processes: what ``threads`` is for the engine's kernels.

Repetition r is a function of the policy, the market, T, the seed and r alone: not of the number of
processes, nor of what other repetitions are played. Luck is shared with the engine: the k-th play
of agent i in repetition r meets the same uniform under every strategy and every policy.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof.engine.play import Record
from copyproof.external import ExternalPolicy
from copyproof.external.arms import takes_arms
from copyproof.external.game import GameResult, GameSetup, play_game
from copyproof.external.processes import LOOK, in_processes
from copyproof.game import Quotient, Schedule
from copyproof.validation import FieldError

# Batches for each process: few enough to cost nothing, enough to end at about the same time.
_BATCHES = 4


def fill_external(
    policy: ExternalPolicy,
    setup: GameSetup,
    record: Record,
    *,
    workers: int,
    first: int = 0,
    apart: bool = False,
    progress: Callable[[int], None] | None = None,
) -> tuple[float, NDArray[np.uint64]]:
    """Fill a record, with several processes; return the seconds it took, and digests of the plays.

    With one worker the games are played in this process, unless they are to be ``apart``. On Linux
    the others are forked off; elsewhere they are spawned, which takes a policy that can be pickled.
    ``record`` is modified in place; its rows are the repetitions ``first``, ``first`` + 1, …
    """
    repetitions = len(record.revenue)
    workers = min(workers, repetitions)
    paths = np.zeros(repetitions, np.uint64)

    def keep(repetition: int, game: GameResult) -> None:
        row = repetition - first
        record.revenue[row] = game.revenue
        record.agent_plays[row] = game.plays
        record.original_plays[row] = game.original_plays
        record.regret[row] = game.regret
        if setup.changes is not None:
            record.renewals[row] = game.new_arms
        paths[row] = game.path

    begin = time.perf_counter()
    everything = range(first, first + repetitions)
    if workers == 1 and not apart:
        progressed = _Progress(progress)
        for repetition in everything:
            keep(repetition, play_game(policy, setup, repetition, progressed.add))
    else:
        size = max(1, repetitions // (workers * _BATCHES))
        batches = [everything[start : start + size] for start in range(0, repetitions, size)]
        in_processes(policy, setup, batches, keep, workers=workers, progress=progress)
    if progress is not None:
        progress(setup.horizon * repetitions)
    return time.perf_counter() - begin, paths


def refuse_what_only_ours_take(
    policy: ExternalPolicy,
    schedule: Schedule | None,
    priority: Sequence[int] | None,
    principals: Quotient,
) -> None:
    """Refuse what an external policy cannot be told: an order of ties, and arms that come and go.

    The latter only where its learners have no methods for it, or agents are bound to groups.

    Examples
    --------
    >>> from copyproof import Renew, paper_market, river_policy
    >>> from copyproof.game import quotient
    >>> anew, bound = Schedule(renewals=[Renew("ann", after=1)]), quotient(paper_market("1a"))
    >>> refuse_what_only_ours_take(river_policy("UCB", delta=1), anew, None, bound)
    Traceback (most recent call last):
    copyproof.validation.FieldError: schedule is given, and policy 'river:UCB(delta=1)' is not...
    """
    ours = "a policy of the catalogue"
    if schedule and not takes_arms(policy):
        said = f"is given, and policy {policy.name!r} is not ours and takes no arms during the game"
        raise FieldError("schedule", schedule, f"given with {ours} only", f"{said}: give {ours}")
    if schedule and not principals.is_trivial:
        said = f"is given, and policy {policy.name!r} is not ours: give {ours}, or no groups"
        raise FieldError("schedule", schedule, "given without groups", said)
    if priority is not None:
        said = f"is given, and policy {policy.name!r} is not ours and breaks ties by itself"
        raise FieldError("priority", priority, f"given with {ours} only", f"{said}: give {ours}")


class _Progress:
    """Counts rounds, and passes the count on a few times a second."""

    def __init__(self, progress: Callable[[int], Any] | None) -> None:
        self.progress = progress
        self.rounds = 0
        self.next = time.monotonic() + LOOK

    def add(self, rounds: int) -> None:
        """Note some more rounds."""
        self.rounds += rounds
        if self.progress is not None and time.monotonic() >= self.next:
            self.progress(self.rounds)
            self.next = time.monotonic() + LOOK
