"""What a market with many connections costs another one: ``python benchmarks/live_fairness.py``.

One service in a process of its own, an SQLite file, two markets. A few connections ask the quiet
market for decisions, each a little after its last answer; then the busy market is asked from many
connections, by a load generator in another process, each as soon as it has an answer. Connections
of the busy market wait for as long as ``Retry-After`` says when they are refused. With ``--against
FOLDER``, the ``src`` folder of another working tree, both services are measured in turns.

The load generators share the machine with the service, and their time is in all figures.
"""

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median, quantiles
from typing import Any

_QUIET, _PAUSE = 4, 0.02  # connections of the quiet market, and seconds between their requests


@contextmanager
def service(source: str, folder: str, agents: int) -> Iterator[tuple[int, str]]:
    """A running service with the markets "quiet" and "busy": its port, and a key."""
    from copyproof.live import MarketConfig, Principal
    from copyproof.live.stores import open_store
    from copyproof.service.keys import Keyring

    paths = os.pathsep.join([source, os.path.join(os.path.dirname(source), "client", "src")])
    environment = {**os.environ, "PYTHONPATH": paths}
    url = f"sqlite:{folder}/live.db"
    if "--prepare" not in sys.argv:
        command = [sys.executable, __file__, "--prepare", url, "--agents", str(agents)]
        key = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True
        ).stdout.strip()
    else:
        with open_store(sys.argv[sys.argv.index("--prepare") + 1]) as store:
            for market in ("quiet", "busy"):
                principal = Principal(store=store, market=market, config=MarketConfig(seed=1))
                principal.register_arms([(f"agent {n}", "arm") for n in range(agents)])
            print(Keyring(store, time.time).add("operator")[1])
        yield 0, ""
        return
    command = [sys.executable, "-m", "copyproof", "serve", "--store", url, "--port", "0", "--json"]
    command += ["--rate", "1000000", "--burst", "1000000"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield int(json.loads(process.stdout.readline())["url"].rpartition(":")[2]), key
        finally:
            process.send_signal(signal.SIGTERM)


async def _ask(port: int, request: bytes, until: float, pause: float, found: list[Any]) -> None:
    """Ask again and again on one connection; note status and seconds of each answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while time.perf_counter() < until:
        sent = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        await reader.readexactly(length)
        status = int(head[9:12])
        found.append((status, time.perf_counter() - sent))
        await asyncio.sleep(1.0 if status == 503 else pause)
    writer.close()


def ask(
    port: int, key: str, market: str, body: str, connections: int, seconds: float
) -> list[tuple[int, float]]:
    """Ask a market from so many connections."""
    request = (
        f"POST /v1/markets/{market}/decisions HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {key}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}"
    ).encode()
    if body.startswith("GET "):  # a page, without a key
        request = f"{body} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    found: list[tuple[int, float]] = []
    pause = _PAUSE if market == "quiet" else 0.0

    async def all_of_them() -> None:
        until = time.perf_counter() + seconds
        await asyncio.gather(
            *(_ask(port, request, until, pause, found) for _ in range(connections))
        )

    asyncio.run(all_of_them())
    return found


def _p99(found: list[tuple[int, float]]) -> float:
    times = [1e3 * seconds for status, seconds in found if status == 200]
    return quantiles(times, n=100)[98] if len(times) > 1 else float("nan")


def turn(source: str, given: argparse.Namespace) -> dict[str, float]:
    """Return the quiet market's p99 in ms alone and under load, and what the busy one was told."""
    with (
        tempfile.TemporaryDirectory() as folder,
        service(source, folder, given.agents) as (
            port,
            key,
        ),
    ):
        ask(port, key, "quiet", "{}", _QUIET, 1.0)
        alone = ask(port, key, "quiet", "{}", _QUIET, given.seconds)
        command = [sys.executable, __file__, "--load", str(port), key, given.body]
        command += [str(given.connections), str(given.seconds + 3.0)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as load:
            time.sleep(2.0)
            loaded = ask(port, key, "quiet", "{}", _QUIET, given.seconds)
            said, _ = load.communicate()
    served, refused = json.loads(said)
    return {"alone": _p99(alone), "loaded": _p99(loaded), "served": served, "refused": refused}


def main() -> None:
    """Measure, and print a table."""
    if sys.argv[1:2] == ["--load"]:
        port, key, body, connections, seconds = sys.argv[2:]
        found = ask(int(port), key, "busy", body, int(connections), float(seconds))
        served = sum(status == 200 for status, _ in found)
        print(json.dumps([served / float(seconds), (len(found) - served) / float(seconds)]))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--connections", type=int, default=2000, help="Of the busy market.")
    parser.add_argument(
        "--body", default="{}", help="What the busy market is asked for, or GET /docs."
    )
    parser.add_argument("--agents", type=int, default=50, help="Agents of both markets.")
    parser.add_argument("--seconds", type=float, default=5.0, help="Of one figure (default 5).")
    parser.add_argument("--turns", type=int, default=3, help="Turns (default 3).")
    parser.add_argument("--against", help="The src folder of another working tree.")
    parser.add_argument("--prepare", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.prepare:
        with service("", "", given.agents):
            return
    own = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "src"))
    sources = {"this": own}
    if given.against:
        sources["other"] = os.path.abspath(given.against)
    found: dict[str, list[dict[str, float]]] = {name: [] for name in sources}
    for _ in range(given.turns):
        for name, source in sources.items():
            found[name].append(turn(source, given))
    print("| service | quiet p99 alone, ms | under load, ms | busy: served/s | refused/s |")
    print("|---|---|---|---|---|")
    for name, turns in found.items():
        cells = [median(one[what] for one in turns) for what in turns[0]]
        print(f"| {name} | " + " | ".join(f"{cell:.1f}" for cell in cells) + " |")


if __name__ == "__main__":
    main()
