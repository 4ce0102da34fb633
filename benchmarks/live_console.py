"""What the console costs a service under load: ``python benchmarks/live_console.py``.

One service with 64 markets in an SQLite file is sent single decisions at a fixed rate, 1,500 a
second over all markets; what a decision took is counted from the moment at which it was due. In
turns it is left alone, watched by 50 streams of events (each closely watches another market), and
watched by one console in a real Chromium, which is open at a market's page. Before that the streams
are opened on a service that does nothing else.

Printed are the processor that the service takes, the times of decisions, and how they compare, turn
by turn, with the service left alone; of the browser also the longest time between two updates of
its page, and what its log says. Everything shares the machine: the work
of the generator, of the readers and of the browser is in all times.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from live_markets import asking, processor_seconds, serve

ROOT = Path(__file__).parents[1]
CONNECTIONS = 32


async def _paced(url: str, key: str, markets: int, rate: float, seconds: float) -> list[float]:
    """Send decisions when they are due; how long each took since then."""
    parts, times = urlsplit(url), []
    begin = time.perf_counter() + 0.2

    async def one(number: int) -> None:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        due = begin + number / rate
        turn = number
        while due < begin + seconds:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            writer.write(asking(key, f"m{turn % markets}", 1))
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
            await reader.readexactly(length)
            times.append(time.perf_counter() - due)
            due += CONNECTIONS / rate
            turn += CONNECTIONS + 1
        writer.close()

    await asyncio.gather(*(one(number) for number in range(CONNECTIONS)))
    return times


def _send(pipe: Any, *arguments: Any) -> None:
    pipe.send(asyncio.run(_paced(*arguments)))


def paced(*arguments: Any) -> list[float]:
    """Send the load from a process of its own."""
    mine, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_send, args=(theirs, *arguments))
    process.start()
    found: list[float] = mine.recv()
    process.join()
    return found


async def _watch(url: str, key: str, streams: int, ready: Any) -> None:
    parts = urlsplit(url)

    async def one(number: int) -> None:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        writer.write(
            f"GET /v1/events?market=m{number} HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {key}\r\n\r\n".encode()
        )
        while part := await reader.read(1 << 16):
            with ready.get_lock():
                ready.value += part.count(b"event: agents")

    await asyncio.gather(*(one(number) for number in range(streams)))


def _read(*arguments: Any) -> None:
    asyncio.run(_watch(*arguments))


@contextmanager
def watched(url: str, key: str, streams: int) -> Iterator[Any]:
    """Open streams in a process of their own; counts the updates about agents."""
    told = multiprocessing.Value("q", 0)
    process = multiprocessing.Process(target=_read, args=(url, key, streams, told), daemon=True)
    process.start()
    while told.value < streams:
        time.sleep(0.05)
    try:
        yield told
    finally:
        process.terminate()
        process.join()


_OBSERVE = """() => {
  window.updates = [];
  const watched = {childList: true, characterData: true, subtree: true};
  new MutationObserver(() => window.updates.push(performance.now()))
    .observe(document.querySelector("[data-tile=round]"), watched);
}"""


@contextmanager
def browsed(url: str, key: str, found: dict[str, Any]) -> Iterator[None]:
    """A console in a real browser, at a market's page."""
    sys.path.insert(0, str(ROOT))
    from playwright.sync_api import sync_playwright

    from tests.browser import FLAGS
    from tools.browser import find

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=FLAGS)
        page = browser.new_page()
        said: list[str] = found.setdefault("said", [])
        page.on("console", lambda each: said.append(each.text))
        page.on("pageerror", lambda each: said.append(str(each)))
        page.goto(f"{url}/console")
        page.get_by_label("API key").fill(key)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_selector("nav a")
        page.evaluate("() => { location.hash = '#/market/m1'; }")
        page.wait_for_selector("[data-tile=round]")
        page.wait_for_timeout(1500)
        page.evaluate(_OBSERVE)
        yield
        updates = page.evaluate("() => window.updates")
        gaps = [after - before for before, after in pairwise(updates)]
        found.setdefault("gaps", []).extend(gap / 1000 for gap in gaps)
        browser.close()


