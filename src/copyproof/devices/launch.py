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
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

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
_WAVE_ROUNDS = 20_000_000_000  # of all jobs side by side: between two waves a run can be broken off
_BLOCKS_IN_FLIGHT = 16  # of one multiprocessor: its registers are enough for so many warps
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


class _Launch:
    """A job on its way: its arrays on the device, its kernel, and two events around it."""

    def __init__(self, job: dict[str, Any], kernel: Any, block: int, memory: int) -> None:
        cupy = load_cupy()
        arrays = {**job, **empty_results(job)}
        games = len(job["market_of"])
        item, items, node, nodes, leaves, is_large = (int(one) for one in job["state"])
        slots = games
        scratch: dict[str, tuple[int, tuple[int, int]]] = {}
        if is_large:
            slots = max(1, min(games, memory // state_bytes(job)))
            slots = slots if slots == games else max(block, slots // block * block)
            scratch = {
                "all_items": (item, (items, slots)),
                "all_nodes": (node, (nodes, slots)),
                "all_places": (4, (items, slots)),
                "all_members": (8, (leaves, slots)),
                "all_values": (8, (leaves, slots)),
            }
        self._held: dict[str, Any] = {}
        given: list[Any] = []
        for name, dimensions in ARGUMENTS.items():
            if name.startswith("all_"):
                itemsize, shape = scratch.get(name, (8, (1, 1)))
                self._held[name] = cupy.empty(int(np.prod(shape)) * itemsize, np.uint8)
                given += flattened(self._held[name].data.ptr, itemsize, shape)
            elif dimensions == 0:
                given.append(arrays[name][()])
            else:
                self._held[name] = Argument(cupy, np.asarray(arrays[name]))
                given += self._held[name].flattened()
        self.begin, self.end = cupy.cuda.Event(), cupy.cuda.Event()
        self._start = (kernel, (-(-slots // block),), (block,), tuple(given))

    def start(self) -> None:
        """Launch the kernel in the present stream."""
        kernel, grid, block, given = self._start
        self.begin.record()
        kernel(grid, block, given)
        self.end.record()

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


def room(cupy: Any) -> int:
    """Bytes that states may take in the device's memory now."""
    free = cupy.cuda.Device().mem_info[0] + cupy.get_default_memory_pool().free_bytes()
    return int(free * _SHARE)


def play(job: dict[str, Any], *, block: int = BLOCK, kernel: Any = None) -> dict[str, Any]:
    """Play the games of a job; the seconds that the device took are ``seconds`` of the result."""
    cupy = load_cupy()
    launch = _Launch(job, kernel or load_here(job["ptx"]), block, room(cupy))
    launch.start()
    return launch.result()


def play_many(
    jobs: Sequence[dict[str, Any]], kernels: Sequence[Any]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Play several jobs side by side, in streams; give results as they come, with the job's number.

    Long games begin first, and short ones fill the chip beside them. ``seconds`` of a result is the
    time of its kernel; ``busy``, summed over all results, the time in which any kernel was there.
    """
    cupy = load_cupy()
    processors = cupy.cuda.Device().attributes["MultiProcessorCount"]
    rounds = [int(job["checkpoints"][-1]) for job in jobs]
    blocks = threads_of([len(job["market_of"]) for job in jobs], rounds, processors)
    waiting = sorted(range(len(jobs)), key=lambda number: -rounds[number])
    while waiting:
        left, work = room(cupy), 0
        streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(STREAMS)]
        queued = [0] * STREAMS
        wave: list[tuple[int, Any, _Launch]] = []
        while waiting:
            number = waiting[0]
            job = jobs[number]
            needed = bytes_of(job)
            work += len(job["market_of"]) * rounds[number]
            if wave and (needed > left or work > _WAVE_ROUNDS):
                break
            waiting.pop(0)
            place = queued.index(min(queued))
            queued[place] += rounds[number]
            with streams[place]:
                launch = _Launch(job, kernels[number], blocks[number], left)
            wave.append((number, streams[place], launch))
            left -= min(needed, left)
        yield from _played(cupy, wave)


def bytes_of(job: dict[str, Any]) -> int:
    """Bytes that a job takes in the device's memory, if all its games are in flight at once."""
    games, agents = len(job["market_of"]), job["order"].shape[1]
    numbers = 3 * agents + job["originals"].shape[1] + len(job["checkpoints"]) + 1
    each = state_bytes(job) + 8 * numbers + 4 * int(job["traced"])
    return int(games * each + sum(np.asarray(array).nbytes for array in job.values()))


def _played(
    cupy: Any, wave: Sequence[tuple[int, Any, _Launch]]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Launch what is laid out on the device, and fetch the results."""
    for _, stream, _ in wave:
        stream.synchronize()  # arrays are there before the first kernel is
    for _, stream, launch in wave:
        with stream:
            launch.start()
    first = wave[0][2].begin
    times: list[tuple[float, float]] = []
    for place, (number, stream, launch) in enumerate(wave):
        with stream:
            result = launch.result()
        begin, end = (
            cupy.cuda.get_elapsed_time(first, event) / 1000.0
            for event in (launch.begin, launch.end)
        )
        times.append((begin, end))
        result["busy"] = covered(times) if place == len(wave) - 1 else 0.0
        yield number, result


def covered(times: Sequence[tuple[float, float]]) -> float:
    """The length of the union of intervals.

    >>> covered([(0.0, 2.0), (1.0, 3.0), (5.0, 6.0)])
    4.0
    """
    total, until = 0.0, -np.inf
    for begin, end in sorted(times):
        total += max(0.0, end - max(begin, until))
        until = max(until, end)
    return total


def threads_of(games: Sequence[int], rounds: Sequence[int], processors: int) -> list[int]:
    """Threads of a block, for jobs side by side with so many games of so many rounds.

    Neighbours in a block wait for each other where they do different things. So as few as let all
    games be in flight at once; and of long games fewer than of short ones, which end in time even
    if they take turns.

    >>> threads_of([40, 1400], [1_000_000, 100_000], 132), threads_of([10**6], [10_000], 132)
    ([1, 8], [64])
    """
    most = max(rounds)
    for factor in (1, 2, 4, 8, 16, 32, BLOCK):
        sizes = [min(BLOCK, factor << ((most // one).bit_length() - 1)) for one in rounds]
        blocks = sum(-(-count // size) for count, size in zip(games, sizes, strict=True))
        if blocks <= processors * _BLOCKS_IN_FLIGHT:
            break
    return sizes


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
