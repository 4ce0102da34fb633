"""What a study costs beside its games: on threads, on Dask, and for a fleet.

    python benchmarks/study.py [--cells 1000] [--pairs 3] [--cluster] [--fleet] [--out FILE.json]

- *local*: random markets × 5 policies, T = 10,000, 10 repetitions, as a study on two threads, and
  the same games by the bare kernel on two threads, lowered beforehand. They take turns; the ratio
  is the rate of the study over that of the kernel.
- *cluster*: the same on a local Dask cluster of two workers, which is up before the clock starts.
- *overhead*: the same study of games of ten rounds, of which next to nothing is play: milliseconds
  for each cell, on threads and on Dask. Both are given in time on the clock, and in processor time
  (on Dask of the driver with its scheduler, and of the workers), which others on the machine do not
  change.
- *status*: ``copyproof study status`` of 100,000 cells.
- *fleet*: the parts of a fleet: batches a second that the scheduler hands out and gets back,
  outcomes a second that the driver merges, cells a second that the store takes; of processor
  time, of one processor.

``--cells 10000`` is the size of the documentation.
"""

import argparse
import itertools
import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from copyproof import RandomMarkets, Study
from copyproof.simulation.slices import SlicedGame, compile_once
from copyproof.studies.arrays import CellArrays
from copyproof.studies.assembly import Assembly
from copyproof.studies.cells import Cell
from copyproof.studies.cluster import open_cluster
from copyproof.studies.store import Store
from copyproof.studies.tasks import Outcome, Task

POLICIES = ["ucb1", "h-ucb", "rh-ucb", "prh-ucb", "trial"]


