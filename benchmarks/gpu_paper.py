"""The paper on a GPU of another machine: compile its kernels here, play there, judge here.

    .venv/bin/python benchmarks/gpu_paper.py compile [--quick] [--most N]
    .venv/bin/python benchmarks/gpu_paper.py jobs JOBS [--quick]
    python benchmarks/gpu_run.py JOBS RESULTS --together    there: NumPy and CuPy are enough
    .venv/bin/python benchmarks/gpu_paper.py claims RESULTS --out FOLDER [--quick]

PTX does not depend on where copyproof lies: the folder that ``compile`` prints, below
``$NUMBA_CACHE_DIR`` or the user's cache folder, can also be carried to a machine with a GPU, and
``copyproof paper --device cuda`` then compiles nothing there. ``--most`` compiles so many and ends;
the next call goes on.

``jobs`` writes what ``copyproof paper --device cuda`` would launch, and ``claims`` runs it with
the games that came back in the place of a GPU.
"""

import argparse
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from copyproof.cli.app import app
from copyproof.devices import gpus, together
from copyproof.devices.batch import Batch
from copyproof.devices.cuda_compile import compiled, kernel_folder, kernel_path, kernel_shape
from copyproof.studies import on_device


class _Enough(Exception):
    """All launches are known."""


def run_paper(
    play_batches: Callable[[Sequence[Batch]], Iterator[tuple[int, dict[str, Any]]]],
    out: Path,
    *,
    quick: bool,
) -> None:
    """Run ``copyproof paper --device cuda`` with something else in the place of a GPU."""
    together.play_batches = play_batches
    gpus.why_not = lambda: None
    on_device.own_gpu = nullcontext  # type: ignore[assignment]
    app(["paper", "--out", str(out), "--device", "cuda", *(["--quick"] if quick else [])])


def launches(*, quick: bool) -> list[Batch]:
    """All that the paper has played, launch by launch."""
    asked: list[Batch] = []

    def only_asked(batches: Sequence[Batch]) -> Iterator[tuple[int, dict[str, Any]]]:
        asked.extend(batches)
        raise _Enough

    with TemporaryDirectory() as folder, suppress(_Enough):
        run_paper(only_asked, Path(folder) / "paper", quick=quick)
    return asked


def compile_all(batches: Sequence[Batch], most: int) -> None:
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


def name_of(batch: Batch) -> str:
    """The same for the same games under the same kernel."""
    arrays = [(name, np.asarray(one).tobytes()) for name, one in sorted(batch.arrays.items())]
    return kernel_path(kernel_shape(batch.shape), arrays).stem


def write_jobs(batches: Sequence[Batch], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for batch in batches:
        ptx = np.frombuffer(compiled(kernel_shape(batch.shape)), np.uint8)
        np.savez_compressed(folder / f"{name_of(batch)}.npz", ptx=ptx, **batch.arrays)


def write_claims(results: Path, out: Path, *, quick: bool) -> None:
    """Run the paper; its games are those that came back."""

    def play_batches(batches: Sequence[Batch]) -> Iterator[tuple[int, dict[str, Any]]]:
        for number, batch in enumerate(batches):
            with np.load(results / f"{name_of(batch)}.npz") as found:
                yield number, {**found, "seconds": float(found["seconds"])}

    shutil.rmtree(out, ignore_errors=True)
    run_paper(play_batches, out, quick=quick)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("compile", "jobs", "claims"))
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--most", type=int, default=10**9)
    parser.add_argument("--out", type=Path, default=Path("out/gpu-paper"))
    given = parser.parse_args()
    if given.what == "claims":
        write_claims(given.folder, given.out, quick=given.quick)
    elif given.what == "jobs":
        write_jobs(launches(quick=given.quick), given.folder)
    else:
        compile_all(launches(quick=given.quick), given.most)


if __name__ == "__main__":
    main()
