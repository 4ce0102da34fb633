"""Launch a compiled kernel of games; needs NumPy and CuPy alone.

So that machines without Numba can play what was compiled elsewhere, this file imports nothing of
copyproof, and runs by itself::

    python launch.py JOB.npz RESULT.npz

A *job* is a dictionary of arrays: the kernel as PTX (``ptx``), how large its state is
(``state``), and its arguments by name. The result has the arrays that the games left behind.
"""

import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

# The kernel's arguments in order, with their dimensions; 0 is a scalar.
ARGUMENTS = {
    "horizons": 1,
    "seed": 0,
    "market_of": 1,
    "repetition_of": 1,
    "factors": 1,
    "sizes": 2,
    "owner": 2,
    "original": 2,
    "start": 2,
    "order": 2,
    "trees": 3,
    "originals": 2,
    "means": 2,
    "rules": 2,
    "table_value": 1,
    "table_upper": 1,
    "components": 1,
    "changing": 1,
    "knots": 1,
    "unchanging": 1,
    "best_unchanging": 0,
    "discount_factor": 0,
    "discount_weights": 1,
    "tape": 2,
    "tape_lengths": 1,
    "change_round": 1,
    "change_item": 1,
    "change_joins": 1,
    "renew_after": 1,
    "renew_below": 1,
    "checkpoints": 1,
    "warps": 0,
    "lanes": 0,
    "revenue": 2,
    "agent_plays": 2,
    "original_plays": 2,
    "renewals": 2,
    "regret": 2,
    "choices": 2,
    "status": 1,
    "all_items": 2,
    "all_nodes": 2,
    "all_places": 2,
    "all_members": 2,
    "all_values": 2,
}
RESULTS = ("revenue", "agent_plays", "original_plays", "renewals", "regret", "choices", "status")
ENTRY = "games"
UNPLAYED = -2  # the status of a game before it is played
BLOCK = 64  # threads of a block
STREAMS = 32  # jobs side by side: as many queues as a chip has
_SHARE = 0.6  # of the device's free memory that the states of large games may take


def load_cupy() -> Any:
    """CuPy, which starts CUDA with a queue for each stream: with eight, jobs wait for others."""
    os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", str(STREAMS))
    import cupy

    return cupy


class Argument:
    """An array on the device, as the kernel takes it."""

    def __init__(self, cupy: Any, array: np.ndarray) -> None:
        self.dtype, self.shape = array.dtype, array.shape
        flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        self.memory = cupy.asarray(flat) if flat.size else cupy.zeros(8, np.uint8)

    def flattened(self) -> list[Any]:
        """No owners, number and size of items, address, shape and strides."""
        return flattened(self.memory.data.ptr, self.dtype.itemsize, self.shape)

    def get(self) -> np.ndarray:
        """The array, on this side."""
        size = int(np.prod(self.shape)) * self.dtype.itemsize
        found: np.ndarray = self.memory[:size].get()
        return found.view(self.dtype).reshape(self.shape)


def flattened(
    address: int, itemsize: int, shape: tuple[int, ...], steps: Sequence[int] | None = None
) -> list[Any]:
    """An array as the arguments that a kernel made by Numba takes; in C order without strides."""
    strides: list[int] = list(steps or ())
    step = itemsize
    for length in reversed(shape if steps is None else ()):
        strides.insert(0, step)
        step *= max(length, 1)
    none = np.uint64(0)
    numbers = [int(np.prod(shape)), itemsize, address, *shape, *strides]
    return [none, none, *(np.int64(number) for number in numbers)]


def load(cupy: Any, ptx: bytes) -> Any:
    """The kernel, from its PTX or from machine code."""
    suffix = ".cubin" if ptx[:4] == b"\x7fELF" else ".ptx"
    handle, path = tempfile.mkstemp(suffix=suffix)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(ptx)
        return cupy.RawModule(path=path).get_function(ENTRY)
    finally:
        os.unlink(path)


def load_here(ptx: np.ndarray) -> Any:
    """The kernel of a job, to be launched many times."""
    return load(load_cupy(), bytes(ptx))


# Kernels that this process has loaded, by GPU and digest.
_LOADED: dict[tuple[int, bytes], Any] = {}


def loaded(kernels: Sequence[bytes]) -> list[Any]:
    """Kernels on the present GPU, each loaded once; several are assembled at a time."""
    cupy = load_cupy()
    gpu = cupy.cuda.Device().id

    def put(ptx: bytes) -> None:
        with cupy.cuda.Device(gpu):
            _LOADED[gpu, digest(ptx)] = load(cupy, ptx)

    def digest(ptx: bytes) -> bytes:
        return hashlib.sha256(ptx).digest()

    missing = {digest(ptx): ptx for ptx in kernels if (gpu, digest(ptx)) not in _LOADED}
    with ThreadPoolExecutor() as pool:
        list(pool.map(put, missing.values()))
    return [_LOADED[gpu, digest(ptx)] for ptx in kernels]


def empty_results(job: dict[str, Any]) -> dict[str, np.ndarray]:
    """Room for what the games of a job leave behind, a row each."""
    games, agents = len(job["market_of"]), job["order"].shape[1]
    return {
        "revenue": np.zeros((games, agents)),
        "agent_plays": np.zeros((games, agents), np.int64),
        "original_plays": np.zeros((games, job["originals"].shape[1]), np.int64),
        "renewals": np.zeros((games, agents), np.int64),
        "regret": np.zeros((games, len(job["checkpoints"]))),
        "choices": np.zeros((games, int(job["traced"])), np.int32),
        "status": np.full(games, UNPLAYED, np.int64),
    }


