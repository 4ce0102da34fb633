"""What long readers cost everyone else: ``python benchmarks/live_readers.py``.

A service with one market of many arms answers single decisions over 16 connections, first alone and
then while four readers, in processes of their own, read one of these again and again as fast as
they get it:

| case | what is read |
|---|---|
| arms | the statistics of one agent with half of all arms |
| agents | the statistics of all agents |
| journal | the journal, from its beginning |

A reader of the first two follows the pages, if the answer has any. Everything shares the machine:
also the readers' own work is in the times of the others.
"""

import argparse
import http.client
import json
import multiprocessing
import os
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from copyproof.live import MarketConfig, Principal
from copyproof.live.stores import open_store
from live_http import MARKET, request, send, service, turn

PATHS = {
    "arms": f"/v1/markets/{MARKET}/agents/big/statistics",
    "agents": f"/v1/markets/{MARKET}/statistics",
    "journal": f"/v1/markets/{MARKET}/journal",
}


def read(url: str, key: str, path: str, read_bytes: Any, largest: Any) -> None:
    """Read an answer again and again; in a process of its own, until it is ended."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)
    after = ""
    while True:
        connection.request("GET", path + after, headers={"Authorization": f"Bearer {key}"})
        answer = connection.getresponse()
        size, body = 0, b""
        while part := answer.read(1 << 20):
            size += len(part)
            if len(body) < 1 << 23:
                body += part
        with read_bytes.get_lock():
            read_bytes.value += size
            largest.value = max(largest.value, size)
        if answer.status != 200:
            time.sleep(0.05)
        following = None
        if "statistics" in path and answer.status == 200:
            following = json.loads(body).get("next") if size < 1 << 23 else None
        after = f"?after={quote(following)}" if following else ""


def case(name: str, url: str, key: str, seconds: float, readers: int) -> str:
    """Ask for decisions while others read; a row of the table."""
    context = multiprocessing.get_context("spawn")
    read_bytes, largest = context.Value("q", 0), context.Value("q", 0)
    processes = [
        context.Process(target=read, args=(url, key, PATHS[name], read_bytes, largest), daemon=True)
        for _ in range(readers if name in PATHS else 0)
    ]
    for process in processes:
        process.start()
    if processes:
        until = time.monotonic() + 60
        while read_bytes.value == 0 and time.monotonic() < until:
            time.sleep(0.05)
    before = read_bytes.value
    one = request("decisions", key, {})
    found = turn(1, *send(url, lambda: one, 16, seconds))
    rate = (read_bytes.value - before) / seconds / 1e6
    for process in processes:
        process.kill()
        process.join()
    cells = (f"{found.rate:,.0f}", f"{found.p50:.1f}", f"{found.p99:.1f}", f"{found.longest:.0f}")
    return f"| {name} | {' | '.join(cells)} | {largest.value / 1e6:.1f} | {rate:.1f} |"


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seconds", type=float, default=5.0, help="of each case")
    arguments.add_argument("--arms", type=int, default=100_000)
    arguments.add_argument("--events", type=int, default=50_000, help="in the journal")
    arguments.add_argument("--readers", type=int, default=4)
    given = arguments.parse_args()
    half = given.arms // 2
    arms = [("big", f"arm-{n}") for n in range(half)]
    arms += [(f"agent-{n % 5000}", f"arm-{n}") for n in range(half)]
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    print("| readers of | decisions, /s | p50, ms | p99, ms | longest, ms | largest, MB | MB/s |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory(dir=".") as folder:
        with open_store(f"sqlite:{Path(folder)}/durable.db") as store:
            principal = Principal(store=store, market=MARKET, config=MarketConfig(seed=1))
            with principal.group():
                principal.register_arms(arms)
                for _ in range(given.events):
                    principal.ask(2)
            principal.snapshot()
        with service(folder, "durable", []) as (url, key):
            for name in ("nobody", *PATHS):
                print(case(name, url, key, given.seconds, given.readers), flush=True)


if __name__ == "__main__":
    main()
