"""What decisions are worth that were not shown: estimated where it can be, and else not."""

import random

import pytest

from copyproof.live.comparison import Comparison


def filled(share: float, decisions: int, seed: int = 3) -> tuple[Comparison, float, float]:
    """Two policies that agree in 2 of 3 decisions; the second one's others pay 0.6, not 0.3."""
    luck = random.Random(seed)
    found, first, second = Comparison(share, 10), 0.0, 0.0
    for _ in range(decisions):
        agreed, drawn = luck.random() < 2 / 3, luck.random() < share
        mean = 0.5 if agreed else 0.6 if drawn else 0.3
        found.decide([drawn], [agreed])
        found.settle(float(luck.random() < mean))
        first += 0.5 if agreed else 0.3
        second += 0.5 if agreed else 0.6
    return found, first / decisions, second / decisions


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_both_are_estimated_while_both_decide(share: float) -> None:
    found, first, second = filled(share, 40_000)
    for which, truth in (("first", first), ("candidate", second), ("difference", second - first)):
        estimate = found.estimate(which)  # type: ignore[arg-type]
        assert estimate.mean == pytest.approx(truth, abs=0.02)
        assert estimate.lower < truth < estimate.upper
    assert found.estimate("difference").lower > 0


def test_a_shadow_is_known_only_where_it_agrees() -> None:
    found, first, second = filled(0.0, 40_000)
    shown, shadow, apart = (found.estimate(one) for one in ("first", "candidate", "difference"))
    assert shown.mean == pytest.approx(first, abs=0.01)
    assert shadow.mean is None
    assert apart.mean is None
    assert shadow.lower == pytest.approx(1 / 3, abs=0.03)  # the others pay nothing
    assert shadow.upper == pytest.approx(2 / 3, abs=0.03)  # or everything
    assert shadow.lower < second < shadow.upper
    assert apart.lower < second - first < apart.upper
    assert -0.15 < apart.lower < apart.upper < 0.27


def test_where_all_agree_all_is_known() -> None:
    found = Comparison(0.0, 0)
    found.decide([False] * 3, [True] * 3)
    for worth in (1.0, 0.0, 0.5):
        found.settle(worth)
    assert found.estimate("candidate").mean == 0.5
    assert found.estimate("difference").mean == 0.0


def test_nothing_is_known_at_first_and_never_more_than_everything() -> None:
    found = Comparison(0.5, 0)
    assert found.estimate("candidate").mean is None
    assert (found.estimate("difference").lower, found.estimate("difference").upper) == (-1.0, 1.0)
    found.decide([True], [False])
    found.settle(1.0)
    assert found.estimate("candidate").mean == 2.0  # unbiased, but its limits know better
    assert found.estimate("candidate").upper == 1.0


def test_flags_are_kept_until_the_worth_is_known() -> None:
    found = Comparison(0.5, 0)
    for n in range(10_000):
        found.decide([n % 2 == 0], [n % 3 == 0])
        if n >= 10:
            assert found.is_drawn(found.next) == ((found.next - 1) % 2 == 0)
            found.settle(0.5)
    assert (found.settled, len(found.flags)) == (9990, 10)
    assert not found.is_drawn(1)
    again = Comparison.restore(found.words(), found.flags)
    assert again.words() == found.words()
    for one in (again, found):
        one.settle(1.0)
    assert again.estimate("difference") == found.estimate("difference")
