"""The search of grace: end to end on a tiny size, and again from what it has published."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from tests.studies.studies import cut_study, run_script

FIGURES = {f"frontier.{suffix}" for suffix in ("svg", "png")}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search")
    cut_study("search", folder / "cells", count=40)  # the first five are figures of the paper
    run_script("search.py", folder / "cells", folder / "out")
    return folder / "out"


def test_what_is_published_can_be_drawn_again(played: Path, tmp_path: Path) -> None:
    first = {path.name: path.read_bytes() for path in played.iterdir()}
    names = {"search.csv", "late.json", "late.md", "frontier.json", "frontier.md"}
    assert set(first) == names | FIGURES
    for name in ("search.csv", "late.json"):
        shutil.copy(played / name, tmp_path)
    run_script("search.py", tmp_path / "nowhere", tmp_path, "--redraw")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == first


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
    cut_study("held_out", tmp_path, count=5)
    run_script("held_out.py", tmp_path, tmp_path)
    found = json.loads((tmp_path / "held_out.json").read_text())
    assert found["markets"] == 5
