"""Distribution functions against SciPy's."""

import numpy as np
import pytest
import scipy.stats

from copyproof.engine.distributions import (
    BETA,
    EXPONENTIAL,
    GAUSSIAN,
    normal_probability,
    probability,
    quantile,
)

RNG = np.random.default_rng(7)


def test_the_normal_distribution_function() -> None:
    z = np.concatenate([RNG.normal(size=300), np.linspace(-9.5, 9.5, 200)])
    found = np.array([normal_probability(one) for one in z])
    assert np.allclose(found, scipy.stats.norm.cdf(z), rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    ("family", "first", "second"),
    [
        (BETA, 2.0, 5.0),
        (BETA, 0.3, 0.4),
        (BETA, 300.0, 40.0),
        (GAUSSIAN, 0.3, 2.0),
        (EXPONENTIAL, 0.7, 0),
    ],
)
def test_a_distribution_function_undoes_its_quantiles(
    family: int, first: float, second: float
) -> None:
    for u in RNG.random(200):
        x = quantile(family, first, float(second), u)
        assert probability(family, first, float(second), x) == pytest.approx(u, abs=1e-12)


def test_beyond_the_ends_it_is_0_or_1() -> None:
    assert [probability(BETA, 2.0, 3.0, x) for x in (-1.0, 0.0, 1.0, 2.0)] == [0, 0, 1, 1]
    assert [probability(EXPONENTIAL, 2.0, 0.0, x) for x in (-1.0, 0.0)] == [0, 0]