def study_of(cells: int, horizon: int = 10_000, repetitions: int = 10) -> Study:
    markets = [RandomMarkets(count=cells // len(POLICIES), seed=1)]
    return Study(POLICIES, markets, horizons=horizon, repetitions=repetitions, seed=1)


def bare_seconds(cells: list[Cell], threads: int = 2) -> tuple[float, float]:
    """The kernel alone: games lowered beforehand, then played one after the other."""
    games = [
        SlicedGame(
            cell.market, cell.policy.text, horizon=cell.horizon, seed=cell.seed,
            checkpoints=cell.checkpoints,
        )
        for cell in cells
    ]  # fmt: skip
    queue = itertools.count()
    control = np.zeros(1 + threads, np.int64)

    def work(worker: int) -> None:
        while (number := next(queue)) < len(games):
            games[number].play(0, cells[number].repetitions, control, worker)

    workers = [threading.Thread(target=work, args=(worker,)) for worker in range(threads)]
    begin, used = time.perf_counter(), _processor_seconds()
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    return time.perf_counter() - begin, _processor_seconds() - used


def study_seconds(study: Study, **how: Any) -> tuple[float, float]:
    """From the study to its table, in a new folder: on the clock, and of the processors."""
    with tempfile.TemporaryDirectory() as folder:
        begin, used = time.perf_counter(), _processor_seconds()
        study.run(Path(folder) / "study", **how)
        return time.perf_counter() - begin, _processor_seconds() - used


def _processor_seconds() -> float:
    """Of this process and of those that it has started."""
    here = psutil.Process()
    every = (one.cpu_times() for one in (here, *here.children(recursive=True)))
    return sum(one.user + one.system for one in every)


def compared(cells: int, pairs: int, client: Any) -> dict[str, Any]:
    """The rates of the study over that of the kernel, in turns; on a cluster, if there is one."""
    study = study_of(cells)
    every = [point.cell for point in study.points()]
    how: dict[str, Any] = {"workers": 2} if client is None else {"cluster": client}
    found: dict[str, Any] = {"cells": cells, "bare rounds per processor second": []}
    for _ in range(pairs):
        bare = bare_seconds(every)
        rate = sum(cell.work for cell in every) / bare[1]
        found["bare rounds per processor second"].append(rate)
        took = study_seconds(study, **how)
        for kind, ours, theirs in zip(("clock", "processor"), took, bare, strict=True):
            found.setdefault(kind, []).append(theirs / ours)
    return found


def overhead(cells: int, pairs: int, client: Any) -> dict[str, list[float]]:
    """Milliseconds for each cell whose games take none."""
    study = study_of(cells, horizon=10, repetitions=1)
    found: dict[str, list[float]] = {}
    for _ in range(pairs):
        took = study_seconds(study, **({"workers": 2} if client is None else {"cluster": client}))
        for kind, one in zip(("clock", "processor"), took, strict=True):
            found.setdefault(kind, []).append(1000 * one / cells)
    return found


def status_seconds(cells: int = 100_000) -> dict[str, float]:
    """The command, on a store of so many cells."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study_of(len(POLICIES)).run(folder)
        store = Store(folder / "study.db")
        row = next(store.rows())
        store.plan((f"{k:032x}", row) for k in range(cells))
        with store.transaction():
            for k in range(0, cells, 2):
                store.finish(f"{k:032x}", {"regret_mean": 1.5})
        store.close()
        program = Path(sys.executable).with_name("copyproof")
        begin, used = time.perf_counter(), os.times()
        subprocess.run([program, "study", "status", name], check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        spent = after.children_user + after.children_system
        spent -= used.children_user + used.children_system
        return {"clock": time.perf_counter() - begin, "processor": spent}


def merge_rate(outcomes: int = 50_000) -> dict[str, float]:
    """Outcomes a second that one driver merges, and cells a second that it stores."""
    study = study_of(len(POLICIES), repetitions=outcomes * 100)
    cell = next(iter(study.points())).cell
    sums = {"games": 100, "regret": [[1.5], [2.5]]}
    rates = {}
    with tempfile.TemporaryDirectory() as name:
        store = Store(Path(name) / "study.db")
        assembly = Assembly(store, CellArrays(Path(name)), [cell])
        begin = time.process_time()
        for k in range(outcomes):
            assembly.add([Outcome(cell.digest, k, sums)])
        assembly.flush()
        rates["slices merged"] = outcomes / (time.process_time() - begin)
        begin = time.process_time()
        for first in range(0, outcomes, 1000):
            with store.transaction():
                for k in range(first, first + 1000):
                    store.finish(f"{k:032x}", {"regret_mean": 1.5, "regret_std": 0.5})
        rates["cells stored"] = outcomes / (time.process_time() - begin)
        store.close()
    return rates


def planning_rate(cells: int = 5_000) -> float:
    """Points a second that the driver draws, digests and describes."""
    begin = time.process_time()
    for point in study_of(cells).points():
        point.identity()
    return cells / (time.process_time() - begin)


def sending_rate(cells: int = 2_000) -> float:
    """Cells a second that the driver packs for workers and whose outcomes it unpacks."""
    tasks = [Task(point.cell, 0) for point in study_of(cells).points()]
    outcomes = [
        Outcome(one.cell.digest, 0, {"games": 10, "regret": [[1.5], [2.5]]}) for one in tasks
    ]
    back = [pickle.dumps(outcomes[k : k + 100]) for k in range(0, cells, 100)]
    begin = time.process_time()
    for k in range(0, cells, 100):
        pickle.dumps(tasks[k : k + 100])
        pickle.loads(back[k // 100])
    return cells / (time.process_time() - begin)


def scheduler_rate(client: Any, batches: int = 2_000) -> float:
    """Batches a second that go to a worker and come back, with nothing in them."""
    begin = time.process_time()  # the scheduler of a local cluster is in this process
    client.gather(client.map(_nothing, range(batches), pure=False))
    return batches / (time.process_time() - begin)


def _nothing(number: int) -> int:
    return number


def measured(cells: int, pairs: int, client: Any) -> dict[str, Any]:
    """What a study has of the kernel's rate, and what a cell costs beside its games."""
    return {
        "over the bare kernel": compared(cells, pairs, client),
        "overhead in ms": overhead(min(cells, 5_000), pairs, client),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--cluster", action="store_true", help="a local Dask cluster, too")
    parser.add_argument("--fleet", action="store_true", help="the parts of a fleet, too")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    compile_once()
    found: dict[str, Any] = {"processors": os.cpu_count()}
    found["local"] = measured(options.cells, options.pairs, None)
    found["status of 100,000 cells in s"] = status_seconds()
    if options.fleet:
        found["fleet"] = merge_rate()
        found["fleet"] |= {"points planned": planning_rate(), "cells sent": sending_rate()}
    if options.cluster:  # only now: its threads in this process would disturb the others
        with open_cluster("local", 2) as client:
            study_of(100).run(cluster=client)  # the workers load the engine
            found["cluster"] = measured(options.cells, options.pairs, client)
            if options.fleet:
                found["fleet"]["batches scheduled"] = scheduler_rate(client)
    text = json.dumps(found, indent=1)
    print(text)
    if options.out is not None:
        options.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