class Spread(NamedTuple):
    """How games lie on the threads of blocks: so many warps of a block play, and lanes of each."""

    threads: int
    warps: int
    lanes: int

    @property
    def games(self) -> int:
        """Of a block."""
        return self.warps * self.lanes


class Launch:
    """A job on its way: its arrays on the device, its kernel, and two events around it."""

    def __init__(self, job: dict[str, Any], kernel: Any, spread: Spread, memory: int) -> None:
        cupy = load_cupy()
        threads = {"warps": np.int64(spread.warps), "lanes": np.int64(spread.lanes)}
        arrays = {**job, **empty_results(job), **threads}
        games = len(job["market_of"])
        item, items, node, nodes, leaves, is_large = (int(one) for one in job["state"])
        slots = slots_of(job, memory)
        if slots < games:
            slots = max(spread.games, slots // spread.games * spread.games)
        scratch: dict[str, tuple[int, tuple[int, int]]] = {}
        if is_large:
            scratch = {
                "all_items": (item, (items, slots)),
                "all_nodes": (node, (nodes, slots)),
                "all_places": (4, (items, slots)),
                "all_members": (8, (leaves, slots)),
                "all_values": (8, (leaves, slots)),
            }
        self._held: dict[str, Any] = {}
        self._given: dict[str, list[Any]] = {}
        for name, dimensions in ARGUMENTS.items():
            if name.startswith("all_"):
                itemsize, shape = scratch.get(name, (8, (1, 1)))
                self._held[name] = cupy.empty(int(np.prod(shape)) * itemsize, np.uint8)
                self._given[name] = flattened(self._held[name].data.ptr, itemsize, shape)
            elif dimensions == 0:
                self._given[name] = [arrays[name][()]]
            else:
                self._held[name] = Argument(cupy, np.asarray(arrays[name]))
                self._given[name] = self._held[name].flattened()
        self.begin, self.end = cupy.cuda.Event(), cupy.cuda.Event()
        self._kernel, self._threads = kernel, spread.threads
        self._blocks = -(-slots // spread.games)

    def prepare(self) -> None:
        """Launch the kernel without a game, in the present stream.

        The first launch of a kernel waits for memory, and all others with it: done among games that
        are being played, it cost the paper a third of its time.
        """
        self._launch(1, {**self._given, "warps": [np.int64(0)]})

    def start(self) -> None:
        """Launch the kernel in the present stream."""
        self.begin.record()
        self._launch(self._blocks, self._given)
        self.end.record()

    def _launch(self, blocks: int, given: dict[str, list[Any]]) -> None:
        arguments = tuple(one for values in given.values() for one in values)
        self._kernel((blocks,), (self._threads,), arguments)

    def result(self) -> dict[str, Any]:
        """Wait for the games, and fetch what they left behind."""
        cupy = load_cupy()
        self.end.synchronize()
        found: dict[str, Any] = {name: self._held[name].get() for name in RESULTS}
        found["seconds"] = cupy.cuda.get_elapsed_time(self.begin, self.end) / 1000.0
        return found


def state_bytes(job: dict[str, Any]) -> int:
    """Bytes that the state of one game takes in the device's memory; 0 for small games."""
    item, items, node, nodes, leaves, is_large = (int(one) for one in job["state"])
    return (items * (item + 4) + nodes * node + 16 * leaves) * is_large


def slots_of(job: dict[str, Any], memory: int) -> int:
    """How many games of a job can be in flight at once in so much memory; one at least."""
    games = len(job["market_of"])
    return max(1, min(games, memory // max(state_bytes(job), 1)))


def room(cupy: Any) -> int:
    """Bytes that states may take in the device's memory now."""
    free = cupy.cuda.Device().mem_info[0] + cupy.get_default_memory_pool().free_bytes()
    return int(free * _SHARE)


def play(job: dict[str, Any], *, block: int = BLOCK, kernel: Any = None) -> dict[str, Any]:
    """Play the games of a job; the seconds that the device took are ``seconds`` of the result."""
    cupy = load_cupy()
    warps = -(-block // 32)
    spread = Spread(min(block, 32) * warps, warps, min(block, 32))
    launch = Launch(job, kernel or load_here(job["ptx"]), spread, room(cupy))
    launch.start()
    return launch.result()


def bytes_of(job: dict[str, Any]) -> int:
    """Bytes that a job takes in the device's memory, if all its games are in flight at once."""
    games, agents = len(job["market_of"]), job["order"].shape[1]
    numbers = 3 * agents + job["originals"].shape[1] + len(job["checkpoints"]) + 1
    each = state_bytes(job) + 8 * numbers + 4 * int(job["traced"])
    return int(games * each + sum(np.asarray(array).nbytes for array in job.values()))


def main() -> None:
    """Play the job of one file, and leave its result in another."""
    source, target = sys.argv[1:]
    with np.load(source) as stored:
        job = dict(stored)
    begin = time.perf_counter()
    result = play(job)
    clock = time.perf_counter() - begin
    games = len(result["status"])
    print(f"{games} games, {result['seconds']:.3f} s on the device, {clock:.3f} s in all")
    beside = target + ".part.npz"
    np.savez(beside, **result)
    os.replace(beside, target)


if __name__ == "__main__":
    main()
