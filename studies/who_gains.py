"""A map of who gains by copying: a million random markets, a random agent of each.

    python studies/who_gains.py [--device cuda] [--markets 1000000] [--seconds 200]

A market has n = 2 to 8 agents with two Bernoulli arms each, of means drawn evenly from [0, 1], and
T = 300, 1,000 or 3,000. All agents but the first register both arms. The first one registers its
best arm only (*truthful*, what theorem 2 calls dominant), or m copies of it (*best*), or m copies
of both (*all*), m = 2, 5 or 10. Under each policy all three are played with the same luck, four
games of each market. The *gain* is what a strategy earns above the truthful one, in the same game.

Markets are gathered by n and by how far the first agent's best mean is above the best of all
others. For each cell: markets, the rewards of the truthful strategy, the gain and its standard
error, and in how many games a strategy earned more. For policies that claim that no copies pay,
the markets with the largest gains are played again, with fresh luck: 64 games of each, and
20,000 of the 64 best of them. What remains there is no selection of lucky games.

Writes ``who_gains.json`` after every portion of markets, and goes on from it. Drawn is it by
``who_gains_figure.py``.
"""

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof import Agent, Market, parse_policy
from copyproof._files import write_atomically
from copyproof.engine.lower import Lowered, lower
from copyproof.policy import with_market_defaults
from many import Clock, compile_first, one_game_of_each, play

POLICIES = ("ucb1", "h-ucb", "rh-ucb", "trial")
CHALLENGED = POLICIES[1:]
AGENTS = range(2, 9)
COPIES = (2, 5, 10)
HORIZONS = (300, 1000, 3000)
STRATEGIES = ("truthful", "best", "all")
GAMES = 4
"""Of each market and strategy."""
PORTION = 40_000
"""Markets of one launch."""
EDGES = np.linspace(-1.0, 1.0, 21)
"""Of the gap between the first agent's best mean and the best of all others."""
KEPT = 64
"""Markets with the largest gains of a portion."""
SEED = 15
RESULTS = Path(__file__).resolve().parent / "results"
Totals = dict[str, NDArray[np.float64]]


def structures(policy: str, horizon: int) -> list[Lowered]:
    """Markets by number of agents, copies and strategy; means are put in game by game."""
    found = []
    for n in AGENTS:
        for m in COPIES:
            for copies in ([1, 0], [m, 0], [m, m]):
                own = [Agent("a0", [0.5, 0.4], copies=copies)]
                others = [Agent(f"a{k}", [0.5, 0.4]) for k in range(1, n)]
                market = Market(own + others)
                plan = with_market_defaults(parse_policy(policy), market)
                found.append(lower(market, plan, horizon=horizon, seed=SEED))
    return found


