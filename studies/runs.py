"""Games of cases under policies, played as cells of a study, and published as a CSV file.

A row has the mean regret, its deviation, the worst game, and how many games were lost. The cells
are kept in a study's folder (``copyproof.studies``) beside the file, or in ``out/studies`` for the
files that are published here: a study that is broken off goes on where it was, and a cell is only
taken for the same market, policy with all its numbers, horizon, repetitions and seed.
"""

import argparse
import csv
import io
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from copyproof import Policy
from copyproof._files import write_atomically
from copyproof._progress import shown_by
from copyproof.simulation import Result, rules_digest
from copyproof.studies.arrays import CellArrays
from copyproof.studies.cells import Point, Terms, point_of
from copyproof.studies.run import played_rows
from copyproof.studies.study import on_bar
from markets import Case

Row = dict[str, str]
ASKED = (
    "market", "kind", "agents", "arms", "horizon", "repetitions", "seed", "digest", "variant",
    "policy", "rules",
)  # fmt: skip
FOUND = ("regret", "sd", "worst", "lost")
_FOUND = ("regret_mean", "regret_std", "regret_max", "lost_count")
TERMS = Terms(("regret", "lost"))
RESULTS = Path(__file__).resolve().parent / "results"


def study_parser(about: str) -> argparse.ArgumentParser:
    """What every study takes on its command line; ``about`` is its module's text."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="tiny games: a trial of the script")
    parser.add_argument("--workers", type=int, help="threads; no effect on the result")
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser


def play_all(
    cases: Sequence[Case],
    policies: Mapping[str, Policy],
    path: Path,
    workers: int | None = None,
    most_rounds: Mapping[str, int] | None = None,
) -> list[Row]:
    """Play what is missing, and return a row for every case and policy, in order.

    ``most_rounds``: variants that play fewer games of a case, about as many rounds in all.
    """
    games = [
        (_shortened(case, (most_rounds or {}).get(variant)), variant, policy)
        for case in cases
        for variant, policy in policies.items()
    ]
    found = kept(_points(games), path, workers)
    rows = [_asked(*game) | _found(values) for game, values in zip(games, found, strict=True)]
    _write(path, rows)
    return rows


def kept(
    points: Iterable[Point], path: Path, workers: int | None, terms: Terms = TERMS
) -> list[dict[str, Any]]:
    """The row of every point of the study behind a file; what is missing is played."""
    with shown_by(sys.stderr.isatty(), on_bar) as tell:
        return played_rows(points, terms.measure, store_of(path), workers=workers, progress=tell)


def games_of(row: Mapping[str, Any], path: Path) -> Result:
    """Every game of a row whose arrays were kept."""
    return Result.load(CellArrays(store_of(path)).path(row["cell"]))


def store_of(path: Path) -> Path:
    """Where the cells behind a published file are kept."""
    if path.resolve().parent == RESULTS:
        return RESULTS.parents[1] / "out" / "studies" / path.stem
    return path.with_name(f"{path.stem}-cells")


def _points(games: Sequence[tuple[Case, str, Policy]]) -> Iterator[Point]:
    for case, variant, policy in games:
        yield case_point(case, policy, variant)


def case_point(case: Case, policy: str | Policy, variant: str = "", terms: Terms = TERMS) -> Point:
    """The point of a case under a policy."""
    return point_of(
        case.market,
        policy,
        horizon=case.horizon,
        repetitions=case.repetitions,
        seed=case.seed,
        terms=terms,
        name=case.name,
        part=variant,
    )


def _found(values: Mapping[str, float | None]) -> Row:
    numbers = (values[name] for name in _FOUND)
    texts = (f"{math.nan if one is None else one:.6g}" for one in numbers)
    return dict(zip(FOUND, texts, strict=True))


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


def _write(path: Path, rows: Sequence[Row]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, (*ASKED, *FOUND), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(path, text.getvalue().encode())
