"""Repetitions over threads, as the kernels do not hold the GIL; or on a GPU, where asked for.

Every random number is keyed by what it is for, so that a repetition is the same on every thread, in
every batch.
"""

import itertools
import os
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof.devices.fill import fill_on_gpu
from copyproof.engine.cache import cache_folder
from copyproof.engine.drawn_means import put_means
from copyproof.engine.lower import Lowered
from copyproof.engine.play import DONE, STOPPED, Game, Record, play
from copyproof.engine.state import allocate
from copyproof.validation import FieldError

# Rounds that are worth one call of the kernel.
_BATCH_ROUNDS = 200_000
# Seconds between two looks at how far the workers are.
_LOOK = 0.05


def fill(
    lowered: Lowered,
    checkpoints: np.ndarray,
    record: Record,
    *,
    workers: int,
    first: int = 0,
    batch: int | None = None,
    means: NDArray[np.float64] | None = None,
    progress: Callable[[int], None] | None = None,
) -> float:
    """Fill a record, with several threads; return the seconds it took.

    Its rows are the repetitions ``first``, ``first`` + 1, … ``means`` has a row for each of them if
    the market has priors: every game is then one of its own means.

    An interrupt (Ctrl-C) stops the workers within a round and is raised again. ``record`` is
    modified in place.
    """
    repetitions = len(record.revenue)
    if means is not None:
        batch = 1
    elif batch is None:
        batch = max(1, min(_BATCH_ROUNDS // lowered.horizon, -(-repetitions // workers)))
    starts = range(0, repetitions, batch)
    workers = min(workers, len(starts))
    control = np.zeros(1 + workers, np.int64)
    queue = itertools.count()
    _compile(lowered, checkpoints, record)

    def work(worker: int) -> int:
        state = lowered.new_state()
        game = lowered.game if means is None else own_rewards(lowered.game)
        while (number := next(queue)) < len(starts):
            rows = slice(starts[number], starts[number] + batch)
            part = Record(*(array[rows] for array in record))
            start = first + rows.start
            if means is not None:
                put_means(game.rewards, means[rows.start])
            status = play(lowered.plan, state, game, checkpoints, start, part, control, worker)
            if status != DONE:
                control[0] = 1
                return status
        return DONE

    begin = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        pending = {pool.submit(work, worker) for worker in range(workers)}
        try:
            while pending:
                done, pending = wait(pending, timeout=_LOOK, return_when=FIRST_COMPLETED)
                for future in done:
                    raise_for(future.result(), lowered)
                if progress is not None:
                    progress(int(control[1:].sum()))
        finally:
            control[0] = 1
    return time.perf_counter() - begin


def fill_on(
    device: str,
    lowered: Lowered,
    checkpoints: np.ndarray,
    record: Record,
    *,
    workers: int,
    first: int = 0,
    means: NDArray[np.float64] | None = None,
    progress: Callable[[int], None] | None = None,
) -> float:
    """Fill a record on ``"cpu"``, with several threads, or on ``"cuda"``; as ``fill`` otherwise."""
    how: Any = {"first": first, "means": means, "progress": progress}
    if device == "cpu":
        return fill(lowered, checkpoints, record, workers=workers, **how)
    seconds, status = fill_on_gpu(lowered, checkpoints, record, **how)
    raise_for(status, lowered)
    return seconds


def own_rewards(game: Game) -> Game:
    """The game with a copy of what its originals pay, which one worker may change."""
    originals = game.rewards.originals.copy()
    return game._replace(rewards=game.rewards._replace(originals=originals))


def _compile(lowered: Lowered, checkpoints: np.ndarray, record: Record) -> None:
    """Have the kernel compiled, or loaded from the cache, without playing a round."""
    one = np.ones(1, np.int64)
    late = np.zeros(1, bool)
    nothing = Record(*(array[:0] for array in record))
    control = np.zeros(2, np.int64)
    state = allocate(one, one, late, [1], is_flat=True)
    try:
        play(lowered.plan, state, lowered.game, checkpoints, 0, nothing, control, 0)
    except OSError as error:
        raise OSError(
            f"compiled code cannot be kept in {cache_folder()}: {error.strerror}; "
            "set NUMBA_CACHE_DIR to a folder with room"
        ) from error


def raise_for(status: int, lowered: Lowered) -> None:
    """Refuse a tape that was too short; any other end of a call is a good one."""
    if status not in (DONE, STOPPED):
        agent = status - 1
        length = lowered.game.tape_lengths[agent]
        field, said = f"tape[{agent}]", f"has {length} rewards, and the game asks for one more"
        raise FieldError(field, length, "long enough for the game", said)


def new_record(lowered: Lowered, checkpoints: int, repetitions: int, *, trace: bool) -> Record:
    """Memory for what the repetitions leave behind; ``trace`` keeps every choice, too."""
    return empty_record(
        len(lowered.counts),
        len(lowered.game.rewards.originals),
        checkpoints,
        repetitions,
        choices=lowered.horizon if trace else 0,
    )


def empty_record(
    agents: int, originals: int, checkpoints: int, repetitions: int, *, choices: int = 0
) -> Record:
    """Memory for repetitions of a market of that size, refused where there is not enough."""
    rows = repetitions * (checkpoints + 3 * agents + originals) * 8
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if rows > physical:
        said = (
            f"= {repetitions} with {checkpoints} checkpoints, {agents} agents and {originals} arms "
            f"need {rows / 1e9:.0f} GB; this machine has {physical / 1e9:.0f} GB"
        )
        raise FieldError("repetitions", repetitions, "few enough for the memory", said)
    return Record(
        revenue=np.zeros((repetitions, agents)),
        agent_plays=np.zeros((repetitions, agents), np.int64),
        original_plays=np.zeros((repetitions, originals), np.int64),
        renewals=np.zeros((repetitions, agents), np.int64),
        regret=np.zeros((repetitions, checkpoints)),
        choices=np.zeros((repetitions, choices), np.int32),
    )
