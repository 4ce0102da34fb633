"""The speed of copyproof, alone and against other libraries: ``make bench``.

Everything is measured in one run, interleaved: for every number of arms the contenders take turns,
several times over, and a ratio is the median over the turns of the ratios within one turn: a
machine that is busy for a while slows both sides. All on one thread, but for the last table.

- UCB1 against the number of arms. Others: one steady-state round (``peers.py``). copyproof: whole
  games, laying out the trees and the first play of every arm included, T = max(100,000, 4 × arms).
- H-UCB, RH-UCB and PRH-UCB on the market of figure 2c, whole games of T = 100,000, against plain
  NumPy loops of the same policies (``plain_numpy.py``).
- A round of 1,000,000 arms, T = 4·10⁶, against one of 1,000 arms, T = 10⁵: the paper's five
  single-arm agents with equally many copies each, and arms that are all different.
- One thread against two.

Writes ``results/speed.json``, ``results/speed.md`` and ``results/speed.png`` beside this file.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from rich.console import Console

from copyproof import Agent, Market, paper_market, simulate
from environments import interpreter
from peers import Worker

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
ARMS = [5, 10, 100, 1_000, 10_000, 100_000, 1_000_000]
PEERS = {
    "numpy": "NumPy loop",
    "river": "River",
    "mabwiser": "MABWiser",
    "smpybandits": "SMPyBandits",
}
COLOURS = {
    "copyproof": "#0072b2",
    "numpy": "#e69f00",
    "river": "#009e73",
    "mabwiser": "#cc79a7",
    "smpybandits": "#56b4e9",
}
FIGURE_2C = ["h-ucb", "rh-ucb", "prh-ucb"]
CONSOLE = Console(stderr=True)


def spread_market(arms: int) -> Market:
    """One agent whose arms have means spread from 0.1 to 0.9, as the peers' games have."""
    return Market([Agent("all", np.linspace(0.1, 0.9, arms).tolist())])


