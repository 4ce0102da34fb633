"""Repetitions on a GPU, as ``simulation.threads`` plays them on threads."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof.devices.batch import pack
from copyproof.devices.cuda_compile import compiled
from copyproof.devices.gpus import is_there, require_device
from copyproof.devices.together import Portion, fill_together
from copyproof.engine.lower import Lowered
from copyproof.engine.play import Record

__all__ = ["fill_on_gpu", "is_there", "job_of", "require_device"]


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
    one = Portion(lowered, checkpoints, record, first, means)
    time, (status,) = fill_together([one], progress=progress)
    return time.seconds, status


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
