"""How often a variant writes the best agent off: late runs on figure 2c's market.

Means over a few games hardly see a run in a hundred that goes wrong. Here figure 2c's market is
played many times at T = 30,000, where runs go wrong more often than at T = 100,000. A *late* run is
one in which most plays of the last tenth may have gone to arms below the best mean: such a run
loses at least δ/2·T/10 in it, where δ is the smallest gap of any arm. On figure 2c that is the gap
to the best rival, 0.1, so that late runs are what ``copyproof.simulation.lost`` calls lost games.
It is an upper bound: fewer plays of worse arms lose as much.
"""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from copyproof import paper_market
from copyproof._files import write_atomically
from copyproof.simulation import rules_digest
from copyproof.studies.cells import point_of
from runs import TERMS, kept
from variants import VARIANTS

HORIZON = 30_000
SEED = 2
COMPARED = (
    "grace",
    "mean of all plays",
    "scale 0.7",
    "scale 1.5",
    "doubt 1",
    "doubt 1.5",
    "doubt 3",
    "turns 1",
    "fresh 2",
    "fresh 8",
    "threshold 0.4",
    "threshold 0.6",
    "Hoeffding",
)


def play_late(path: Path, games: int, horizon: int, workers: int | None) -> list[dict[str, Any]]:
    """A line for each variant, also in the file; the games are cells of a study."""
    market = paper_market("2c")
    how: dict[str, Any] = {"horizon": horizon, "repetitions": games, "seed": SEED, "terms": TERMS}
    points = [point_of(market, VARIANTS[name], **how, part=name) for name in COMPARED]
    lines = [
        {
            "variant": variant,
            "policy": str(VARIANTS[variant]),
            "games": games,
            "horizon": horizon,
            "rules": rules_digest(market, VARIANTS[variant], horizon),
            "regret": row["regret_mean"],
            "stderr": row["regret_stderr"],
            "late": row["lost_share"],
            "stderr of late": math.sqrt(row["lost_share"] * (1 - row["lost_share"]) / games),
        }
        for variant, row in zip(COMPARED, kept(points, path, workers), strict=True)
    ]
    write_atomically(path, (json.dumps(lines, indent=1) + "\n").encode())
    return lines


def late_markdown(lines: Sequence[dict[str, Any]]) -> str:
    """The table of the documentation, the most reliable first."""
    text = ["| variant | regret | late runs |", "|---|---:|---:|"]
    text += [
        f"| {one['variant']} | {one['regret']:,.0f} ± {one['stderr']:,.0f} | "
        f"{100 * one['late']:.1f} ± {100 * one['stderr of late']:.1f} % |"
        for one in sorted(lines, key=lambda one: one["late"])
    ]
    return "\n".join(text) + "\n"
