"""Plays jobs on a GPU: ``python benchmarks/gpu_run.py JOBS RESULTS`` (NumPy and CuPy alone).

Every job is played three times; printed are the rounds a second of the best, and kept are the first
games of every market, for ``gpu_jobs.py check``. With ``--together`` all jobs are played once, side
by side, as one study; printed is the time in which any kernel was on the device, and all games are
kept, for ``gpu_elsewhere.py finish``.
"""

import sys
from pathlib import Path
from types import ModuleType

import numpy as np

KEPT = 10_000  # rows of a result

# Packages whose modules are found, but which are not run themselves: they would ask for Numba.
for name, folder in (("copyproof", "copyproof"), ("copyproof.devices", "copyproof/devices")):
    sys.modules[name] = ModuleType(name)
    sys.modules[name].__path__ = [str(Path(__file__).parents[1] / "src" / folder)]

from copyproof.devices import launch  # noqa: E402
from copyproof.devices.side_by_side import play_many  # noqa: E402


def play_alone(source: Path, results: Path) -> None:
    """Play a job three times."""
    job = dict(np.load(source))
    kernel = launch.load_here(job["ptx"])
    seconds = []
    for _ in range(3):
        found = launch.play(job, kernel=kernel)
        seconds.append(found["seconds"])
    games, horizon = len(job["market_of"]), int(job["checkpoints"][-1])
    assert not found["status"].any()
    rate = games * horizon / min(seconds)
    spread = max(seconds) / min(seconds)
    print(f"{source.stem:18} {games:>9,} games of {horizon:>7,} rounds: {rate:.3g} rounds/s"
          f" (slowest of three {spread:.2f} times as long)", flush=True)  # fmt: skip
    rows = job["repetition_of"] < max(1, KEPT // len(job["sizes"]))
    kept = {name: found[name][rows] for name in launch.RESULTS if name != "choices"}
    np.savez_compressed(results / source.name, **kept)


def ptx_of(job: dict[str, np.ndarray], folder: Path) -> bytes:
    """The kernel of a job, which is in it or in a file of its own; taken out of the job."""
    if "ptx" in job:
        return bytes(job.pop("ptx"))
    return (folder / f"{job.pop('kernel')}.ptx").read_bytes()


def play_together(sources: list[Path], results: Path) -> None:
    """Play all jobs once, side by side."""
    jobs = [dict(np.load(source)) for source in sources]
    kernels = launch.loaded([ptx_of(job, sources[0].parent) for job in jobs])
    busy = 0.0
    ended = []
    for number, found in play_many(jobs, kernels):
        assert not found["status"].any()
        busy += found["busy"]
        games, horizon = len(jobs[number]["market_of"]), int(jobs[number]["checkpoints"][-1])
        ended.append((found["seconds"], games, horizon, sources[number].stem))
        np.savez_compressed(results / sources[number].name, **found)
    print(f"{len(jobs)} launches, {sum(one[1] for one in ended)} games: {busy:.2f} s of the device")
    print("The longest, in seconds:")
    for seconds, games, horizon, name in sorted(ended, reverse=True)[:20]:
        print(f"{seconds:6.2f}  {games:5} games of {horizon:>9,} rounds  {name}")


def main() -> None:
    folder, results = Path(sys.argv[1]), Path(sys.argv[2])
    results.mkdir(parents=True, exist_ok=True)
    sources = sorted(folder.glob("*.npz"))
    if "--together" in sys.argv[3:]:
        play_together(sources, results)
        return
    for source in sources:
        play_alone(source, results)


if __name__ == "__main__":
    main()