class Turn(NamedTuple):
    """Milliseconds of decisions, and the share of a processor that the service took."""

    p50: float
    p99: float
    processor: float
    decisions: int


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rate", type=float, default=1500.0, help="decisions a second")
    arguments.add_argument("--markets", type=int, default=64)
    arguments.add_argument("--streams", type=int, default=50)
    arguments.add_argument("--seconds", type=float, default=5.0, help="of each turn")
    arguments.add_argument("--turns", type=int, default=6)
    arguments.add_argument("--no-browser", action="store_true", help="leave the browser out")
    given = arguments.parse_args()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir="."))
        url, key, pid = serve(stack, ROOT, f"sqlite:{folder}/live.db", given.markets)
        print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
        idle = [share(pid, given.seconds)]
        with watched(url, key, given.streams):
            idle.append(share(pid, given.seconds))
        print(
            f"idle: {100 * idle[0]:.1f} % of a processor; with {given.streams} consoles "
            f"{100 * idle[1]:.1f} %\n"
        )
        browser: dict[str, Any] = {}
        cases = {
            "alone": lambda: ExitStack(),
            f"{given.streams} consoles": lambda: watched(url, key, given.streams),
            "a browser": lambda: browsed(url, key, browser),
        }
        if given.no_browser:
            del cases["a browser"]
        seen: dict[str, list[Turn]] = {name: [] for name in cases}
        every: dict[str, list[float]] = {name: [] for name in cases}
        for number in range(given.turns + 1):
            for name, surroundings in cases.items():
                with surroundings():
                    spent, began = processor_seconds(pid), time.perf_counter()
                    load = (url, key, given.markets, given.rate, given.seconds)
                    times = sorted(paced(*load))
                    took = time.perf_counter() - began
                    processor = (processor_seconds(pid) - spent) / took
                p50, p99 = (1000 * times[int(q * len(times))] for q in (0.5, 0.99))
                if number:  # the first turn warms up
                    seen[name].append(Turn(p50, p99, processor, len(times)))
                    every[name] += times
    report(seen, browser, given.seconds)
    for name, times in every.items():
        p99 = 1000 * sorted(times)[int(0.99 * len(times))]
        print(f"{name}: p99 of all {len(times):,} decisions {p99:.2f} ms")


def share(pid: int, seconds: float) -> float:
    """Return the share of a processor that a process takes, over some seconds."""
    before = processor_seconds(pid)
    time.sleep(seconds)
    return (processor_seconds(pid) - before) / seconds


def report(seen: dict[str, list[Turn]], browser: dict[str, Any], seconds: float) -> None:
    """Print what was seen; ratios are taken turn by turn."""
    print("| case | decisions/s | p50, ms | p99, ms | p99 / alone (least, most) | processor |")
    print("|---|---|---|---|---|---|")
    alone = seen["alone"]
    for name, turns in seen.items():
        ratios = sorted(one.p99 / other.p99 for one, other in zip(turns, alone, strict=True))
        more = [one.processor - other.processor for one, other in zip(turns, alone, strict=True)]
        print(
            f"| {name} | {median(one.decisions for one in turns) / seconds:,.0f} "
            f"| {median(one.p50 for one in turns):.2f} | {median(one.p99 for one in turns):.2f} "
            f"| {median(ratios):.2f} ({ratios[0]:.2f}, {ratios[-1]:.2f}) "
            f"| {100 * median(one.processor for one in turns):.1f} % "
            f"({100 * median(more):+.1f}) |"
        )
    if not browser:
        return
    gaps = sorted(browser["gaps"])
    print(
        f"\nbrowser: {len(gaps)} updates, {median(gaps):.2f} s apart, at most {gaps[-1]:.2f} s; "
        f"its log: {json.dumps(browser['said'])}"
    )


if __name__ == "__main__":
    main()
