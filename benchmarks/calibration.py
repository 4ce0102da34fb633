"""How often the auditor errs: sampled audits held against what is truly so.

- *Random markets*: 2 or 3 agents with up to 2 arms, means of all kinds, a short horizon, a random
  policy of the catalogue. One agent is audited by sampling, exact mode switched off, and its gains
  are also computed exactly. With both kinds of limits and three budgets of rounds: one that allows
  some fifty games of each strategy and leaves most audits undecided; a small one; and a larger one.
- *Hard settings* (``audit_settings``): long games, greedy policies and rare events, each audited
  many times with few games. Their truth is sampled with many more games, and published in
  ``results/calibration-truth.json``.

Counted for each setting, with the exact binomial interval (95 %) of its share:

- *missed gains*: audits in which at least one gain lies outside its limits, which are to hold for
  all deviations and stages together, so that 5 % of audits may have one;
- *missed losses*: the same of the principal's losses;
- *false prone*: the verdict is prone, and no deviation that copies truly gains;
- *false no-gain*: the verdict is no-gain, and the true gain of some copying is above the tolerance.

All audits, exact values and games are cells of a study (``copyproof.studies``), kept in a folder:
broken off, it goes on where it was. Deterministic for a seed:

    python benchmarks/calibration.py [--markets 300] [--seed 1] [--out FILE.json] [--cells FOLDER]
"""

import argparse
import itertools
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scipy.stats import binomtest

from audit_settings import (
    SETTINGS,
    Copies,
    Outcome,
    Truth,
    audit_point,
    judged,
    outcome,
    publish,
    sampled_truth,
)
from copyproof import Agent, Market
from copyproof.auditing.audit import reference_strategy
from copyproof.studies.cells import Point, Terms, point_of
from copyproof.studies.run import played_rows

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
BUDGETS = {"tiny": 4_000, "small": 300_000, "large": 1_500_000}
CELLS = Path(__file__).resolve().parents[1] / "out" / "studies" / "calibration"


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


def sampled_audit(case: Case, method: str, budget: int, seed: int) -> Point:
    """The audit of a case by sampling."""
    return audit_point(
        case.market,
        case.policy,
        case.market.agents[0].name,
        horizon=case.horizon,
        seed=seed,
        budget=budget,
        method=method,
        most_copies=3,
    )


def exact_truths(
    asked: Sequence[tuple[Case, Sequence[Copies]]], folder: Path, workers: int | None
) -> list[Truth]:
    """The gains and losses of all deviations of each case, computed."""
    points, owners = [], []
    for number, (case, deviations) in enumerate(asked):
        for copies in (_reference(case), *deviations):
            points.append(_exact_point(case, copies))
            owners.append((number, case, copies))
    solved: dict[tuple[int, Copies], tuple[float, float]] = {}
    rows = played_rows(points, ("exact",), folder, workers=workers)
    for (number, case, copies), row in zip(owners, rows, strict=True):
        utility = row["exact_revenue"][0] - case.market.fee * sum(copies)
        solved[number, copies] = utility, row["exact_regret"]
    truths: list[Truth] = []
    for number, (case, deviations) in enumerate(asked):
        before = solved[number, _reference(case)]
        found: Truth = {}
        for copies in deviations:
            after = solved[number, copies]
            found[copies] = (after[0] - before[0], after[1] - before[1], 0.0, 0.0)
        truths.append(found)
    return truths


def _reference(case: Case) -> Copies:
    return reference_strategy(case.market.agents[0], "best")


def _exact_point(case: Case, copies: Copies) -> Point:
    market = case.market.with_strategy(case.market.agents[0].name, copies)
    how: dict[str, Any] = {"horizon": case.horizon, "repetitions": 1, "seed": 0}
    return point_of(market, case.policy, **how, terms=Terms(("exact",)))


def random_rows(
    markets: int, seed: int, folder: Path, workers: int | None = None
) -> list[dict[str, Any]]:
    """A row for each kind of limits and budget, over random markets."""
    rng = random.Random(seed)
    cases = [random_case(rng) for _ in range(markets)]
    kinds = list(itertools.product(METHODS, BUDGETS))
    points = [
        sampled_audit(case, method, BUDGETS[size], seed=number)
        for number, case in enumerate(cases)
        for method, size in kinds
    ]
    audits = played_rows(points, ("audit",), folder, workers=workers)
    # All audits of a case try the same deviations.
    deviations = [
        [tuple(one["copies"]) for one in row["audit_deviations"]] for row in audits[:: len(kinds)]
    ]
    truths = exact_truths(list(zip(cases, deviations, strict=True)), folder, workers)
    found: dict[tuple[str, str], list[Outcome]] = {kind: [] for kind in kinds}
    for place, row in enumerate(audits):
        number, kind = divmod(place, len(kinds))
        found[kinds[kind]].append(outcome(row, truths[number]))
    return [
        summary(f"random markets, {BUDGETS[size]:,} rounds", method, outcomes)
        for (method, size), outcomes in found.items()
    ]


def summary(name: str, method: str, found: Sequence[Outcome]) -> dict[str, Any]:
    """Counts and shares of one setting."""
    verdicts = [one.verdict for one in found]
    gains, losses = (sum(one.missed_gain for one in found), sum(one.missed_loss for one in found))
    return {
        "setting": name,
        "limits": method,
        "audits": len(found),
        **{kind: verdicts.count(kind) for kind in ("prone", "no-gain", "undecided")},
        "false prone": sum(one.false_prone for one in found),
        "false no-gain": sum(one.false_no_gain for one in found),
        "missed gains": gains,
        "share of missed gains": share_interval(gains, len(found)),
        "missed losses": losses,
        "share of missed losses": share_interval(losses, len(found)),
    }


def share_interval(count: int, audits: int) -> list[float]:
    """The exact binomial interval (95 %) of a share."""
    found = binomtest(count, audits).proportion_ci(method="exact")
    return [round(float(found.low), 4), round(float(found.high), 4)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--markets", type=int, default=300, help="random ones; 0 for none")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, help="threads; no effect on the result")
    parser.add_argument("--cells", type=Path, default=CELLS, help="the folder of the study")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    begin = time.perf_counter()
    folder, workers = options.cells, options.workers
    truths = {setting: sampled_truth(setting, folder, workers) for setting in SETTINGS}
    publish(truths)
    table = []
    for setting, truth in truths.items():
        seeds = range(1000 * options.seed, 1000 * options.seed + setting.audits)
        found = judged(setting, truth, seeds, folder, workers)
        table.append(summary(setting.name, "large-sample", found))
        print(json.dumps(table[-1], ensure_ascii=False), flush=True)
    if options.markets > 0:
        table += random_rows(options.markets, options.seed, folder, workers)
    for row in table[len(SETTINGS) :]:
        print(json.dumps(row, ensure_ascii=False))
    print(f"seed {options.seed}, {time.perf_counter() - begin:.0f} s")
    if options.out is not None:
        options.out.write_text(json.dumps(table, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
