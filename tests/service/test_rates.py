"""Rates are of the last seconds, not of all time."""

import pytest

from copyproof.service.rates import Rates, quantile
from copyproof.service.writer import ServedMarket


def test_rates_forget_the_past() -> None:
    served, rates = ServedMarket("m", {}), Rates(10.0)
    assert rates.look(served, 0.0)["rate"] is None
    served.answered["decisions"] = 1000
    served.seconds.add(0.2)
    found = rates.look(served, 10.0)
    assert (found["rate"], found["p50"], found["p99"]) == (100.0, 0.25, 0.25)
    for at in range(11, 31):
        found = rates.look(served, float(at))
    assert (found["rate"], found["p99"]) == (0.0, None)


@pytest.mark.parametrize(
    ("counts", "q", "expected"),
    [
        ([1, 0, 0], 0.99, 0.1),
        ([0, 0, 0], 0.5, None),
        ([50, 50, 0], 0.5, 0.1),
        ([1, 0, 9], 0.5, None),
    ],
)
def test_quantiles(counts: list[int], q: float, expected: float | None) -> None:
    assert quantile((0.1, 1.0), counts, q) == expected
