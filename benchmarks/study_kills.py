"""A study that is killed again and again: is its table the same to the byte?

    python benchmarks/study_kills.py [--cells 10000] [--kills 3] [--every 20] [--out FILE.json]
                                     [--folder FOLDER] [--part whole|killed|cluster]

The study of ``study.py``: random markets × 5 policies, T = 10,000, 10 repetitions, by the command
``copyproof study run``, three times:

- *whole*: on two threads, and nobody disturbs it;
- *killed*: on two threads; the process is killed with -9 at random moments, ``--kills`` times, and
  the same command is called again each time;
- *cluster*: on a local Dask cluster of two workers, one of which is killed with -9 every
  ``--every`` seconds; and the driver once, in the middle.

With ``--folder`` the three can be run one by one, in this order: what was found is kept there.

Says for each how many cells there were at each kill, and whether ``results.parquet`` has the same
bytes as the one of the whole run. Exits with 1 if one has not.
"""

import argparse
import hashlib
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from copyproof.studies.status import status_of
from study import POLICIES

# Of the time of the whole run: kills come between these shares of what is left to play.
_EARLIEST, _LATEST = 0.05, 0.6
PARTS = ("whole", "killed", "cluster")


def write_study(path: Path, cells: int, horizon: int, repetitions: int) -> None:
    """The study of ``study.py``, as a file."""
    path.write_text(
        f"policies = {json.dumps(POLICIES)}\nhorizons = {horizon}\nrepetitions = {repetitions}\n"
        'seed = 1\nmeasure = ["regret", "lost"]\n\n'
        f'[[markets]]\ngenerator = "random"\ncount = {cells // len(POLICIES)}\nseed = 1\n'
    )


def begin(file: Path, out: Path, *more: str) -> subprocess.Popen[bytes]:
    """``copyproof study run``, in a process of its own."""
    program = str(Path(sys.executable).with_name("copyproof"))
    command = [program, "study", "run", str(file), "--out", str(out), "--workers", "2", *more]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def ended(process: subprocess.Popen[bytes]) -> None:
    """Wait for a run that must end well."""
    if process.wait() != 0:
        raise RuntimeError(f"copyproof study run has ended with {process.returncode}")


def digest(folder: Path) -> str:
    """Of the table's bytes."""
    return hashlib.sha256((folder / "results.parquet").read_bytes()).hexdigest()


def done(folder: Path) -> int:
    """Cells that a run which was killed has left behind."""
    try:
        return status_of(folder)[0].done
    except ValueError:  # killed before there was anything
        return 0


def killed(file: Path, out: Path, kills: int, seconds: float, rng: random.Random) -> dict[str, Any]:
    """Kill a run at random moments; go on each time; then let it end."""
    cells = []
    left = seconds
    for _ in range(kills):
        process = begin(file, out)
        moment = rng.uniform(_EARLIEST, _LATEST) * left
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
        process.wait()
        left -= moment
        cells.append(done(out))
    ended(begin(file, out))
    return {"digest": digest(out), "cells at each kill": cells}


def on_cluster(file: Path, out: Path, every: float, seconds: float) -> dict[str, Any]:
    """Kill a worker of a local cluster again and again, and the driver once."""
    cells: list[int] = []
    workers = 0
    driver_lives = True
    process = begin(file, out, "--cluster", "local")
    started = time.monotonic()
    while True:
        try:
            process.wait(every)
            break
        except subprocess.TimeoutExpired:
            pass
        if driver_lives and time.monotonic() - started > seconds / 2:
            driver_lives = False
            family = psutil.Process(process.pid).children(recursive=True)
            process.send_signal(signal.SIGKILL)
            process.wait()
            psutil.wait_procs(family, timeout=60)
            cells.append(done(out))
            process = begin(file, out, "--cluster", "local")
            continue
        for worker in _workers(process.pid)[:1]:
            worker.kill()
            workers += 1
            cells.append(done(out))
    ended(process)
    return {"digest": digest(out), "workers killed": workers, "cells at each kill": cells}


def _workers(driver: int) -> list[psutil.Process]:
    """The processes of a local cluster's workers, the one that has worked most first."""
    children = psutil.Process(driver).children(recursive=True)
    spawned = [one for one in children if "spawn_main" in " ".join(one.cmdline())]
    return sorted(spawned, key=lambda one: -one.cpu_times().user)


def run_part(part: str, folder: Path, options: argparse.Namespace) -> None:
    """Run the study in one of the three ways, and keep what was found."""
    file, out = folder / "study.toml", folder / part
    found: dict[str, Any]
    write_study(file, options.cells, options.horizon, options.repetitions)
    if part == "whole":
        started = time.monotonic()
        ended(begin(file, out))
        found = {"digest": digest(out), "seconds": round(time.monotonic() - started)}
    else:
        seconds = json.loads((folder / "whole.json").read_text())["seconds"]
        if part == "killed":
            rng = random.Random(options.seed)
            found = killed(file, out, options.kills, seconds, rng)
        else:
            found = on_cluster(file, out, options.every, seconds)
    (folder / f"{part}.json").write_text(json.dumps(found) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=10_000)
    parser.add_argument("--horizon", type=int, default=10_000)
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--every", type=float, default=20.0, help="seconds between two workers")
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--folder", type=Path, help="keeps the studies; a temporary one if not")
    parser.add_argument("--part", choices=PARTS, help="only this one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for part in [options.part] if options.part else PARTS:
            run_part(part, folder, options)
        kept = {part: folder / f"{part}.json" for part in PARTS}
        found = {part: json.loads(kept[part].read_text()) for part in PARTS if kept[part].exists()}
    same = len({one["digest"] for one in found.values()}) == 1
    found = {"cells": options.cells, **found, "identical": same}
    text = json.dumps(found, indent=1)
    print(text)
    if options.out is not None:
        options.out.write_text(text + "\n")
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
