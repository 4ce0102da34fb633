"""Repetitions on a GPU, as ``simulation.threads`` plays them on threads."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof.devices import launch
from copyproof.devices.batch import pack
from copyproof.devices.cuda_compile import compiled
from copyproof.engine.lower import Lowered
from copyproof.engine.play import Record
from copyproof.validation import FieldError

# Rounds of one launch: between two of them a run can be broken off, and progress is told.
_LAUNCH_ROUNDS = 20_000_000_000
_LAUNCH_GAMES = 1 << 20


def require_device() -> None:
    """Refuse ``device="cuda"`` in one line where it cannot be."""
    said = _why_not()
    if said:
        raise FieldError("device", "cuda", "a device of this machine", f"= 'cuda', but {said}")


def _why_not() -> str | None:
    try:
        import cupy
    except ImportError:
        return "CuPy is not installed: pip install 'copyproof[gpu]'"
    try:
        found = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"CUDA finds no GPU here ({error})"
    return None if found else "CUDA finds no GPU here"


def is_there() -> bool:
    """Whether this machine has a GPU that games can be played on."""
    return _why_not() is None


def fill_on_gpu(
    lowered: Lowered,
    checkpoints: NDArray[np.int64],
    record: Record,
    *,
    first: int = 0,
    means: NDArray[np.float64] | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[float, int]:
    """Fill a record; return the seconds of the device, and the first status that is not 0.

    Its rows are the repetitions ``first``, ``first`` + 1, … ``record`` is modified in place.
    """
    repetitions = len(record.revenue)
    step = max(1, min(_LAUNCH_ROUNDS // lowered.horizon, _LAUNCH_GAMES))
    seconds = 0.0
    kernel: Any = None
    for start in range(0, repetitions, step):
        rows = slice(start, min(start + step, repetitions))
        job = job_of(lowered, checkpoints, first + rows.start, rows.stop - rows.start,
                     means=None if means is None else means[rows],
                     traced=record.choices.shape[1])  # fmt: skip
        if kernel is None:
            kernel = launch.load_here(job["ptx"])
        result = launch.play(job, kernel=kernel)
        for name, array in record._asdict().items():
            array[rows] = result[name][:, : array.shape[1]]
        seconds += result["seconds"]
        failed = result["status"][result["status"] != 0]
        if len(failed):
            return seconds, int(failed[0])
        if progress is not None:
            progress(rows.stop * lowered.horizon)
    return seconds, 0


def job_of(
    lowered: Lowered,
    checkpoints: NDArray[np.int64],
    first: int,
    count: int,
    *,
    means: NDArray[np.float64] | None = None,
    traced: int = 0,
) -> dict[str, Any]:
    """Repetitions of one market as a job for ``launch``, compiled."""
    markets = np.zeros(count, np.int32)
    batch = pack(
        [lowered], markets, np.arange(first, first + count), checkpoints,
        means=means, traced=traced,
    )  # fmt: skip
    return {"ptx": np.frombuffer(compiled(batch.shape), np.uint8), **batch.arrays}
