"""Thompson sampling by draws above a bar has the law of the largest of independent draws."""

import numpy as np
import pytest

from copyproof import Agent, Market, parse_policy
from copyproof.engine.lower import lower
from copyproof.engine.pools import reset
from copyproof.engine.posteriors import draw_largest, weigh
from copyproof.engine.state import State

DRAWS = 3000


def state_of(groups: list[tuple[int, int, float]]) -> State:
    """A flat pool of arms with so many plays and such sums: (arms, plays, sum) each."""
    arms = sum(count for count, _, _ in groups)
    lowered = lower(
        Market([Agent("a", [0.5], copies=[arms])]), parse_policy("thompson"), horizon=10, seed=7
    )
    state = lowered.new_state()
    reset(lowered.plan, state, 0)
    number = 1
    for count, plays, total in groups:
        items = state.items[number : number + count]
        items["plays"] = items["answers"] = plays
        items["total"] = total
        number += count
    return state


@pytest.mark.parametrize(
    "groups",
    [
        [(40, 0, 0.0)],
        [(30, 0, 0.0), (200, 1, 0.0), (100, 1, 1.0), (20, 5, 4.0), (10, 9, 6.5)],
        # One far ahead: nothing but its own draw matters.
        [(300, 20, 4.0), (1, 3000, 2700.0), (1, 2500, 2245.5)],
        # Sums that are no whole numbers, with modes next to 1 and to 0.
        [(50, 30, 29.99), (50, 30, 29.5), (50, 30, 0.01)],
        [(40, 1000, 0.0), (3, 2000, 1.0)],
    ],
)
def test_each_arm_wins_as_often_as_by_independent_draws(
    groups: list[tuple[int, int, float]],
) -> None:
    state = state_of(groups)
    places = [draw_largest(state, 0, k, 0, 0) for k in range(DRAWS)]
    assert 0.0 < state.pools[0]["x"] < 1.0
    of_group = np.repeat(np.arange(len(groups)), [count for count, _, _ in groups])
    found = np.bincount(of_group[places], minlength=len(groups)) / DRAWS
    rng = np.random.default_rng(1)
    a = np.repeat([1 + total for _, _, total in groups], [count for count, _, _ in groups])
    b = np.repeat([1 + n - total for _, n, total in groups], [count for count, _, _ in groups])
    winners = np.concatenate([rng.beta(a, b, (1000, len(a))).argmax(axis=1) for _ in range(10)])
    expected = np.bincount(of_group[winners], minlength=len(groups)) / len(winners)
    error = np.sqrt(expected * (1 - expected) * (1 / DRAWS + 1 / len(winners)))
    assert (abs(found - expected) <= 4 * error + 1e-12).all()
    # Within a group all arms are alike.
    largest = int(np.argmax([count for count, _, _ in groups]))
    inside = [place for place in places if of_group[place] == largest]
    if len(inside) > 20 * groups[largest][0]:
        wins = np.bincount(inside, minlength=len(of_group))[of_group == largest]
        mean = wins.mean()
        chi_square = ((wins - mean) ** 2 / mean).sum()
        freedom = len(wins) - 1
        assert abs(chi_square - freedom) <= 4 * np.sqrt(2 * freedom)


@pytest.mark.parametrize("bar", [0.01, 0.3, 0.5, 0.9, 0.999])
@pytest.mark.parametrize(
    ("n", "total"), [(0, 0.0), (1, 0.0), (1, 1.0), (9, 4.0), (30, 29.99), (10_000, 5000.0)]
)
def test_envelopes_lie_above_the_chance_of_a_draw_above_the_bar(
    n: int, total: float, bar: float
) -> None:
    rng = np.random.default_rng(2)
    above = (rng.beta(1 + total, 1 + n - total, 100_000) > bar).mean()
    length, _, high = weigh(total, n - total, bar)
    if not high:
        assert 1 - np.exp(-length) >= above - 4 * np.sqrt(above / 100_000) - 1e-12
    else:
        assert length == 0.0
