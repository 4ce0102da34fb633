"""What it costs that each set of eligible agents learns alone.

Four agents have one arm each; every visitor may see one of some sets of them, drawn uniformly. The
market keeps one index per agent for all sets, or every set is a segment. Regret is against the
best agent of the visitor's set. Writes ``results/eligible.md``.

With ``--worthless`` it plays a market of four blocks in which worthless arms can pay, and prints
the revenue of the first agent without and with that many of them.
"""

import argparse
import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from copyproof.drills.live_game import LiveGame

MEANS = {"ann": 0.6, "bob": 0.5, "cid": 0.4, "dee": 0.3}
FAMILIES = {
    "all agents": [4],
    "every three of them": [3],
    "every two": [2],
    "every two, three or four": [2, 3, 4],
}
RESULTS = Path(__file__).parent / "results" / "eligible.md"


def sets_of(sizes: Sequence[int]) -> list[list[str]]:
    """All sets of agents of some sizes."""
    return [list(some) for size in sizes for some in itertools.combinations(MEANS, size)]


def regret(policy: str, sets: Sequence[list[str]], visitors: int, seed: int, own: bool) -> float:
    """The regret of one game."""
    config = {"most_segments": len(sets)}
    game = LiveGame(policy, seed, attacks=False, horizon=visitors, config=config)
    for agent, mean in MEANS.items():
        game.register(agent, mean)
    total = 0.0
    for number in game.visits.integers(len(sets), size=visitors):
        agents = sets[number]
        [play] = game.show(eligible=agents, segment="+".join(agents) if own else None)
        total += max(MEANS[agent] for agent in agents) - MEANS[play.agent]
    return total


# Blocks of visitors, and the rivals' arms that pay nothing beside one that always pays.
BLOCKS = [(["one", "two"], 400), (["one"], 2000), (["two", "three"], 300), (["one", "three"], 4000)]
WORTHLESS = {"two": 130, "three": 110}


def revenue(policy: str, worthless: int, seed: int) -> float:
    """What the first agent earns in the market of four blocks."""
    game = LiveGame(policy, seed, attacks=False, horizon=10_000, config={})
    game.register("one", 0.9)
    if worthless:
        game.register("one", 0.0, copies=worthless)
    for agent, count in WORTHLESS.items():
        game.register(agent, 1.0)
        game.register(agent, 0.0, copies=count)
    for agents, visitors in BLOCKS:
        for _ in range(visitors):
            game.show(eligible=agents)
    plays = zip(game.path, game.rewards, strict=True)
    return sum(reward for agent, reward in plays if agent == "one")


def main() -> None:
    """Play the games and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policy", default="default-anytime")
    parser.add_argument("--visitors", type=int, default=10_000)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--worthless", type=int, help="play the four blocks with so many arms")
    given = parser.parse_args()
    if given.worthless is not None:
        for count in (0, given.worthless):
            found = [revenue(given.policy, count, seed) for seed in range(given.games)]
            error = np.std(found, ddof=1) / len(found) ** 0.5
            print(f"{count} worthless arms: {np.mean(found):,.0f} ± {error:.0f}", flush=True)
        return
    lines = [
        f"| visitors may see | sets | one index for all: regret of {given.visitors:,} visitors "
        "| a segment for each | everyone equally often |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, sizes in FAMILIES.items():
        sets = sets_of(sizes)
        row = [f"| {name} | {len(sets)}"]
        for own in (False, True):
            games = range(given.games)
            found = [regret(given.policy, sets, given.visitors, seed, own) for seed in games]
            error = np.std(found, ddof=1) / len(found) ** 0.5
            row.append(f"{np.mean(found):,.0f} ± {error:.0f}")
        gaps = [max(means) - np.mean(means) for means in ([MEANS[a] for a in s] for s in sets)]
        row.append(f"{given.visitors * np.mean(gaps):,.0f} |")
        lines.append(" | ".join(row))
        print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
