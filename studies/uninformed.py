"""Which policies pay an agent who knows only a prior for copies.

One agent, ann, has m arms whose means are drawn from one prior; her rivals have one arm each, of a
known mean. Two questions for every policy and market, each answered by ``audit``, in expectation
over the draw and with limits that hold together:

- Do copies gain over *registering every arm once*? Tried are 2 and 5 copies of one arm and of all.
- Do copies gain over *the best strategy without copies*? To hide some arms is a strategy, too: with
  a strong rival and many arms, to stake all on a few of them may be better than to show them all,
  and copies of one arm may gain no more than that. The best number of arms is chosen with games of
  another seed; copies are then tried of so many arms, and of all.

Only if the answer to the second question is yes does a policy pay for copies that nothing honest
can replace. Markets in which it does are looked for by a random search over priors, numbers of
arms, rivals and horizons (``search``): the market and strategy of the clearest gain is audited
anew, with another seed, so that the selection does not count as evidence.
"""

import argparse
import json
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof import Agent, BetaPrior, ListPrior, Market, UniformPrior, audit, parse_policy
from copyproof._files import write_atomically
from copyproof.game import Prior, Strategy
from copyproof.simulation import play, rules_digest

POLICIES = (
    "ucb1", "fair(ucb1)", "h-ucb", "rh-ucb", "h-thompson", "h-etc", "grace", "trial",
    "trial-anytime", "rh-kl-ucb",
)  # fmt: skip
RESULTS = Path(__file__).parent / "results"
COUNTS = (2, 5)


@dataclass(frozen=True)
class Uninformed:
    """A market of one uninformed agent, and a horizon."""

    name: str
    prior: Prior
    arms: int
    rivals: tuple[float, ...]
    horizon: int

    @property
    def market(self) -> Market:
        """Ann, with every arm registered once, and her rivals."""
        rivals = [Agent(f"rival {k}", [mean]) for k, mean in enumerate(self.rivals, start=1)]
        return Market([Agent("ann", [self.prior] * self.arms), *rivals])

    def shown(self, number: int, count: int = 1, first: int = 1) -> Strategy:
        """So many arms, each ``count`` times, the first one ``first`` times that."""
        return (count * first, *[count] * (number - 1), *[0] * (self.arms - number))

    @property
    def numbers(self) -> list[int]:
        """How many arms ann may show; which of them does not matter, as their priors are equal."""
        return sorted({1, 2, math.ceil(self.arms / 2), self.arms})

    @property
    def plain(self) -> list[Strategy]:
        """Strategies without copies."""
        return [self.shown(number) for number in self.numbers]

    def copying(self, numbers: Sequence[int]) -> list[Strategy]:
        """Strategies with copies, of so many arms."""
        found = [
            strategy
            for number in numbers
            for count in COUNTS
            for strategy in (self.shown(number, count), self.shown(number, first=count))
        ]
        return list(dict.fromkeys(found))


MARKETS = (
    Uninformed("2 arms, 0 or 1; alone", ListPrior([0, 1]), 2, (), 7),
    Uninformed("2 arms, Beta(0.1, 0.1); 0.5", BetaPrior(0.1, 0.1), 2, (0.5,), 300),
    Uninformed("2 arms, 0.1 or 0.9; 0.7", ListPrior([0.1, 0.9]), 2, (0.7,), 300),
    Uninformed("2 arms, 0 or 0.2; 0.8", ListPrior([0, 0.2]), 2, (0.8,), 1000),
    Uninformed("3 arms, uniform; 0.7, 0.6, 0.5", UniformPrior(0, 1), 3, (0.7, 0.6, 0.5), 400),
    Uninformed("6 arms, 0 or 1; 0.9", ListPrior([0, 1]), 6, (0.9,), 120),
    Uninformed("10 arms, 0.9 (1 in 10) or 0.1; 0.5", ListPrior([0.9] + [0.1] * 9), 10, (0.5,), 400),
)


