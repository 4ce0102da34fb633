"""What a round of the default costs, against one of H-UCB, on the markets of figures 2a and 2c.

Whole games of T = 100,000 on one thread, in turn; a ratio is the median over the turns of the
ratios within one turn, so that a machine that is busy for a while slows both sides.

    python benchmarks/grace.py [--turns 9] [--games 5]

Writes ``results/grace.json`` beside this file.
"""

import argparse
import json
import statistics
from pathlib import Path

from copyproof import paper_market, simulate

RESULTS = Path(__file__).resolve().parent / "results"
HORIZON = 100_000
FIGURES = ("2c", "2a")
POLICIES = ("default", "default-anytime", "rh-ucb")
"""Each is measured against H-UCB."""


def microseconds(figure: str, policy: str, games: int) -> float:
    """Of one round, by the clock."""
    result = simulate(
        paper_market(figure), policy, horizon=HORIZON, repetitions=games, seed=1, workers=1
    )
    return result.seconds / (HORIZON * games) * 1e6


def measure(figure: str, turns: int, games: int) -> dict[str, object]:
    """Medians and ratios on one market."""
    times: dict[str, list[float]] = {policy: [] for policy in ("h-ucb", *POLICIES)}
    for _ in range(turns):
        for policy, values in times.items():
            values.append(microseconds(figure, policy, games))
    ratios = {
        policy: [a / b for a, b in zip(times[policy], times["h-ucb"], strict=True)]
        for policy in POLICIES
    }
    return {
        "figure": figure,
        "us": {policy: round(statistics.median(values), 4) for policy, values in times.items()},
        "ratio": {policy: round(statistics.median(found), 2) for policy, found in ratios.items()},
        "worst ratio": {policy: round(max(found), 2) for policy, found in ratios.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--games", type=int, default=5)
    options = parser.parse_args()
    lines = [measure(figure, options.turns, options.games) for figure in FIGURES]
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "grace.json").write_text(json.dumps(lines, indent=1) + "\n")
    for line in lines:
        print(json.dumps(line))


if __name__ == "__main__":
    main()
