"""A search among a hundred thousand variants of the default, on mixed markets.

    python studies/search_trial.py [--device cuda] [--variants 100000] [--seconds 250]

The default, ``trial``, has four numbers: q, the plays that an agent has in turn; share, of T/n, how
late its trial may end; gate, how far search may bring an agent's mean down; and B, how many of its
arms may be tried. Variants are drawn evenly on a logarithmic scale, each number on its own; the
first one is the default itself. They play the markets of ``mixed.py`` that are judged, have at most
8 agents and 200 arms, and T ≤ 10,000: all with the same luck.

The *score* of a variant is its mean regret over the default's, averaged over markets: lost games
weigh in it with all they cost. Successive halving: all variants play a game on every second
market, the best tenth 4 on each, the best hundredth 32, the best 32 of them 1,000, always fresh
games. Then, once, the best 8 of the last round and the default play the held-out markets, 2,000
games each.

Writes ``search_trial.json`` after every round, and goes on from it, and ``search_trial.md``.
"""

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof import parse_policy
from copyproof._files import write_atomically
from copyproof.engine.lower import Lowered, lower
from copyproof.simulation import gap_to_rivals, last_tenth, lost_games
from many import Clock, compile_first, one_game_of_each, play
from markets import Case
from mixed import development_mixed, held_out_mixed, judged

MOST_AGENTS, MOST_ARMS, LONGEST = 8, 200, 10_000
RANGES = {"q": (10, 1000), "share": (0.03, 1.0), "gate": (0.05, 5.0), "B": (10, 1000)}
"""Of the four numbers, in the order in which the engine has them."""
WIDEST = "trial(c=0.005)"
"""A policy that tries more arms than any market has: all of them have room."""
ROUNDS = ((1.0, 1, 2), (0.1, 4, 1), (0.01, 32, 1), (32, 1000, 1))
"""Which share of all variants, or how many; the games of a market; and every which market."""
FINALISTS, FINAL_GAMES = 8, 2000
LAUNCH = 1 << 19
"""Games."""
SEED = 42
RESULTS = Path(__file__).resolve().parent / "results"
Floats = NDArray[np.float64]


def small(cases: Sequence[Case]) -> list[Case]:
    """The markets that are searched on."""
    return [
        case
        for case in cases
        if judged(case)
        and len(case.market.agents) <= MOST_AGENTS
        and case.market.registered <= MOST_ARMS
        and case.horizon <= LONGEST
    ]


def variants(count: int) -> Floats:
    """A row for each variant: q, share, gate, B; the default first."""
    rng = np.random.default_rng(SEED)
    low, high = (np.log([ends[place] for ends in RANGES.values()]) for place in (0, 1))
    found = np.exp(rng.uniform(low, high, (count, len(RANGES))))
    found[:, [0, 3]] = np.round(found[:, [0, 3]])
    default = default_numbers()
    found[0] = default
    return found


def default_numbers() -> Floats:
    """The numbers of the default."""
    one = lower(development_mixed()[0].market, parse_policy("default"), horizon=1000, seed=1)
    return np.array([*one.plan.agent.parameters, one.plan.agent.tries])


def lowered(cases: Sequence[Case], horizon: int) -> list[Lowered]:
    """All markets, at one horizon: so that all batches have the same shape."""
    policy = parse_policy(WIDEST)
    return [lower(case.market, policy, horizon=horizon, seed=SEED) for case in cases]


def play_all(
    cases: Sequence[Case], rules: Floats, first: int, games: int, device: str, clock: Clock
) -> tuple[Floats, NDArray[np.bool_]]:
    """Regret of every game, and whether it is lost: by market, variant and game."""
    shape = (len(cases), len(rules), games)
    regret, lost = np.zeros(shape), np.zeros(shape, bool)
    order = np.lexsort((rules[:, 3], rules[:, 0]))  # neighbours do much the same
    for horizon in sorted({case.horizon for case in cases}):
        markets = lowered(cases, horizon)
        rounds = [last_tenth(horizon), horizon]
        for place, case in enumerate(cases):
            if case.horizon != horizon:
                continue
            for some in _portions(order, games):
                numbers = np.repeat(rules[some], games, axis=0)
                repetition = np.tile(np.arange(first, first + games), len(some))
                market_of = np.full(len(numbers), place)
                found = play(markets, market_of, repetition, rounds, device, clock, rules=numbers)[
                    "regret"
                ]
                wrong = lost_games(np.array(rounds), found, gap_to_rivals(case.market))
                assert wrong is not None
                regret[place, some] = found[:, 1].reshape(len(some), games)
                lost[place, some] = wrong.reshape(len(some), games)
    return regret, lost