def random_markets(seed: int, count: int) -> Iterator[Uninformed]:
    """Markets of the search: wide priors, 2 to 10 arms, weak and strong rivals, T to 400."""
    rng = random.Random(seed)
    priors: dict[str, Prior] = {
        "Beta(0.1, 0.1)": BetaPrior(0.1, 0.1),
        "uniform": UniformPrior(0, 1),
        "0 or 1": ListPrior([0, 1]),
        "0.1 or 0.9": ListPrior([0.1, 0.9]),
        "0.5 or 1": ListPrior([0.5, 1]),
        "0 or 0.6": ListPrior([0, 0.6]),
        "0 or 0.3": ListPrior([0, 0.3]),
        "one in ten 1, else 0": ListPrior([1] + [0] * 9),
        "one in five 0.9, else 0.1": ListPrior([0.9] + [0.1] * 4),
        "four in five 0.9, else 0.1": ListPrior([0.9] * 4 + [0.1]),
    }
    rivals = ((), (0.3,), (0.5,), (0.7,), (0.9,), (0.5, 0.5), (0.8, 0.8, 0.8, 0.8))
    for _ in range(count):
        words = rng.choice(list(priors))
        arms, horizon = rng.choice([2, 2, 3, 4, 6, 10]), rng.choice([7, 12, 20, 50, 120, 400])
        others = rng.choice(rivals)
        name = f"{arms} arms, {words}; {', '.join(map(str, others)) or 'alone'}; T = {horizon}"
        yield Uninformed(name, priors[words], arms, others, horizon)