def drawn(portion: int, markets: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Markets of a portion: the place of the truthful structure, and the means of all arms.

    Sorted by structure, so that neighbours do the same. Columns of agents that are not there are 0.
    """
    rng = np.random.default_rng([SEED, portion])
    structure = np.sort(rng.integers(0, len(AGENTS) * len(COPIES), markets))
    means = rng.random((markets, AGENTS[-1], 2))
    means = np.sort(means, axis=2)[:, :, ::-1]  # the best arm first
    n = agents_of(structure)
    means[np.arange(AGENTS[-1]) >= n[:, None]] = 0.0
    return structure * len(STRATEGIES), means.reshape(markets, -1)


def agents_of(structure: NDArray[np.int64]) -> NDArray[np.int64]:
    """n, by the number of a structure without its strategy."""
    return AGENTS[0] + structure // len(COPIES)


def revenues(
    policy: str,
    horizon: int,
    structure: NDArray[np.int64],
    means: NDArray[np.float64],
    first: int,
    games: int,
    options: argparse.Namespace,
    clock: Clock,
) -> NDArray[np.float64]:
    """The first agent's revenue: by market, strategy and game; game g is repetition first + g."""
    markets, strategies = len(structure), len(STRATEGIES)
    shape = (strategies, markets, games)  # neighbours do the same
    own = structure + np.arange(strategies)[:, None]
    market_of = np.broadcast_to(own[:, :, None], shape)
    repetition_of = np.broadcast_to(first + np.arange(markets * games).reshape(shape[1:]), shape)
    rows = np.broadcast_to(means[:, None, :], (*shape, means.shape[1]))
    found = play(
        structures(policy, horizon), market_of.reshape(-1), repetition_of.reshape(-1), [horizon],
        options.device, clock, means=rows.reshape(-1, means.shape[1]),
    )  # fmt: skip
    return np.asarray(found["revenue"][:, 0].reshape(shape).swapaxes(0, 1))


def gathered(
    revenue: NDArray[np.float64], structure: NDArray[np.int64], means: NDArray[np.float64]
) -> Totals:
    """Sums over the markets of each cell: (strategy, n, gap)."""
    n = agents_of(structure // len(STRATEGIES)) - AGENTS[0]
    gap = means[:, 0] - means[:, 2:].max(axis=1)
    place = n * (len(EDGES) - 1) + np.clip(np.searchsorted(EDGES, gap) - 1, 0, len(EDGES) - 2)
    cells = len(AGENTS) * (len(EDGES) - 1)
    shape = (len(STRATEGIES), len(AGENTS), len(EDGES) - 1)
    paid = revenue - revenue[:, :1]  # by market, strategy and game
    gain = paid.mean(axis=2)
    columns: dict[str, NDArray[Any]] = {
        "markets": np.ones_like(gain),
        "truthful": np.repeat(revenue[:, :1].mean(axis=2), len(STRATEGIES), axis=1),
        "gain": gain,
        "gain squared": gain**2,
        "markets with a gain": gain > 0,
        "games with a gain": (paid > 0).sum(axis=2),
        "games with a loss": (paid < 0).sum(axis=2),
    }
    return {
        name: np.array(
            [np.bincount(place, column[:, s], cells) for s in range(len(STRATEGIES))], float
        ).reshape(shape)
        for name, column in columns.items()
    }


def largest(revenue: NDArray[np.float64], horizon: int, portion: int) -> list[list[float]]:
    """The markets with the largest gains by copies of all arms: a round, portion, market."""
    gain = (revenue[:, 2] - revenue[:, 0]).mean(axis=1) / horizon
    top = np.argsort(-gain)[:KEPT]
    return [[float(gain[one]), portion, int(one)] for one in top]


def play_portions(state: dict[str, Any], options: argparse.Namespace, clock: Clock) -> None:
    """Stage one; ``state`` is added to, and written after every portion."""
    portions = -(-options.markets // PORTION)
    slowest = 0.0
    while state["portions"] < portions and not clock.is_over(slowest):
        before = clock.device_seconds
        portion = state["portions"]
        markets = min(PORTION, options.markets - portion * PORTION)
        horizon = HORIZONS[portion % len(HORIZONS)]
        structure, means = drawn(portion, markets)
        for policy in POLICIES:
            first = portion * PORTION * GAMES
            found = revenues(policy, horizon, structure, means, first, GAMES, options, clock)
            _add(state["cells"].setdefault(policy, {}), gathered(found, structure, means))
            if policy in CHALLENGED:
                best = state["largest"].setdefault(policy, [])
                best += largest(found, horizon, portion)
        state["portions"] += 1
        state["markets"] += markets
        _account(state, clock)
        slowest = max(slowest, 1.5 * (clock.device_seconds - before))
        save(state, options.out)


def challenge(state: dict[str, Any], options: argparse.Namespace, clock: Clock) -> None:
    """Stages two and three: the largest gains once more, with fresh luck."""
    fresh = 10**9  # repetitions beyond those of stage one
    for policy in CHALLENGED:
        if policy in state["challenged"] or clock.is_over():
            continue
        candidates = sorted(state["largest"][policy], reverse=True)[: options.candidates]
        for games in options.again:
            found = [
                one
                for horizon in HORIZONS
                for one in _again(policy, horizon, candidates, fresh, games, options, clock)
            ]
            fresh += 10**9
            ranked = sorted(found, key=lambda one: -one["gain"])
            candidates = [[one["gain"], *one["market"]] for one in ranked[:KEPT]]
        state["challenged"][policy] = ranked[:KEPT]
        _account(state, clock)
        save(state, options.out)


def _again(
    policy: str,
    horizon: int,
    candidates: list[list[float]],
    first: int,
    games: int,
    options: argparse.Namespace,
    clock: Clock,
) -> list[dict[str, Any]]:
    """Candidates of one horizon, with so many games each."""
    own = sorted(
        ((int(p), int(k)) for _, p, k in candidates if HORIZONS[int(p) % len(HORIZONS)] == horizon)
    )
    if not own:
        return []
    portions = {p: drawn(p, _markets_of(p, options.markets)) for p, _ in own}
    own.sort(key=lambda one: portions[one[0]][0][one[1]])
    structure = np.array([portions[p][0][k] for p, k in own])
    means = np.array([portions[p][1][k] for p, k in own])
    revenue = revenues(policy, horizon, structure, means, first, games, options, clock)
    gain = (revenue[:, 2] - revenue[:, 0]) / horizon
    error = gain.std(axis=1, ddof=1) / math.sqrt(games)
    return [
        {
            "market": list(one),
            "agents": int(agents_of(structure[k : k + 1] // len(STRATEGIES))[0]),
            "copies": COPIES[structure[k] // len(STRATEGIES) % len(COPIES)],
            "horizon": horizon,
            "means": [round(float(mean), 4) for mean in means[k] if mean > 0],
            "games": games,
            "gain": float(gain[k].mean()),
            "standard error": float(error[k]),
            "games with a gain": int((gain[k] > 0).sum()),
        }
        for k, one in enumerate(own)
    ]


def _markets_of(portion: int, markets: int) -> int:
    return min(PORTION, markets - portion * PORTION)


def _add(totals: dict[str, Any], more: Totals) -> None:
    for name, array in more.items():
        whole = np.array(totals[name]) + array if name in totals else array
        totals[name] = np.round(whole, 6).tolist()


def _account(state: dict[str, Any], clock: Clock) -> None:
    state["rounds"] += clock.rounds
    state["seconds"] += clock.device_seconds
    clock.rounds, clock.device_seconds = 0, 0.0


def save(state: dict[str, Any], out: Path) -> None:
    """Write what is known so far."""
    write_atomically(out / "who_gains.json", (json.dumps(state) + "\n").encode())


def _said(one: dict[str, Any]) -> str:
    return f"{one['gain']:.2g} ± {one['standard error']:.2g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--markets", type=int, default=1_000_000)
    parser.add_argument("--candidates", type=int, default=1_600)
    parser.add_argument("--again", type=int, nargs="+", default=[64, 20_000])
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after so many")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "who_gains.json"
    state: dict[str, Any] = {"device": options.device, "asked": options.markets, "markets": 0,
        "portions": 0, "games of a market": GAMES, "rounds": 0, "seconds": 0.0, "cells": {},
        "largest": {}, "challenged": {}}  # fmt: skip
    if path.exists():
        state = json.loads(path.read_text())
    clock = Clock(options.seconds)
    if options.device == "cuda":
        compile_first(one_game_of_each(structures(p, 300), with_means=True) for p in POLICIES)
    play_portions(state, options, clock)
    challenge(state, options, clock)
    print(f"{state['markets']:,} markets, {state['rounds']:.3g} rounds, {state['seconds']:.0f} s")
    for policy, found in state["challenged"].items():
        top = max(found, key=lambda one: one["gain"] / max(one["standard error"], 1e-12))
        print(f"{policy}: largest gain {_said(found[0])} a round; most certain {_said(top)}")


if __name__ == "__main__":
    main()
