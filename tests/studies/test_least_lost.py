"""The study of what must be lost: its markets, their siblings, and a row by hand."""

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from copyproof import Agent, Market, simulate
from copyproof.theory import kl
from least_lost import (
    as_csv,
    as_markdown,
    bad_arms,
    judged_copying,
    least_lost,
    sibling,
    truthful_in_turn,
)
from tests.studies.studies import cut_study, run_script

MARKET = Market(
    [
        Agent("a", [0.9, 0.3, 0.4, 0.2], copies=[2, 5, 6, 0]),
        Agent("b", [0.8, 0.1], copies=[1, 3]),
    ]
)


def test_the_sibling_has_the_best_registered_bad_arm_alone() -> None:
    assert bad_arms(MARKET) == [(0.3, 5), (0.4, 6)]
    assert sibling(MARKET) == Market([Agent("a", [0.4]), MARKET.agents[1]])


def test_markets_have_one_best_agent_with_bad_arms() -> None:
    cases = judged_copying()
    assert len(cases) > 50
    assert all(bad_arms(case.market) for case in cases)
    equal = Market([Agent("a", [0.9, 0.1]), Agent("b", [0.9])])
    assert bad_arms(equal) == []
    assert [case.market.best_mean for case in truthful_in_turn()] == [0.95] * 4


def test_a_row() -> None:
    case = replace(truthful_in_turn()[3], horizon=3_000, repetitions=20)
    game: dict[str, Any] = {"horizon": 3_000, "repetitions": 20, "seed": case.seed}
    alone = simulate(sibling(case.market), "default", **game)
    played = simulate(case.market, "default", **game)
    assert played.lost is not None
    row = least_lost(case, alone, {"lost_count": played.lost.count})
    assert (row.plays, row.lost) == (alone.plays[:, 3].mean(), played.lost.count)
    assert (row.c, row.games) == (1 / 21, 20)
    assert row.delta == pytest.approx(0.15)
    assert row.rate == pytest.approx(kl(0.8, 0.95) / 21)
    assert row.many is not None
    assert 0 <= row.least <= row.many <= row.usual
    assert as_csv([row]).count("\n") == 2
    assert "| truthful but for the 0.8-agent | 3,000 | 1/21 | 0.15 |" in as_markdown([row])


def test_the_study_runs(tmp_path: Path) -> None:
    cut_study("least_lost", tmp_path, count=5, rounds=3_000, games=20)
    run_script("least_lost.py", tmp_path, tmp_path)
    case = truthful_in_turn()[3]
    game: dict[str, Any] = {"horizon": 3_000, "repetitions": 20, "seed": case.seed}
    plays = simulate(sibling(case.market), "default", **game).plays[:, 3].mean()
    with (tmp_path / "least_lost.csv").open(newline="") as file:
        rows = {row["market"]: row for row in csv.DictReader(file)}
    assert len(rows) == 5
    assert rows[case.name]["plays"] == f"{plays:.6g}"
    assert (rows[case.name]["games"], rows[case.name]["horizon"]) == ("20", "3000")
