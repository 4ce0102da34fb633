"""What an agent gains by names that own one worthless arm each, and so count in n.

    python studies/worthless_names.py [--policy TEXT ...] [--horizon T] [--games N] [--names K ...]

The agent B owns an arm of mean 0.8. In the market *copies* its rival A has 10 arms of mean 0.9 and
200 of mean 0.2; in *pair* one of each; in *five* there are three more agents. B registers K further
names, each with one arm of mean 0; with --leave they withdraw it before round 2. Prints B's revenue
and what the names gain it, in all and for each, ± standard errors of paired differences of games
with common seeds.
"""

import argparse
import math

from copyproof import Agent, Market, Retire, Schedule, simulate

POLICIES = ("trial", "trial-anytime")
NAMES = (10, 20, 30, 50, 100, 200, 500)
_B = Agent("B", [0.8])
RIVALS = {
    "copies": [Agent("A", [0.9, 0.2], copies=[10, 200])],
    "pair": [Agent("A", [0.9, 0.2])],
    "five": [Agent("A", [0.9, 0.3]), Agent("C", [0.7, 0.1]), Agent("D", [0.6]), Agent("E", [0.5])],
}


def market_with(rivals: str, names: int) -> Market:
    """B, its rivals, and so many names of B's with a worthless arm each."""
    worthless = (Agent(f"name {number}", [0.0]) for number in range(names))
    return Market([*RIVALS[rivals], _B, *worthless])


def leaving(names: int) -> Schedule:
    """All names withdraw their arms before round 2."""
    return Schedule(Retire(2, f"name {number}", 0) for number in range(names))


def main() -> None:
    """Print a table, a row for each policy, market and number of names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--policy", nargs="+", default=POLICIES, help="Policies.")
    parser.add_argument("--market", nargs="+", default=list(RIVALS), choices=list(RIVALS))
    parser.add_argument("--horizon", type=int, default=10_000, help="T.")
    parser.add_argument("--games", type=int, default=400, help="Games for each row.")
    parser.add_argument("--names", type=int, nargs="+", default=NAMES, help="Numbers of names.")
    parser.add_argument("--device", default="cpu", help="cpu or cuda.")
    parser.add_argument("--leave", action="store_true", help="Names withdraw their arms at once.")
    asked = parser.parse_args()
    print("| policy | market | names | revenue of B | gain | gain a name | games lost |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for policy in asked.policy:
        for rivals in asked.market:
            alone = None
            for names in (0, *asked.names):
                played = simulate(
                    market_with(rivals, names),
                    policy,
                    horizon=asked.horizon,
                    repetitions=asked.games,
                    seed=1,
                    schedule=leaving(names) if asked.leave else None,
                    device=asked.device,
                )
                revenue = played.revenue[:, len(RIVALS[rivals])]
                alone = revenue if alone is None else alone
                gain = revenue - alone
                lost = "–" if played.lost is None else f"{played.lost.count:,}"
                error = gain.std(ddof=1) / math.sqrt(asked.games)
                print(
                    f"| `{policy}` | {rivals} | {names:,} | {revenue.mean():,.0f} "
                    f"| {gain.mean():,.0f} ± {error:,.0f} | {gain.mean() / max(1, names):.1f} "
                    f"| {lost} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
