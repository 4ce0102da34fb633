"""Small studies that several tests run, and what they come to."""

import hashlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from copyproof import Case, Market, RandomMarkets, Study
from copyproof.studies.cells import Point, Terms

STUDIES = Path(__file__).resolve().parents[2] / "studies"

SMALL = """
policies = ["ucb1", "h-ucb", "trial"]
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
        "policies": ["ucb1", "h-ucb", "trial"],
        "markets": [RandomMarkets(count=2, agents=(2, 5)), "paper:1a:20"],
        "horizons": [1000, 60_000],
        "repetitions": 40,
        "seed": 1,
        "measure": ["regret", "revenue", "shares", "lost"],
    }
    return Study(**(given | changes))


def point_of(market: Market, policy: str, *, terms: Terms, **sizes: Any) -> Point:
    """The one point of a market under a policy: its horizon, repetitions and seed, and terms."""
    measured: dict[str, Any] = {
        "measure": terms.measure, "arrays": terms.arrays, "checkpoints": terms.checkpoints
    }  # fmt: skip
    (point,) = Study(
        [policy], [Case("market", market, audit=terms.audit, **sizes)], **measured
    ).points()
    return point


def study_file(folder: Path, *, count: int, horizon: int = 30_000, repetitions: int = 70) -> Path:
    """A file whose cells have three slices each."""
    path = folder / "study.toml"
    path.write_text(SMALL.format(count=count, horizon=horizon, repetitions=repetitions))
    return path


def table_digest(folder: Path) -> str:
    """Of the table's bytes."""
    return hashlib.sha256((folder / "results.parquet").read_bytes()).hexdigest()


def cut_study(name: str, cells: Path, *, count: int = 8, rounds: int = 300, games: int = 2) -> None:
    """Run one of the files in ``studies`` in ``cells``: its first markets, and short games."""
    text = (STUDIES / f"{name}.toml").read_text(encoding="utf-8")
    text = re.sub(r"^(horizons|repetitions) = .*\n", "", text, flags=re.MULTILINE)
    text = text.replace('name = "long', f'horizons = {2 * rounds}\nname = "long')
    text = text.replace('generator = "', f'count = {count}, generator = "{STUDIES.as_posix()}/')
    cells.mkdir(parents=True, exist_ok=True)
    path = cells / f"{name}.toml"
    path.write_text(f"horizons = {rounds}\nrepetitions = {games}\n{text}", encoding="utf-8")
    assert Study.read(path).run(cells / name).failures == []


def run_script(name: str, cells: Path, out: Path, *more: str) -> None:
    """Run a script of ``studies`` on the studies in ``cells``."""
    command = [sys.executable, str(STUDIES / name), "--cells", str(cells), "--out", str(out), *more]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=1200)
