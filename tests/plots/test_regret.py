"""Regret over the rounds: what is drawn."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text

import copyproof
from copyproof import Result, paper_market, simulate
from copyproof.plots.palette import printed_lines

# matplotlib's types do not say what its containers hold, and tests read it back.
plot_regret: Any = copyproof.plot_regret

NAMES = ("UCB1", "S-UCB", "Fair", "H-UCB", "RH-UCB", "PRH-UCB")
SIX = ("ucb1", "s-ucb", "fair(ucb1)", "h-ucb", "rh-ucb", "prh-ucb")


def play(policy: str, repetitions: int = 3) -> Result:
    return simulate(paper_market("2a"), policy, horizon=200, repetitions=repetitions, seed=1)


def colours(ax: Any) -> dict[str, str]:
    return {line.get_label(): to_hex(line.get_color()) for line in ax.lines}


def test_lines_and_bands_are_the_curves() -> None:
    result = play("h-ucb")
    ax = plot_regret(result)
    (line,) = ax.lines
    (band,) = ax.collections
    np.testing.assert_array_equal(line.get_xdata(), [0, *result.curve.round])
    np.testing.assert_array_equal(line.get_ydata(), [0, *result.curve.mean])
    top = band.get_paths()[0].vertices[:, 1].max()
    assert top == pytest.approx((result.curve.mean + result.curve.std).max())
    assert ax.get_xlabel() == "round"
    assert "regret" in ax.get_ylabel()
    assert ax.get_ylim()[0] == 0


def test_one_repetition_has_no_band() -> None:
    ax = plot_regret([play("h-ucb", repetitions=1)])
    assert len(ax.collections) == 0
    note = "paper:2a: 5 agents, 1,004 registered arms; T = 200, 1 repetition, seed 1."
    assert ax.figure.get_supxlabel() == note
    own: Any = Figure().subplots()
    plot_regret([play("h-ucb", repetitions=1)], ax=own)
    assert own.get_legend().get_title().get_text() == ""


def test_every_line_ends_in_its_name_and_its_regret() -> None:
    results = [play(policy) for policy in SIX]
    ax = plot_regret(results)
    expected = {f"{name}  {one.regret.mean:,.0f}" for name, one in zip(NAMES, results, strict=True)}
    assert {text.get_text() for text in ax.texts} == expected
    assert ax.get_legend() is None
    note = "paper:2a: 5 agents, 1,004 registered arms; T = 200, 3 repetitions, seed 1. Bands: one"
    assert ax.figure.get_supxlabel().startswith(note)


MANY = [*SIX, "trial", "prh-ucb", "thompson", "kl-ucb", "h-thompson", "trial(c=1/50, lost=0.001)"]


@pytest.mark.parametrize("count", [1, 2, 7, 12])
def test_no_two_labels_touch_and_none_leaves_the_figure(count: int) -> None:
    figure = plot_regret([play(policy, repetitions=1) for policy in MANY[:count]]).figure
    figure.draw_without_rendering()
    (ax,) = figure.axes
    boxes = [Text.get_window_extent(text) for text in ax.texts]  # without strokes
    assert len(boxes) == count
    for place, box in enumerate(boxes):
        assert 0 <= box.x0 < box.x1 <= figure.bbox.x1 + 1
        assert box.y1 <= figure.bbox.y1
        assert not any(box.overlaps(other) for other in boxes[place + 1 :])


def test_lines_differ_in_grey_print() -> None:
    looks = {(look.dash, look.marker) for look in printed_lines(["h-ucb"] * 48)}
    assert len(looks) == 48


def test_the_legend_of_given_axes_goes_by_the_ends_of_the_lines() -> None:
    results = [play(policy) for policy in SIX]
    ax = plot_regret(results, ax=Figure().subplots())
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    by_end = sorted(results, key=lambda result: -result.regret.mean)
    assert texts == [str(result.resolved_policy) for result in by_end]


def test_a_policy_keeps_its_colour() -> None:
    every = colours(plot_regret([play(policy) for policy in SIX]))
    assert len(set(every.values())) == 6
    for policy in SIX:
        alone = colours(plot_regret([play("h-thompson"), play(policy)]))
        assert every.items() >= {k: v for k, v in alone.items() if k != "h-thompson"}.items()


def test_no_two_lines_look_the_same() -> None:
    results = [play("h-ucb")] * 20
    looks = [(to_hex(one.get_color()), one.get_marker()) for one in plot_regret(results).lines]
    dashes = [look.dash for look in printed_lines(["h-ucb"] * 20)]
    assert len(set(zip(looks, dashes, strict=True))) == 20


def test_a_given_ax_is_drawn_on() -> None:
    figure = Figure()
    _, right = figure.subplots(1, 2)
    right.plot([0, 1], [0, 1], label="mine")
    assert plot_regret(play("ucb1"), ax=right) is right
    assert len(right.lines) == 2
    right.set_xscale("log")
    right.set_yscale("log")
    plot_regret(play("h-ucb"), ax=right)
    assert right.get_xscale() == "log"


def test_nothing_to_draw_is_an_error() -> None:
    with pytest.raises(ValueError, match="results is empty"):
        plot_regret([])


def test_pyplot_is_left_alone() -> None:
    code = (
        "import sys, copyproof as c\n"
        "market = c.paper_market('2a')\n"
        "c.plot_regret(c.simulate(market, 'h-ucb', horizon=9, repetitions=2, seed=1))\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
