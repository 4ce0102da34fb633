"""The tournament of curves against a plain maximum of KL-UCB indices."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from copyproof.engine.bounds import kl_index
from copyproof.engine.curves import (
    advance_curves,
    build_curves,
    curve,
    nth_curve,
    replay_curves,
)
from copyproof.engine.state import ITEM
from copyproof.engine.tournament import allocate_nodes, set_leaf

# Few distinct values, so that equal indices are common, and sums that differ by a rounding error.
TOTALS = st.sampled_from([0.0, 1.0, 0.5, 0.3, 0.1 + 0.2, 1 / 3, 1e-300, 1 - 2**-53])
ARMS = st.tuples(st.sampled_from([0, 1, 1, 2, 3, 10, 1000]), TOTALS)


def item_of(arm: tuple[int, float]) -> np.ndarray:
    plays, share = arm
    item = np.zeros(1, ITEM)
    item["plays"] = item["answers"] = plays
    item["total"] = plays * share
    return item


def index_of(item: np.ndarray, x: float) -> float:
    if item["plays"][0] == 0:
        return np.inf
    return float(kl_index(float(item["total"][0] / item["answers"][0]), x / item["plays"][0]))


@given(
    arms=st.lists(ARMS, min_size=1, max_size=33),
    steps=st.lists(
        st.tuples(st.sampled_from([0.0, 1e-9, 0.01, 0.3, 5.0, 1e4]), st.integers(0, 32), ARMS),
        max_size=40,
    ),
)
def test_winners_are_those_of_a_scan(
    arms: list[tuple[int, float]], steps: list[tuple[float, int, tuple[int, float]]]
) -> None:
    cap = 1
    while cap < len(arms):
        cap *= 2
    base = 2  # a tree need not start at the first node
    nodes = allocate_nodes(2 * cap + base)
    items = [item_of(arm) for arm in arms]
    for place in range(cap):
        if place < len(arms):
            set_leaf(nodes, base + cap + place, *curve(items[place][0]), 1, 100 + place)
        else:
            set_leaf(nodes, base + cap + place, -np.inf, 0.0, 0, -1)
    x = 0.0
    build_curves(nodes, base, cap, x)
    for forward, place, arm in steps:
        x += forward
        advance_curves(nodes, base, cap, x)
        values = [index_of(item, x) for item in items]
        expected = [p for p, value in enumerate(values) if value == max(values)]
        assert nodes[base + 1]["count"] == len(expected)
        found = [nth_curve(nodes, base, cap, nth) for nth in range(len(expected))]
        assert found == expected
        if place < len(arms):
            items[place] = item_of(arm)
            set_leaf(nodes, base + cap + place, *curve(items[place][0]), 1, 100 + place)
            replay_curves(nodes, base, cap, place, x)
