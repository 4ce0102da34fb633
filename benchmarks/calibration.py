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

What is played and computed is the study ``calibration.toml``; this reads its folder. Deterministic:

    copyproof study run benchmarks/calibration.toml --out out/studies/calibration
    python benchmarks/calibration.py [--cells FOLDER] [--out FILE.json]
"""

import argparse
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from audit_settings import (
    SEED,
    SETTINGS,
    Copies,
    Outcome,
    Truth,
    audit_case,
    gains_of,
    outcome,
    publish,
    sampled_truth,
    setting_audits,
)
from copyproof import Agent, Market
from copyproof import Case as Played
from copyproof.auditing.deviations import standard_deviations
from copyproof.auditing.strategies import reference_strategy
from copyproof.studies.arrays import CellArrays
from copyproof.studies.folder import RESULTS

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
BUDGETS = {"tiny": 4_000, "small": 300_000}
MOST_COPIES = 3
CELLS = Path(__file__).resolve().parents[1] / "out" / "studies" / "calibration"
Row: TypeAlias = Mapping[str, Any]


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


def random_cases(markets: int) -> list[Case]:
    """So many cases."""
    rng = random.Random(SEED)
    return [random_case(rng) for _ in range(markets)]


def audited(markets: int = 300) -> list[Played]:
    """The audits of random cases by sampling, with every budget."""
    return [
        audit_case(
            f"{number}: {size}",
            case.market,
            case.policy,
            case.market.agents[0].name,
            horizon=case.horizon,
            seed=number,
            budget=BUDGETS[size],
            method="sampling",
            most_copies=MOST_COPIES,
        )
        for number, case in enumerate(random_cases(markets))
        for size in BUDGETS
    ]


def solved(markets: int = 300) -> list[Played]:
    """Every strategy that these audits try, and their reference, to be computed exactly."""
    return [
        Played(
            f"{number}: {copies}",
            case.market.with_strategy(case.market.agents[0].name, copies),
            case.horizon,
            1,
            0,
            case.policy,
        )
        for number, case in enumerate(random_cases(markets))
        for copies in _strategies(case)
    ]


def _strategies(case: Case) -> list[Copies]:
    """The reference, and the deviations from it."""
    agent = case.market.agents[0]
    best = reference_strategy(agent, "best")
    return [
        best,
        *(one.copies for one in standard_deviations(agent, best, most_copies=MOST_COPIES)),
    ]


def exact_truth(number: int, case: Case, rows: Mapping[str, Row]) -> Truth:
    """The gains and losses of all deviations of a case, computed."""
    worths, regrets = {}, {}
    for copies in _strategies(case):
        row = rows[f"{number}: {copies}"]
        worths[copies] = np.array(row["exact_revenue"][:1]) - case.market.fee * sum(copies)
        regrets[copies] = row["exact_regret"]
    best = _strategies(case)[0]
    return {
        copies: (float(gain.mean()), regrets[copies] - regrets[best], 0.0, 0.0)
        for copies, gain in gains_of(worths, best).items()
    }


def random_rows(audits: Mapping[str, Row], exact: Mapping[str, Row]) -> list[dict[str, Any]]:
    """A row for each budget, over random markets."""
    cases = random_cases(len(audits) // len(BUDGETS))
    truths = [exact_truth(number, case, exact) for number, case in enumerate(cases)]
    return [
        summary(
            f"random markets, {BUDGETS[size]:,} rounds",
            [outcome(audits[f"{number}: {size}"], truth) for number, truth in enumerate(truths)],
        )
        for size in BUDGETS
    ]


def summary(name: str, found: Sequence[Outcome]) -> dict[str, Any]:
    """Counts and shares of one setting."""
    verdicts = [one.verdict for one in found]
    gains, losses = (sum(one.missed_gain for one in found), sum(one.missed_loss for one in found))
    return {
        "setting": name,
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


def table_of(folder: Path) -> pd.DataFrame:
    """The table of the study, all of whose cells were played."""
    if not (folder / RESULTS).is_file():
        study = Path(__file__).with_suffix(".toml")
        raise SystemExit(f"there is no table yet: copyproof study run {study} --out {folder}")
    frame = pd.read_parquet(folder / RESULTS)
    if frame["failure"].notna().any():
        raise SystemExit(f"cells have failed: copyproof study status {folder}")
    return frame


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=Path, default=CELLS, help="the folder of the study")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    frame = table_of(options.cells)
    parts = {
        name: {row["market"]: row for row in rows.to_dict("records")}
        for name, rows in frame.groupby("part")
    }
    arrays = CellArrays(options.cells)
    kept = {name: arrays.path(row["cell"]) for name, row in parts["truth"].items()}
    truths = {setting: sampled_truth(setting, kept) for setting in SETTINGS}
    publish(truths)
    table = []
    for setting, truth in truths.items():
        rows = [parts["settings"][case.name] for case in setting_audits(setting)]
        table.append(summary(setting.name, [outcome(row, truth) for row in rows]))
    table += random_rows(parts["random"], parts["exact"])
    for row in table:
        print(json.dumps(row, ensure_ascii=False))
    if options.out is not None:
        options.out.write_text(json.dumps(table, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
