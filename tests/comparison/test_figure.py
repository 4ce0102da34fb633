"""Drawn comparisons: what is where."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import copyproof
from copyproof import Comparison, compare, paper_market, simulate
from copyproof.comparison import Played, ranking
from copyproof.plots.files import figure_bytes
from copyproof.simulation import Estimate
from copyproof.validation import FieldError

# matplotlib's types do not say what its containers hold, and tests read it back.
plot_comparison: Any = copyproof.plot_comparison
NAMES = ("ucb1", "h-ucb", "rh-ucb", "mine, with a <long> name of $30", "fair")


@pytest.fixture(scope="module")
def one() -> Comparison:
    size: dict[str, Any] = {"horizon": 300, "repetitions": 40, "seed": 1}
    return compare([simulate(paper_market("2a"), p, **size) for p in ("ucb1", "h-ucb", "trial")])


def several(markets: int = 20) -> Comparison:
    rng = np.random.default_rng(3)
    table = rng.uniform(1, 9, (markets, 1)) * np.array([5.0, 1.0, 1.0, 3.0, 5.0])
    table *= rng.uniform(0.95, 1.05, (markets, 5))
    played = tuple(
        Played(f"{k}", 1, 100, 10, tuple(Estimate(x, 0, 0) for x in row))
        for k, row in enumerate(table.tolist())
    )
    found = ranking(table, NAMES)
    return Comparison("regret", None, NAMES, played, (), found, 0.95, unseen=True)


def texts(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_differences_stand_at_their_means(one: Comparison) -> None:
    ax = plot_comparison(one)
    marks = [line for line in ax.lines if line.get_marker() == "o"]
    rows = [text.get_text() for text in ax.get_yticklabels()]
    assert len(marks) == len(rows) == 3
    assert sorted(mark.get_xdata()[0] for mark in marks) == sorted(
        d.by.mean for d in one.differences
    )
    for mark in marks:
        (verdict,) = {d.verdict for d in one.differences if d.by.mean == mark.get_xdata()[0]}
        assert (to_hex(mark.get_markerfacecolor()) == "#ffffff") == (verdict == "open")
    assert {d.verdict for d in one.differences} == {"better", "open"}
    assert ax.get_xlabel() == "less regret of the first policy than of the second"


def test_many_pairs_are_held_against_the_best(one: Comparison) -> None:
    policies = tuple(f"p{k}" for k in range(7))
    means = tuple(Estimate(float(k), 1.0, 0.1) for k in range(7))
    played = replace(one.played[0], means=means)
    pairs = tuple(
        replace(one.differences[0], policy=a, against=b, played=played)
        for k, a in enumerate(policies)
        for b in policies[k + 1 :]
    )
    ax = plot_comparison(replace(one, policies=policies, played=(played,), differences=pairs))
    assert [text.get_text() for text in ax.get_yticklabels()] == [
        f"p0 vs. p{k}" for k in range(1, 7)
    ]
    assert "Not shown: 15 more pairs" in ax.figure.get_supxlabel()


def test_ranks_and_bars() -> None:
    found = several()
    assert found.ranking is not None
    ax = plot_comparison(found)
    wide = [line for line in ax.lines if line.get_linewidth() > 4]
    places = dict(zip(found.ranking.policies, found.ranking.ranks, strict=True))
    assert [tuple(bar.get_xdata()) for bar in wide] == [
        (places[group[0]], places[group[-1]]) for group in found.ranking.groups
    ]
    assert len(wide) == 2
    marked = {line.get_xdata()[0] for line in ax.lines if line.get_marker() not in ("", "None")}
    assert marked == set(found.ranking.ranks)
    assert len({line.get_marker() for line in ax.lines} - {"None"}) == 5  # for grey print
    assert any(text.startswith("H-UCB  1.") for text in texts(ax))
    assert {"1", "2", "3", "4", "5", "best", "worst"} < set(texts(ax))


def test_every_figure_can_be_drawn(one: Comparison) -> None:
    few = replace(several(), ranking=ranking([[1.0, 2.0]], ["ucb1", "h-ucb"]))
    unknown = compare(
        [simulate(paper_market("2a"), p, horizon=50, repetitions=2, seed=1) for p in NAMES[:2]]
    )
    for found in (one, several(), few, unknown):
        data = figure_bytes(plot_comparison(found).figure, "png")
        assert data[1:4] == b"PNG"


def test_a_given_ax_is_drawn_on_without_a_title(one: Comparison) -> None:
    for found in (one, several()):
        figure = Figure()
        _, right = figure.subplots(1, 2)
        assert plot_comparison(found, ax=right) is right
        assert figure.get_suptitle() == ""


def test_settings_of_one_market_are_named() -> None:
    games = [
        simulate(paper_market("2a"), policy, horizon=horizon, repetitions=20, seed=1)
        for horizon in (100, 200)
        for policy in ("ucb1", "h-ucb")
    ]
    labels = [text.get_text() for text in plot_comparison(compare(games)).get_yticklabels()]
    assert [label.partition("\n")[2] for label in labels] == ["T = 100, seed 1", "T = 200, seed 1"]


def test_anything_else_is_refused() -> None:
    with pytest.raises(FieldError, match="comparison = 5 is not what compare returns"):
        plot_comparison(5)
