"""A million short games of every row of the catalogue, on a GPU and on processors, all compared.

    python benchmarks/gpu_identity.py --out FILE [--rows ucb1,h-ucb] [--games 1000000] [--families]

For each policy 1,000 random markets are played at five horizons, 40 % of them with T = 100, then
200, 300, 500, and 8 % with T = 1,000. The GPU plays a row first; then all processors play the same
games with the engine, and compare revenue, plays of agents and of originals, and regret half-way
and at the end, bit by bit. Printed is a line for each row: games compared, how many differ, and
the seconds of each side. With ``--families`` the rows are families of rewards other than Bernoulli.

FILE (JSON) is written after every row, and rows that are in it are not played again; after
``--stop-after`` seconds no more is begun. Kernels are compiled by all processors, and assembled by
``ptxas`` where it can be had, while games are played.
"""

import argparse
import json
import multiprocessing
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from copyproof import (
    CATALOGUE,
    Agent,
    Bernoulli,
    Beta,
    Empirical,
    Exponential,
    Gaussian,
    Market,
    Mixture,
    Piecewise,
    Poisson,
    Policy,
    parse_policy,
)
from copyproof.devices import launch
from copyproof.devices.batch import Batch, pack
from copyproof.devices.cuda_compile import CAPABILITY, compiled
from copyproof.devices.shape import Shape
from copyproof.engine.lower import Lowered, lower
from copyproof.policy import with_market_defaults
from copyproof.simulation.threads import fill, new_record

HORIZONS = {100: 400, 200: 250, 300: 150, 500: 120, 1000: 80}
"""Of a thousand markets, so many have this T."""
COMPARED = ("revenue", "agent_plays", "original_plays", "regret")
TASK_ROUNDS = 10_000_000
"""About as many rounds as a processor plays between two looks at the clock."""
SIZE = (5, 3, 2)
"""The most agents, originals of each, and copies of each: small enough for a thread's memory."""
Drawn = Callable[[np.random.Generator], Any]
FAMILIES: dict[str, tuple[tuple[str, ...], Drawn]] = {
    "beta": (("h-ucb", "trial"), lambda rng: Beta(*(float(x) for x in rng.uniform(0.5, 4, 2)))),
    "gaussian": (("h-ucb",), lambda rng: Gaussian(float(rng.random()), float(rng.random() + 0.1))),
    "exponential": (("h-ucb",), lambda rng: Exponential(float(rng.random() + 0.1))),
    "poisson": (("h-ucb",), lambda rng: Poisson(float(rng.random() + 0.1))),
    "empirical": (("h-ucb", "trial"), lambda rng: Empirical(rng.integers(0, 9, 7) / 8)),
    "mixture": (
        ("h-ucb",),
        lambda rng: Mixture([0, Exponential(float(rng.random() + 0.1))], weights=[2, 1]),
    ),
    "piecewise": (
        ("h-ucb",),
        lambda rng: Piecewise([(1, float(rng.random())), (50, float(rng.random()))]),
    ),
}
"""Of each family policies that take it, and how an arm is drawn."""
TABLED = ("poisson", "empirical", "mixture", "piecewise")
"""Families whose arms pay by tables: a batch has one market of them."""


class Row(NamedTuple):
    """One line of the result: a policy, and what arms pay."""

    name: str
    policy: str
    family: str = "bernoulli"


class Group(NamedTuple):
    """Games of a row that are played in one launch: markets ``first``, ``first`` + 1, …"""

    row: Row
    horizon: int
    first: int
    markets: int


def rows(families: bool) -> list[Row]:
    """The rows of the catalogue, or of the families."""
    if families:
        return [
            Row(f"{family}: {policy}", policy, family)
            for family, (policies, _) in FAMILIES.items()
            for policy in policies
        ]
    return [Row(one.name, "fair(ucb1)" if one.name == "fair" else one.name) for one in CATALOGUE]


def groups(row: Row) -> list[Group]:
    """What is played in one launch each."""
    found = []
    first = 0
    for horizon, markets in HORIZONS.items():
        each = 1 if row.family in TABLED else markets
        found.append(Group(row, horizon, first, each))
        first += markets
    return found


