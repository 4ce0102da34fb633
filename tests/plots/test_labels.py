"""Labels at the ends of lines, and beside dots."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from copyproof.plots import canvas
from copyproof.plots.labels import End, PointLabel, label_ends, label_points, spread


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9), st.floats(0.001, 0.3))
def test_spread_keeps_order_and_distance(places: list[float], least: float) -> None:
    wanted = sorted(places)
    found = spread(wanted, least)
    steps = [b - a for a, b in itertools.pairwise(found)]
    assert len(found) == len(wanted)
    assert all(step >= least - 1e-9 for step in steps)
    assert sum(found) == pytest.approx(sum(wanted), abs=1e-6)  # nobody is favoured


def test_spread_leaves_what_is_far_apart() -> None:
    assert spread([0.0, 1.0, 3.0], 0.5) == [0.0, 1.0, 3.0]


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_labels_stand_beside_their_lines(scale: str) -> None:
    ax = Figure().subplots()
    ax.set_yscale(scale)
    for y in (10, 1000):
        ax.plot([0, 1], [y, y])
    label_ends(ax, [End(1, 1000, "high", "red"), End(1, 10, "low", "blue")])
    low, high = ax.texts
    assert (low.get_text(), high.get_text()) == ("low", "high")
    for text, y in ((low, 10), (high, 1000)):
        place = ax.transAxes.inverted().transform(ax.transData.transform((1, y)))[1]
        assert text.get_position()[1] == pytest.approx(place)


def test_no_label_hangs_below_the_axes() -> None:
    ax = Figure().subplots()
    ax.set_ylim(0, 1000)
    label_ends(ax, [End(1, y, str(y), "red") for y in (1, 2, 3, 900)])
    places = [text.get_position()[1] for text in ax.texts]
    assert places[0] == 0
    assert [text.get_text() for text in ax.texts] == ["1", "2", "3", "900"]
    assert places[2] - places[1] == pytest.approx(places[1] - places[0])
    assert places[3] == pytest.approx(0.9)


def test_no_ends_no_labels() -> None:
    ax = Figure().subplots()
    label_ends(ax, [])
    assert len(ax.texts) == 0


def test_labels_of_close_dots_do_not_overlap() -> None:
    (ax,) = canvas.new_axes(3.0, width=4.0)
    figure: Any = ax.get_figure(root=True)
    figure.set_layout_engine("none")
    ax.set_xlim(0, 10)
    ax.set_ylim(0, 10)
    labels = [PointLabel(5 + k / 10, 5 + k % 2 / 5, f"policy {k}\nlike others") for k in range(7)]
    label_points(ax, labels, [(0.0, 7.0), (10.0, 7.0)])
    drawn: Any = FigureCanvasAgg(figure)
    drawn.draw()
    renderer = drawn.get_renderer()
    texts: list[Any] = list(ax.texts)
    assert [text.get_text() for text in texts] == [label.text for label in labels]
    boxes = [Text.get_window_extent(text, renderer) for text in texts]  # without their strokes
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    dots = [ax.transData.transform((label.x, label.y)) for label in labels]
    assert not any(box.contains(*dot) for box in boxes for dot in dots)
    frame = ax.get_window_extent(renderer)
    assert all(frame.contains(box.x0, box.y0) and frame.contains(box.x1, box.y1) for box in boxes)
    assert any(text.arrowprops for text in texts)  # those that had to move away


def test_the_first_labels_choose_first() -> None:
    (ax,) = canvas.new_axes(3.0, width=4.0)
    ax.set_xlim(0, 10)
    ax.set_ylim(0, 10)
    label_points(ax, [PointLabel(5, 5, "first"), PointLabel(5, 5, "second")])
    first, second = (text.xyann for text in ax.texts)  # type: ignore[attr-defined]
    assert first[0] > 0  # beside its dot, to the right
    assert first[1] == 0
    assert second != first
