"""What the default promises on the markets it is known by: regret, and games lost.

    copyproof study run studies/targets.toml --out out/studies/targets
    python studies/targets.py [--cells FOLDER] [--out FOLDER]

Five truthful agents; figure 2c; the same with the 0.8-agent registering its best arm only ("2c′");
three honest arms each; and the two markets of a replicator against rational agents. ``default``
and ``default-anytime`` play 1,000 games at T = 10⁵ and 100 at 10⁶, the paper's H-UCB and RH-UCB 20
games at 10⁵. Every limit is a multiple of one of the paper's regrets
at 10⁵.

Writes ``targets.csv`` and ``targets_long.csv`` (a row for each market and policy), ``targets.json``
and ``.md``.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from copyproof import paper_market
from markets import BEST, Case, agents, three_armed
from runs import Row, rows_of, study_parser, table_of, write

T = 100_000
POLICIES = ("default", "default-anytime", "h-ucb", "rh-ucb(L=3)")
MOST_LOST = 0.01


@dataclass(frozen=True)
class Target:
    """The largest multiple of one of the paper's regrets that a policy of ours may have."""

    against: str
    default: float
    anytime: float


TARGETS = {
    "five truthful agents": Target("h-ucb", 0.46, 0.75),
    "figure 2c": Target("rh-ucb(L=3)", 1 / 30, 1 / 12),
    "figure 2c'": Target("h-ucb", 0.06, math.inf),
    "A against B": Target("h-ucb", 0.06, math.inf),
    "A against B and C": Target("h-ucb", 0.06, math.inf),
}
"""On figure 2c′ the anytime row is held against RH-UCB as on 2c; see ``_limits``."""


def cases(horizon: int = T) -> list[Case]:
    """The markets, at one horizon."""
    figure = paper_market("2c")
    name = next(agent.name for agent in figure.agents if agent.best_mean == 0.8)
    markets = {
        "five truthful agents": agents([([best], [1]) for best in BEST]),
        "three honest arms each": three_armed([1, 1, 1]),
        "figure 2c": figure,
        "figure 2c'": figure.best_arm_only(name),
        "A against B": agents([([0.9, 0.2, 0.1], [10, 100, 100]), ([0.8], [1])]),
        "A against B and C": agents([([0.7, 0.3], [10, 90]), ([0.6], [1]), ([0.5], [1])]),
    }
    games = 1000 * T // horizon
    return [Case(name, "target", market, horizon, games) for name, market in markets.items()]


def judge(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """A line for each market and horizon, with every policy's regret and lost games."""
    found: dict[tuple[str, int], dict[str, Row]] = {}
    for row in rows:
        found.setdefault((row["market"], int(row["horizon"])), {})[row["variant"]] = row
    lines = []
    for (market, horizon), by_policy in found.items():
        paper = found[market, min(t for name, t in found if name == market)]
        line: dict[str, Any] = {"market": market, "horizon": horizon}
        line |= {policy: _numbers(row) for policy, row in by_policy.items()}
        line["limits"] = _limits(market, paper)
        line["met"] = {
            policy: line[policy]["regret"] <= limit and line[policy]["lost"] <= MOST_LOST
            for policy, limit in line["limits"].items()
        }
        lines.append(line)
    return lines


def _limits(market: str, paper: Mapping[str, Row]) -> dict[str, float]:
    """The regrets that are accepted of the default and of the anytime one."""
    if market not in TARGETS:
        return {}
    target = TARGETS[market]
    limits = {"default": target.default * float(paper[target.against]["regret"])}
    if market in ("figure 2c", "figure 2c'"):
        limits["default-anytime"] = float(paper["rh-ucb(L=3)"]["regret"]) / 12
    elif math.isfinite(target.anytime):
        limits["default-anytime"] = target.anytime * float(paper[target.against]["regret"])
    return limits


def _numbers(row: Row) -> dict[str, float]:
    games = int(row["repetitions"])
    return {
        "regret": float(row["regret"]),
        "stderr": float(row["sd"]) / math.sqrt(games),
        "lost": int(row["lost"]) / games,
        "games": games,
    }


def as_markdown(lines: Sequence[Mapping[str, Any]]) -> str:
    """Regrets (mean ± standard error) and lost games."""
    text = [
        "| market | T | default (at most) | lost | default-anytime (at most) | lost | "
        "H-UCB | RH-UCB(L=3) |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for line in lines:
        cells = [line["market"], f"{line['horizon']:,}"]
        for policy in POLICIES[:2]:
            limit = line["limits"].get(policy)
            cells.append(_mean(line[policy]) + (f" ({limit:,.0f})" if limit else ""))
            cells.append(f"{100 * line[policy]['lost']:.1f} %")
        cells += [_mean(line[policy]) if policy in line else "" for policy in POLICIES[2:]]
        text.append("| " + " | ".join(cells) + " |")
    return "\n".join(text) + "\n"


def _mean(one: Mapping[str, float]) -> str:
    return f"{one['regret']:,.0f} ± {one['stderr']:,.0f}"


def main() -> None:
    options = study_parser(__doc__).parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    played = table_of(options.cells / "targets")
    is_long = played["part"].str.startswith("long")
    short = rows_of(played[~is_long], cases(), POLICIES)
    long = rows_of(played[is_long], cases(), POLICIES)
    write(options.out / "targets.csv", short)
    write(options.out / "targets_long.csv", long)
    lines = judge(short + long)
    (options.out / "targets.json").write_text(json.dumps(lines, indent=1) + "\n")
    (options.out / "targets.md").write_text(as_markdown(lines))
    print(as_markdown(lines))


if __name__ == "__main__":
    main()
