"""Quantiles of Student's t, against SciPy."""

import pytest
from scipy import stats

from copyproof.simulation import t_quantile


@pytest.mark.parametrize("freedom", [15, 31, 63, 127, 4095])
@pytest.mark.parametrize("alpha", [0.05, 1e-3, 1e-5, 1e-8])
def test_t_quantiles_are_those_of_scipy(freedom: int, alpha: float) -> None:
    expected = stats.t.ppf(1 - alpha / 2, freedom)
    assert t_quantile(alpha, freedom) == pytest.approx(expected, rel=0.004)


@pytest.mark.parametrize("freedom", range(1, 32))
def test_t_quantiles_of_few_values(freedom: int) -> None:
    assert t_quantile(0.05, freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=0.002)
