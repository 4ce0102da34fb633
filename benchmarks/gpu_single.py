"""How long a round takes one thread of a GPU: ``python benchmarks/gpu_single.py``.

Few games that are long, as those of the paper's figure *growth*, take as long as one of them: a
game is a chain of rounds on one thread. Each policy plays 20 games, with nothing else on the chip,
in blocks of one thread and of 32, which wait for each other where they do different things.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from copyproof import parse_policy
from copyproof.devices import launch
from copyproof.devices.batch import Batch, pack
from copyproof.devices.cuda_compile import compiled
from copyproof.engine.lower import lower
from copyproof.game import as_market

GAMES = 20
CASES = (
    *("trial@paper:2a", "trial@paper:2c", "ucb1@paper:2c", "h-ucb@paper:2c"),
    *("thompson@paper:2a", "fair@paper:2a"),
)


def batch_of(case: str, horizon: int) -> Batch:
    """The games of ``policy@market``."""
    policy, market = case.split("@")
    game = lower(as_market(market), parse_policy(policy), horizon=horizon, seed=1)
    return pack([game], np.zeros(GAMES, np.int32), np.arange(GAMES), np.array([horizon]))


def kernel_of(case: str, horizon: int) -> bytes:
    """The PTX of its kernel."""
    return compiled(batch_of(case, horizon).shape)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", default=CASES, help="policy@market")
    parser.add_argument("--horizon", type=int, default=100_000)
    given = parser.parse_args()
    with ProcessPoolExecutor() as pool:
        kernels = list(pool.map(kernel_of, given.cases, [given.horizon] * len(given.cases)))
    for case, ptx in zip(given.cases, kernels, strict=True):
        batch, kernel = (
            batch_of(case, given.horizon),
            launch.load_here(np.frombuffer(ptx, np.uint8)),
        )
        took = [launch.play(batch.arrays, block=b, kernel=kernel)["seconds"] for b in (1, 32)]
        each = "  ".join(f"{one / given.horizon * 1e6:7.2f} µs" for one in took)
        print(f"{case:20}  {each}", flush=True)


if __name__ == "__main__":
    main()
