"""Quantiles of mixtures: against SciPy's distribution functions, at atoms, and in order."""

from collections.abc import Callable

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from copyproof import (
    Agent,
    Beta,
    Empirical,
    Exponential,
    Gaussian,
    Market,
    Mixture,
    Poisson,
    simulate,
)
from copyproof.game import Reward
from tests.engine.test_quantiles import UNIFORMS, quantiles

NORMAL, EXPON, BETA = scipy.stats.norm, scipy.stats.expon, scipy.stats.beta


@pytest.mark.parametrize(
    ("arm", "F"),
    [
        (
            Mixture([Gaussian(-2, 0.5), Gaussian(3, 1)], [1, 3]),
            lambda x: 0.25 * NORMAL.cdf(x, -2, 0.5) + 0.75 * NORMAL.cdf(x, 3, 1),
        ),
        (
            Mixture([Beta(2, 5), Beta(0.5, 0.5), Exponential(0.7)]),
            lambda x: (BETA.cdf(x, 2, 5) + BETA.cdf(x, 0.5, 0.5) + EXPON.cdf(x, scale=0.7)) / 3,
        ),
    ],
)
def test_what_has_a_density_is_inverted(arm: Mixture, F: Callable[[float], float]) -> None:
    assert np.allclose([F(x) for x in quantiles(arm)], UNIFORMS, rtol=0, atol=1e-14)


def test_what_has_none_is_a_table() -> None:
    found = quantiles(Mixture([0.5, Empirical([0.0, 0.25])], [1, 3]))
    # P(0) = 1/8 + 3/8, P(1/4) = 3/8, P(1) = 1/8
    assert np.array_equal(found, np.select([UNIFORMS <= 0.5, UNIFORMS <= 0.875], [0, 0.25], 1))


def test_an_atom_among_densities_is_paid_exactly() -> None:
    found = quantiles(Mixture([0.5, Gaussian(0.5, 1)]))
    below, at = NORMAL.cdf(-0.5), NORMAL.cdf(0.5)
    at_zero = UNIFORMS - below / 2  # F jumps by 1/4 at 0, and at 1
    at_one = UNIFORMS - 0.25 - at / 2
    zero, one = (at_zero > 0) & (at_zero < 0.25), (at_one > 0) & (at_one < 0.25)
    assert zero.any()
    assert one.any()
    assert set(found[zero]) == {0.0}
    assert set(found[one]) == {1.0}
    assert not set(found[~(zero | one)]) & {0.0, 1.0}


def test_nine_of_ten_buy_nothing() -> None:
    found = quantiles(Mixture([0, Exponential(20)], [9, 1]))
    assert np.all(found[UNIFORMS < 0.9] == 0)
    bought = UNIFORMS > 0.9
    assert np.allclose(0.9 + 0.1 * EXPON.cdf(found[bought], scale=20), UNIFORMS[bought], atol=1e-14)


FAMILIES = st.one_of(
    st.builds(Gaussian, st.floats(-3, 3), st.floats(0.1, 2)),
    st.builds(Beta, st.floats(0.3, 9), st.floats(0.3, 9)),
    st.builds(Exponential, st.floats(0.1, 3)),
    st.builds(Poisson, st.floats(0.1, 3)),
    st.floats(0, 1),
)


@given(st.lists(FAMILIES, min_size=1, max_size=4), st.data())
@settings(max_examples=25, deadline=None)
def test_quantiles_rise_and_lie_between_those_of_the_components(
    parts: list[Reward | float], data: st.DataObject
) -> None:
    weights = [data.draw(st.floats(0.1, 9)) for _ in parts]
    mixture = Mixture(parts, weights)  # type: ignore[arg-type]
    some = UNIFORMS[::25]
    found = quantiles(mixture, some)
    own = np.array([quantiles(part, some) for part in mixture.components])
    assert np.all(np.diff(found) >= -1e-12)
    assert np.all(found >= own.min(axis=0) - 1e-12)
    assert np.all(found <= own.max(axis=0) + 1e-12)


def test_the_mean_of_what_is_paid_is_the_mixtures() -> None:
    arm = Mixture([0.25, Gaussian(1, 2), Beta(2, 3), Poisson(2)], [1, 2, 3, 4])
    result = simulate(Market([Agent("a", [arm])]), "ucb1", horizon=20_000, repetitions=4, seed=1)
    a = result.agents[0]
    assert abs(a.revenue.mean - 20_000 * arm.mean) < 4 * np.sqrt(20_000 * 4 / 4)
    assert result.regret.mean == 0
