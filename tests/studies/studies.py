"""Small studies that several tests run, and what they come to."""

import hashlib
from pathlib import Path
from typing import Any

from copyproof import RandomMarkets, Study

SMALL = """
policies = ["ucb1", "h-ucb", "grace"]
horizons = [{horizon}]
repetitions = {repetitions}
seed = 1
measure = ["regret", "revenue", "lost"]

[[markets]]
generator = "random"
count = {count}
agents = [2, 6]
"""


def small_study(**changes: Any) -> Study:
    """A dozen cells of several slices each."""
    given: dict[str, Any] = {
        "policies": ["ucb1", "h-ucb", "grace"],
        "markets": [RandomMarkets(count=2, agents=(2, 5)), "paper:1a:20"],
        "horizons": [1000, 60_000],
        "repetitions": 40,
        "seed": 1,
        "measure": ["regret", "revenue", "shares", "lost"],
    }
    return Study(**(given | changes))


def study_file(folder: Path, *, count: int, horizon: int = 30_000, repetitions: int = 70) -> Path:
    """A file whose cells have three slices each."""
    path = folder / "study.toml"
    path.write_text(SMALL.format(count=count, horizon=horizon, repetitions=repetitions))
    return path


def table_digest(folder: Path) -> str:
    """Of the table's bytes."""
    return hashlib.sha256((folder / "results.parquet").read_bytes()).hexdigest()
