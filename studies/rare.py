"""Rare losses in whole games: how often the default loses, down to a game in a million.

    python studies/rare.py [--device cuda] [--seconds 200]        whole games
    python studies/rare.py --estimate                             the agent's own process, too
    python studies/rare.py --check                                lost games again, by the engine

Agent A registers 3 arms of mean 0.9 among 53 bad ones, agent B one of mean 0.6; T = 2,000. From
market to market the bad arms are worse, 0.4 to 0.15, and easier to tell: the default loses A
(``copyproof.simulation.lost``) ever more rarely. Markets are played in turn, a portion each, until
100 games of a market are lost or time is over; what is over is the common ones' turn first, so that
the rare ones have most of the games. ``--estimate`` adds what ``copyproof.lost_probability`` says,
which follows one agent's own plays and knows nothing of the other's; ``--check`` plays lost games
that the file names with the engine, and counts which of them it loses, too.

Writes ``rare.json`` after every portion, and goes on from it, and ``rare.md``.
"""

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from copyproof import Agent, Market, lost_probability, parse_policy
from copyproof._files import write_atomically
from copyproof.engine.lower import Lowered, lower
from copyproof.simulation import LostGames, gap_to_rivals, last_tenth, lost_games
from many import Clock, compile_first, one_game_of_each, play

HORIZON = 2000
BAD = (0.4, 0.35, 0.3, 0.25, 0.2, 0.15)
RIVAL = 0.6
ENOUGH = 100
"""Games lost: then the share is known to a tenth of itself."""
PORTION = 1 << 19
NAMED = 20
"""Lost games of a market that are named, to be played again."""
SEED = 31
RESULTS = Path(__file__).resolve().parent / "results"
State = dict[str, Any]


def market(bad: float) -> Market:
    """A against B."""
    return Market([Agent("A", [0.9, bad], copies=[3, 53]), Agent("B", [RIVAL])])


def lowered() -> list[Lowered]:
    """All markets under the default."""
    policy = parse_policy("default")
    return [lower(market(bad), policy, horizon=HORIZON, seed=SEED) for bad in BAD]


def play_portion(place: int, first: int, games: int, device: str, clock: Clock) -> list[int]:
    """Which of some repetitions of a market are lost."""
    rounds = [last_tenth(HORIZON), HORIZON]
    market_of = np.full(games, place)
    found = play(lowered(), market_of, np.arange(first, first + games), rounds, device, clock)
    lost = lost_games(np.array(rounds), found["regret"], gap_to_rivals(market(BAD[place])))
    assert lost is not None
    return [first + int(one) for one in np.flatnonzero(lost)]


def play_in_turn(state: State, options: argparse.Namespace, clock: Clock) -> None:
    """Add portions until all markets have lost enough games, or time is over."""
    slowest = 0.0
    while True:
        open_ones = [one for one in state["markets"] if one["lost"] < options.enough]
        if not open_ones or clock.is_over(slowest):
            return
        one = min(open_ones, key=lambda one: one["games"])
        if one["games"] >= options.most:
            return
        before = clock.device_seconds
        place = BAD.index(one["bad"])
        lost = play_portion(place, one["games"], options.portion, options.device, clock)
        one["games"] += options.portion
        one["lost"] += len(lost)
        one["named"] = (one["named"] + lost)[:NAMED]
        slowest = max(slowest, 1.5 * (clock.device_seconds - before))
        state["rounds"] += clock.rounds
        state["seconds"] += clock.device_seconds
        clock.rounds, clock.device_seconds = 0, 0.0
        save(state, options.out)


def estimate(state: State, options: argparse.Namespace) -> None:
    """What the agent's own process says."""
    for one in state["markets"]:
        found = lost_probability(
            market(one["bad"]), "default", horizon=HORIZON, seed=1, runs=options.runs
        )
        one["estimate"] = {"probability": found.probability, "standard error": found.stderr,
            "runs": found.runs, "runs that lost": found.hits, "neglected": found.neglected,
            "own plays": found.plays, "seconds": found.seconds}  # fmt: skip
        save(state, options.out)


def check(state: State, options: argparse.Namespace) -> None:
    """Play the named games with the engine."""
    for one in state["markets"]:
        place = BAD.index(one["bad"])
        again = [
            bool(play_portion(place, game, 1, "cpu", Clock(math.inf))) for game in one["named"]
        ]
        one["lost by the engine, too"] = sum(again)
    save(state, options.out)


def as_markdown(state: State) -> str:
    """A line for each market."""
    text = [
        "| bad arms | games | lost | share of games lost | the agent's own process |",
        "|---:|---:|---:|---:|---:|",
    ]
    for one in state["markets"]:
        if not one["games"]:
            continue
        limits = LostGames(one["lost"], one["games"]).interval
        share = f"{one['lost'] / one['games']:.2g} [{limits.low:.2g}, {limits.high:.2g}]"
        own = one.get("estimate")
        said = f"{own['probability']:.2g} ± {own['standard error']:.1g}" if own else ""
        text.append(f"| {one['bad']:g} | {one['games']:,} | {one['lost']:,} | {share} | {said} |")
    return "\n".join(text) + "\n"


def save(state: State, out: Path) -> None:
    """Write what is known so far."""
    write_atomically(out / "rare.json", (json.dumps(state, indent=1) + "\n").encode())
    write_atomically(out / "rare.md", as_markdown(state).encode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after so many")
    parser.add_argument("--portion", type=int, default=PORTION, help="games of a launch")
    parser.add_argument("--enough", type=int, default=ENOUGH, help="games lost of a market")
    parser.add_argument("--most", type=int, default=10**9, help="games of a market")
    parser.add_argument("--estimate", action="store_true")
    parser.add_argument("--runs", type=int, help="of the estimate")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "rare.json"
    state: State = {"device": options.device, "horizon": HORIZON, "rounds": 0, "seconds": 0.0,
        "markets": [{"bad": bad, "games": 0, "lost": 0, "named": []} for bad in BAD]}  # fmt: skip
    if path.exists():
        state = json.loads(path.read_text())
    if options.estimate:
        estimate(state, options)
    elif options.check:
        check(state, options)
    else:
        clock = Clock(options.seconds)
        if options.device == "cuda":
            compile_first([one_game_of_each(lowered())])
        play_in_turn(state, options, clock)
    print(as_markdown(state))
    print(f"{state['rounds']:.3g} rounds in {state['seconds']:.0f} s ({state['device']})")


if __name__ == "__main__":
    main()
