"""Lost games, where rational agents stand beside replicators: how many, and what they cost.

In some of the markets agents copy good arms or bad ones; in two beside them nobody copies. A game
is lost when its last tenth costs at least half the gap a round (``copyproof.simulation.lost``); the
limits of its share are exact binomial ones of 95 % (Clopper, Pearson 1934). All policies meet the
same luck.

    python benchmarks/mixed_markets.py [--games 200] [--horizon 100000] [--policy P ...]

Writes ``results/mixed_markets.json`` and ``results/mixed_markets.md`` beside this file.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scipy.stats import binomtest

from copyproof import Agent, Market, paper_market, simulate
from copyproof.simulation import LostGames

RESULTS = Path(__file__).resolve().parent / "results"
SEED = 1
POLICIES = (
    "trial",
    "trial-anytime",
    "trial(c=1/200)",
    "rh-kl-ucb",
    "h-ucb",
    "h-thompson",
    "rh-ucb",
)
SLOW = ("rh-kl-ucb",)
"""These have a tenth of the games: every round looks at all sampled arms of an agent."""


def _with_truthful_rival() -> Market:
    """Figure 2c's market, in which the 0.8-agent registers its best arm only."""
    return Market(
        [
            Agent(one.name, [0.8]) if one.name == "0.8-agent" else one
            for one in paper_market("2c").agents
        ]
    )


MARKETS = {
    "truthful": paper_market("1a"),
    "2c": paper_market("2c"),
    "2c′": _with_truthful_rival(),
    "A, B": Market([Agent("A", [0.9, 0.2, 0.1], copies=[10, 100, 100]), Agent("B", [0.8])]),
    "A, B, C": Market(
        [Agent("A", [0.7, 0.3], copies=[10, 90]), Agent("B", [0.6]), Agent("C", [0.5])]
    ),
    "needle": Market(
        [
            Agent("A", [0.9, 0.3], copies=[1, 199]),
            *(Agent(f"{mean}-agent", [mean]) for mean in (0.5, 0.6, 0.7, 0.8)),
        ]
    ),
    "0.9, 0.1": Market([Agent("A", [0.9]), Agent("B", [0.1])]),
}
"""Five truthful agents (0.5 … 0.9); figure 2c's five replicators; the same with one truthful; a
replicator with 10 good arms of 210, or of 100, against truthful rivals; one good arm of 200; two
truthful agents with a large gap, where there is nothing to find."""


def exact_limits(lost: LostGames, alpha: float = 0.05) -> tuple[float, float]:
    """The limits p for which as many lost games, or as few, have a chance of α/2 each.

    Examples
    --------
    >>> exact_limits(LostGames(count=0, games=100))
    (0.0, 0.0362...)
    """
    found = binomtest(lost.count, lost.games).proportion_ci(1 - alpha, method="exact")
    return float(found.low), float(found.high)


def measure(name: str, policy: str, games: int, horizon: int) -> dict[str, Any]:
    """Regret and lost games of one policy on one market."""
    games = max(10, games // 10) if policy in SLOW else games
    result = simulate(MARKETS[name], policy, horizon=horizon, repetitions=games, seed=SEED)
    lost = result.lost
    assert lost is not None
    low, high = exact_limits(lost)
    return {
        "market": name,
        "policy": policy,
        "played": str(result.resolved_policy),
        "horizon": horizon,
        "games": games,
        "seed": SEED,
        "regret": round(result.regret.mean, 1),
        "stderr": round(result.regret.stderr, 1),
        "lost": lost.count,
        "share lost": lost.share,
        "share lost, low": round(low, 5),
        "share lost, high": round(high, 5),
    }


def markdown(lines: Sequence[dict[str, Any]]) -> str:
    """The table of the documentation: a row for each policy, a column for each market."""
    found = {(line["market"], line["policy"]): line for line in lines}
    text = ["| policy | " + " | ".join(MARKETS) + " |", "|---|" + "---:|" * len(MARKETS)]
    for policy in dict.fromkeys(line["policy"] for line in lines):
        cells = [_cell(found[market, policy]) for market in MARKETS]
        text.append(f"| `{policy}` | " + " | ".join(cells) + " |")
    return "\n".join(text) + "\n"


def _cell(line: dict[str, Any]) -> str:
    regret = f"{line['regret']:,.0f} ± {line['stderr']:,.0f}"
    low, high = (100 * line[f"share lost, {end}"] for end in ("low", "high"))
    share = f"**{100 * line['share lost']:.3g} %**" if line["lost"] else "0"
    return f"{regret}<br>{share} [{low:.1f}, {high:.1f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--horizon", type=int, default=100_000)
    parser.add_argument("--policy", action="append", help="renew the rows of these policies alone")
    options = parser.parse_args()
    policies = options.policy or POLICIES
    path = RESULTS / "mixed_markets.json"
    before = json.loads(path.read_text()) if options.policy and path.exists() else []
    lines = [line for line in before if line["policy"] not in policies]
    for name in MARKETS:
        for policy in policies:
            lines.append(measure(name, policy, options.games, options.horizon))
            print(f"{name}, {policy}: {_cell(lines[-1]).replace('<br>', '; lost ')}", flush=True)
    order = list(dict.fromkeys([*POLICIES, *(line["policy"] for line in lines)]))
    lines.sort(key=lambda line: order.index(line["policy"]))
    path.write_text(json.dumps(lines, indent=1, ensure_ascii=False) + "\n")
    (RESULTS / "mixed_markets.md").write_text(markdown(lines))
    print(markdown(lines))


if __name__ == "__main__":
    main()
