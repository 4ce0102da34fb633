"""How often a variant writes the best agent off: late runs on figure 2c's market.

Means over a few games hardly see a run in a hundred that goes wrong. Here figure 2c's market is
played many times at T = 30,000, where runs go wrong more often than at T = 100,000. A *late* run is
one in which most plays of the last tenth may have gone to arms below the best mean: such a run
loses at least δ/2·T/10 in it, where δ is the smallest gap of any arm (0.1 on figure 2c), so the
runs that lose that much are counted. It is an upper bound: fewer plays of worse arms lose as much.
"""

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from copyproof import paper_market, simulate
from copyproof._files import write_atomically
from copyproof.simulation import Result, rules_digest
from variants import VARIANTS

HORIZON = 30_000
SEED = 2
_ASKED = ("variant", "policy", "games", "horizon", "rules")
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


def share_late(result: Result) -> float:
    """The share of late runs; the result has two checkpoints, at nine tenths and at the end."""
    means = {arm.mean for agent in result.market.agents for arm in agent.arms}
    gap = min(max(means) - mean for mean in means if mean < max(means))
    begin, end = result.rounds
    lost = result.regret_curves[:, 1] - result.regret_curves[:, 0]
    return float((lost >= gap / 2 * (end - begin)).mean())


def play_late(path: Path, games: int, horizon: int, workers: int | None) -> list[dict[str, Any]]:
    """A line for each variant; those that are in the file already are not played again."""
    known = {_key(one): one for one in json.loads(path.read_text())} if path.exists() else {}
    lines = []
    market = paper_market("2c")
    for variant in COMPARED:
        policy = VARIANTS[variant]
        rules = rules_digest(market, policy, horizon)
        line = dict(zip(_ASKED, (variant, str(policy), games, horizon, rules), strict=True))
        if _key(line) not in known:
            result = simulate(
                market,
                policy,
                horizon=horizon,
                repetitions=games,
                seed=SEED,
                checkpoints=[horizon - horizon // 10],
                workers=workers,
            )
            share = share_late(result)
            known[_key(line)] = line | {
                "regret": result.regret.mean,
                "stderr": result.regret.stderr,
                "late": share,
                "stderr of late": math.sqrt(share * (1 - share) / games),
            }
            write_atomically(path, _text(known.values()))
        lines.append(known[_key(line)])
    write_atomically(path, _text(lines))
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


def _key(line: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(line.get(name) for name in _ASKED)  # lines of before do not say their rules


def _text(lines: Iterable[dict[str, Any]]) -> bytes:
    return (json.dumps([*lines], indent=1) + "\n").encode()
