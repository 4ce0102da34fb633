"""The speed of two checkouts, in turns: ``python benchmarks/compare.py OLD NEW``.

Each checkout has its own ``.venv``. A process of either stays alive and answers turn by turn, with
the measuring functions of its own ``run.py`` and ``live_http.py``, so that neither starting nor
compiling is measured. Within a pair of turns the two follow each other at once, and the order
alternates from pair to pair: a machine that is busy for a while slows both.

A line is one row of ``make bench`` or of ``live_http.py``:

| line | what is measured |
|---|---|
| ucb1 N | whole games of UCB1, N different arms, T = max(100,000, 4 N) |
| copies N | the same with five arms in N copies |
| POLICY 2a, 2c | whole games on the market of that figure, T = 100,000 |
| threads 2 | H-UCB on that market on two threads |
| http CASE | requests a second: decision, reward, retriable, batch; durable |
| http CASE, not durable | the same with ``synchronous=off`` |
| http N arms | decisions a second in a market of N arms |

Printed are the medians of both, the median of the paired ratios new / old (above 1 is faster), its
95 % interval (bootstrap of the pairs) and whether the interval lies above 0.95. On Linux the same
is printed of the processor's time that the service takes for a request, as old / new: on a machine
that is busy with other things it varies less than the rate. All turns are kept in
``results/compare.json``.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
ARMS = (5, 10, 100, 1_000, 10_000, 100_000, 1_000_000)
CASES = ("decision", "reward", "retriable", "batch")
LINES = (
    *(f"ucb1 {arms}" for arms in ARMS),
    *("copies 1000", "copies 1000000"),
    *("h-ucb 2c", "rh-ucb 2c", "prh-ucb 2c", "trial 2c", "threads 2"),
    *(f"{name} {figure}" for name in ("kl-ucb", "thompson") for figure in ("2a", "2c")),
    *("h-kl-ucb 2c", "h-thompson 2c"),
    *(f"http {case}{durable}" for case in CASES for durable in ("", ", not durable")),
    "http 1000000 arms",
)
ENOUGH = 0.95


# --- in the process of a checkout --------------------------------------------------------------


class Measure:
    """Measures one line after the other; markets and services are kept from turn to turn."""

    def __init__(self, folder: str, until: ExitStack) -> None:
        self._folder = folder
        self._until = until
        self._markets: dict[str, Any] = {}
        self._services: dict[str, tuple[str, str]] = {}

    def turn(self, line: str, seconds: float, repetitions: int) -> tuple[float, float | None]:
        """Rounds, decisions or rewards a second; and seconds of the service for a request."""
        if line.startswith("http "):
            return self._http(line.removeprefix("http "), seconds)
        return self._simulate(line, repetitions), None

    def _simulate(self, line: str, repetitions: int) -> float:
        import run

        kind, _, size = line.partition(" ")
        policy, horizon, workers = kind, 100_000, 1
        if kind in ("ucb1", "copies"):
            arms = int(size)
            horizon = max(horizon, 4 * arms)
            make = run.spread_market if kind == "ucb1" else run.copied_market
            policy = "ucb1"
            market = self._market(line, lambda: make(arms))
        else:
            figure = "2c" if kind == "threads" else size
            market = self._market(figure, lambda: run.paper_market(figure))
        if kind == "threads":
            policy, workers = "h-ucb", int(size)
        seconds = run.copyproof_seconds(market, policy, horizon, repetitions * workers, workers)
        return float(workers / seconds)

    def _market(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self._markets:
            self._markets[name] = make()
        return self._markets[name]

    def _http(self, case: str, seconds: float) -> tuple[float, float | None]:
        import live_http

        if case.endswith(" arms"):
            arms = int(case.split()[0])
            agents = max(1, arms // 100)
            url, key = self._service(
                case, "durable", [(f"agent-{n % agents}", f"arm-{n}") for n in range(arms)]
            )
            one = live_http.request("decisions", key, {})
            make, connections, each = (lambda: one), 16, 1
        else:
            name, _, durable = case.partition(", ")
            small = [(f"agent-{n % 5}", f"arm-{n}") for n in range(50)]
            url, key = self._service(durable, durable or "durable", small)
            # Made anew each time, as a market's rewards are for decisions made now.
            make, connections, each = live_http.cases(url, key, seconds)[name]
        before = seconds_of_children()
        took, times = live_http.send(url, make, connections, seconds)
        worked = (seconds_of_children() - before) / len(times)
        return each * len(times) / took, worked or None

    def _service(self, name: str, durable: str, arms: list[tuple[str, str]]) -> tuple[str, str]:
        import live_http

        if name not in self._services:
            folder = tempfile.mkdtemp(dir=self._folder)
            self._services[name] = self._until.enter_context(
                live_http.service(folder, durable, arms)
            )
        return self._services[name]


def seconds_of_children() -> float:
    """The processor's time that our children have taken so far, where Linux tells it; else 0."""
    found = 0
    for children in Path("/proc/self/task").glob("*/children"):
        for child in children.read_text().split():
            for thread in Path(f"/proc/{child}/task").glob("*/schedstat"):
                found += int(thread.read_text().split()[0])
    return found / 1e9