def ask(policy: str, case: Uninformed, budget: int) -> dict[str, Any]:
    """Both questions of one policy and market."""
    every = case.shown(case.arms)
    best = best_plain(policy, case, budget // 4)
    return {
        "policy": policy,
        "rules": rules_of(policy),
        "market": case.name,
        "T": case.horizon,
        "budget": budget,
        "every": _audited(policy, case, every, case.copying([case.arms]), budget, seed=1),
        "best": _audited(policy, case, best, case.copying([sum(best), case.arms]), budget, seed=3),
    }


def rules_of(policy: str) -> str:
    """Digest of the numbers that a policy is played with: lines of others are not taken."""
    return rules_digest(MARKETS[0].market, policy, MARKETS[0].horizon)


def best_plain(policy: str, case: Uninformed, budget: int) -> Strategy:
    """The strategy without copies that earns most, as games of a seed of their own show it."""
    games = max(50, budget // (case.horizon * len(case.plain)))
    return max(case.plain, key=lambda one: _revenue(policy, case, one, games, seed=2).mean())


def search(policy: str, cases: Sequence[Uninformed], budget: int) -> dict[str, Any]:
    """The clearest gain over the best strategy without copies, audited anew."""
    found: list[tuple[float, Uninformed, Strategy, Strategy]] = []
    for case in cases:
        games = min(2000, max(60, budget // (20 * case.horizon)))
        known = {one: _revenue(policy, case, one, games, seed=4) for one in case.plain}
        best = max(known, key=lambda one: known[one].mean())
        for copies in case.copying(case.numbers):
            gain = _revenue(policy, case, copies, games, seed=4) - known[best]
            error = float(gain.std(ddof=1)) / math.sqrt(games)
            if error > 0:
                found.append((float(gain.mean()) / error, case, best, copies))
    _, case, best, copies = max(found, key=lambda one: one[0])
    line = _audited(policy, case, best, [copies], budget, seed=5)
    return {
        "policy": policy,
        "rules": rules_of(policy),
        "market": case.name,
        "T": case.horizon,
        "budget": budget,
        "best": line,
    }


def _revenue(
    policy: str, case: Uninformed, copies: Strategy, games: int, *, seed: int
) -> NDArray[np.float64]:
    market = case.market.with_strategy("ann", copies)
    found = play(market, policy, 0, games, horizon=case.horizon, seed=seed, checkpoints=1)
    return found.revenue[:, 0]


def _audited(
    policy: str,
    case: Uninformed,
    reference: Strategy,
    deviations: Sequence[Strategy],
    budget: int,
    *,
    seed: int,
) -> dict[str, Any]:
    found = audit(
        case.market,
        policy,
        agent="ann",
        reference=reference,
        deviations=[one for one in deviations if one != reference],
        horizon=case.horizon,
        seed=seed,
        budget=budget,
        method="large-sample",
    )
    (agent,) = found.agents
    best = agent.best_deviation
    return {
        "reference": list(reference),
        "revenue": agent.revenue,
        "verdict": found.verdict,
        "copies": list(best.copies),
        "gain": best.gain.mean,
        "low": best.gain.low,
        "high": best.gain.high,
        "games": best.repetitions,
    }


def markdown(lines: Sequence[dict[str, Any]], question: str) -> str:
    """A row for each policy and a column for each market: the gain of the best copying, in %."""
    markets = list(dict.fromkeys(f"{one['market']}; T = {one['T']:,}" for one in lines))
    cells = {
        (one["policy"], f"{one['market']}; T = {one['T']:,}"): _gain(one[question]) for one in lines
    }
    rows = [["policy", *markets], ["---"] * (1 + len(markets))]
    for policy in dict.fromkeys(one["policy"] for one in lines):
        rows.append([f"`{policy}`", *(cells.get((policy, market), "") for market in markets)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def searched_markdown(lines: Sequence[dict[str, Any]]) -> str:
    """A row for each policy: the clearest gain that the search found, audited anew."""
    rows = [["policy", "market", "without copies → with copies", "gain, %"], ["---"] * 4]
    for one in lines:
        found = one["best"]
        strategies = f"{_short(found['reference'])} → {_short(found['copies'])}"
        rows.append([f"`{one['policy']}`", one["market"], strategies, _gain(found)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _gain(found: dict[str, Any]) -> str:
    """A gain in per cent of the revenue with its limits, bold if it is certain."""
    unit = 100 / found["revenue"]
    gain, low, high = (f"{unit * found[key]:+.1f}" for key in ("gain", "low", "high"))
    bold = "**" if found["verdict"] == "prone" else ""
    return f"{bold}{gain}{bold} [{low}, {high}]".replace("-", "−")


def _short(copies: Sequence[int]) -> str:
    """Copy counts, equal neighbours together: 10, 1 × 5."""
    parts: list[list[int]] = []
    for count in copies:
        if count == 0:
            continue
        if parts and parts[-1][0] == count:
            parts[-1][1] += 1
        else:
            parts.append([count, 1])
    return ", ".join(f"{count}" if times == 1 else f"{count} × {times}" for count, times in parts)


def main() -> None:
    """Play what is not known yet, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policy", action="append", help="instead of all")
    parser.add_argument("--budget", type=int, default=600_000, help="rounds of an audit")
    parser.add_argument("--searched", type=int, default=10, help="random markets for each policy")
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args()
    policies = asked.policy or POLICIES
    for text in policies:
        parse_policy(text)
    path = asked.out / "uninformed.json"
    known = read_known(path) if path.exists() else {"markets": [], "search": []}
    for policy in policies:
        for case in MARKETS:
            if not _is_known(known["markets"], policy, case, asked.budget):
                known["markets"].append(ask(policy, case, asked.budget))
                _write(asked.out, known)
        if asked.searched and not _is_known(known["search"], policy, None, asked.budget):
            cases = list(random_markets(11, asked.searched))
            known["search"].append(search(policy, cases, asked.budget))
            _write(asked.out, known)


def read_known(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The lines of a file, but for those of policies that are no longer played with the same rules.

    A line of before lines said their rules is left out, too.
    """
    found = json.loads(path.read_text())
    return {
        part: [one for one in lines if one.get("rules") == rules_of(one["policy"])]
        for part, lines in found.items()
    }


def _is_known(
    lines: Sequence[dict[str, Any]], policy: str, case: Uninformed | None, budget: int
) -> bool:
    return any(
        (one["policy"], one["budget"]) == (policy, budget)
        and (case is None or (one["market"], one["T"]) == (case.name, case.horizon))
        for one in lines
    )


def _write(folder: Path, known: dict[str, list[dict[str, Any]]]) -> None:
    write_atomically(folder / "uninformed.json", (json.dumps(known, indent=1) + "\n").encode())
    tables = []
    if known["markets"]:
        tables += ["Over every arm once:\n", markdown(known["markets"], "every")]
        tables += ["Over the best strategy without copies:\n", markdown(known["markets"], "best")]
    if known["search"]:
        tables += ["Searched:\n", searched_markdown(known["search"])]
    write_atomically(folder / "uninformed.md", "\n".join(tables).encode())


if __name__ == "__main__":
    main()
