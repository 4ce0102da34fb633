"""Weighted ensembles over threads: their memory, and their runs.

A run is a function of the seed and its number alone, so that neither the number of threads nor the
order of the runs matters.
"""

import itertools
import math
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof.devices.ensembles import play_runs_on_gpu
from copyproof.engine.cache import is_cached
from copyproof.engine.lower import Lowered
from copyproof.engine.own_process import (
    ATTEMPTS,
    BINS,
    HALF,
    MEASURES,
    Ensemble,
    Question,
    play_ensembles,
)
from copyproof.engine.plan import FIXED, sample_size
from copyproof.engine.state import ABSENT, State
from copyproof.validation import FieldError

# Walkers of a bin.
WALKERS = 8
# Own plays at the first stop.
_FIRST_STOP = 8
# A sample without a good arm is split off where it is rarer than this: else it is often seen.
_RARE = 0.25
# Numbers of runs: repetitions are keyed by 32 bits.
MOST_RUNS = 2**32 // (2 * WALKERS * ATTEMPTS) - 1
# Bytes of memory for one worker.
_MOST_BYTES = 2**31
_LINE = 64  # bytes: every array of a state begins at a cache line
_LOOK = 0.05  # seconds between two looks at how far the workers are


@dataclass(frozen=True, slots=True)
class OwnProcess:
    """One agent, lowered, and what is asked of it."""

    lowered: Lowered
    question: Question

    def new_memory(self) -> tuple[State, Ensemble]:
        """A state whose arrays lie in one piece of memory, and room for copies of it."""
        state = self.lowered.new_state()
        agents = len(self.lowered.counts)
        others = np.arange(agents) != self.question.agent
        state.start[:agents][others] = ABSENT  # they count, but are not there
        pieces = [*state, np.zeros(len(self.question.stops))]
        offsets = np.cumsum([0, *(-(-piece.nbytes // _LINE) * _LINE for piece in pieces)])
        most = 2 * BINS * self.question.walkers
        _check_memory(int(offsets[-1]) * most)
        words = np.zeros(int(offsets[-1]) // 8, np.uint64)
        views = [
            words.view(np.uint8)[start : start + piece.nbytes]
            .view(piece.dtype)
            .reshape(piece.shape)
            for start, piece in zip(offsets, pieces, strict=False)
        ]
        for view, piece in zip(views, pieces, strict=True):
            view[...] = piece
        walkers = BINS * self.question.walkers
        return State(*views[:-1]), Ensemble(
            words=words,
            sums=views[-1],
            states=np.empty((2, walkers, len(words)), np.uint64),
            drawn=np.zeros(walkers, np.int64),
            weights=np.zeros(walkers),
            survivors=np.zeros(walkers),
            luck=np.zeros((MEASURES, walkers)),
            bins=np.zeros(walkers, np.int64),
        )


def stops(most: int) -> NDArray[np.int64]:
    """Own plays at which walkers are sorted: HALF stops to a doubling, and the last one.

    >>> stops(20).tolist()
    [8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 20]
    """
    count = max(0, math.ceil(HALF * math.log2(max(most, _FIRST_STOP) / _FIRST_STOP))) + 1
    grid = {int(_FIRST_STOP * 2.0 ** (step / HALF)) for step in range(count)}
    return np.array([*sorted(stop for stop in grid if stop < most), most], np.int64)


def chance_of_no_good(lowered: Lowered, agent: int, good: NDArray[np.int8]) -> float:
    """The probability that a sample drawn at the start holds no good arm, if that is rare; or 0."""
    plan = lowered.plan
    if plan.sampling != FIXED:
        return 0.0
    first = int(lowered.counts[:agent].sum())
    arms = int(lowered.counts[agent])
    many = int(good[lowered.originals[first : first + arms]].sum())
    size = sample_size(plan, lowered.horizon, arms)
    chance = math.prod(max(0, arms - many - k) / (arms - k) for k in range(size))
    return chance if chance < _RARE else 0.0


def play_runs(
    process: OwnProcess,
    first: int,
    count: int,
    *,
    workers: int,
    device: str = "cpu",
    progress: Callable[[int], None] | None = None,
) -> tuple[NDArray[np.float64], float]:
    """Play the runs ``first``, ``first`` + 1, …: a row for each, and the seconds it took.

    On a GPU (``"cuda"``) a run is a thread. On a processor an interrupt (Ctrl-C) stops the workers
    soon and is raised again.
    """
    if device == "cuda":
        memory = process.new_memory()
        return play_runs_on_gpu(
            process.lowered, process.question, memory, first, count, progress=progress
        )
    results = np.zeros((count, 4))
    workers = min(workers, count)
    control = np.zeros(1 + workers, np.int64)
    queue = itertools.count()

    def work(worker: int, memory: tuple[State, Ensemble]) -> None:
        while (row := next(queue)) < count:
            _play(process, memory, first + row, results[row : row + 1], control, worker)

    memories = [process.new_memory() for _ in range(workers)]
    _play(process, memories[0], first, results[:0], control, 0)  # compiles, or loads
    begin = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        pending = {pool.submit(work, worker, memory) for worker, memory in enumerate(memories)}
        try:
            while pending:
                done, pending = wait(pending, timeout=_LOOK, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
                if progress is not None:
                    progress(int(control[1:].sum()))
        finally:
            control[0] = 1
    return results, time.perf_counter() - begin


def is_compiled() -> bool:
    """Whether the kernel of the ensembles has been compiled here before."""
    return is_cached("play_ensembles")


def _play(
    process: OwnProcess,
    memory: tuple[State, Ensemble],
    first: int,
    results: Any,
    control: Any,
    worker: int,
) -> None:
    state, ensemble = memory
    lowered = process.lowered
    play_ensembles(
        lowered.plan, state, lowered.game.rewards, process.question, ensemble, first, results,
        control, worker,
    )  # fmt: skip


def _check_memory(needed: int) -> None:
    if needed > _MOST_BYTES:
        said = f"has too many arms: copies of its state would need {needed / 1e9:.1f} GB a thread"
        raise FieldError("agent", needed, f"within {_MOST_BYTES / 1e9:.1f} GB", said)
