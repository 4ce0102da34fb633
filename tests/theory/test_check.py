"""``bounds``: what it lists and refuses, and that every policy on any market gets an answer."""

import json
import math
import random
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import copyproof
from copyproof import CATALOGUE, Agent, Market, paper_market
from copyproof.theory import Bound, bounds
from tests.markets import random_market
from tests.theory.one_bound import of, value

NAMES = [
    "theorem 3",
    "theorem 5",
    "theorem 6",
    "theorem 7",
    "lemma 1",
    "lemma 1, exact",
    "Lai-Robbins",
    "theorem A",
    "theorem A′, truthful",
    "theorem A′, few good",
    "theorem A′, with rates",
    "theorem B",
    "theorem B, with gaps",
    "theorem D, lost games",
]


def test_the_door() -> None:
    assert copyproof.bounds is bounds
    assert copyproof.Bound is Bound
    large: Any = np.int64(10**5)
    found = bounds(paper_market("1a"), copyproof.parse_policy("h-ucb"), large)
    assert [bound.theorem for bound in found] == NAMES


@pytest.mark.parametrize("horizon", [0, -1, 1.5, "10", True, None, 10**101])
def test_horizons_that_are_none(horizon: Any) -> None:
    message = f"horizon = {horizon!r} is not a whole number from 1 to 10^100"
    with pytest.raises(ValueError, match=re.escape(message)):
        bounds(paper_market("1a"), "h-ucb", horizon)


def test_unknown_policy() -> None:
    with pytest.raises(ValueError, match="policy = 'ucb2' is not known"):
        bounds(paper_market("1a"), "ucb2", 100)


@pytest.mark.parametrize("horizon", [1, 2, 10**5, 10**100])
def test_values_beyond_floats_are_null_in_json(horizon: int) -> None:
    market = Market([Agent("a", [0.0, 0.5e-323]), Agent("b", [1e-323])])
    for policy in ("h-ucb", "rh-ucb(L=1e300)", "ucb1", "prh-ucb", "rh-kl-ucb(L=1e300)"):
        found = bounds(market, policy, horizon, c=1e-9, lost=1e-300, plays=1e300)
        assert not any(bound.value is not None and math.isnan(bound.value) for bound in found)
        json.dumps([bound.to_dict() for bound in found], allow_nan=False)
    single = market.with_profile([[0, 1], [1]])
    infinite = of(single, "h-ucb", "theorem 3", horizon=10**5)
    assert infinite.vacuous
    assert infinite.value == math.inf
    assert infinite.to_dict()["value"] is None


@given(st.integers(0, 2**32), st.sampled_from(CATALOGUE), st.integers(1, 10**7))
def test_every_row_on_any_market(
    seed: int, row: copyproof.policy.NamedPolicy, horizon: int
) -> None:
    market = random_market(random.Random(seed))
    found = bounds(market, row.policy, horizon, K=7, g=2, lost=0.1, plays=2.5)
    assert [bound.theorem for bound in found] == NAMES
    exact = {bound.theorem: bound for bound in found}["lemma 1, exact"]
    for bound in found:
        assert bound.why
        assert "\n" not in bound.why
        assert (bound.value is not None) == (bound.applies and bound.theorem != "theorem 7")
        assert bound.value is None or bound.value >= 0
        assert bound.applies or not bound.vacuous
        if bound.theorem == "lemma 1" and bound.applies:
            assert value(exact) <= value(bound) * (1 + 1e-12) <= 1 / horizon * (1 + 1e-12)
