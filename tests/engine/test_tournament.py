"""The kinetic tournament against a plain maximum, on lines that move any which way."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from copyproof.engine.tournament import (
    advance,
    allocate_nodes,
    build,
    nth_winner,
    replay_path,
    set_leaf,
)

# Few distinct values, so that equal and crossing lines are common, and some that differ by a
# rounding error only.
NEIGHBOURS = [0.3, 0.1 + 0.2, np.nextafter(0.3, 0), 1e12, np.nextafter(1e12, 0), 1e-15, 2e-15]
HEIGHTS = st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0, -0.5, np.inf, 0.7, *NEIGHBOURS])
SLOPES = st.sampled_from([0.0, 0.5, 1.0, 2**-0.5, 3**-0.5, 0.1, np.nextafter(0.1, 1)])
LINES = st.tuples(HEIGHTS, SLOPES).map(
    lambda line: (line[0], 0.0 if line[0] == np.inf else line[1])
)


@given(
    lines=st.lists(LINES, min_size=1, max_size=33),
    steps=st.lists(
        st.tuples(st.sampled_from([0.0, 1e-9, 0.01, 0.3, 5.0, 1e4]), st.integers(0, 32), LINES),
        max_size=40,
    ),
)
def test_winners_are_those_of_a_scan(
    lines: list[tuple[float, float]], steps: list[tuple[float, int, tuple[float, float]]]
) -> None:
    cap = 1
    while cap < len(lines):
        cap *= 2
    base = 2  # a tree need not start at the first node
    nodes = allocate_nodes(2 * cap + base)
    for place in range(cap):
        if place < len(lines):
            set_leaf(nodes, base + cap + place, *lines[place], 1, 100 + place)
        else:
            set_leaf(nodes, base + cap + place, -np.inf, 0.0, 0, -1)
    x = 0.0
    build(nodes, base, cap, x)
    for forward, place, line in steps:
        x += forward
        advance(nodes, base, cap, x)
        values = [height + slope * x for height, slope in lines]
        expected = [p for p, value in enumerate(values) if value == max(values)]
        assert nodes[base + 1]["count"] == len(expected)
        found = [nth_winner(nodes, base, cap, x, nth) for nth in range(len(expected))]
        assert found == expected
        if place < len(lines):
            lines[place] = line
            set_leaf(nodes, base + cap + place, *line, 1, 100 + place)
            replay_path(nodes, base, cap, place, x)


def test_siblings_share_a_cache_line() -> None:
    nodes = allocate_nodes(64)
    assert nodes.itemsize == 32
    assert nodes.ctypes.data % 64 == 0
