"""Labels at the ends of lines."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from copyproof.plots.labels import End, label_ends, spread


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
