"""A command on a GPU of another machine: compile its kernels here, play there, go on here.

    .venv/bin/python benchmarks/gpu_elsewhere.py compile -- COMMAND
    .venv/bin/python benchmarks/gpu_elsewhere.py jobs JOBS -- COMMAND
    python benchmarks/gpu_run.py JOBS RESULTS --together    there: NumPy and CuPy are enough
    .venv/bin/python benchmarks/gpu_elsewhere.py finish RESULTS -- COMMAND

COMMAND is what follows ``copyproof`` and takes ``--device cuda``, such as
``paper --out out/gpu-paper --device cuda`` or
``study run studies/missed.toml --out out/studies/missed --device cuda``.

PTX does not depend on where copyproof lies: the folder that ``compile`` prints, below
``$NUMBA_CACHE_DIR`` or the user's cache folder, can also be carried to a machine with a GPU, and
the command then compiles nothing there. ``--most`` compiles so many and ends; the next call goes
on.

``jobs`` writes what the command would launch, and ``finish`` runs it with the games that came back
in the place of a GPU. A command that launches in several steps says which jobs are missing: play
those, and finish again.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from copyproof.cli.app import app
from copyproof.devices import gpus, together
from copyproof.devices.batch import Batch
from copyproof.devices.cuda_compile import compiled, kernel_folder, kernel_path, kernel_shape
from copyproof.studies import on_device

Played = Iterator[tuple[int, dict[str, Any]]]


def run(command: Sequence[str], play_batches: Callable[[Sequence[Batch]], Played]) -> None:
    """Run a command with something else in the place of a GPU."""
    together.play_batches = play_batches
    gpus.why_not = lambda: None
    on_device.own_gpu = nullcontext  # type: ignore[assignment]
    app(list(command))


def name_of(batch: Batch) -> str:
    """The same for the same games under the same kernel."""
    arrays = [(name, np.asarray(array).tobytes()) for name, array in sorted(batch.arrays.items())]
    return kernel_path(kernel_shape(batch.shape), arrays).stem


def compile_all(batches: Sequence[Batch], most: int) -> None:
    """Compile the kernels of batches, at most so many that are not there yet."""
    shapes = list(dict.fromkeys(kernel_shape(batch.shape) for batch in batches))
    print(f"{len(batches)} launches, {len(shapes)} kernels; {kernel_folder()}")
    made = 0
    for number, shape in enumerate(shapes):
        begin = time.perf_counter()
        size = len(compiled(shape))
        seconds = time.perf_counter() - begin
        if seconds > 1:
            made += 1
            print(f"{number + 1}: {size / 1e6:.1f} MB in {seconds:.0f} s", flush=True)
        if made == most:
            break


def write_jobs(batches: Sequence[Batch], folder: Path) -> None:
    """Write a file for each batch, and one for each kernel."""
    folder.mkdir(parents=True, exist_ok=True)
    for batch in batches:
        shape = kernel_shape(batch.shape)
        kernel = kernel_path(shape, []).stem
        if not (folder / f"{kernel}.ptx").exists():
            (folder / f"{kernel}.ptx").write_bytes(compiled(shape))
        np.savez_compressed(folder / f"{name_of(batch)}.npz", kernel=kernel, **batch.arrays)


def known(results: Path, batches: Sequence[Batch]) -> Played:
    """The games that came back."""
    missing = [
        name for batch in batches if not (results / (name := f"{name_of(batch)}.npz")).exists()
    ]
    if missing:
        raise SystemExit(f"no results of {len(missing)} jobs in {results}: {missing[0]}, ...")
    for number, batch in enumerate(batches):
        with np.load(results / f"{name_of(batch)}.npz") as found:
            yield number, {**found, "seconds": float(found["seconds"])}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=10**9)
    parser.add_argument("what", choices=("compile", "jobs", "finish"))
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    if "--" not in given.rest:
        parser.error("COMMAND is to follow --")
    folder, command = Path(given.rest[0]), given.rest[given.rest.index("--") + 1 :]

    def only_compile(batches: Sequence[Batch]) -> Played:
        compile_all(batches, given.most)
        raise SystemExit

    def only_write(batches: Sequence[Batch]) -> Played:
        write_jobs(batches, folder)
        raise SystemExit

    if given.what == "compile":
        run(command, only_compile)
    elif given.what == "jobs":
        run(command, only_write)
    else:
        run(command, lambda batches: known(folder, batches))


if __name__ == "__main__":
    main()