def random_market(row: Row, number: int) -> Market:
    """Two to five agents with up to three originals each, some of them copied.

    Markets of families with tables have the same size, and the first of a group is the largest.
    """
    rng = np.random.default_rng([len(row.policy), *row.name.encode(), number])
    most_agents, most_originals, most_copies = SIZE
    draw: Drawn = lambda rng: Bernoulli(int(rng.integers(1, 20)) / 20)  # noqa: E731
    if row.family != "bernoulli":
        draw = FAMILIES[row.family][1]
    firsts = np.cumsum([0, *HORIZONS.values()])[:-1]
    if number in firsts or row.family in TABLED:
        sizes = [most_originals] * most_agents
        copies = [[most_copies] * most_originals] * most_agents
    else:
        sizes = [int(rng.integers(1, most_originals + 1)) for _ in range(rng.integers(2, 6))]
        copies = [[int(rng.choice([1, 1, most_copies])) for _ in range(own)] for own in sizes]
    return Market(
        [
            Agent(f"a{place}", [draw(rng) for _ in range(own)], copies=copies[place])
            for place, own in enumerate(sizes)
        ]
    )


def policy_of(row: Row) -> Policy:
    """The policy, with the defaults of the largest market."""
    return with_market_defaults(parse_policy(row.policy), random_market(row, 0))


def lowered(group: Group, begin: int, end: int) -> list[Lowered]:
    """Markets of a group, as the engine takes them."""
    policy = policy_of(group.row)
    return [
        lower(random_market(group.row, number), policy, horizon=group.horizon, seed=group.first)
        for number in range(group.first + begin, group.first + end)
    ]


def batch_of(group: Group, repetitions: int) -> Batch:
    """All games of a group, as a device takes them."""
    market_of = np.repeat(np.arange(group.markets, dtype=np.int32), repetitions)
    repetition_of = np.tile(np.arange(repetitions), group.markets)
    games = lowered(group, 0, group.markets)
    return pack(games, market_of, repetition_of, checkpoints_of(group.horizon))


