"""Reports: ratios where policies played the same, a profile, and a page that says what failed."""

from pathlib import Path

import pandas as pd
import pytest

from copyproof.studies.report import comparisons, profile_figure, rankings, write_report
from copyproof.studies.store import Status

SAME = {"part": "", "strategy": "as given", "horizon": 100, "repetitions": 10, "seed": 1}


def frame_of(regrets: dict[str, dict[str, float | None]], **more: object) -> pd.DataFrame:
    """Regrets by policy, then by market."""
    return pd.DataFrame(
        [
            SAME | more | {"policy": policy, "market": market, "regret_mean": regret}
            for policy, row in regrets.items()
            for market, regret in row.items()
        ]
    ).assign(failure=None)


TWO = frame_of({"a": {"x": 10.0, "y": 40.0}, "b": {"x": 20.0, "y": 10.0}})


def test_ratios_are_geometric_means_over_the_least() -> None:
    (table,) = comparisons(TWO)
    assert table.title == "T = 100; as given"
    assert table.head == ("policy", "cells", "regret", "ratio", "least in", "rank")
    assert table.rows == (("a", "2", "25", "2", "1", "1.50"), ("b", "2", "15", "1.41", "1", "1.50"))


def test_where_somebody_has_no_regret_there_is_no_ratio() -> None:
    (table,) = comparisons(frame_of({"a": {"x": 0.0}, "b": {"x": 3.0}}))
    assert [row[3] for row in table.rows] == ["–", "–"]
    assert profile_figure(frame_of({"a": {"x": 0.0}, "b": {"x": 3.0}})) is None


def test_parts_and_horizons_have_tables_of_their_own() -> None:
    frame = pd.concat([TWO, TWO.assign(horizon=200), TWO.assign(part="long")], ignore_index=True)
    titles = [table.title for table in comparisons(frame)]
    assert titles == ["T = 100; as given", "T = 200; as given", "long; T = 100; as given"]


def test_lost_games_and_verdicts_are_counted() -> None:
    frame = TWO.assign(
        lost_count=[1.0, float("nan"), 0.0, 0.0],
        exact_regret=1.5,
        audit_verdict=["prone", "prone", "no-gain", "undecided"],
    )
    (table,) = comparisons(frame)
    assert table.head[6:] == ("lost", "exact regret", "prone", "no-gain", "unchanged", "undecided")
    assert table.rows[0][6:] == ("10.00 %", "1.5", "2", "0", "0", "0")
    assert table.rows[1][6:] == ("0.00 %", "1.5", "0", "1", "0", "1")


def test_a_failed_cell_is_in_no_comparison() -> None:
    frame = TWO.copy()
    frame.loc[0, ["regret_mean", "failure"]] = [None, "it raised"]
    (table,) = comparisons(frame)
    assert [row[:2] for row in table.rows] == [("a", "1"), ("b", "2")]


def test_an_open_cell_is_in_no_comparison() -> None:
    frame = frame_of({"a": {"x": 10.0, "y": None}, "b": {"x": 20.0, "y": None}, "c": {"x": None}})
    (table,) = comparisons(frame)
    assert table.rows == (("a", "1", "10", "1", "1"), ("b", "1", "20", "2", "0"))
    figure = profile_figure(frame)
    assert figure is not None
    assert b"2 cells." in figure
    assert b"<!-- a -->" in figure
    assert b"<!-- c -->" not in figure
    assert comparisons(frame_of({"a": {"x": None}})) == []


def test_policies_are_compared_where_all_that_have_begun_are_done() -> None:
    frame = frame_of({"a": {"x": 10.0, "y": 1000.0}, "b": {"x": 20.0, "y": None}})
    (table,) = comparisons(frame)
    assert table.rows == (("a", "1", "10", "1", "1"), ("b", "1", "20", "2", "0"))


def test_the_page(tmp_path: Path) -> None:
    lines = [f"cell {k} <b>raised</b>" for k in range(25)]
    path = write_report(tmp_path, TWO, Status(cells=29, done=4, failed=25), lines)
    page = path.read_text()
    assert "29 cells: 2 policies, 2 markets, 1 strategy, 1 horizon, 1 seed; 4 done" in page
    assert "data:image/svg+xml;base64," in page
    assert "cell 19 &lt;b&gt;raised" in page
    assert "cell 20 " not in page
    assert "5 more" in page


@pytest.mark.parametrize("policies", [1, 2])
def test_a_profile_needs_two_policies(policies: int) -> None:
    frame = TWO[TWO["policy"].isin(["a", "b"][:policies])]
    figure = profile_figure(frame)
    assert (figure is None) == (policies == 1)


MANY = frame_of(
    {"a": {f"m{k}": 10.0 + k for k in range(8)}, "b": {f"m{k}": 20.0 + k for k in range(8)}}
)


def test_a_market_counts_once_in_the_ranking() -> None:
    """Seeds are averaged; a market on which a policy failed is left out."""
    later = MANY.assign(seed=2, regret_mean=MANY["regret_mean"] + 1)
    ((title, found),) = rankings(pd.concat([MANY, later], ignore_index=True))
    assert title == "T = 100; as given"
    assert (found.markets, found.policies, found.ranks) == (8, ("a", "b"), (1.0, 2.0))
    assert found.pairs[0].told_apart
    failed = MANY.copy()
    failed.loc[0, ["regret_mean", "failure"]] = [None, "it raised"]
    assert rankings(failed)[0][1].markets == 7
    assert rankings(frame_of({"a": {"x": 1.0}, "b": {"x": 2.0}})) == []
    assert rankings(MANY.drop(columns="regret_mean")) == []


def test_the_page_has_a_figure_of_ranks(tmp_path: Path) -> None:
    status = Status(cells=16, done=16, failed=0)
    page = write_report(tmp_path, MANY, status, []).read_text()
    assert "Average ranks over 8 markets, the best first: a 1.00, b 2.00." in page
    assert "are needed at least" not in page
    few = write_report(tmp_path, TWO, status, []).read_text()
    assert "2 markets cannot tell any pair apart: 6 are needed at least." in few
