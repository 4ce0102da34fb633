"""Plays games of every policy of the catalogue with Numba's CUDA simulator, and compares them.

Run by a test in a process of its own, as the simulator has to be chosen before Numba is loaded.
Prints the policies whose games differ from the engine's.
"""

import sys
from typing import Any

import numpy as np
from numba import cuda
from numba.cuda.simulator.kernelapi import FakeCUDALocal
from numba.np.numpy_support import as_dtype

from copyproof import CATALOGUE, Agent, Bernoulli, Market, parse_policy
from copyproof.devices import cuda_source, launch
from copyproof.devices.batch import pack
from copyproof.devices.cuda_compile import kernel_function
from copyproof.engine.lower import lower
from copyproof.policy import with_market_defaults
from copyproof.simulation.threads import fill, new_record

MARKETS = (
    Market(
        [Agent("a", [Bernoulli(0.4)], copies=[3]), Agent("b", [Bernoulli(0.7), Bernoulli(0.2)])]
    ),
    Market([Agent(name, [Bernoulli(mean)]) for name, mean in (("a", 0.3), ("b", 0.9), ("c", 0.6))]),
)
GAMES = 2  # of each market


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


def differs(name: str, horizon: int) -> bool:
    """Whether any game of a policy differs from the engine's."""
    policy = parse_policy("fair(ucb1)" if name == "fair" else name)
    policy = with_market_defaults(policy, MARKETS[0])
    games = [lower(market, policy, horizon=horizon, seed=3) for market in MARKETS]
    market_of = np.repeat(np.arange(len(games), dtype=np.int32), GAMES)
    repetition_of = np.tile(np.arange(GAMES), len(games))
    checkpoints = np.array([horizon])
    batch = pack(games, market_of, repetition_of, checkpoints, traced=horizon)
    arrays = {**batch.arrays, **launch.empty_results(batch.arrays)}
    for scratch in ("all_items", "all_nodes", "all_places", "all_members", "all_values"):
        arrays[scratch] = np.zeros((1, 1))
    kinds: tuple[Any, ...] = (cuda_source.Given, cuda_source.Found, cuda_source.Scratch)
    given = [kind(*(simulated(arrays[name]) for name in kind._fields)) for kind in kinds]
    with np.errstate(all="ignore"):
        cuda.jit(kernel_function(batch.shape))[1, len(market_of)](*given)
    for place, one in enumerate(games):
        record = new_record(one, 1, GAMES, trace=True)
        fill(one, checkpoints, record, workers=1)
        rows = slice(place * GAMES, (place + 1) * GAMES)
        for field, array in record._asdict().items():
            if not np.array_equal(arrays[field][rows, : array.shape[1]], array):
                return True
    return False


if __name__ == "__main__":
    FakeCUDALocal.array = local_array
    names = sys.argv[2:] or [row.name for row in CATALOGUE]
    print([name for name in names if differs(name, int(sys.argv[1]))])
