"""How often the auditor errs: sampled verdicts on random markets where the truth is known exactly.

For each random market (2 or 3 agents with up to 2 arms, means of all kinds, a short horizon, a
random policy of the catalogue) one agent is audited by sampling, exact mode switched off, and its
copying is also computed exactly. An error is

- *false prone*: the verdict is prone, and no deviation that copies truly gains;
- *false no-gain*: the verdict is no-gain, and the true gain of some such deviation is above the
  tolerance;
- a *missed interval*: at least one of the gains lies outside its limits. The limits are to hold
  for all deviations and stages together, so at most 5 % of audits may have one.

Every market is audited with both kinds of limits and three budgets of rounds: one that allows some
fifty games of each strategy, as long games do, and leaves most audits undecided; a small one; and a
larger one. Deterministic for a seed:

    python benchmarks/calibration.py [--markets 1000] [--seed 1] [--out FILE.json]
"""

import argparse
import itertools
import json
import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copyproof import Agent, Market, audit, exact

CONFIDENCE = 0.95
POLICIES = (
    "ucb1",
    "s-ucb(l=1)",
    "kl-ucb",
    "epsilon-greedy",
    "epsilon-greedy(epsilon=0)",
    "fair(ucb1)",
    "h-ucb",
    "rh-ucb(L=1)",
    "prh-ucb",
    "h-epsilon-greedy",
    "h-ucb-t-free",
)
METHODS = ("bounded", "large-sample")
BUDGETS = {"tiny": 4_000, "small": 300_000, "large": 6_000_000}


@dataclass(frozen=True)
class Case:
    """One random market, policy and horizon; the first agent is audited."""

    market: Market
    policy: str
    horizon: int


def random_case(rng: random.Random) -> Case:
    """Draw a case that is small enough to be computed exactly."""
    agents = rng.choice([2, 2, 3])
    arms = [rng.choice([1, 2]) if agents == 2 else 1 for _ in range(agents)]
    draw = rng.choice([_uniform, _extreme, _near_tie])
    market = Market(
        [Agent(f"agent {i + 1}", draw(rng, count)) for i, count in enumerate(arms)],
        fee=rng.choice([0.0, 0.0, 0.0, 0.05]),
    )
    longest = {2: 24, 3: 14, 4: 9}[sum(arms)]
    horizon = rng.randint(3, longest)
    return Case(market, rng.choice(POLICIES), horizon)


def _uniform(rng: random.Random, count: int) -> list[float]:
    return [round(rng.random(), 3) for _ in range(count)]


def _extreme(rng: random.Random, count: int) -> list[float]:
    return [rng.choice([0.0, 0.01, 0.05, 0.95, 0.99, 1.0]) for _ in range(count)]


def _near_tie(rng: random.Random, count: int) -> list[float]:
    return [round(0.5 + 0.02 * rng.random(), 4) for _ in range(count)]


def judge(case: Case, method: str, budget: int, seed: int) -> dict[str, Any]:
    """Audit a case by sampling, and hold it against the truth."""
    name = case.market.agents[0].name
    found = audit(
        case.market,
        case.policy,
        agent=name,
        horizon=case.horizon,
        seed=seed,
        most_copies=3,
        confidence=CONFIDENCE,
        budget=budget,
        method=method,
        workers=1,
    ).agents[0]
    reference = _worth(case, found.reference)
    gains = {gain.copies: _worth(case, gain.copies) - reference for gain in found.copying}
    shown = {gain.copies: _worth(case, gain.copies) - reference for gain in found.showing}
    fees = case.market.fee * sum(found.reference)
    tolerance = max(0.001, 0.001 * (reference + fees))
    largest = max(gains.values())
    missed = any(
        not gain.gain.low - 1e-9 <= (gains | shown)[gain.copies] <= gain.gain.high + 1e-9
        for gain in itertools.chain(found.copying, found.showing)
    )
    return {
        "verdict": found.verdict,
        "false_prone": found.verdict == "prone" and largest <= 1e-11,
        "false_no_gain": found.verdict == "no-gain" and largest > tolerance,
        "missed": missed,
        "gains_truly": largest > 1e-11,
    }


_KNOWN: dict[tuple[Case, tuple[int, ...]], float] = {}


def _worth(case: Case, copies: tuple[int, ...]) -> float:
    """The audited agent's exact utility under one strategy."""
    key = (case, copies)
    if key not in _KNOWN:
        market = case.market.with_strategy(case.market.agents[0].name, copies)
        solved = exact(market, case.policy, horizon=case.horizon)
        _KNOWN[key] = float(solved.agents[0].utility)
    return _KNOWN[key]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--markets", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    begin = time.perf_counter()
    rows: dict[tuple[str, str], list[dict[str, Any]]] = {
        key: [] for key in itertools.product(METHODS, BUDGETS)
    }
    for number in range(options.markets):
        case = random_case(rng)
        for method, size in rows:
            rows[method, size].append(judge(case, method, BUDGETS[size], seed=number))
        _KNOWN.clear()
    table = [summary(method, size, found) for (method, size), found in rows.items()]
    print(f"{options.markets} markets, seed {options.seed}, {time.perf_counter() - begin:.0f} s")
    for row in table:
        print(json.dumps(row))
    if options.out is not None:
        options.out.write_text(json.dumps(table, indent=2) + "\n")


def summary(method: str, size: str, found: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts and shares of one kind of limits under one budget."""
    return {
        "limits": method,
        "budget": BUDGETS[size],
        "markets": len(found),
        "gains truly": sum(one["gains_truly"] for one in found),
        "prone": sum(one["verdict"] == "prone" for one in found),
        "no-gain": sum(one["verdict"] == "no-gain" for one in found),
        "undecided": sum(one["verdict"] == "undecided" for one in found),
        "false prone": sum(one["false_prone"] for one in found),
        "false no-gain": sum(one["false_no_gain"] for one in found),
        "missed interval": sum(one["missed"] for one in found),
    }


if __name__ == "__main__":
    main()
