"""The study of lost games: end to end on a tiny size, and its sums on rows made by hand."""

import csv
import json
from pathlib import Path

import pytest

from lost_games import bad_to_rival, lost, ratio, summary
from markets import Case, agents
from tests.studies.studies import cut_study, run_script

PAPER = ("ucb1", "s-ucb", "fair(ucb1)", "h-ucb", "rh-ucb", "prh-ucb")


def rows(
    market: str, regret: float, games: int, lost: int, best: float
) -> dict[str, dict[str, str]]:
    one = {"market": market, "repetitions": "2", "lost": "0"}
    found = {name: one | {"variant": name, "regret": str(best + 1)} for name in PAPER}
    found["s-ucb"]["regret"] = str(best)
    ours = {"variant": "default", "regret": str(regret), "repetitions": str(games)}
    return found | {"default": one | ours | {"lost": str(lost)}}


def test_lost_games_are_counted_over_all_games_and_never_in_a_ratio() -> None:
    market = agents([([0.9, 0.2], [1, 9]), ([0.8], [1])])
    cases = [Case(name, "replicator", market, 1000, 2) for name in ("a", "b")]
    found = {"a": rows("a", 50.0, 100, 1, best=100.0), "b": rows("b", 20.0, 10, 5, best=10.0)}
    assert ratio(found["a"], "default") == 0.5
    answer = summary(cases, found, "default")
    assert answer["lost"] == pytest.approx(6 / 110)
    assert (answer["worst market"], answer["lost there"]) == ("b", 0.5)
    assert answer["geometric mean"] == pytest.approx(1.0)
    assert (answer["worst ratio"], answer["above 1"]) == (2.0, 1)
    assert lost([found["a"]["default"]]).count == 1


def test_bad_arms_are_measured_by_the_best_rival() -> None:
    market = agents([([0.9, 0.4, 0.1], [1, 9, 9]), ([0.8, 0.7], [1, 1])])
    assert bad_to_rival(Case("x", "replicator", market, 1000, 2)) == pytest.approx(0.5)
    assert bad_to_rival(Case("x", "rational", market.truthful(), 1000, 2)) == 0


def test_the_study_runs_and_its_script_repeats(tmp_path: Path) -> None:
    for name in ("lost_games", "lost_games_development"):
        cut_study(name, tmp_path / "cells")
    out = tmp_path / "out"
    run_script("lost_games.py", tmp_path / "cells", out)
    first = {path.name: path.read_bytes() for path in out.iterdir()}
    assert set(first) == {
        "lost_games.csv", "lost_games_development.csv", "lost_games.json", "lost_games.md"
    }  # fmt: skip
    found = json.loads(first["lost_games.json"])
    assert set(found) == {"development", "held-out"}
    for name in ("lost_games.csv", "lost_games_development.csv"):
        with (out / name).open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert {row["variant"] for row in rows} == {
            "default", "default-anytime", *PAPER
        }  # fmt: skip
        assert len(rows) == 8 * 8
    run_script("lost_games.py", tmp_path / "cells", out)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == first


def test_the_targets_are_multiples_of_the_papers_regrets(tmp_path: Path) -> None:
    cut_study("targets", tmp_path, games=3)
    run_script("targets.py", tmp_path, tmp_path)
    lines = json.loads((tmp_path / "targets.json").read_text())
    assert len(lines) == 12
    first = {line["market"]: line for line in lines if line["horizon"] == 300}
    truthful = first["five truthful agents"]
    assert truthful["limits"]["default"] == pytest.approx(0.46 * truthful["h-ucb"]["regret"])
    copies = first["figure 2c"]
    assert copies["limits"]["default"] == pytest.approx(copies["rh-ucb(L=3)"]["regret"] / 30)
    assert "h-ucb" not in next(line for line in lines if line["horizon"] == 600)


def test_the_price_runs(tmp_path: Path) -> None:
    cut_study("price", tmp_path)
    run_script("price.py", tmp_path, tmp_path)
    lines = (tmp_path / "price.md").read_text().splitlines()
    assert len(lines) == 2 + 12
    assert lines[2].startswith("| 1/21, 10 % |")


def test_the_trade_runs(tmp_path: Path) -> None:
    cut_study("trade", tmp_path)
    run_script("trade.py", tmp_path, tmp_path)
    lines = (tmp_path / "trade.md").read_text().splitlines()
    assert len(lines) == 2 + 6
    assert lines[2].startswith("| 10 % | 60 | 16 | ")
