"""Runs of rare events on a GPU, as ``rare_events.ensembles`` plays them on threads.

A run is a thread: its walkers play one after the other, are ranked and drawn anew, as on a
processor, and a row of results is the same to the last bit. A thread is slower than a processor, so
that it takes many runs to be worth it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from copyproof.devices import launch
from copyproof.devices.gpus import target
from copyproof.devices.side_by_side import WARPS
from copyproof.engine.lower import Lowered
from copyproof.engine.own_process import Ensemble, Question
from copyproof.engine.state import State

if TYPE_CHECKING:  # it needs Numba's part for GPUs
    from copyproof.devices.ensemble_source import EnsembleShape

# Most runs of one launch: between two of them an estimate can be broken off.
_MOST_RUNS = 8192


def play_runs_on_gpu(
    lowered: Lowered,
    question: Question,
    memory: tuple[State, Ensemble],
    first: int,
    count: int,
    *,
    progress: Callable[[int], None] | None = None,
) -> tuple[NDArray[np.float64], float]:
    """Play the runs ``first``, ``first`` + 1, …: a row for each, and the seconds of the device.

    ``memory`` is that of one run, as the engine takes it.
    """
    from copyproof.devices.ensemble_source import shape_of

    shape = shape_of(lowered.plan, lowered.game.rewards)
    found, seconds, done = [], 0.0, 0
    while done < count:
        asked = _asked(lowered, question, first + done)
        rows, taken = launch_runs(shape, asked, memory, min(count - done, _MOST_RUNS))
        found.append(rows)
        seconds += taken
        done += len(rows)
        if progress is not None:
            progress(done)
    return np.concatenate(found), seconds


def _asked(lowered: Lowered, question: Question, first: int) -> dict[str, Any]:
    """The kernel's arguments but the memory and the results."""
    plan = lowered.plan
    return {
        "horizons": plan.horizons,
        "seed": np.uint64(plan.seed),
        **lowered.game.rewards._asdict(),
        **question._asdict(),
        "first_run": np.int64(first),
    }


def views(memory: tuple[State, Ensemble]) -> dict[str, tuple[Any, int | None]]:
    """Every array of a run by its name, and where it lies among the words; None if elsewhere."""
    state, ensemble = memory
    arrays = {**state._asdict(), **ensemble._asdict()}
    arrays["bins_of"] = arrays.pop("bins")
    begin = ensemble.words.ctypes.data
    within = {*state._fields, "words", "sums"}
    return {
        name: (array, array.ctypes.data - begin if name in within else None)
        for name, array in arrays.items()
    }


def launch_runs(
    shape: "EnsembleShape", asked: dict[str, Any], memory: tuple[State, Ensemble], most: int
) -> tuple[NDArray[np.float64], float]:
    """Play as many runs as fit the device, at most so many: their results, and the seconds.

    What else plays runs, such as a simulator, takes the place of this function.
    """
    from copyproof.devices.ensemble_source import ASKED, HELD, ensemble_ptx

    cupy = launch.load_cupy()
    arrays = views(memory)
    apart = {name: array for name, (array, offset) in arrays.items() if offset is None}
    words = memory[1].words
    each = words.nbytes + sum(array.nbytes for array in apart.values())
    runs = max(1, min(most, launch.room(cupy) // each))
    held: dict[str, Any] = {"words": cupy.tile(cupy.asarray(words), runs)}
    held |= {name: cupy.empty(array.nbytes * runs, np.uint8) for name, array in apart.items()}
    given: list[Any] = []
    for name, (of, dimensions) in ASKED.items():
        if dimensions == 0:
            given.append(_scalar(of, asked[name]))
        else:
            array = np.zeros((runs, 4)) if name == "results" else np.asarray(asked[name])
            held[name] = launch.Argument(cupy, array)
            given += held[name].flattened()
    for name in HELD:
        array, offset = arrays[name]
        base = held["words" if offset is not None else name].data.ptr + (offset or 0)
        step = words.nbytes if offset is not None else array.nbytes
        given += launch.flattened(
            base, array.itemsize, (runs, *array.shape), (step, *array.strides)
        )
    (kernel,) = launch.loaded([ensemble_ptx(shape, target())])
    processors = cupy.cuda.Device().attributes["MultiProcessorCount"]
    block = _threads_of(runs, processors)
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    begin.record()
    kernel((-(-runs // block),), (block,), tuple(given))
    end.record()
    end.synchronize()
    return held["results"].get(), cupy.cuda.get_elapsed_time(begin, end) / 1000.0


def _threads_of(runs: int, processors: int) -> int:
    """Threads of a block for runs that are alike: as few as let all be in flight at once.

    >>> _threads_of(40, 132), _threads_of(10_000, 132), _threads_of(10**6, 132)
    (1, 8, 64)
    """
    each = -(-runs // (processors * WARPS))
    return int(min(launch.BLOCK, 1 << (each - 1).bit_length()))


def _scalar(of: Any, value: Any) -> Any:
    """A number as the kernel takes it."""
    return np.dtype(str(of)).type(value)
