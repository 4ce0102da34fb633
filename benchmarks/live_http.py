"""Load on the live service, over loopback: ``python benchmarks/live_http.py``.

Starts ``copyproof serve`` with an SQLite store, once as it is (every answer waits for the disk) and
once with ``synchronous=off`` (none does), and sends requests to both in turns from this process, so
that what durability costs is measured in the same run. Every connection sends its next request when
the last one is answered. The load generator shares the machine with the service, and its time is in
all figures.

| case | what is sent |
|---|---|
| decision | one decision a request, 64 connections |
| reward | one reward a request, 64 connections, for decisions made before |
| retriable | one decision a request with an Idempotency-Key, 64 connections |
| batch | 100 decisions a request, 8 connections |
| N arms | one decision a request, 16 connections, a market of N arms in N/100 agents |

Figures are medians over the turns; the ratio is that of durable to not durable within a turn.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import contextmanager
from itertools import count
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import uvloop

from copyproof.client import Client
from copyproof.live import MarketConfig, Principal
from copyproof.live.stores import open_store
from copyproof.service.keys import Keyring

MARKET = "load"
STORES = {"durable": "", "not durable": "?synchronous=off"}
NUMBERS = count()  # idempotency keys, each of which is new


class Connection(asyncio.Protocol):
    """One connection that sends a request after the other until the time is over."""

    def __init__(self, make: Callable[[], bytes | None], until: float, times: list[float]) -> None:
        self._make = make
        self._until = until
        self._times = times
        self._buffer = b""
        self._sent = 0.0
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._send()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(error or ConnectionError("closed by the service"))

    def _send(self) -> None:
        request = self._make() if time.perf_counter() < self._until else None
        if request is None:
            self.done.set_result(None)
            self._transport.close()
            return
        self._sent = time.perf_counter()
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head = self._buffer.find(b"\r\n\r\n")
        if head < 0:
            return
        place = self._buffer.find(b"content-length: ")
        length = int(self._buffer[place + 16 : self._buffer.find(b"\r\n", place)])
        if len(self._buffer) < head + 4 + length:
            return
        if self._buffer[9:12] != b"200":
            raise RuntimeError(self._buffer.decode())
        self._times.append(time.perf_counter() - self._sent)
        self._buffer = b""
        self._send()


def send(
    url: str, make: Callable[[], bytes | None], connections: int, seconds: float
) -> tuple[float, list[float]]:
    """Send requests from many connections; the seconds it took, and those of each request."""
    parts = urlsplit(url)
    times: list[float] = []

    async def all_of_them() -> float:
        loop = asyncio.get_running_loop()
        began = time.perf_counter()
        made = [
            await loop.create_connection(
                lambda: Connection(make, began + seconds, times), parts.hostname, parts.port
            )
            for _ in range(connections)
        ]
        await asyncio.gather(*(connection.done for _, connection in made))
        return time.perf_counter() - began

    return uvloop.run(all_of_them()), times


def request(path: str, key: str, body: Any, retry: str | None = None) -> bytes:
    data = json.dumps(body).encode()
    head = (
        f"POST /v1/markets/{MARKET}/{path} HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {key}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(data)}\r\n"
    )
    if retry is not None:
        head += f"Idempotency-Key: {retry}\r\n"
    return f"{head}\r\n".encode() + data


@contextmanager
def service(folder: str, name: str, arms: list[tuple[str, str]]):
    """A running service with one market of these arms: its URL and key."""
    url = f"sqlite:{folder}/{name.replace(' ', '-')}.db{STORES[name]}"
    with open_store(url) as store:
        principal = Principal(store=store, market=MARKET, config=MarketConfig(seed=1))
        with principal.group():
            for start in range(0, len(arms), 10_000):
                principal.register_arms(arms[start : start + 10_000])
        principal.snapshot()
        key = Keyring(store, time.time).add("operator")[1]
    command = [
        *(sys.executable, "-m", "copyproof", "serve", "--store", url, "--port", "0", "--json"),
        *("--rate", "1000000", "--burst", "1000000"),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["url"], key
        process.terminate()


def rewards_of(url: str, key: str, total: int) -> Callable[[], bytes | None]:
    """Requests that tell the rewards of decisions made now, one each."""
    with Client(url, key) as client:
        ids = [each.id for _ in range(total // 1000) for each in client.ask(MARKET, 1000)]
    left = iter(ids)

    def make() -> bytes | None:
        decision = next(left, None)
        return decision and request("rewards", key, {"decision": decision, "reward": 1})

    return make


def cases(url: str, key: str, seconds: float) -> dict[str, tuple[Callable[..., Any], int, int]]:
    """Requests, connections, and decisions or rewards in a request."""
    one = request("decisions", key, {})
    hundred = request("decisions", key, {"count": 100})
    return {
        "decision": (lambda: one, 64, 1),
        "reward": (rewards_of(url, key, int(8000 * seconds)), 64, 1),
        "retriable": (lambda: request("decisions", key, {}, f"{next(NUMBERS)}"), 64, 1),
        "batch": (lambda: hundred, 8, 100),
    }


class Turn(NamedTuple):
    """What one turn of a case measured; times in milliseconds."""

    rate: float
    p50: float
    p99: float
    longest: float


def turn(each: int, took: float, times: list[float]) -> Turn:
    times.sort()
    p50, p99 = (1000 * times[int(len(times) * q)] for q in (0.5, 0.99))
    return Turn(each * len(times) / took, p50, p99, 1000 * times[-1])


def medians(turns: list[Turn]) -> Turn:
    return Turn(*(median(column) for column in zip(*turns, strict=True)))


def row(case: str, durable: list[Turn], other: list[Turn]) -> str:
    here = medians(durable)
    cells = [f"{here.rate:,.0f}", f"{here.p50:.1f}", f"{here.p99:.1f}", f"{here.longest:.0f}"]
    cells += ["–", "–"]
    if other:
        ratio = median(one.rate / two.rate for one, two in zip(durable, other, strict=True))
        cells[4:] = [f"{medians(other).rate:,.0f}", f"{ratio:.2f}"]
    return f"| {case} | {' | '.join(cells)} |"


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seconds", type=float, default=3.0, help="of each turn")
    arguments.add_argument("--turns", type=int, default=5)
    arguments.add_argument("--arms", type=int, default=1_000_000)
    given = arguments.parse_args()
    small = [(f"agent-{n % 5}", f"arm-{n}") for n in range(50)]
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    print("| case | durable, /s | p50, ms | p99, ms | longest, ms | not durable, /s | ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    with (
        tempfile.TemporaryDirectory(dir=".") as folder,
        service(folder, "durable", small) as one,
        service(folder, "not durable", small) as two,
    ):
        places = {"durable": one, "not durable": two}
        seen: dict[str, dict[str, list[Turn]]] = {}
        for _ in range(given.turns):
            asked = {name: cases(*at, given.seconds) for name, at in places.items()}
            for case in asked["durable"]:
                for name, (url, _) in places.items():
                    make, connections, each = asked[name][case]
                    measured = turn(each, *send(url, make, connections, given.seconds))
                    seen.setdefault(case, {}).setdefault(name, []).append(measured)
        for case, turns in seen.items():
            print(row(case, turns["durable"], turns["not durable"]), flush=True)
    if given.arms:
        agents = max(1, given.arms // 100)
        many = [(f"agent-{n % agents}", f"arm-{n}") for n in range(given.arms)]
        with tempfile.TemporaryDirectory(dir=".") as folder:
            began = time.perf_counter()
            with service(folder, "durable", many) as (url, key):
                ready = time.perf_counter() - began
                one_more = request("decisions", key, {})
                turns = [
                    turn(1, *send(url, lambda: one_more, 16, given.seconds))
                    for _ in range(given.turns)
                ]
                print(row(f"{given.arms:,} arms", turns, []))
        print(f"\n{given.arms:,} arms in {agents:,} agents: {ready:.0f} s from nothing to served")


if __name__ == "__main__":
    main()
