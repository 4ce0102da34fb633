"""Theorem D in numbers, and what stands in its way where the best agent has bad arms, too.

    python studies/lost_bound.py [--out FOLDER]

The first table has the bound of ``copyproof.theory.theorem_d``: the best agent registers its best
arm only, the others have one arm each, of the same mean.

The second is about honest pairs: agent A has a Bernoulli arm of mean p and one that always pays s,
agent B one that always pays b = p − 0.1. In the game in which A's first arm always pays 0 nothing
is random but the order of ties and of fresh arms. Let A have at most T/20 plays there, and its
first arm k, the most in 20 games. Then the same happens on the market itself if that arm fails its
first k plays, and the game is lost: P(lost) ≥ (1 − p)^k.

Writes ``lost_bound.md`` and ``lost_floor.md``.
"""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from copyproof import Agent, Empirical, Market, simulate
from copyproof.policy.own_rules import Trial
from copyproof.theory import theorem_d

MEANS = ((0.9, 0.1), (0.9, 0.5), (0.9, 0.7), (0.9, 0.8), (0.95, 0.9), (0.5, 0.3), (0.5, 0.4))
LOW = ((0.55, 0.5), (0.2, 0.1), (0.1, 0.05))
HORIZONS = (10**4, 10**5, 10**6)
AGENTS = (2, 5)
PAIRS = ((0.5, 0.24), (0.6, 0.3), (0.75, 0.39), (0.85, 0.525), (0.9, 0.56))
"""The means p and s."""
GAP = 0.1
LEAST = 1e-12
"""No smaller number is shown."""
GAMES = 20
SEED = 1
RESULTS = Path(__file__).resolve().parent / "results"


def bound(best: float, other: float, agents: int, horizon: int) -> float:
    """P(lost) at most, of a rational best agent against others of the same mean."""
    rivals = [(other, other)] * (agents - 1)
    return theorem_d(best, best, rivals, horizon, Trial().in_turn)


def floor(p: float, s: float, horizon: int) -> float | None:
    """P(lost) at least, of an honest pair; None where the argument does not hold."""
    market = Market([Agent("A", [0.0, Empirical([s])]), Agent("B", [Empirical([p - GAP])])])
    result = simulate(market, "trial", horizon=horizon, repetitions=GAMES, seed=SEED)
    if int(result.plays[:, 0].max()) > horizon // 20:
        return None
    return float((1 - p) ** int(result.original_plays[:, 0].max()))


def bounds_as_markdown(means: Sequence[tuple[float, float]]) -> str:
    """A line for each pair of means; a column for each horizon and number of agents."""
    cells = [(agents, horizon) for agents in AGENTS for horizon in HORIZONS]
    head = ["best", "others", *(f"n = {n}, T = {_power(T)}" for n, T in cells)]
    rows = (
        [f"{best:g}", f"{other:g}", *(_share(bound(best, other, *cell)) for cell in cells)]
        for best, other in means
    )
    return _table(head, rows)


def floors_as_markdown(horizons: Sequence[int]) -> str:
    """A line for each honest pair."""
    head = ["p", "s", "b", *(f"T = {_power(T)}" for T in horizons)]
    rows = (
        [f"{p:g}", f"{s:g}", f"{p - GAP:g}", *(_share(floor(p, s, T)) for T in horizons)]
        for p, s in PAIRS
    )
    return _table(head, rows)


def _share(value: float | None) -> str:
    if value is None:
        return "–"
    if value >= 1:
        return "says nothing"
    if value < LEAST:
        return f"< {LEAST:g}"
    return f"{value:.2f}" if value >= 0.01 else f"{value:.1e}"


def _power(horizon: int) -> str:
    return f"$10^{len(str(horizon)) - 1}$"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---:"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "lost_bound.md").write_text(bounds_as_markdown([*MEANS, *LOW]))
    (folder / "lost_floor.md").write_text(floors_as_markdown(HORIZONS[1:]))


if __name__ == "__main__":
    main()
