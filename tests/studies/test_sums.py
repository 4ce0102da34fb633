"""Sums of slices: merged in order they are the moments of the whole."""

import itertools
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyproof import paper_market, simulate
from copyproof.simulation import play
from copyproof.studies.sums import Sums, merged, sums_of, values_of

MEASURE = ("regret", "revenue", "shares", "lost")


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=40),
    st.lists(st.integers(1, 20), max_size=5),
)
def test_merged_slices_have_the_moments_of_the_whole(values: list[float], cuts: list[int]) -> None:
    edges = sorted({0, len(values), *(cut % len(values) for cut in cuts)})
    whole: Sums | None = None
    for first, last in itertools.pairwise(edges):
        part = np.array(values[first:last])
        own = {
            "games": len(part),
            "regret": [[float(part.mean())], [float(part.var() * len(part))]],
        }
        whole = own if whole is None else merged(whole, own)
    assert whole is not None
    found = values_of(whole)
    scale = max(1.0, *map(abs, values))
    assert found["regret_mean"] == pytest.approx(np.mean(values), abs=1e-9 * scale)
    assert found["regret_std"] == pytest.approx(np.std(values, ddof=1), abs=1e-6 * scale)


def test_one_slice_is_what_simulate_finds() -> None:
    market = paper_market("2a")
    game: dict[str, Any] = {"horizon": 500, "seed": 3}
    result = simulate(market, "ucb1", repetitions=12, **game)
    found = values_of(sums_of(play(market, "ucb1", 0, 12, **game), market, MEASURE))
    assert [found[f"regret_{part}"] for part in ("mean", "std", "stderr")] == [
        result.regret.mean, result.regret.std, result.regret.stderr,
    ]  # fmt: skip
    assert found["revenue_mean"] == [agent.revenue.mean for agent in result.agents]
    assert found["revenue_stderr"] == [agent.revenue.stderr for agent in result.agents]
    assert found["share_mean"] == pytest.approx([a.plays.mean / 500 for a in result.agents])
    assert result.lost is not None
    assert found["lost_count"] == result.lost.count


def test_sums_keep_every_bit_as_json() -> None:
    market = paper_market("2a")
    sums = sums_of(play(market, "ucb1", 0, 7, horizon=300, seed=1), market, MEASURE)
    assert json.loads(json.dumps(sums)) == sums


def test_one_game_has_no_deviation() -> None:
    found = values_of({"games": 1, "regret": [[1.0], [0.0]], "lost": None})
    assert (found["regret_std"], found["regret_stderr"], found["lost_share"]) == (None, None, None)
