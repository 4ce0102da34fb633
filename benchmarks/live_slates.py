"""Processor time of a slate, by number of agents: ``python benchmarks/live_slates.py``.

A market in memory with one arm for each agent, some of which were played. Slates of 5 and single
decisions are made without a service, so that what is measured is the principal. With ``--against
FOLDER``, the ``src`` folder of another working tree, both are measured in turns, each in a process
of its own, and the ratio is the median over the pairs.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from statistics import median
from typing import Any


def measured(policy: str, agents: int, seconds: float) -> dict[str, float]:
    """Return microseconds of processor time for a slate of 5, and for a single decision."""
    from copyproof.live import MarketConfig, Principal

    principal = Principal(config=MarketConfig(policy, seed=1))
    for first in range(0, agents, 1000):
        some = range(first, min(agents, first + 1000))
        principal.register_arms([(f"agent {n}", "arm") for n in some])
    for decision in principal.ask(1000):
        principal.tell(decision.id, 1.0 if decision.round % 3 else 0.0)
    found = {}
    for name, how in (("slate", {"count": 5, "slate": True}), ("single", {"count": 1})):
        for _ in range(20):
            principal.ask(**how)
        made, began, until = 0, time.process_time(), time.process_time() + seconds
        while time.process_time() < until:
            for _ in range(20):
                principal.ask(**how)
            made += 20
        found[name] = 1e6 * (time.process_time() - began) / made
    return found


def _in_process(folder: str, arguments: list[str]) -> Any:
    paths = os.pathsep.join([folder, os.path.join(os.path.dirname(folder), "client", "src")])
    command = [sys.executable, __file__, "--one", *arguments]
    answer = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=True
    )
    return json.loads(answer.stdout)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--policy", default="trial-anytime", help="Policy of the market.")
    parser.add_argument("--agents", type=int, nargs="+", default=[50, 500, 5000])
    parser.add_argument("--seconds", type=float, default=1.0, help="Processor time of one figure.")
    parser.add_argument("--pairs", type=int, default=10, help="Turns with --against (default 10).")
    parser.add_argument("--against", help="The src folder of another working tree.")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measured(given.policy, given.agents[0], given.seconds)))
        return
    own = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "src"))
    print("| agents | slate of 5, µs | single, µs | the other's slate, µs | ratio |")
    print("|---|---|---|---|---|")
    for agents in given.agents:
        arguments = ["--policy", given.policy, "--agents", str(agents)]
        arguments += ["--seconds", str(given.seconds)]
        pairs = []
        for _ in range(given.pairs if given.against else 1):
            other = _in_process(os.path.abspath(given.against), arguments) if given.against else {}
            pairs.append((_in_process(own, arguments), other))
        slate, single = (median(mine[name] for mine, _ in pairs) for name in ("slate", "single"))
        row = f"| {agents} | {slate:.0f} | {single:.0f} |"
        if given.against:
            ratio = median(other["slate"] / mine["slate"] for mine, other in pairs)
            row += f" {median(other['slate'] for _, other in pairs):.0f} | {ratio:.1f} |"
        else:
            row += " – | – |"
        print(row, flush=True)


if __name__ == "__main__":
    main()
