"""Numba's CUDA simulator as a device: the same kernels, a thread of Python for each of the chip's.

It has to be chosen before Numba is loaded (``NUMBA_ENABLE_CUDASIM=1``), and is therefore used by
tests that run in a process of their own (``on_simulator.py``).
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numba import cuda
from numba.cuda.simulator.kernelapi import FakeCUDALocal
from numba.np.numpy_support import as_dtype
from numpy.typing import NDArray

from copyproof.devices import cuda_source, ensemble_source, launch
from copyproof.devices.batch import Batch
from copyproof.devices.cuda_compile import kernel_function, kernel_shape
from copyproof.devices.ensemble_source import EnsembleShape, ensemble_kernel
from copyproof.devices.ensembles import views
from copyproof.engine.own_process import Ensemble
from copyproof.engine.state import ITEM, State
from copyproof.engine.tournament import NODE

_THREADS = 8  # of a block


class Row:
    """One record of an array, with its fields as attributes, as compiled code has them."""

    def __init__(self, row: Any) -> None:
        object.__setattr__(self, "_row", row)

    def __getattr__(self, name: str) -> Any:
        return self._row[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self._row[name] = value


class Records:
    """An array of records."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array
        self.shape = array.shape

    def __getitem__(self, key: Any) -> Any:
        found = self._array[key]
        return Records(found) if isinstance(found, np.ndarray) else Row(found)


def simulated(array: Any) -> Any:
    """An argument of the kernel, as the simulator needs it."""
    return Records(array) if getattr(array, "dtype", np.dtype(int)).fields else array


def local_array(_: object, shape: Any, dtype: Any) -> Any:
    """Memory of one thread."""
    is_record = isinstance(dtype, np.dtype)
    return simulated(np.zeros(shape, dtype if is_record else as_dtype(dtype)))


def play_batches(batches: Sequence[Batch]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Play batches, as ``devices.together.play_batches`` does on a GPU."""
    FakeCUDALocal.array = local_array
    for number, batch in enumerate(batches):
        games = len(batch.arrays["market_of"])
        threads = {"warps": 1, "lanes": _THREADS}
        results = launch.empty_results(batch.arrays)
        arrays = {**batch.arrays, **threads, **results, **_scratch(batch, games)}
        kinds: tuple[Any, ...] = (cuda_source.Given, cuda_source.Found, cuda_source.Scratch)
        given = [kind(*(simulated(arrays[name]) for name in kind._fields)) for kind in kinds]
        kernel = cuda.jit(kernel_function(kernel_shape(batch.shape)))
        with np.errstate(all="ignore"):
            kernel[-(-games // _THREADS), _THREADS](*given)
        found = {name: arrays[name] for name in launch.RESULTS}
        yield number, {**found, "seconds": 0.25, "busy": 0.25}


def launch_runs(
    shape: EnsembleShape, asked: dict[str, Any], memory: tuple[State, Ensemble], most: int
) -> tuple[NDArray[np.float64], float]:
    """Play runs of rare events, three at most, as ``devices.ensembles.launch_runs`` does."""
    FakeCUDALocal.array = local_array
    runs = min(most, 3)
    words = np.tile(memory[1].words, runs)
    held = {}
    for name, (array, offset) in views(memory).items():
        shape_, strides = (runs, *array.shape), array.strides
        if offset is None:
            held[name] = np.zeros(shape_, array.dtype)
        else:
            step = memory[1].words.nbytes
            held[name] = np.ndarray(shape_, array.dtype, words.data, offset, (step, *strides))
    arrays = {**asked, "results": np.zeros((runs, 4))}
    kernel = cuda.jit(ensemble_kernel(shape))
    with np.errstate(all="ignore"):
        kernel[runs, 1](
            ensemble_source.Asked(*(simulated(arrays[name]) for name in ensemble_source.ASKED)),
            ensemble_source.Held(*(simulated(held[name]) for name in ensemble_source.HELD)),
        )
    return arrays["results"], 0.25


def _scratch(batch: Batch, games: int) -> dict[str, np.ndarray]:
    """Memory for the states of large games, the last axis of which is the game."""
    shape = batch.shape
    items, nodes, leaves, slots = (
        (shape.items, shape.nodes, shape.leaves, games) if shape.is_large else (1, 1, 1, 1)
    )
    return {
        "all_items": np.zeros((items, slots), cuda_source.narrow(ITEM)),
        "all_nodes": np.zeros((nodes, slots), cuda_source.aligned(NODE)),
        "all_places": np.zeros((items, slots), np.int32),
        "all_members": np.zeros((leaves, slots), np.int64),
        "all_values": np.zeros((leaves, slots)),
    }
