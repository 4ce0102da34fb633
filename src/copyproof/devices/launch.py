"""Launch a compiled kernel of games; needs NumPy and CuPy alone.

So that machines without Numba can play what was compiled elsewhere, this file imports nothing of
copyproof, and runs by itself::

    python launch.py JOB.npz RESULT.npz

A *job* is a dictionary of arrays: the kernel as PTX (``ptx``), how large its state is
(``state``), and its arguments by name. The result has the arrays that the games left behind.
"""

import os
import sys
import tempfile
import time
from typing import Any

import numpy as np

# The kernel's arguments in order, with their dimensions; 0 is a scalar.
ARGUMENTS = {
    "horizons": 1,
    "seed": 0,
    "market_of": 1,
    "repetition_of": 1,
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
BLOCK = 64  # threads of a block
_SHARE = 0.6  # of the device's free memory that the states of large games may take


class _Argument:
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


def flattened(address: int, itemsize: int, shape: tuple[int, ...]) -> list[Any]:
    """An array in C order as the arguments that a kernel made by Numba takes."""
    strides: list[int] = []
    step = itemsize
    for length in reversed(shape):
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
    import cupy

    return load(cupy, bytes(ptx))


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
        "status": np.full(games, -2, np.int64),
    }


def play(job: dict[str, Any], *, block: int = BLOCK, kernel: Any = None) -> dict[str, Any]:
    """Play the games of a job; the seconds that the device took are ``seconds`` of the result."""
    import cupy

    kernel = kernel or load_here(job["ptx"])
    games = len(job["market_of"])
    arrays = {**job, **empty_results(job)}
    item, items, node, nodes, leaves, is_large = (int(one) for one in job["state"])
    slots = games
    scratch: dict[str, tuple[int, tuple[int, int]]] = {}
    if is_large:
        each_game = items * (item + 4) + nodes * node + 16 * leaves
        free = int(cupy.cuda.Device().mem_info[0] * _SHARE)
        slots = max(block, min(games, free // each_game) // block * block)
        scratch = {
            "all_items": (item, (items, slots)),
            "all_nodes": (node, (nodes, slots)),
            "all_places": (4, (items, slots)),
            "all_members": (8, (leaves, slots)),
            "all_values": (8, (leaves, slots)),
        }
    held: dict[str, Any] = {}
    given: list[Any] = []
    for name, dimensions in ARGUMENTS.items():
        if name.startswith("all_"):
            itemsize, shape = scratch.get(name, (8, (1, 1)))
            held[name] = cupy.empty(int(np.prod(shape)) * itemsize, np.uint8)
            given += flattened(held[name].data.ptr, itemsize, shape)
        elif dimensions == 0:
            given.append(arrays[name][()])
        else:
            held[name] = _Argument(cupy, np.asarray(arrays[name]))
            given += held[name].flattened()
    grid = -(-slots // block)
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    begin.record()
    kernel((grid,), (block,), tuple(given))
    end.record()
    end.synchronize()
    result: dict[str, Any] = {name: held[name].get() for name in RESULTS}
    result["seconds"] = cupy.cuda.get_elapsed_time(begin, end) / 1000.0
    return result


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
