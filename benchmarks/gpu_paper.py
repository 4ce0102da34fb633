"""Compile the kernels of the paper without a GPU, to be taken to a machine that has one.

    .venv/bin/python benchmarks/gpu_paper.py [--quick] [--most N]

PTX does not depend on where copyproof lies: the folder that is printed, below ``$NUMBA_CACHE_DIR``
or the user's cache folder, can be carried there, and ``copyproof paper --device cuda`` then
compiles nothing. ``--most`` compiles so many and ends; the next call goes on.
"""

import argparse
import time

from copyproof.devices.cuda_compile import compiled, kernel_folder, kernel_shape
from copyproof.devices.together import batches_of
from copyproof.paper import FIGURES, PAPER_SIZE, QUICK, all_runs
from copyproof.simulation.slices import DeviceGame
from copyproof.studies.cells import Cell


def game_of(cell: Cell) -> DeviceGame:
    return DeviceGame(
        cell.market, cell.policy.text, horizon=cell.horizon, seed=cell.seed,
        checkpoints=cell.checkpoints,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--most", type=int, default=10**9)
    given = parser.parse_args()
    runs = dict.fromkeys(all_runs(FIGURES, QUICK if given.quick else PAPER_SIZE))
    cells = [run.cell for run in runs]
    batches = batches_of([game_of(cell).portion(0, cell.repetitions) for cell in cells])
    shapes = list(dict.fromkeys(kernel_shape(batch.shape) for batch in batches))
    print(f"{len(cells)} runs, {len(batches)} launches, {len(shapes)} kernels; {kernel_folder()}")
    made = 0
    for number, shape in enumerate(shapes):
        begin = time.perf_counter()
        size = len(compiled(shape))
        seconds = time.perf_counter() - begin
        if seconds > 1:
            made += 1
            print(f"{number + 1}: {size / 1e6:.1f} MB in {seconds:.0f} s", flush=True)
        if made == given.most:
            break


if __name__ == "__main__":
    main()