def _portions(order: NDArray[np.int64], games: int) -> Iterator[NDArray[np.int64]]:
    step = max(1, LAUNCH // games)
    for begin in range(0, len(order), step):
        yield order[begin : begin + step]


def judge(regret: Floats, lost: NDArray[np.bool_], default: Floats) -> list[dict[str, Any]]:
    """Of each variant its score, with its standard error, and games lost.

    ``default`` has the default's regret: by market and game, of the same games.
    """
    reference = default.mean(axis=1)[:, None]
    ratio = regret / reference[:, :, None]  # by market, variant and game
    extra = ratio - (default / reference)[:, None, :]
    games = regret.shape[2]
    spread = extra.var(axis=2, ddof=1) if games > 1 else np.full(regret.shape[:2], np.nan)
    error = np.sqrt(spread.sum(axis=0) / games) / len(regret)
    means = ratio.mean(axis=2)
    logs = np.log(np.maximum(means, 1e-3)).mean(axis=0)
    return [
        {
            "score": float(means[:, k].mean()),
            "standard error of the difference": float(error[k]) if games > 1 else None,
            "geometric mean": float(np.exp(logs[k])),
            "worst market": float(means[:, k].max()),
            "lost": float(lost[:, k].mean()),
            "lost on the worst": float(lost[:, k].mean(axis=1).max()),
        }
        for k in range(regret.shape[1])
    ]


def search(state: dict[str, Any], options: argparse.Namespace, clock: Clock) -> None:
    """All rounds on development markets, then the held-out ones, once; ``state`` is added to."""
    rules = variants(options.variants)
    cases = small(development_mixed())[:: options.every]
    state["development markets"] = len(cases)
    for number, (share, asked, step) in enumerate(ROUNDS):
        games = max(1, round(asked * options.scale))
        if number < len(state["rounds"]):
            continue
        if clock.is_over():
            return
        left = len(rules) if not number else int(share * len(rules) if share < 1 else share)
        ranked = state["ranked"] or range(len(rules))
        some = sorted({0, *ranked[: max(left, 2)]})  # the default is in every round
        _play_round(state, cases[::step], rules, some, 10**6 * number, games, options, clock)
    if "held-out" not in state and not clock.is_over():
        finalists = [k for k in state["ranked"] if k][:FINALISTS]
        unseen = small(held_out_mixed())[:: options.every]
        games = max(2, round(FINAL_GAMES * options.scale))
        of = rules[[0, *finalists]]
        regret, lost = play_all(unseen, of, 10**7, games, options.device, clock)
        judged_ = judge(regret, lost, regret[:, 0])
        state["held-out markets"] = len(unseen)
        state["held-out"] = [
            {"numbers": of[k].tolist(), "games": games, **one} for k, one in enumerate(judged_)
        ]
        _account(state, clock)
        save(state, options.out)


def _play_round(
    state: dict[str, Any],
    cases: Sequence[Case],
    rules: Floats,
    some: list[int],
    first: int,
    games: int,
    options: argparse.Namespace,
    clock: Clock,
) -> None:
    regret, lost = play_all(cases, rules[some], first, games, options.device, clock)
    found = judge(regret, lost, _reference(cases, rules, first, games, options, clock))
    order = np.argsort([one["score"] for one in found])
    state["ranked"] = [some[k] for k in order[: max(len(order) // 5, 64)]]
    best = [{"numbers": rules[some[k]].tolist(), **found[k]} for k in order[:FINALISTS]]
    state["rounds"].append(
        {"variants": len(some), "games of a market": games, "default": found[0],
         "better than the default": int(sum(one["score"] < found[0]["score"] for one in found)),
         "best": best}
    )  # fmt: skip
    _account(state, clock)
    save(state, options.out)


def _reference(
    cases: Sequence[Case],
    rules: Floats,
    first: int,
    games: int,
    options: argparse.Namespace,
    clock: Clock,
) -> Floats:
    """The default's regret by market and game: with few games their mean is that of many."""
    most = max(games, round(1000 * options.scale))
    regret, _ = play_all(cases, rules[:1], first, most, options.device, clock)
    if most == games:
        return regret[:, 0]
    return np.repeat(regret[:, 0].mean(axis=1)[:, None], games, axis=1)


def _account(state: dict[str, Any], clock: Clock) -> None:
    state["rounds played"] += clock.rounds
    state["seconds"] += clock.device_seconds
    clock.rounds, clock.device_seconds = 0, 0.0


def as_markdown(state: dict[str, Any]) -> str:
    """The finalists on the held-out markets, the default first."""
    text = [
        "| q | share | gate | B | score | against the default | geometric mean | worst market | "
        "lost | on the worst |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for one in state.get("held-out", []):
        q, share, gate, tries = one["numbers"]
        error = one["standard error of the difference"]
        cells = [f"{q:.0f}", f"{share:.2f}", f"{gate:.2f}", f"{tries:.0f}", f"{one['score']:.3f}"]
        cells.append(f"{one['score'] - 1:+.3f} ± {error:.3f}" if error > 0 else "")
        cells += [f"{one['geometric mean']:.3f}", f"{one['worst market']:.2f}"]
        cells += [f"{100 * one['lost']:.2f} %", f"{100 * one['lost on the worst']:.1f} %"]
        text.append("| " + " | ".join(cells) + " |")
    return "\n".join(text) + "\n"


def save(state: dict[str, Any], out: Path) -> None:
    """Write what is known so far."""
    write_atomically(out / "search_trial.json", (json.dumps(state, indent=1) + "\n").encode())
    write_atomically(out / "search_trial.md", as_markdown(state).encode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--variants", type=int, default=100_000)
    parser.add_argument("--scale", type=float, default=1.0, help="of the numbers of games")
    parser.add_argument("--every", type=int, default=1, help="only every so many markets")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no round after")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "search_trial.json"
    state: dict[str, Any] = {"device": options.device, "variants": options.variants,
        "rounds played": 0, "seconds": 0.0, "rounds": [], "ranked": []}  # fmt: skip
    if path.exists():
        state = json.loads(path.read_text())
    clock = Clock(options.seconds)
    if options.device == "cuda":
        compile_first(
            one_game_of_each(lowered(small(cases), 1000), with_rules=True)
            for cases in (development_mixed(), held_out_mixed())
        )
    search(state, options, clock)
    for one in state["rounds"]:
        print(f"{one['variants']:,} variants, {one['games of a market']} games of a market: "
              f"default {one['default']['score']:.3f}, {one['better than the default']:,} below, "
              f"best {one['best'][0]['score']:.3f}")  # fmt: skip
    print(as_markdown(state))


if __name__ == "__main__":
    main()
