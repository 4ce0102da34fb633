"""What runs come to."""

import math

import numpy as np
import pytest
from scipy import stats

from copyproof.rare_events.result import summed_up


def test_runs_are_summed_up() -> None:
    runs = np.array([[0.2, 0.8, 0.0, 10], [0.4, 0.5, 0.1, 20]] * 5)
    found = summed_up(runs, safe=2.0, is_cut=True)
    assert found["probability"] == pytest.approx(0.3)
    assert found["stderr"] == pytest.approx(0.1 / 3)
    assert found["undecided"] == pytest.approx(0.05)
    assert found["neglected"] == pytest.approx(0.05 + 0.65 * math.exp(-2))
    half = stats.t.ppf(0.975, 9) * 0.1 / 3  # 2.26 standard errors, and not 1.96
    assert found["low"] == pytest.approx(0.3 - half, rel=1e-4)
    assert found["high"] == pytest.approx(0.3 + half + found["neglected"], rel=1e-4)
    assert (found["runs"], found["hits"], found["plays"]) == (10, 10, 150)


def test_who_is_left_at_the_horizon_is_not_undecided() -> None:
    runs = np.array([[0.2, 0.0, 0.8, 10], [0.4, 0.0, 0.6, 20]])
    assert summed_up(runs, safe=2.0, is_cut=False)["neglected"] == 0.0


def test_no_hit_is_no_certainty() -> None:
    found = summed_up(np.array([[0.0, 1.0, 0.0, 10]] * 100), safe=16.0, is_cut=True)
    assert (found["probability"], found["hits"]) == (0.0, 0)
    assert found["high"] == pytest.approx(0.03, abs=1e-6)
