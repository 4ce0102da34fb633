"""Would several processes help? ``python benchmarks/live_workers.py``.

Markets are served by one process, and in turns by N processes that have an equal share of them
each, on the same database server. Nothing is forwarded: every connection goes to the process that
serves its market, which is the best that N processes on one machine can do. Decisions, one a
request, 64 connections, on PostgreSQL and on SQLite files.

What counts on a machine of few processors is how much of them a decision takes: of the services, of
PostgreSQL, and of the load generator, which shares the machine. One process has one processor at a
time for its Python, so it makes at most 1 / (its seconds a decision); all together, on C
processors, make at most C / (the sum of their seconds a decision). Both limits are printed, as they
suffer less than rates where the machine is busy with other things. With ``--markets 1 --workers 1``
one process is held against another like it: that is how far a ratio can be off.
"""

import argparse
import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple
from urllib.parse import urlsplit

import uvloop

from copyproof.live import MarketConfig, Principal
from copyproof.live.stores import open_store
from copyproof.service.keys import Keyring
from live_http import Connection

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.postgres import Server, running

CONNECTIONS = 64
_ARMS = [(f"agent-{n % 5}", f"arm-{n}") for n in range(50)]
_TICKS = os.sysconf("SC_CLK_TCK")


class Process(NamedTuple):
    """A service: its address, its key, its markets and its id."""

    url: str
    key: str
    markets: list[str]
    pid: int


@contextlib.contextmanager
def serving(url: str, markets: list[str]) -> Iterator[Process]:
    """A service with markets of its own."""
    with open_store(url) as store:
        for market in markets:
            principal = Principal(store=store, market=market, config=MarketConfig(seed=1))
            principal.register_arms(_ARMS)
        key = Keyring(store, time.time).add("operator")[1]
    command = [
        *(sys.executable, "-m", "copyproof", "serve", "--store", url, "--port", "0", "--json"),
        *("--rate", "1000000", "--burst", "1000000"),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        up = json.loads(process.stdout.readline())
        yield Process(up["url"], key, markets, process.pid)
        process.terminate()


def used(pids: list[int]) -> float:
    """Seconds of processors that processes have taken."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat") as file:
            words = file.read().rpartition(")")[2].split()
            total += int(words[11]) + int(words[12])
    return total / _TICKS


class Turn(NamedTuple):
    """Decisions a second, the 99th percentile in ms, and microseconds of processors a decision."""

    rate: float
    p99: float
    services: float
    database: float
    load: float


def turn(processes: list[Process], server: Server | None, seconds: float) -> Turn:
    """Send decisions to all markets at once."""
    targets = [
        (urlsplit(each.url), _request(market, each.key))
        for each in processes
        for market in each.markets
    ]
    times: list[float] = []

    async def all_of_them() -> float:
        loop = asyncio.get_running_loop()
        began = time.perf_counter()
        made = []
        for number in range(CONNECTIONS):
            parts, request = targets[number % len(targets)]
            made.append(
                await loop.create_connection(
                    lambda request=request: Connection(lambda: request, began + seconds, times),
                    parts.hostname,
                    parts.port,
                )
            )
        await asyncio.gather(*(connection.done for _, connection in made))
        return time.perf_counter() - began

    services = [each.pid for each in processes]
    database = [] if server is None else server.pids()
    before = used(services), used(database), time.process_time()
    took = uvloop.run(all_of_them())
    after = used(services), used(database), time.process_time()
    each = [1e6 * (two - one) / len(times) for one, two in zip(before, after, strict=True)]
    times.sort()
    return Turn(len(times) / took, 1000 * times[int(len(times) * 0.99)], *each)


def _request(market: str, key: str) -> bytes:
    return (
        f"POST /v1/markets/{market}/decisions HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {key}\r\nContent-Length: 0\r\n\r\n"
    ).encode()


def compare(
    urls: list[str], server: Server | None, markets: int, turns: int, seconds: float
) -> dict[str, list[Turn]]:
    """Measure one process and several in turns; the first store is that of the one."""
    names = [f"m{n}" for n in range(markets)]
    several = len(urls) - 1
    seen: dict[str, list[Turn]] = {}
    with contextlib.ExitStack() as until:
        one = [until.enter_context(serving(urls[0], names))]
        shares = [names[n::several] for n in range(several)]
        many = [
            until.enter_context(serving(url, share))
            for url, share in zip(urls[1:], shares, strict=True)
        ]
        settings = {"1 process": one, f"{several} processes": many}
        for processes in settings.values():
            turn(processes, server, 1.0)
        for number in range(turns):
            order = list(settings.items())
            for name, processes in order if number % 2 else reversed(order):
                seen.setdefault(name, []).append(turn(processes, server, seconds))
    return {name: seen[name] for name in settings}


def report(store: str, seen: dict[str, list[Turn]]) -> None:
    """Print a line for each setting, and the ratio of their rates."""
    cores = os.cpu_count() or 1
    for name, turns in seen.items():
        found = Turn(*(median(column) for column in zip(*turns, strict=True)))
        alone = 1e6 / found.services * int(name.partition(" ")[0])
        together = cores * 1e6 / (found.services + found.database + found.load)
        print(
            f"| {store}, {name} | {found.rate:,.0f} | {found.p99:.0f} | {found.services:.0f} "
            f"| {found.database:.0f} | {found.load:.0f} | {alone:,.0f} | {together:,.0f} |",
            flush=True,
        )
    one, many = seen.values()
    ratio = median(b.rate / a.rate for a, b in zip(one, many, strict=True))
    print(f"\nratio of the rates on {store}: {ratio:.2f}\n", flush=True)


def main() -> None:
    """Measure on both stores."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seconds", type=float, default=3.0, help="of each turn")
    arguments.add_argument("--turns", type=int, default=9)
    arguments.add_argument("--markets", type=int, default=16)
    arguments.add_argument("--workers", type=int, default=2)
    given = arguments.parse_args()
    shape = (given.markets, given.turns, given.seconds)
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    print("| store | decisions/s | p99, ms | µs service | µs database | µs load | limits, /s | |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    with contextlib.contextmanager(running)() as server:
        urls = [server.new_url() for _ in range(given.workers + 1)]
        report("PostgreSQL", compare(urls, server, *shape))
    with tempfile.TemporaryDirectory(dir=".") as folder:
        urls = [f"sqlite:{folder}/{n}.db" for n in range(given.workers + 1)]
        report("SQLite", compare(urls, None, *shape))


if __name__ == "__main__":
    main()
