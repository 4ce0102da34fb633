"""What shorter and longer trials trade: games lost against regret, on markets no choice has seen.

    copyproof study run studies/trade.toml --out out/studies/trade
    python studies/trade.py [--cells FOLDER] [--out FOLDER]

``trial(lost=x)`` for several x plays the judged held-out markets of ``mixed.py`` whose best agent
is a replicator, as often as ``default`` does in ``lost_games.py``; what the paper's policies cost
there is read from its ``lost_games.csv``. Of each: B, the games lost with their share, and the
geometric mean of its regret over the best of the paper's.

Writes ``trade.csv`` (a row for each market and policy) and ``trade.md``.
"""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from copyproof.policy import PAPER_POLICIES, Trial
from copyproof.theory.quantities import best_agents
from lost_games import PARTS, lost
from markets import Case
from mixed import held_out_mixed, judged
from runs import Row, geometric_mean, rows_of, study_parser, table_of, write

LOST = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002)


def cases() -> list[Case]:
    """The judged held-out markets whose best agent registers an arm more than once."""
    return [
        case
        for case in held_out_mixed()
        if judged(case) and any(max(agent.copies) > 1 for agent in best_agents(case.market))
    ]


def best_of_paper(path: Path) -> dict[str, float]:
    """The regret of the best of the paper's policies on every market."""
    found: dict[str, float] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["variant"] in PAPER_POLICIES:
                market, regret = row["market"], float(row["regret"])
                found[market] = min(regret, found.get(market, regret))
    return found


def as_markdown(rows: Sequence[Row], paper: Mapping[str, float]) -> str:
    """A line for each x."""
    text = ["| lost | B | games | lost | ratio |", "|---:|---:|---:|---:|---:|"]
    for wanted in LOST:
        mine = [row for row in rows if row["variant"] == f"trial(lost={wanted:g})"]
        both = [row for row in mine if row["market"] in paper]
        ratio = geometric_mean([float(row["regret"]) / paper[row["market"]] for row in both])
        games = lost(mine)
        text.append(
            f"| {100 * wanted:g} % | {Trial(lost=wanted).tries} | {games.games:,} "
            f"| {100 * games.share:.2f} % | {ratio:.3f} |"
        )
    return "\n".join(text) + "\n"


def main() -> None:
    options = study_parser(__doc__).parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    texts = [f"trial(lost={wanted:g})" for wanted in LOST]
    rows = rows_of(table_of(options.cells / "trade"), cases(), texts)
    write(options.out / "trade.csv", rows)
    _, study = PARTS["held-out"]
    known = Path(__file__).parent / "results" / f"{study}.csv"
    (options.out / "trade.md").write_text(as_markdown(rows, best_of_paper(known)))
    print(as_markdown(rows, best_of_paper(known)))


if __name__ == "__main__":
    main()
