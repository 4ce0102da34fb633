"""Many markets in one service, over loopback: ``python benchmarks/live_markets.py``.

One service with 64 markets is sent single decisions from 64 connections, in turns: all for one
market, then each connection's for another market. With ``--against CHECKOUT`` a second service runs
from another checkout of the repository on a store of its own, and takes its turns in between.
``--store postgresql`` brings up a server of its own, as the tests do; ``sqlite`` is a file here.

Figures are medians over the turns; ratios are taken within a turn. The load generator shares the
machine with the service, and its time is in all figures.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import NamedTuple

from live_http import Turn, medians, send, turn

ROOT = Path(__file__).parents[1]


def fill(url: str, markets: int) -> str:
    """Make the markets with 50 arms each; an operator's key."""
    from copyproof.live import MarketConfig, Principal
    from copyproof.live.stores import open_store
    from copyproof.service.keys import Keyring

    with open_store(url) as store:
        for number in range(markets):
            principal = Principal(store=store, market=f"m{number}", config=MarketConfig(seed=1))
            principal.register_arms([(f"agent-{n % 5}", f"arm-{n}") for n in range(50)])
        return Keyring(store, time.time).add("operator")[1]


def processor_seconds(pid: int) -> float:
    """Return the seconds of processors that a process has taken; from Linux."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def serve(stack: ExitStack, checkout: Path, url: str, markets: int) -> tuple[str, str, int]:
    """Start a service of a checkout on a new store; its URL, a key, and the process."""
    path = os.pathsep.join(map(str, (checkout / "src", checkout / "client" / "src")))
    environment = {**os.environ, "PYTHONPATH": path}
    made = subprocess.run(
        [sys.executable, __file__, "--fill", url, "--markets", str(markets)],
        env={**environment, "PYTHONPATH": f"{path}{os.pathsep}{Path(__file__).parent}"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    command = [
        *(sys.executable, "-m", "copyproof", "serve", "--store", url, "--port", "0", "--json"),
        *("--rate", "1000000", "--burst", "1000000"),
    ]
    process = stack.enter_context(
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    )
    stack.callback(process.terminate)
    assert process.stdout is not None
    return json.loads(process.stdout.readline())["url"], made.stdout.strip(), process.pid


def asking(key: str, market: str, count: int) -> bytes:
    """Write a request for decisions."""
    body = json.dumps({"count": count}).encode()
    head = (
        f"POST /v1/markets/{market}/decisions HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {key}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Measured(NamedTuple):
    """A turn, and the microseconds of processors that the service took for a decision."""

    turn: Turn
    processor: float


def measure(
    places: dict[str, tuple[str, str, int]], markets: int, turns: int, seconds: float
) -> dict[str, dict[str, list[Measured]]]:
    """Take all turns; by service and case."""
    cases = {"one market": (1, 64, 1), f"{markets} markets": (markets, 64, 1), "batch": (1, 8, 100)}
    seen: dict[str, dict[str, list[Measured]]] = {name: {} for name in places}
    for number in range(turns + 1):
        for case, (many, connections, count) in cases.items():
            for name, (url, key, pid) in places.items():
                requests = cycle([asking(key, f"m{n}", count) for n in range(many)])
                before = processor_seconds(pid)
                took, times = send(url, requests.__next__, connections, seconds)
                spent = 1e6 * (processor_seconds(pid) - before) / (count * len(times))
                if number:  # the first turn warms up
                    found = Measured(turn(count, took, times), spent)
                    seen[name].setdefault(case, []).append(found)
    return seen


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    arguments.add_argument("--against", type=Path, help="another checkout of the repository")
    arguments.add_argument("--markets", type=int, default=64)
    arguments.add_argument("--seconds", type=float, default=3.0, help="of each turn")
    arguments.add_argument("--turns", type=int, default=5)
    arguments.add_argument("--fill", help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.fill:
        print(fill(given.fill, given.markets))
        return
    checkouts = {"this": ROOT, **({"that": given.against} if given.against else {})}
    with ExitStack() as stack:
        if given.store == "sqlite":
            folder = stack.enter_context(tempfile.TemporaryDirectory(dir="."))
            urls = {name: f"sqlite:{folder}/{name}.db" for name in checkouts}
        else:
            sys.path.insert(0, str(ROOT))
            from tests.postgres import Server

            server = Server()
            stack.callback(server.remove)
            urls = {name: server.new_url() for name in checkouts}
        places = {
            name: serve(stack, checkout, urls[name], given.markets)
            for name, checkout in checkouts.items()
        }
        print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
        seen = measure(places, given.markets, given.turns, given.seconds)
    print(
        "| store | checkout | case | decisions/s | p50, ms | p99, ms | processor, µs a decision "
        "| of one market | this/that |"
    )
    print("|---|---|---|---:|---:|---:|---:|---:|---:|")
    for name, cases in seen.items():
        for case, turns in cases.items():
            here = medians([one.turn for one in turns])
            spent = median(one.processor for one in turns)
            share = ratio(turns, cases["one market"])
            gain = ratio(turns, seen["that"][case]) if "that" in seen and name == "this" else "–"
            print(
                f"| {given.store} | {name} | {case} | {here.rate:,.0f} | {here.p50:.1f} "
                f"| {here.p99:.1f} | {spent:.0f} | {share} | {gain} |"
            )


def ratio(turns: list[Measured], others: list[Measured]) -> str:
    """Compare rates turn by turn."""
    both = zip(turns, others, strict=True)
    return f"{median(one.turn.rate / two.turn.rate for one, two in both):.2f}"


if __name__ == "__main__":
    main()
