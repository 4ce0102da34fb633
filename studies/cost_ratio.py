"""What the defaults cost where nothing is to be found: their regret over H-UCB's, at the worst.

    python studies/cost_ratio.py [--cells FOLDER] [--out FOLDER]

Two truthful agents with one Bernoulli arm each, over a grid of their means and of horizons. The
default and the live default play every market beside H-UCB, with common random numbers. For every
horizon the market with the largest ratio of mean regrets is listed.

Writes ``cost_ratio.csv`` (a row for each market, horizon and policy), ``cost_ratio.md`` (a row for
each horizon) and ``cost_ratio_largest.md`` (the largest of all, and that of the longest games).
Games are cells of a study's folder: a policy whose rules have changed is played anew, the others
are not.
"""

import sys
from collections.abc import Mapping, Sequence
from itertools import product

import copyproof
from copyproof import Study
from copyproof._files import write_atomically
from copyproof.policy import ALIASES
from markets import Case, agents
from runs import Row, rows_of, study_parser, write

BEST = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05)
SHARES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9)
"""The other agent's mean, as a share of the best one's."""
HORIZONS = (
    100, 200, 300, 400, 500, 550, 600, 650, 700, 750, 800, 900, 1000, 1500, 2000, 3000, 5000,
    10_000, 30_000, 100_000,
)  # fmt: skip
RIVAL, DEFAULTS = "h-ucb", (ALIASES["default"], ALIASES["default-anytime"])
Ratio = tuple[float, Row, Row]


def cases() -> list[Case]:
    """Every pair of means at every horizon."""
    return [
        Case(
            f"{best:g}, {best * share:.3g}; T = {horizon}",
            "truthful",
            agents([([best], [1]), ([round(best * share, 3)], [1])]),
            horizon,
            100 if horizon <= 10_000 else 40,
        )
        for horizon, best, share in product(HORIZONS, BEST, SHARES)
    ]


def ratios(rows: Sequence[Row]) -> dict[tuple[str, int], list[Ratio]]:
    """The ratios of a default at a horizon, each with the default's row and H-UCB's."""
    rivals = {row["market"]: row for row in rows if row["policy"] == RIVAL}
    by_policy: dict[tuple[str, int], list[Ratio]] = {}
    for row in rows:
        rival = rivals[row["market"]]
        if row["policy"] != RIVAL:
            ratio = float(row["regret"]) / float(rival["regret"])
            key = row["variant"], int(row["horizon"])
            by_policy.setdefault(key, []).append((ratio, row, rival))
    return by_policy


def as_markdown(largest: Mapping[tuple[str, int], Ratio]) -> str:
    """A row for each horizon; the largest ratio of a policy is bold."""
    head, line = ["$T$"], ["---:"]
    for policy in DEFAULTS:
        head += [f"`{policy}`: means", "regret", f"`{RIVAL}`", "ratio"]
        line += ["---", "---:", "---:", "---:"]
    text = [head, line]
    for horizon in HORIZONS:
        cells = [f"{horizon:,}"]
        for policy in DEFAULTS:
            ratio, row, rival = largest[policy, horizon]
            of_all = max(largest[policy, other][0] for other in HORIZONS)
            bold = "**" if ratio == of_all else ""
            regrets = (f"{float(one['regret']):.1f}" for one in (row, rival))
            cells += [row["market"].partition(";")[0], *regrets, f"{bold}{ratio:.1f}{bold}"]
        text.append(cells)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in text)


def largest_as_markdown(largest: Mapping[tuple[str, int], Ratio]) -> str:
    """Two rows for each default: over all horizons, and at the longest one."""
    text = [
        f"| policy | horizons | means | $T$ | regret | `{RIVAL}` | ratio |",
        "|---|---|---|---:|---:|---:|---:|",
    ]
    for policy, horizons in product(DEFAULTS, (HORIZONS, HORIZONS[-1:])):
        ratio, row, rival = max((largest[policy, one] for one in horizons), key=lambda one: one[0])
        text.append(
            f"| `{policy}` | {'all' if horizons == HORIZONS else 'the longest'} "
            f"| {row['market'].partition(';')[0]} | {int(row['horizon']):,} "
            f"| {float(row['regret']):.1f} | {float(rival['regret']):.1f} | {ratio:.1f} |"
        )
    return "\n".join(text) + "\n"


def main() -> None:
    """Play what is missing, and write the table."""
    options = study_parser(__doc__).parse_args()
    policies, played = [*DEFAULTS, RIVAL], cases()
    of_study = [
        copyproof.Case(one.name, one.market, one.horizon, one.repetitions, one.seed)
        for one in played
    ]
    study = Study(policies, of_study, measure=["regret", "lost"])
    frame = study.run(options.cells / "cost_ratio", progress=sys.stderr.isatty()).frame()
    rows = rows_of(frame, played, policies)
    write(options.out / "cost_ratio.csv", rows)
    largest = {key: max(of_key, key=lambda one: one[0]) for key, of_key in ratios(rows).items()}
    tables = {"cost_ratio.md": as_markdown, "cost_ratio_largest.md": largest_as_markdown}
    for name, table in tables.items():
        write_atomically(options.out / name, table(largest).encode())
        print(table(largest))


if __name__ == "__main__":
    main()
