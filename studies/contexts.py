"""Agents chosen blind to the visitor: what it costs, and what breaks where a condition is dropped.

    python studies/contexts.py [--out FOLDER] [--games 40] [--horizon 100000]

Every visitor has one of several contexts, drawn anew and independently. *Blind* means that the
agent is chosen by the rewards of its own plays, R + √(2 ln T/N), and that one of its arms is then
chosen for the visitor. The games (``contexts_games.py``) use nothing of the package's engine.

Writes ``contexts.json`` with all numbers, and the tables ``contexts_price.md``,
``contexts_coupling.md``, ``contexts_copies.md`` and ``contexts_bound.md``.
"""

import argparse
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from contexts_games import SEED, InnerRegret, Platform, market, most_features, paired_game, play

RESULTS = Path(__file__).resolve().parent / "results"
Summary = dict[str, float]


def summary(values: np.ndarray) -> Summary:
    """Mean and standard error."""
    return {"mean": float(values.mean()), "error": float(values.std(ddof=1) / len(values) ** 0.5)}


# --- the four parts ----------------------------------------------------------------------------

CONTEXTS = 4
EQUAL = [1 / CONTEXTS] * CONTEXTS
GENERALISTS = market(
    [
        (i, [low + 0.3 if x == good else low - 0.1 for x in range(CONTEXTS)])
        for i, low in enumerate((0.2, 0.3, 0.4, 0.5, 0.6))
        for good in range(CONTEXTS)
    ],
    EQUAL,
)
"""Five agents with an arm for each of four contexts; the best agent has the best arm for all."""
SPECIALISTS = market(
    [(i, [0.9 if x == i else 0.2 for x in range(CONTEXTS)]) for i in range(CONTEXTS)]
    + [(CONTEXTS, [0.5] * CONTEXTS)],
    EQUAL,
)
"""Four agents with an arm for one context each, and one that is the same for all."""
MARKETS = {
    "generalists": (GENERALISTS, {0: 20, 1: 20, 2: 20, 3: 20}),
    "specialists": (SPECIALISTS, {0: 20}),
}
"""Markets, and the copies that the first agent registers of its arms."""
PLATFORMS = {
    "blind to the visitor": Platform(),
    "blind, contexts by round": Platform(by_round=True),
    "blind, statistics by arm": Platform(by_feature=False),
    "blind inside, too": Platform(sees_context=False),
    "a game for each context": Platform(segments=True),
    "flat": Platform(flat=True, by_feature=False),
}


def price(horizon: int, games: int) -> list[dict[str, Any]]:
    """Regret against the best arm for each visitor, and what 20 copies of each arm earn."""
    lines = []
    for name, (arms, copies) in MARKETS.items():
        every = {arm: copies.get(arm, 1) for arm in range(len(arms.owner))}
        for label, platform in PLATFORMS.items():
            plain = [play(arms, platform, horizon, game) for game in range(games)]
            more = [play(arms.with_copies(every), platform, horizon, game) for game in range(games)]
            gains = np.array([b[0][0] - a[0][0] for a, b in zip(plain, more, strict=True)])
            lines.append(
                {
                    "market": name,
                    "platform": label,
                    "horizon": horizon,
                    "games": games,
                    "regret": summary(np.array([arms.optimum * horizon - e for _, e in plain])),
                    "regret with copies": summary(
                        np.array([arms.optimum * horizon - e for _, e in more])
                    ),
                    "revenue": summary(np.array([revenue[0] for revenue, _ in plain])),
                    "gain": summary(gains),
                    "least": (arms.optimum - arms.values.max()) * horizon,
                }
            )
    return lines


def coupling(horizons: Sequence[int], games: int) -> list[dict[str, Any]]:
    """A success with probability 0.5 a play, against one coin of 0.45 for all plays; rival 0.7."""
    lines = []
    for horizon in horizons:
        found: dict[str, list[float]] = {"every play": [], "one coin": []}
        for game in range(games):
            rng = np.random.default_rng([SEED, game])
            rival = (rng.random(horizon) < 0.7).astype(float)
            every = (rng.random(horizon) < 0.5).astype(float)
            coin = np.full(horizon, float(rng.random() < 0.45))
            found["every play"].append(paired_game(every, rival, math.log(horizon)))
            found["one coin"].append(paired_game(coin, rival, math.log(horizon)))
        lines.append(
            {"horizon": horizon, "games": games}
            | {label: summary(np.array(values)) for label, values in found.items()}
        )
    return lines


COMMON = 8
"""Contexts of ten in which arm a is the better one of the agent of ``copies``."""
PLAIN = ((1, 0), (0, 1), (1, 1))
DEVIATIONS = ((2, 1), (4, 1), (8, 1))


