"""How often a variant writes the best agent off: late runs on figure 2c's market.

Means over a few games hardly see a run in a hundred that goes wrong. Here figure 2c's market is
played many times at T = 30,000, where runs go wrong more often than at T = 100,000. A *late* run is
one in which most plays of the last tenth may have gone to arms below the best mean: such a run
loses at least δ/2·T/10 in it, where δ is the smallest gap of any arm. On figure 2c that is the gap
to the best rival, 0.1, so that late runs are what ``copyproof.simulation.lost`` calls lost games.
It is an upper bound: fewer plays of worse arms lose as much.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from copyproof import paper_market
from copyproof.simulation import rules_digest
from runs import records
from variants import VARIANTS

if TYPE_CHECKING:
    import pandas as pd

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


def lates_of(frame: "pd.DataFrame") -> list[dict[str, Any]]:
    """A line for each variant, from the part ``late`` of the study ``search.toml``."""
    played = {one["policy"]: one for one in records(frame[frame["part"] == "late"])}
    lines = []
    for variant in COMPARED:
        row = played[str(VARIANTS[variant])]
        games, horizon, share = row["repetitions"], row["horizon"], row["lost_share"]
        lines.append(
            {
                "variant": variant,
                "policy": str(VARIANTS[variant]),
                "games": games,
                "horizon": horizon,
                "rules": rules_digest(paper_market("2c"), VARIANTS[variant], horizon),
                "regret": row["regret_mean"],
                "stderr": row["regret_stderr"],
                "late": share,
                "stderr of late": math.sqrt(share * (1 - share) / games),
            }
        )
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
