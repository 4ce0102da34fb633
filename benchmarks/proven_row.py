"""The proven row: regret of ``rh-kl-ucb`` beside its bounds, and beside the paper's policies.

Theorem B holds for any κ. Here are κ = 100 for a replicator with one good arm in 21 against a
truthful rival, and κ = 3 (all arms) and ⌈3 ln T⌉ for five agents with three honest arms each, at
T = 10⁵, 10⁶ and 10⁷. RH-UCB has L = 1/c, as its theorem asks. The bounds are those of
``copyproof bounds``; games are fewer where T is long.

    python benchmarks/proven_row.py [--longest 10000000]

Writes ``results/proven_row.json`` and ``results/proven_row.md`` beside this file.
"""

import argparse
import json
import math
from pathlib import Path
from typing import Any

from copyproof import Market, bounds, paper_market, simulate
from mixed_markets import MARKETS

RESULTS = Path(__file__).resolve().parent / "results"
SEED = 1
HORIZONS = (100_000, 1_000_000, 10_000_000)
GAMES = {100_000: 40, 1_000_000: 10, 10_000_000: 3}
THREE_ARMS = paper_market("2c").honest()


def questions(horizon: int) -> list[tuple[str, Market, int, tuple[str, ...]]]:
    """Market, κ, and the paper's policies beside it."""
    several = math.ceil(3 * math.log(horizon))
    of_paper = ("rh-ucb(L=3)", "prh-ucb")
    return [
        ("A, B", MARKETS["A, B"], 100, ("rh-ucb(L=22)", "prh-ucb")),
        ("three honest arms", THREE_ARMS, 3, of_paper),
        ("three honest arms", THREE_ARMS, several, of_paper),
    ]


def measured(market: Market, policy: str, horizon: int) -> dict[str, Any]:
    """Regret and lost games."""
    found = simulate(market, policy, horizon=horizon, repetitions=GAMES[horizon], seed=SEED)
    regret = found.regret
    lost = found.lost.count if found.lost is not None else None
    return {"regret": regret.mean, "stderr": regret.stderr, "lost": lost, "games": GAMES[horizon]}


def answer(name: str, market: Market, kappa: int, others: tuple[str, ...], horizon: int) -> Any:
    """One row: the proven policy with its bounds, and the others."""
    policy = f"rh-kl-ucb(L={kappa}, power=0)"
    proven = {
        bound.theorem: bound.value
        for bound in bounds(market, policy, horizon)
        if bound.theorem.startswith("theorem B")
    }
    return {
        "market": name,
        "kappa": kappa,
        "horizon": horizon,
        "bounds": proven,
        "rh-kl-ucb": measured(market, policy, horizon),
        **{other: measured(market, other, horizon) for other in others},
    }


def markdown(rows: list[Any]) -> str:
    """The table of the docs."""
    lines = [
        "| market, κ | T | `rh-kl-ucb` | lost | bound, gaps | bound | RH-UCB | ratio | PRH-UCB |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        ours = row["rh-kl-ucb"]
        robust = next(row[key] for key in row if key.startswith("rh-ucb"))
        small, large = sorted(row["bounds"].values())
        lines.append(
            f"| {row['market']}, {row['kappa']} | {row['horizon']:,} | {ours['regret']:,.0f} ± "
            f"{ours['stderr']:,.0f} | {ours['lost']} of {ours['games']} | {small:,.0f} | "
            f"{large:,.0f} | {robust['regret']:,.0f} | {ours['regret'] / robust['regret']:.2g} | "
            f"{row['prh-ucb']['regret']:,.0f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Play everything, and write after every horizon."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--longest", type=int, default=max(HORIZONS))
    longest = parser.parse_args().longest
    rows: list[Any] = []
    for horizon in [one for one in HORIZONS if one <= longest]:
        rows += [answer(*question, horizon) for question in questions(horizon)]
        text = markdown(rows)
        print(text, flush=True)
        (RESULTS / "proven_row.md").write_text(text, encoding="utf-8")
        (RESULTS / "proven_row.json").write_text(
            json.dumps(rows, indent=1) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