def copied_market(arms: int) -> Market:
    """The paper's five single-arm agents, all with the same number of copies."""
    return Market([Agent(f"{m}", [m], copies=[arms // 5]) for m in (0.5, 0.6, 0.7, 0.8, 0.9)])


def copyproof_seconds(
    market: Market, policy: str, horizon: int, repetitions: int, workers: int
) -> float:
    """Seconds of one round, by the clock."""
    result = simulate(
        market, policy, horizon=horizon, repetitions=repetitions, seed=1, workers=workers
    )
    return result.seconds / (horizon * repetitions) * workers


def ucb1_table(turns: int, seconds: float) -> list[dict[str, Any]]:
    """Microseconds per round of every contender at every number of arms."""
    rows = []
    workers = {peer: Worker(peer, interpreter(peer)) for peer in PEERS}
    try:
        for arms in ARMS:
            market = spread_market(arms)
            horizon = max(100_000, 4 * arms)
            repetitions = max(1, int(seconds / (horizon * 2e-7)))
            row: dict[str, Any] = {"arms": arms, "horizon": horizon, "us": {}, "ratio": {}}
            times: dict[str, list[float]] = {name: [] for name in ("copyproof", *PEERS)}
            for _ in range(turns):
                ours = copyproof_seconds(market, "ucb1", horizon, repetitions, 1) * 1e6
                times["copyproof"].append(ours)
                for peer, worker in workers.items():
                    answer = worker.measure(arms, seconds)
                    if answer["us_per_round"] is not None:
                        times[peer].append(answer["us_per_round"])
            for name, values in times.items():
                row["us"][name] = statistics.median(values) if values else None
                if name != "copyproof" and values:
                    pairs = zip(values, times["copyproof"], strict=True)
                    row["ratio"][name] = statistics.median(theirs / ours for theirs, ours in pairs)
            CONSOLE.print(f"{arms:>9,} arms: {row['us']}")
            rows.append(row)
    finally:
        for worker in workers.values():
            worker.close()
    return rows


def figure_2c_table(turns: int) -> list[dict[str, Any]]:
    """Microseconds per round on figure 2c's market, copyproof and plain NumPy loops in turn."""
    market = paper_market("2c")
    horizon = 100_000
    rows = []
    for policy in FIGURE_2C:
        ours, theirs = [], []
        for _ in range(turns):
            ours.append(copyproof_seconds(market, policy, horizon, 5, 1) * 1e6)
            theirs.append(plain_numpy_microseconds(policy, horizon))
        ratio = statistics.median(a / b for a, b in zip(theirs, ours, strict=True))
        row = {
            "policy": policy,
            "us": statistics.median(ours),
            "numpy_us": statistics.median(theirs),
            "ratio": ratio,
        }
        CONSOLE.print(str(row))
        rows.append(row)
    return rows


def plain_numpy_microseconds(policy: str, horizon: int) -> float:
    """Time one game of a plain NumPy loop, in the peers' environment."""
    script = (
        "import sys, time; sys.path.insert(0, sys.argv[1]); import numpy as np, plain_numpy as p\n"
        "name, horizon = sys.argv[2].replace('-', '_'), int(sys.argv[3])\n"
        "market = p.figure_2c(); rng = np.random.default_rng(1); begin = time.perf_counter()\n"
        "extra = {'samples': 3} if name == 'rh_ucb' else {}\n"
        "getattr(p, name)(market, horizon=horizon, rng=rng, **extra)\n"
        "print((time.perf_counter() - begin) / horizon * 1e6)"
    )
    command = [str(interpreter("numpy")), "-c", script, str(HERE), policy, str(horizon)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def scaling(turns: int, market_of: Callable[[int], Market]) -> dict[str, float]:
    """A round of 1,000,000 arms at T = 4·10⁶ over one of 1,000 arms at T = 10⁵."""
    few, many = market_of(1_000), market_of(1_000_000)
    ratios = []
    for _ in range(turns):
        small = copyproof_seconds(few, "ucb1", 100_000, 10, 1)
        large = copyproof_seconds(many, "ucb1", 4_000_000, 1, 1)
        ratios.append(large / small)
    return {"ratio": statistics.median(ratios), "best": min(ratios), "worst": max(ratios)}


def threads(turns: int) -> dict[str, float]:
    """How much sooner two threads are done than one."""
    market = paper_market("2c")
    ratios = []
    for _ in range(turns):
        elapsed = []
        for workers in (1, 2):
            begin = time.perf_counter()
            simulate(market, "h-ucb", horizon=100_000, repetitions=40, seed=1, workers=workers)
            elapsed.append(time.perf_counter() - begin)
        ratios.append(elapsed[0] / elapsed[1])
    return {"ratio": statistics.median(ratios), "best": max(ratios)}


def as_markdown(results: dict[str, Any]) -> str:
    """The tables that the README shows."""
    lines = [
        "| arms | copyproof | " + " | ".join(PEERS.values()) + " | × NumPy | × River |",
        "|---:|" + "---:|" * (len(PEERS) + 3),
    ]
    for row in results["ucb1"]:
        cells = [f"{row['arms']:,}", shown(row["us"]["copyproof"])]
        cells += [shown(row["us"][peer]) for peer in PEERS]
        cells += [times(row["ratio"].get(peer)) for peer in ("numpy", "river")]
        lines.append("| " + " | ".join(cells) + " |")
    lines += [
        "",
        "| policy on figure 2c's market | copyproof | NumPy loop | × NumPy |",
        "|---|---:|---:|---:|",
    ]
    for row in results["figure_2c"]:
        cells = [row["policy"], shown(row["us"]), shown(row["numpy_us"]), times(row["ratio"])]
        lines.append("| " + " | ".join(cells) + " |")
    lines += [
        "",
        f"A round of 1,000,000 arms (T = 4·10⁶) costs {results['scaling']['ratio']:.1f} times one "
        f"of 1,000 arms (T = 10⁵), {results['scaling_of_originals']['ratio']:.1f} times if no two "
        f"arms are copies; two threads are {results['threads']['ratio']:.2f} times as fast as one.",
        "",
    ]
    return "\n".join(lines)


def shown(microseconds: float | None) -> str:
    """Microseconds with two digits that count."""
    if microseconds is None:
        return "–"
    if microseconds >= 10:
        return f"{microseconds:,.0f}"
    return f"{microseconds:.1f}" if microseconds >= 1 else f"{microseconds:.3f}"


def times(ratio: float | None) -> str:
    """A ratio without false precision."""
    return "–" if ratio is None else f"{float(f'{ratio:.2g}'):,.0f}"


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Time per round against the number of arms, both logarithmic."""
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    ax = figure.add_subplot()
    for name, label in {"copyproof": "copyproof", **PEERS}.items():
        points = [(row["arms"], row["us"][name]) for row in rows if row["us"][name] is not None]
        x, y = zip(*points, strict=True)
        ax.loglog(x, y, "o-", color=COLOURS[name], label=label, linewidth=2, markersize=4)
        where = {"xytext": (-6, 4), "ha": "right"} if name == "mabwiser" else {"xytext": (7, -3)}
        end = (x[-1], y[-1])
        ax.annotate(
            label, end, textcoords="offset points", color=COLOURS[name], fontsize=9, **where
        )
    ax.set_xlabel("arms")
    ax.set_ylabel("microseconds per round of UCB1")
    ax.set_xlim(right=2e7)
    ax.grid(True, which="major", alpha=0.25)
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=160)


def main() -> None:
    """Measure everything, print the tables and keep them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=5, help="turns of every comparison")
    parser.add_argument("--seconds", type=float, default=0.5, help="seconds of a peer's turn")
    parser.add_argument("--redraw", action="store_true", help="draw the last results again")
    given = parser.parse_args()
    if given.redraw:
        draw(json.loads((RESULTS / "speed.json").read_text())["ucb1"], RESULTS / "speed.png")
        return
    results = {
        "machine": f"{platform.machine()}, {os.cpu_count()} processors",
        "versions": {name: version(name) for name in ("copyproof", "numpy", "numba")}
        | {"python": platform.python_version()},
        "ucb1": ucb1_table(given.turns, given.seconds),
        "figure_2c": figure_2c_table(given.turns),
        "scaling": scaling(given.turns, copied_market),
        "scaling_of_originals": scaling(given.turns, spread_market),
        "threads": threads(given.turns),
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "speed.json").write_text(json.dumps(results, indent=1) + "\n")
    (RESULTS / "speed.md").write_text(as_markdown(results))
    draw(results["ucb1"], RESULTS / "speed.png")
    sys.stdout.write(as_markdown(results))


if __name__ == "__main__":
    main()
