"""Tables of studies: what their scripts read from the folders of ``copyproof study run``.

A study file here, such as ``price.toml``, says what is played, and ``copyproof study run`` plays it
in a folder, by default ``out/studies/price``. The script of the same name reads the table in that
folder, and publishes a CSV file, of which a row has the mean regret, its deviation, the worst game,
and how many games were lost; and what it makes of them.
"""

import argparse
import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copyproof import parse_policy
from copyproof._files import write_atomically
from copyproof.simulation import Result, rules_digest
from copyproof.studies.arrays import CellArrays
from copyproof.studies.cells import digest_market
from copyproof.studies.folder import RESULTS as TABLE
from markets import Case

if TYPE_CHECKING:
    import pandas as pd

Row = dict[str, str]
ASKED = (
    "market", "kind", "agents", "arms", "horizon", "repetitions", "seed", "digest", "variant",
    "policy", "rules",
)  # fmt: skip
FOUND = ("regret", "sd", "worst", "lost")
_FOUND = ("regret_mean", "regret_std", "regret_max", "lost_count")
RESULTS = Path(__file__).resolve().parent / "results"
CELLS = RESULTS.parents[1] / "out" / "studies"


def study_parser(about: str) -> argparse.ArgumentParser:
    """What every script takes on its command line; ``about`` is its module's text."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument(
        "--cells", type=Path, default=CELLS, help="where `copyproof study run` has put its folders"
    )
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser


def table_of(folder: Path) -> "pd.DataFrame":
    """The table of a study that was run."""
    import pandas as pd

    if not (folder / TABLE).is_file():
        study = Path(__file__).with_name(f"{folder.name}.toml")
        raise SystemExit(f"there is no table yet: copyproof study run {study} --out {folder}")
    frame = pd.read_parquet(folder / TABLE)
    if frame["failure"].notna().any():
        raise SystemExit(f"cells have failed: copyproof study status {folder}")
    return frame


def records(frame: "pd.DataFrame") -> list[dict[str, Any]]:
    """The rows of a table."""
    return [{str(key): value for key, value in one.items()} for one in frame.to_dict("records")]


def rows_of(
    frame: "pd.DataFrame", cases: Iterable[Case], variants: Mapping[str, str] | Iterable[str]
) -> list[Row]:
    """A row for every case and policy of a study that is in its table, in this order.

    ``variants`` are the texts of policies by their names, or the texts alone.
    """
    named = variants if isinstance(variants, Mapping) else {text: text for text in variants}
    played = {(one["market"], one["policy"]): one for one in records(frame)}
    assert len(played) == len(frame), "a market is there twice under one policy"
    return [
        _asked(case, variant, found) | _found(found)
        for case in cases
        for variant, text in named.items()
        if (found := played.get((case.name, text))) is not None
    ]


def games_of(cell: str, folder: Path) -> Result:
    """Every game of a cell whose arrays were kept."""
    return Result.load(CellArrays(folder).path(cell))


def _asked(case: Case, variant: str, found: Mapping[str, Any]) -> Row:
    market, policy, horizon = case.market, parse_policy(found["policy"]), found["horizon"]
    if digest_market(market) != found["market_digest"]:
        raise SystemExit(f"{case.name} is another market by now: copyproof study run again")
    of_case = (case.name, case.kind, len(market.agents), market.registered, horizon)
    rules = rules_digest(market, policy, horizon)
    values = (*of_case, found["repetitions"], found["seed"], case.digest, variant, policy, rules)
    return dict(zip(ASKED, map(str, values), strict=True))


def _found(values: Mapping[str, Any]) -> Row:
    texts = (f"{values[name]:.6g}" for name in _FOUND)
    return dict(zip(FOUND, texts, strict=True))


def write(path: Path, rows: Sequence[Row]) -> None:
    """Publish rows as a CSV file."""
    text = io.StringIO()
    writer = csv.DictWriter(text, (*ASKED, *FOUND), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(path, text.getvalue().encode())


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
