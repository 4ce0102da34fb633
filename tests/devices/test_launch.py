"""The parts of a launch that need no GPU."""

import subprocess
import sys

import numpy as np

from copyproof import paper_market, parse_policy
from copyproof.devices import launch
from copyproof.devices.batch import pack
from copyproof.engine.lower import lower


def test_an_array_as_numba_takes_it() -> None:
    flat = launch.flattened(4096, 8, (3, 5))
    assert [int(one) for one in flat] == [0, 0, 15, 8, 4096, 3, 5, 40, 8]


def test_the_bytes_of_a_state_are_those_of_its_arrays() -> None:
    for figure, is_large in (("1a", False), ("2c", True)):
        one = lower(paper_market(figure), parse_policy("h-ucb"), horizon=10, seed=1)
        job = pack([one], np.zeros(1, np.int32), np.zeros(1, np.int64), np.array([10])).arrays
        state = one.new_state()
        each = len(state.items) * (24 + 4) + state.nodes.nbytes + 16 * len(state.values)
        assert launch.state_bytes(job) == (each if is_large else 0)


def test_the_bytes_of_a_job_are_those_of_its_arrays() -> None:
    one = lower(paper_market("2c"), parse_policy("h-ucb"), horizon=10, seed=1)
    places = np.zeros(3, np.int32)
    job = pack([one], places, np.arange(3), np.array([5, 10]), traced=10).arrays
    results = sum(array.nbytes for array in launch.empty_results(job).values())
    given = sum(np.asarray(array).nbytes for array in job.values())
    assert launch.bytes_of(job) == 3 * launch.state_bytes(job) + results + given


ALONE = """
import importlib.abc, runpy, sys

class Refusing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numba", "numba_cuda", "copyproof"):
            raise ImportError(f"{name} is not on this machine")

sys.meta_path.insert(0, Refusing())
found = runpy.run_path(sys.argv[1])
assert found["flattened"](4096, 8, (3,))[2:] == [3, 8, 4096, 3, 8]
assert callable(found["main"])
assert not {"numba", "copyproof"} & {name.partition(".")[0] for name in sys.modules}
"""


def test_it_runs_where_neither_numba_nor_copyproof_is() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ALONE, launch.__file__], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