def answer_turns() -> None:
    """Answer every line of JSON on standard input with one on standard output."""
    import copyproof

    sys.path.insert(0, str(Path.cwd() / "benchmarks"))
    assert Path(copyproof.__file__).is_relative_to(Path.cwd()), copyproof.__file__
    with tempfile.TemporaryDirectory(dir=".") as folder, ExitStack() as until:
        measure = Measure(folder, until)
        for line in sys.stdin:
            print(json.dumps(measure.turn(**json.loads(line))), flush=True)


# --- in the process that compares --------------------------------------------------------------


class Checkout:
    """A checkout and its process."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        described = subprocess.run(
            ["git", "-C", str(self.path), "describe", "--always", "--dirty"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.commit = described.stdout.strip() or "unknown"
        self._process = subprocess.Popen(
            [self.path / ".venv" / "bin" / "python", HERE / "compare.py", "--answer"],
            cwd=self.path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def turn(self, line: str, seconds: float, repetitions: int) -> tuple[float, float | None]:
        """One turn, as ``Measure`` takes it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {"line": line, "seconds": seconds, "repetitions": repetitions}
        print(json.dumps(request), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.path}: the process ended while measuring {line!r}")
        rate, worked = json.loads(answer)
        return rate, worked

    def close(self) -> None:
        """End the process and its services."""
        self._process.communicate()


def interval(ratios: list[float], rounds: int = 10_000) -> tuple[float, float]:
    """95 % interval of the median ratio, by a bootstrap of the pairs."""
    drawn = np.random.default_rng(1).choice(np.log(ratios), (rounds, len(ratios)))
    low, high = np.quantile(np.median(drawn, axis=1), [0.025, 0.975])
    return math.exp(low), math.exp(high)


def compare(line: str, old: Checkout, new: Checkout, turns: int, seconds: float) -> dict[str, Any]:
    """Measure one line of both checkouts in turns."""
    for each in (old, new):  # markets are made, services started, kernels loaded
        each.turn(line, seconds, 1)
    began = time.perf_counter()
    old.turn(line, seconds, 1)
    repetitions = max(1, round(seconds / (time.perf_counter() - began)))
    rates: dict[str, list[float]] = {"old": [], "new": []}
    worked: dict[str, list[float]] = {"old": [], "new": []}
    for number in range(turns):
        order = [("old", old), ("new", new)]
        for name, each in order if number % 2 else reversed(order):
            rate, took = each.turn(line, seconds, repetitions)
            rates[name].append(rate)
            worked[name] += [] if took is None else [took]
    ratios = [new / old for old, new in zip(rates["old"], rates["new"], strict=True)]
    low, high = interval(ratios)
    row = {
        "line": line,
        "old": median(rates["old"]),
        "new": median(rates["new"]),
        "ratio": median(ratios),
        "low": low,
        "high": high,
        "holds": low > ENOUGH,
        "rates": rates,
    }
    if worked["old"]:
        saved = [old / new for old, new in zip(worked["old"], worked["new"], strict=True)]
        row |= {"worked": worked, "processor": [median(saved), *interval(saved)]}
    return row


def main() -> None:
    """Compare, print a table and keep the turns."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--turns", type=int, default=40, help="pairs of turns for each line")
    parser.add_argument("--seconds", type=float, default=0.25, help="about, of each turn")
    parser.add_argument(
        "--only", nargs="+", default=[""], help="lines that begin with one of these", metavar="LINE"
    )
    parser.add_argument("--out", type=Path, default=HERE / "results" / "compare.json")
    given = parser.parse_args()
    lines = [line for line in LINES if line.startswith(tuple(given.only))]
    old, new = Checkout(given.old), Checkout(given.new)
    print("| line | old, /s | new, /s | new / old | 95 % interval | above 0.95 | processor |")
    print("|---|---:|---:|---:|---|---|---|", flush=True)
    rows = []
    try:
        for line in lines:
            row = compare(line, old, new, given.turns, given.seconds)
            rows.append(row)
            processor = "{:.3f} ({:.3f} to {:.3f})".format(*row.get("processor", [math.nan] * 3))
            print(
                f"| {line} | {row['old']:,.0f} | {row['new']:,.0f} | {row['ratio']:.3f} "
                f"| {row['low']:.3f} to {row['high']:.3f} | {'yes' if row['holds'] else 'NO'} "
                f"| {processor} |",
                flush=True,
            )
            result = {"old": old.commit, "new": new.commit, "turns": given.turns, "lines": rows}
            given.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    finally:
        for each in (old, new):
            each.close()


if __name__ == "__main__":
    if sys.argv[1:] == ["--answer"]:
        answer_turns()
    else:
        main()
