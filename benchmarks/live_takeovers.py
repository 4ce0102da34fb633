"""How long markets are away when processes come and go: ``python benchmarks/live_takeovers.py``.

Two services share one PostgreSQL and 64 markets. Each market has a caller that asks for one
decision after another, each with an Idempotency-Key; what one process does not answer, it asks the
other, with the same key, until it is answered. One process after the other is killed (kill -9, 50
times) and started again, and as soon as both lead some markets it is the other's turn; then one
after the other is asked to end (SIGTERM, 10 times); and in the end one after the other, having
ended, is started beside the one that leads all markets, and gets its share of them (10 times).

The *gap* of a market is the longest time between two answers around that moment. In the end every
journal must hold each acknowledged decision once, and nothing else; its chain is checked and its
decisions are made again.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from copyproof.client import ApiError, AsyncClient, Unavailable
from copyproof.live.checks import check_store
from copyproof.live.stores import open_store
from copyproof.service.neighbours import preferred
from live_markets import fill

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.postgres import Server
from tests.service.serving import Program

PAUSE = 0.05  # of a caller, between an answer and the next request


class Market:
    """A market's caller: the rounds of the answers it had, and the longest gap between two."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.rounds: list[int] = []
        self.gap = 0.0

    async def ask(self, clients: list[AsyncClient], end: asyncio.Event) -> None:
        """Go on asking until the end."""
        which, last = 0, time.monotonic()
        while not end.is_set():
            key = f"{self.name} {len(self.rounds)}"
            try:
                [decision] = await clients[which].ask(self.name, retry_key=key)
            except (ApiError, Unavailable):
                which = 1 - which
                continue
            now = time.monotonic()
            self.rounds.append(decision.round)
            self.gap = max(self.gap, now - last)
            last = now
            await asyncio.sleep(PAUSE)


async def spread(url: str, owners: int) -> None:
    """Wait until so many processes lead all markets between them, whatever each has."""
    with open_store(url) as store:
        while True:
            leaders = list(store.leaders().values())
            shares = [leaders.count(each) for each in set(leaders) - {""}]
            if len(shares) == owners and sum(shares) == len(leaders):
                return
            await asyncio.sleep(0.1)


async def gaps(
    url: str, programs: list[Program], markets: list[Market], end: Callable[[Program], object]
) -> list[float]:
    """End one process after the other, by turns; the gap of every market each time."""
    found = []
    for program in programs:
        await spread(url, 2)
        for market in markets:
            market.gap = 0.0
        await asyncio.to_thread(end, program)
        await spread(url, 1)
        await asyncio.sleep(1.0)  # until all callers have had an answer since
        found += [market.gap for market in markets]
        await asyncio.to_thread(program.start)
    return found


async def moved(url: str) -> None:
    """Wait until each market is led by the process that it goes to."""
    with open_store(url) as store:
        while True:
            leaders, there = store.leaders(), store.processes()
            if len(there) == 2 and leaders == {each: preferred(each, there) for each in leaders}:
                return
            await asyncio.sleep(0.1)


async def gaps_of_joining(url: str, programs: list[Program], markets: list[Market]) -> list[float]:
    """Start one process after the other beside the other; the gap of every market each time."""
    found = []
    for program in programs:
        await moved(url)
        await asyncio.to_thread(program.stop)
        await spread(url, 1)
        await asyncio.sleep(1.0)
        for market in markets:
            market.gap = 0.0
        await asyncio.to_thread(program.start)
        await moved(url)
        await asyncio.sleep(1.0)
        found += [market.gap for market in markets]
    return found


def shown(what: str, times: int, found: list[float]) -> str:
    """One line of the table."""
    ordered = sorted(found)
    cells = [median(ordered), ordered[int(0.99 * len(ordered))], ordered[-1]]
    return f"| {what} | {times} | {' | '.join(f'{each:.2f}' for each in cells)} |"


async def measure(
    url: str, key: str, options: argparse.Namespace, stack: ExitStack
) -> list[Market]:
    """Kill, and end, processes under load; what the callers were answered."""
    markets = [Market(f"m{number}") for number in range(options.markets)]
    programs = [Program(url) for _ in "ab"]
    for each in programs:
        each._arguments += ["--advertise", each.url]
        each.start()
        stack.callback(each.end)
    clients = [
        AsyncClient(each.url, key, patience=0.2, connections=options.markets) for each in programs
    ]
    end = asyncio.Event()
    calling = [asyncio.create_task(market.ask(clients, end)) for market in markets]
    print("| | times | gap, median, s | 99 % | longest |\n|---|---:|---:|---:|---:|")
    for what, times, how in (
        ("kill -9", options.kills, Program.kill),
        ("SIGTERM", options.stops, Program.stop),
    ):
        turns = [programs[number % 2] for number in range(times)]
        if turns:
            print(shown(what, times, await gaps(url, turns, markets, how)), flush=True)
    turns = [programs[number % 2] for number in range(options.joins)]
    if turns:
        found = await gaps_of_joining(url, turns, markets)
        print(shown("joining", options.joins, found), flush=True)
    end.set()
    await asyncio.gather(*calling)
    for client in clients:
        await client.close()
    return markets


def check(url: str, markets: list[Market]) -> None:
    """Hold the journals to what was answered."""
    lost = doubled = asked = 0
    with open_store(url) as store:
        check_store(store, replay=True)
        for market in markets:
            stored = [
                round_
                for _, event in store.events(market.name)
                if event["kind"] == "asked"
                for round_ in range(event["round"], event["round"] + len(event["arms"]))
            ]
            lost += len(set(market.rounds) - set(stored))
            doubled += len(market.rounds) - len(set(market.rounds))
            doubled += len(stored) - len(set(market.rounds))
            asked += len(market.rounds)
    print(f"\n{asked:,} decisions were answered: {lost} are lost, {doubled} doubled.")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--kills", type=int, default=50)
    arguments.add_argument("--stops", type=int, default=10)
    arguments.add_argument("--joins", type=int, default=10)
    arguments.add_argument("--markets", type=int, default=64)
    options = arguments.parse_args()
    with ExitStack() as stack:
        server = Server()
        stack.callback(server.remove)
        url = server.new_url()
        key = fill(url, options.markets)
        markets = asyncio.run(measure(url, key, options, stack))
        check(url, markets)


if __name__ == "__main__":
    main()
