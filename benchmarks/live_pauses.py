"""What a service costs that nobody asks, and whom a snapshot keeps waiting.

``python benchmarks/live_pauses.py [snapshot] [markets] [keys]``, all three by default.

- *snapshot*: a market of a million arms, which remembers the answers to 300,000 requests with an
  idempotency key, and a small one are each asked for one decision after another, with keys, while a
  snapshot of the large one is taken: the longest that either waited, before and meanwhile, and the
  longest step of the copy.
- *markets*: the share of a processor that 1,000 markets take which are loaded and not asked.
- *keys*: the share that 100,000 keys take, and after how long a key of another process works.

Everything runs on an SQLite file here, or with ``--store`` in the store of a URL, which is empty.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import contextmanager
from http.client import HTTPConnection
from statistics import median
from urllib.parse import urlsplit

from copyproof.live import MarketConfig, Principal
from copyproof.live.stores import Store, open_store
from copyproof.service import snapshots as snapshotting
from copyproof.service.committer import Committer
from copyproof.service.keys import Keyring
from copyproof.service.metrics import GroupMetrics
from copyproof.service.run import _SWITCH
from copyproof.service.snapshots import Snapshots
from copyproof.service.writer import Writer
from live_markets import processor_seconds

LARGE, SMALL = "large", "small"
CALLER = "0123456789ab"  # an API key's id


def fill(store: Store, market: str, arms: int, answers: int = 0) -> None:
    """Make a market with so many arms, a hundred of an agent, and answers to so many keys."""
    principal = Principal(store=store, market=market, config=MarketConfig(seed=1))
    agents = max(1, arms // 100)
    named = [(f"agent-{n % agents}", f"arm-{n}") for n in range(arms)]
    with principal.group():
        for start in range(0, arms, 10_000):
            principal.register_arms(named[start : start + 10_000])
    principal.ask()
    for start in range(0, answers, 10_000):
        with principal.group():
            for n in range(start, min(answers, start + 10_000)):
                principal.ask(key=f"{CALLER}:{uuid.UUID(int=n)}")
    principal.snapshot()


async def ask(writer: Writer, until: asyncio.Event) -> list[float]:
    """Ask for one decision after another; the seconds of each."""
    times = []
    while not until.is_set():
        began = time.perf_counter()
        key = f"{CALLER}:{uuid.uuid4()}"
        await writer.submit(lambda principal, key=key: principal.ask(key=key), brief=True)
        times.append(time.perf_counter() - began)
    return times


async def asked(writers: list[Writer], over) -> list[list[float]]:
    """Ask all writers until something is over; the seconds of all requests of each."""
    ended = asyncio.Event()
    asking = [asyncio.create_task(ask(writer, ended)) for writer in writers]
    while not over():
        await asyncio.sleep(0.005)
    ended.set()
    return [await one for one in asking]


async def snapshot(store: Store) -> None:
    """Take a snapshot of the large market while both are asked."""
    steps: list[tuple[float, float]] = []
    go_on = Snapshots.go_on

    def timed(self: Snapshots) -> None:
        is_step, began = self.can_go_on, (time.perf_counter(), time.thread_time())
        go_on(self)
        if is_step:
            steps.append((time.perf_counter() - began[0], time.thread_time() - began[1]))

    Snapshots.go_on = timed  # type: ignore[method-assign]
    committer = Committer(store, GroupMetrics())
    committer.start()
    loop = asyncio.get_running_loop()
    writers = [
        Writer(
            *(market, lambda market=market: Principal(store=store, market=market)),
            *(loop, committer),
            most=100,
            ended=lambda lost: None,
        )
        for market in (LARGE, SMALL)
    ]
    for writer in writers:
        writer.start()
        while not writer.ready.is_set():
            assert writer.failure is None, writer.failure
            await asyncio.sleep(0.05)
    end = time.monotonic() + 3.0
    before = await asked(writers, lambda: time.monotonic() > end)
    large, began = writers[0], time.perf_counter()
    saved = large.saved
    snapshotting._BUSY = large.principal.last - saved  # so that one is due with the next
    meanwhile = await asked(writers, lambda: large.saved != saved)
    took = time.perf_counter() - began
    print(f"snapshot: {took:.2f} s until it was saved; {len(steps)} steps of the copy:")
    for of, some in zip(("the clock", "the processor"), zip(*steps, strict=True), strict=True):
        print(f"by {of}, median {1e3 * median(some):.1f} ms, longest {1e3 * max(some):.1f} ms")
    print()
    print("| market | requests | median, ms | p99.9, ms | longest, ms |")
    print("|---|---:|---:|---:|---:|")
    for when, found in (("before", before), ("meanwhile", meanwhile)):
        for market, times in zip((LARGE, SMALL), found, strict=True):
            times.sort()
            high = 1e3 * times[int(0.999 * len(times))]
            row = f"{len(times):,} | {1e3 * median(times):.1f} | {high:.1f} | {1e3 * times[-1]:.1f}"
            print(f"| {market}, {when} | {row} |")
    print()
    for writer in writers:
        writer.lose()
        writer.join()
    committer.stop()
    Snapshots.go_on = go_on  # type: ignore[method-assign]


@contextmanager
def serving(url: str):
    """Serve a store in a process of its own: its URL, and the process."""
    command = [sys.executable, "-m", "copyproof", "serve", "--store", url, "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["url"], process.pid
        process.terminate()


def idle(pid: int, seconds: float) -> float:
    """Return the share of a processor that a process takes."""
    time.sleep(3.0)  # what it does at first
    before = processor_seconds(pid)
    time.sleep(seconds)
    return (processor_seconds(pid) - before) / seconds


def markets(url: str, count: int, seconds: float) -> None:
    """Measure what markets cost that nobody asks."""
    with open_store(url) as store:
        for number in range(count):
            principal = Principal(store=store, market=f"m{number}", config=MarketConfig(seed=1))
            principal.register_arms([(f"agent-{n % 5}", f"arm-{n}") for n in range(20)])
            principal.ask(5)
    with serving(url) as (_, pid):
        print(f"{count:,} markets, idle: {idle(pid, seconds):.2%} of a processor")


def keys(url: str, count: int, seconds: float) -> None:
    """Measure what keys cost, and how soon a new one works."""
    one = Keyring(open_store("memory:"), time.time).add("auditor")[0].to_dict()
    ids = (f"{n:012x}" for n in range(count))
    with open_store(url) as store:
        store.load(("keys", (name, json.dumps({**one, "id": name}))) for name in ids)
        keyring = Keyring(store, time.time)
        with serving(url) as (address, pid):
            print(f"{count:,} keys, idle: {idle(pid, seconds):.2%} of a processor")
            parts = urlsplit(address)
            waits = []
            for _ in range(5):
                text = keyring.add("operator")[1]
                began = time.perf_counter()
                while True:
                    connection = HTTPConnection(parts.hostname or "", parts.port or 0)
                    headers = {"Authorization": f"Bearer {text}"}
                    connection.request("GET", "/v1/markets", headers=headers)
                    if connection.getresponse().status == 200:
                        break
                waits.append(time.perf_counter() - began)
            print(f"a key of another process works after {max(waits):.2f} s at most")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("cases", nargs="*", choices=("snapshot", "markets", "keys", []))
    arguments.add_argument("--store", help="the URL of an empty store")
    arguments.add_argument("--keep", help="a file for the million arms, used again if it is there")
    arguments.add_argument("--arms", type=int, default=1_000_000)
    arguments.add_argument("--answers", type=int, default=300_000, help="to requests with a key")
    arguments.add_argument("--markets", type=int, default=1000)
    arguments.add_argument("--keys", type=int, default=100_000)
    arguments.add_argument("--seconds", type=float, default=20.0, help="of idleness")
    given = arguments.parse_args()
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    cases = given.cases or ["snapshot", "markets", "keys"]
    with tempfile.TemporaryDirectory(dir=".") as folder:
        if "snapshot" in cases:
            kept = given.keep or f"{folder}/arms.db"
            with open_store(given.store or f"sqlite:{kept}") as store:
                if LARGE not in store.markets():
                    fill(store, SMALL, 50)
                    fill(store, LARGE, given.arms, given.answers)
                sys.setswitchinterval(_SWITCH)  # as the service does
                asyncio.run(snapshot(store))
        if "markets" in cases:
            markets(given.store or f"sqlite:{folder}/markets.db", given.markets, given.seconds)
        if "keys" in cases:
            keys(given.store or f"sqlite:{folder}/keys.db", given.keys, given.seconds)


if __name__ == "__main__":
    main()
