"""The search runs end to end on a tiny size, goes on where it was, and repeats to the byte."""

import csv
import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

STUDIES = Path(__file__).resolve().parents[2] / "studies"


def run(script: str, out: Path) -> None:
    command = [sys.executable, str(STUDIES / script), "--quick", "--out", str(out)]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search")
    run("search.py", folder)
    return folder


def test_search_is_resumable_and_repeats(played: Path, tmp_path: Path) -> None:
    shutil.copytree(played, tmp_path, dirs_exist_ok=True)

    def files() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}

    first = files()
    names = {"search.csv", "late.json", "late.md"}
    names |= {f"frontier.{suffix}" for suffix in ("json", "md", "svg", "png")}
    assert set(first) == names
    # Half of the cells, the table and all late runs are lost.
    with sqlite3.connect(tmp_path / "search-cells" / "study.db") as store:
        store.execute("DELETE FROM cells WHERE cell < '8'")
    for name in ("search.csv", "late.json", "late-cells/study.db"):
        (tmp_path / name).unlink()
    run("search.py", tmp_path)
    assert files() == first


def test_ratios_are_of_the_better_baseline(played: Path) -> None:
    with (played / "search.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    regret = {(row["market"], row["variant"]): float(row["regret"]) for row in rows}
    table = {line["variant"]: line for line in json.loads((played / "frontier.json").read_text())}
    copying = {row["market"] for row in rows if row["kind"] == "replicators"}
    for variant in ("h-ucb", "grace", "fresh 8"):
        ratios = [
            regret[market, variant] / min(regret[market, "h-ucb"], regret[market, "rh-ucb"])
            for market in copying
        ]
        assert abs(table[variant]["replicators"] - max(ratios)) < 1e-9 * max(ratios)
    front = [line for line in table.values() if line["frontier"]]
    for line in table.values():
        assert any(
            one["rational"] <= line["rational"] and one["replicators"] <= line["replicators"]
            for one in front
        )


def test_held_out_runs(tmp_path: Path) -> None:
    run("held_out.py", tmp_path)
    found = json.loads((tmp_path / "held_out.json").read_text())
    assert found["markets"] == 5
