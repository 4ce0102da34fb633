"""Measures jobs on a GPU: ``python benchmarks/gpu_run.py FOLDER RESULTS`` (NumPy and CuPy alone).

Every job is played three times; printed are the rounds a second of the best, and kept are the first
games of every market, for ``gpu_jobs.py check``.
"""

import importlib.util
import sys
from pathlib import Path

import numpy as np

KEPT = 10_000  # rows of a result

path = Path(__file__).parents[1] / "src" / "copyproof" / "devices" / "launch.py"
spec = importlib.util.spec_from_file_location("launch", path)
assert spec is not None
assert spec.loader is not None
launch = importlib.util.module_from_spec(spec)
spec.loader.exec_module(launch)

folder, results = Path(sys.argv[1]), Path(sys.argv[2])
for source in sorted(folder.glob("*.npz")):
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
