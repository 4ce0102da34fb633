"""The frontier shows what theorem A′ bounds, and bounds it where the theorem speaks."""

import math
from typing import Any

import pytest
from matplotlib.colors import to_hex

from copyproof.paper import PAPER_SIZE, Settings, StudyResults, runs_of
from copyproof.paper.figures.frontier import (
    ARMS,
    GOOD,
    frontier_points,
    least_share_lost,
    plot_frontier,
)
from copyproof.paper.study import FRONTIER_MARKETS, FRONTIER_POLICIES, OURS
from copyproof.policy import BASELINES, CATALOGUE, parse_policy, with_market_defaults
from copyproof.simulation import gap_to_rivals


def test_every_policy_of_the_catalogue_is_there_and_the_same_on_both_markets() -> None:
    policies = FRONTIER_POLICIES
    named = {text.partition("(")[0] for text in policies}
    rows = {row.name for row in CATALOGUE} - {row.name for row in BASELINES}
    assert rows == named, "paper.toml lists them, in two parts"
    assert set(runs_of("frontier", PAPER_SIZE)) == {
        (market, policy) for market in FRONTIER_MARKETS for policy in policies
    }
    for text in policies:
        policy = parse_policy(text)
        assert {str(with_market_defaults(policy, m)) for m in FRONTIER_MARKETS.values()} == {text}


def test_the_markets_are_those_of_the_theorem() -> None:
    (rival, one), (other, many) = (market.agents for market in FRONTIER_MARKETS.values())
    assert rival == other
    assert (one.registered, many.registered, many.copies[0]) == (1, ARMS, GOOD)
    assert many.arms[1] == one.arms[0]
    assert one.best_mean < rival.best_mean < many.best_mean
    # A game without a good arm costs at least the gap in every round, so that it is lost.
    gap = gap_to_rivals(FRONTIER_MARKETS["replicator"])
    assert gap == many.best_mean - rival.best_mean


@pytest.mark.parametrize("plays", [0, 1, 76, 95, 200, 201, 5000])
def test_the_curve_is_the_theorem(plays: int) -> None:
    left = max(ARMS - plays, 0)
    exact = math.comb(left, GOOD) / math.comb(ARMS, GOOD)
    assert least_share_lost(0.6 * plays) == pytest.approx(exact, rel=1e-9, abs=1e-15)


def test_the_default_has_more_games_and_flat_policies_fewer() -> None:
    games = {key: run.repetitions for key, run in runs_of("frontier", PAPER_SIZE).items()}
    assert games["replicator", OURS] == 500
    assert games["replicator", "h-ucb"] == 100
    assert games["replicator", "ucb1"] == games["truthful", OURS] == 10
    flat = [policy for policy in FRONTIER_POLICIES if parse_policy(policy).is_flat]
    assert {games["replicator", policy] for policy in flat} == {10}
    assert min(run.repetitions for run in runs_of("frontier", Settings(100, 2)).values()) == 2


def test_dots_stand_where_the_policies_are(study: StudyResults) -> None:
    results = study["frontier"]
    ax: Any = plot_frontier(results)
    dots = {line.get_label(): line for line in ax.lines}
    points = frontier_points(results)
    assert [point.policy for point in points] == list(FRONTIER_POLICIES)
    for point in points:
        (x,), (y,) = dots[point.policy].get_data()
        lost = results["replicator", point.policy].lost
        assert lost is not None
        assert x == results["truthful", point.policy].regret.mean
        assert y == max(lost.share, ax.get_yticks()[0])
        hollow = to_hex(dots[point.policy].get_markerfacecolor()) == "#ffffff"
        assert hollow == parse_policy(point.policy).is_flat == (not point.is_bound)
    words = "\n".join(text.get_text() for text in ax.texts).split("\n")
    assert set(words) >= set(FRONTIER_POLICIES)
    curve = dots["theorem A′"]
    for x, y in zip(*curve.get_data(), strict=True):
        assert y == least_share_lost(x)


def test_the_default_stands_out(study: StudyResults) -> None:
    ax: Any = plot_frontier(study["frontier"])
    sizes = {line.get_label(): line.get_markersize() for line in ax.lines}
    assert sizes[OURS] > 1.5 * sizes["h-ucb"]
    (bold,) = [text for text in ax.texts if text.get_fontweight() == "bold"]
    assert OURS in bold.get_text().split("\n")