def checkpoints_of(horizon: int) -> Any:
    """Where regret is compared."""
    return np.array([horizon // 2, horizon])


def kernel_of(batch: Batch) -> bytes:
    """The compiled kernel of a batch: machine code where ``ptxas`` can be had, else PTX."""
    ptx = compiled(batch.shape)
    program = shutil.which("ptxas")
    if program is None or ptx[:4] == b"\x7fELF":
        return ptx
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "games.ptx"
        source.write_bytes(ptx)
        chip = f"-arch=sm_{CAPABILITY[0]}{CAPABILITY[1]}"
        made = source.with_suffix(".cubin")
        subprocess.run([program, chip, str(source), "-o", str(made)], check=True)
        return made.read_bytes()


def kernels_for(row: Row) -> dict[Shape, bytes]:
    """The kernels of a row, by shape: most rows have one."""
    batches = {batch.shape: batch for batch in (batch_of(group, 1) for group in groups(row))}
    return {shape: kernel_of(batch) for shape, batch in batches.items()}


def play_on_gpu(group: Group, repetitions: int, kernels: dict[Shape, bytes]) -> dict[str, Any]:
    """The games of a group on the GPU."""
    batch = batch_of(group, repetitions)
    found = launch.play({**batch.arrays, "ptx": np.frombuffer(kernels[batch.shape], np.uint8)})
    if found["status"].any():
        raise RuntimeError(f"games ended with status {set(found['status'].tolist())}")
    return found


def compare(
    group: Group, begin: int, end: int, repetitions: int, folder: str
) -> tuple[int, int, float]:
    """Play some markets of a group with the engine: games, how many differ, and seconds."""
    started = time.perf_counter()
    theirs = {name: np.load(Path(folder) / f"{name}.npy", mmap_mode="r") for name in COMPARED}
    differing = 0
    for place, one in enumerate(lowered(group, begin, end), begin):
        own = slice(place * repetitions, (place + 1) * repetitions)
        record = new_record(one, 2, repetitions, trace=False)
        fill(one, checkpoints_of(group.horizon), record, workers=1)
        wrong = np.zeros(repetitions, bool)
        for name in COMPARED:
            array = getattr(record, name)
            wrong |= (theirs[name][own, : array.shape[1]] != array).any(axis=1)
        differing += int(wrong.sum())
    return (end - begin) * repetitions, differing, time.perf_counter() - started


class Comparison:
    """Both sides of all rows: the GPU from this process, the engine from a pool of others."""

    def __init__(self, pool: ProcessPoolExecutor, scratch: Path, stop_at: float) -> None:
        self._pool, self._scratch, self._stop_at = pool, scratch, stop_at

    def of(self, row: Row, kernels: dict[Shape, bytes], games: int) -> dict[str, Any] | None:
        """One row; None where time is over before all of it is compared."""
        seconds = rounds = 0.0
        tasks: list[Future[tuple[int, int, float]]] = []
        folder = self._scratch / row.name.replace(": ", "-")
        parts = groups(row)
        repetitions = max(1, games // sum(one.markets for one in parts))
        for group in parts:
            place = folder / str(group.horizon)
            place.mkdir(parents=True)
            found = play_on_gpu(group, repetitions, kernels)
            seconds += found["seconds"]
            rounds += group.markets * repetitions * group.horizon
            for name in COMPARED:
                np.save(place / f"{name}.npy", found[name])
            for begin, end in _slices(group, repetitions):
                tasks.append(self._pool.submit(compare, group, begin, end, repetitions, str(place)))
        answer = self._gathered(tasks)
        shutil.rmtree(folder)
        if answer is None:
            return None
        compared, differing, theirs = answer
        return {"row": row.name, "games": compared, "differing": differing, "rounds": int(rounds),
                "seconds on the GPU": seconds, "seconds on processors": theirs}  # fmt: skip

    def _gathered(
        self, tasks: list["Future[tuple[int, int, float]]"]
    ) -> tuple[int, int, float] | None:
        try:
            done = [one.result() for one in as_completed(tasks, self._stop_at - time.monotonic())]
        except TimeoutError:
            for one in tasks:
                one.cancel()
            return None
        games, differing, seconds = (sum(column) for column in zip(*done, strict=True))
        return int(games), int(differing), float(seconds)


def _slices(group: Group, repetitions: int) -> Iterator[tuple[int, int]]:
    step = max(1, TASK_ROUNDS // (group.horizon * repetitions))
    for begin in range(0, group.markets, step):
        yield begin, min(begin + step, group.markets)


def as_line(found: dict[str, Any]) -> str:
    """One row, for people."""
    own, theirs = found["seconds on the GPU"], found["seconds on processors"]
    return (f"{found['row']:22} {found['games']:>9,} games compared, {found['differing']} differ; "
            f"GPU {own:.2f} s, processors {theirs:.1f} s of one core")  # fmt: skip


def run(
    asked: list[Row], games: int, out: Path, workers: int, stop_after: float
) -> list[dict[str, Any]]:
    """Compare all rows that are not in the file yet."""
    kept: list[dict[str, Any]] = json.loads(out.read_text())["rows"] if out.exists() else []
    have = {one["row"] for one in kept}
    missing = [row for row in asked if row.name not in have]
    stop_at = time.monotonic() + stop_after
    _warm()
    forked = multiprocessing.get_context("fork")
    with (
        tempfile.TemporaryDirectory() as scratch,
        ProcessPoolExecutor(workers, mp_context=forked) as pool,
    ):
        # The processes begin before this one opens the GPU.
        kernels = {row.name: pool.submit(kernels_for, row) for row in missing}
        comparison = Comparison(pool, Path(scratch), stop_at)
        for row in missing:
            try:
                compiled_for = kernels[row.name].result(stop_at - time.monotonic())
                found = comparison.of(row, compiled_for, games)
            except TimeoutError:
                found = None
            if found is None:
                print(f"time is over before {row.name}", flush=True)
                pool.shutdown(wait=False, cancel_futures=True)
                break
            print(as_line(found), flush=True)
            kept.append(found)
            beside = out.with_name(out.name + ".part")
            beside.write_text(json.dumps({"rows": kept}, indent=1) + "\n")
            beside.replace(out)
    return kept


def _warm() -> None:
    """Load the engine's kernel before processes are made of this one."""
    one = lowered(Group(Row("h-ucb", "h-ucb"), 100, 0, 1), 0, 1)[0]
    fill(one, checkpoints_of(100), new_record(one, 2, 1, trace=False), workers=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rows", help="names, separated by commas; all by default")
    parser.add_argument("--games", type=int, default=1_000_000, help="of a row")
    parser.add_argument("--families", action="store_true")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--stop-after", type=float, default=570.0, help="seconds")
    given = parser.parse_args()
    asked = rows(given.families)
    if given.rows:
        wanted = given.rows.split(",")
        known = [row.name for row in asked]
        if unknown := [name for name in wanted if name not in known]:
            parser.error(f"--rows: no row {unknown[0]!r}; there are {', '.join(known)}")
        asked = [row for row in asked if row.name in wanted]
    kept = run(asked, given.games, given.out, given.workers, given.stop_after)
    games, differing = (sum(one[name] for one in kept) for name in ("games", "differing"))
    print(f"{len(kept)} rows, {games:,} games compared, {differing} differ")


if __name__ == "__main__":
    main()
