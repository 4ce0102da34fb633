"""Games of cases under policies, each played once and kept in a CSV file.

A row has the mean regret, its deviation, the worst game, and how many games were lost. The file is
written beside and renamed, every few seconds: a study that is broken off goes on where it was. A
row is only taken for the same market, policy, horizon, repetitions and seed, and if the policy is
still played with the same numbers.
"""

import argparse
import csv
import io
import math
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from copyproof import Policy, simulate
from copyproof._files import write_atomically
from copyproof.simulation import last_tenth, rules_digest
from markets import Case

Row = dict[str, str]
ASKED = (
    "market", "kind", "agents", "arms", "horizon", "repetitions", "seed", "digest", "variant",
    "policy", "rules",
)  # fmt: skip
FOUND = ("regret", "sd", "worst", "lost")
_EVERY = 3.0
"""Seconds between two writings."""


def study_parser(about: str) -> argparse.ArgumentParser:
    """What every study takes on its command line; ``about`` is its module's text."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="tiny games: a trial of the script")
    parser.add_argument("--workers", type=int, help="threads; no effect on the result")
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parent / "results")
    return parser


def play_all(
    cases: Sequence[Case],
    policies: Mapping[str, Policy],
    path: Path,
    workers: int | None = None,
    most_rounds: Mapping[str, int] | None = None,
) -> list[Row]:
    """Play what is not in the file yet, and return a row for every case and policy, in order.

    ``most_rounds``: variants that play fewer games of a case, about as many rounds in all.
    """
    known = {_key(row): row for row in read(path)} if path.exists() else {}
    rows: list[Row] = []
    written = begin = time.monotonic()
    total = len(cases) * len(policies)
    try:
        for case in cases:
            for variant, policy in policies.items():
                game = _shortened(case, (most_rounds or {}).get(variant))
                row = _asked(game, variant, policy)
                rows.append(known.get(_key(row)) or _played(row, game, policy, workers))
                if time.monotonic() - written > _EVERY:
                    written = time.monotonic()
                    _write(path, [*rows, *_others(known, rows)])
                    print(
                        f"\r{len(rows)}/{total}  {written - begin:.0f} s", end="", file=sys.stderr
                    )
    except BaseException:
        _write(path, [*rows, *_others(known, rows)])
        raise
    _write(path, rows)
    print(f"\r{total}/{total}  {time.monotonic() - begin:.0f} s", file=sys.stderr)
    return rows


def read(path: Path) -> list[Row]:
    """The rows of a file."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def regrets(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Mean regrets by market, then by variant."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        found.setdefault(row["market"], {})[row["variant"]] = float(row["regret"])
    return found


def geometric_mean(values: Iterable[float]) -> float:
    """The mean of the logarithms; no regret at all counts as a thousandth."""
    logs = [math.log(max(value, 1e-3)) for value in values]
    return math.exp(sum(logs) / len(logs))


def _shortened(case: Case, most_rounds: int | None) -> Case:
    if most_rounds is None:
        return case
    games = max(1, min(case.repetitions, most_rounds // case.horizon))
    return replace(case, repetitions=games)


def _asked(case: Case, variant: str, policy: Policy) -> Row:
    market = case.market
    of_case = (case.name, case.kind, len(market.agents), market.registered, case.horizon)
    rules = rules_digest(market, policy, case.horizon)
    values = (*of_case, case.repetitions, case.seed, case.digest, variant, policy, rules)
    return dict(zip(ASKED, map(str, values), strict=True))


def _played(row: Row, case: Case, policy: Policy, workers: int | None) -> Row:
    result = simulate(
        case.market,
        policy,
        horizon=case.horizon,
        repetitions=case.repetitions,
        seed=case.seed,
        checkpoints=[max(1, last_tenth(case.horizon))],
        workers=workers,
    )
    assert result.lost is not None
    found = (result.regret.mean, result.regret.std, result.regret_curves[:, -1].max())
    return row | dict(
        zip(FOUND, (f"{value:.6g}" for value in (*found, result.lost.count)), strict=True)
    )


def _key(row: Row) -> tuple[str, ...]:
    return tuple(row.get(name, "") for name in ASKED)  # rows of before do not say their rules


def _others(known: Mapping[tuple[str, ...], Row], rows: Sequence[Row]) -> list[Row]:
    """What a file holds beyond the rows so far: not lost if the study is broken off again."""
    done = {_key(row) for row in rows}
    return [row for key, row in known.items() if key not in done]


def _write(path: Path, rows: Sequence[Row]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, (*ASKED, *FOUND), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(path, text.getvalue().encode())
