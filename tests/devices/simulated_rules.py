"""Games with numbers of their own in both rules, in Numba's CUDA simulator: prints what differs."""

import sys
from typing import Any

import numpy as np
from numba import cuda
from numba.cuda.simulator.kernelapi import FakeCUDALocal

sys.path.insert(0, "studies")

from copyproof import Agent, Market, parse_policy
from copyproof.devices import cuda_source, launch
from copyproof.devices.batch import pack
from copyproof.devices.cuda_compile import kernel_function
from copyproof.engine.lower import lower
from copyproof.simulation.threads import fill, new_record
from many import with_rules
from tests.devices.simulator import local_array, simulated

HORIZON = 80
RULES = np.array([[20.0, 0.3, 0.5, 9.0], [5.0, 0.8, 0.1, 2.0], [12.0, 0.05, 3.0, 4.0]])


def main() -> None:
    """Play each game on both sides, and print where they differ."""
    market = Market([Agent("a", [0.8, 0.3], copies=[2, 6]), Agent("b", [0.6])])
    one = lower(market, parse_policy("trial(c=0.005)"), horizon=HORIZON, seed=3)
    count, checkpoints = len(RULES), np.array([HORIZON])
    repetitions = np.arange(count)
    batch = pack(
        [one], np.zeros(count, np.int32), repetitions, checkpoints, rules=RULES, traced=HORIZON
    )
    threads = {"warps": 1, "lanes": count}
    arrays = {**batch.arrays, **launch.empty_results(batch.arrays), **threads}
    for scratch in ("all_items", "all_nodes", "all_places", "all_members", "all_values"):
        arrays[scratch] = np.zeros((1, 1))
    kinds: tuple[Any, ...] = (cuda_source.Given, cuda_source.Found, cuda_source.Scratch)
    given = [kind(*(simulated(arrays[name]) for name in kind._fields)) for kind in kinds]
    FakeCUDALocal.array = local_array
    with np.errstate(all="ignore"):
        cuda.jit(kernel_function(batch.shape))[1, count](*given)
    differing = []
    for row in range(count):
        record = new_record(one, 1, 1, trace=True)
        fill(with_rules(one, RULES[row]), checkpoints, record, workers=1, first=row)
        for field, array in record._asdict().items():
            if not np.array_equal(arrays[field][row : row + 1, : array.shape[1]], array):
                differing.append((row, field))
    print(differing, len({arrays["choices"][row].tobytes() for row in range(count)}))


if __name__ == "__main__":
    main()
