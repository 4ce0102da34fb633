"""A bounded sample of rows."""

import numpy as np

from copyproof.inspect.sampled_rows import SampledRows


def test_few_rows_are_all_kept_in_order() -> None:
    sample = SampledRows(most=100)
    for start in (0, 40):
        numbers = np.arange(start, start + 40)
        sample.add(numbers, numbers * 2, numbers / 10, numbers / 100)
    arms, rewards, propensities = sample.columns()
    assert arms.tolist() == [2 * n for n in range(80)]
    assert rewards.tolist() == (np.arange(80) / 10).tolist()
    assert propensities.tolist() == (np.arange(80) / 100).tolist()


def test_many_rows_are_thinned_evenly_however_they_come() -> None:
    whole, cut = SampledRows(most=1000), SampledRows(most=1000)
    numbers = np.arange(50_000)
    whole.add(numbers, numbers, np.ones(50_000), np.ones(50_000))
    for part in np.split(numbers, 10):
        cut.add(part, part, np.ones(5000), np.ones(5000))
    arms = whole.columns()[0]
    assert arms.tolist() == cut.columns()[0].tolist()
    assert 500 <= len(arms) <= 1000
    assert abs(arms.mean() - 25_000) < 4 * 50_000 / np.sqrt(12 * len(arms))