def copies(horizons: Sequence[int], games: int) -> list[dict[str, Any]]:
    """What copies of an agent's first arm earn where statistics inside are by arm."""
    good = [0.9 if x < COMMON else 0.1 for x in range(10)]
    arms = market([(0, good), (0, [1 - p for p in good]), (1, [0.7] * 10)], [0.1] * 10)

    def revenues(counts: tuple[int, int], *, by_feature: bool) -> np.ndarray:
        some = arms.with_copies({0: counts[0], 1: counts[1], 2: 1})
        platform = Platform(by_feature=by_feature)
        return np.array([play(some, platform, horizon, game)[0][0] for game in range(games)])

    lines = []
    for horizon in horizons:
        plain = {counts: revenues(counts, by_feature=False) for counts in PLAIN}
        best = max(plain, key=lambda counts: plain[counts].mean())
        for counts in DEVIATIONS:
            gain = revenues(counts, by_feature=False) - plain[best]
            shared = revenues(counts, by_feature=True) - revenues((1, 1), by_feature=True)
            lines.append(
                {
                    "horizon": horizon,
                    "games": games,
                    "copies": list(counts),
                    "best without copies": list(best),
                    "revenue without copies": summary(plain[best]),
                    "gain": summary(gain),
                    "gain by feature": summary(shared),
                }
            )
    return lines


def bound(horizons: Sequence[int], games: int) -> list[dict[str, Any]]:
    """Theorem C(d) on the generalists: its bound, and the regret of its index."""
    lines = []
    agents = int(GENERALISTS.owner.max()) + 1
    for horizon in horizons:
        inner = InnerRegret(most_features(GENERALISTS) * CONTEXTS, horizon)
        best = GENERALISTS.values.max() * horizon
        earned = [
            play(GENERALISTS, Platform(counted=True), horizon, game)[1] for game in range(games)
        ]
        lines.append(
            {
                "horizon": horizon,
                "games": games,
                "best agent": best,
                "bound": inner.bound(agents),
                "regret": summary(best - np.array(earned)),
            }
        )
    return lines


# --- tables ------------------------------------------------------------------------------------


def around(found: Summary, digits: int = 0) -> str:
    """A mean with its standard error."""
    return f"{found['mean']:,.{digits}f} ± {found['error']:,.{digits}f}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown whose first column is text."""
    lines = [head, [":---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def price_table(lines: list[dict[str, Any]]) -> str:
    """A line for each platform, both markets side by side."""
    rows = []
    for label in PLATFORMS:
        both = [line for line in lines if line["platform"] == label]
        cells = [
            around(line[part], int(part == "gain")) for line in both for part in ("regret", "gain")
        ]
        rows.append([label, *cells])
    head = [f"{name}: {part}" for name in MARKETS for part in ("regret", "gain of copies")]
    return table(["agents and arms", *head], rows)


def coupling_table(lines: list[dict[str, Any]]) -> str:
    """A line for each horizon."""
    rows = [
        [f"{line['horizon']:,}", around(line["every play"], 1), around(line["one coin"], 1)]
        for line in lines
    ]
    return table(["T", "0.5 at every play", "one coin of 0.45"], rows)


def copies_table(lines: list[dict[str, Any]]) -> str:
    """A line for each horizon and deviation."""
    rows = [
        [
            f"{line['horizon']:,}",
            f"{tuple(line['best without copies'])}",
            around(line["revenue without copies"], 1),
            f"{tuple(line['copies'])}",
            around(line["gain"], 1),
            around(line["gain by feature"], 1),
        ]
        for line in lines
    ]
    head = ["T", "best plain", "its revenue", "copies", "gain, by arm", "gain, by feature"]
    return table(head, rows)


def bound_table(lines: list[dict[str, Any]]) -> str:
    """A line for each horizon."""
    rows = [
        [
            f"{line['horizon']:,}",
            f"{line['best agent']:,.0f}",
            f"{line['bound']:,.0f}",
            around(line["regret"]),
        ]
        for line in lines
    ]
    return table(["T", "T·V*", "bound", "regret"], rows)


Part = tuple[Callable[[], list[dict[str, Any]]], Callable[[list[dict[str, Any]]], str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--games", type=int, default=40, help="games of a line of the price")
    parser.add_argument("--horizon", type=int, default=100_000, help="rounds of the price")
    options = parser.parse_args()
    games, horizon = options.games, options.horizon
    parts: dict[str, Part] = {
        "price": (lambda: price(horizon, games), price_table),
        "coupling": (
            lambda: coupling((horizon // 100, horizon // 10), 250 * games),
            coupling_table,
        ),
        "copies": (lambda: copies((300, 1000, 3000), 75 * games), copies_table),
        "bound": (lambda: bound((horizon, 10 * horizon), max(2, games // 5)), bound_table),
    }
    options.out.mkdir(parents=True, exist_ok=True)
    found = {}
    for name, (measure, tabulate) in parts.items():
        found[name] = measure()
        (options.out / f"contexts_{name}.md").write_text(tabulate(found[name]), encoding="utf-8")
        print(tabulate(found[name]))
    text = json.dumps(found, indent=1) + "\n"
    (options.out / "contexts.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
