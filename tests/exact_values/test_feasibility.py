"""What does not fit is refused in one line, before the work or in the middle of it."""

from typing import Any

import pytest

from copyproof import Agent, Market, exact, paper_market
from copyproof.exact_values import prepare

SMALL = Market([Agent("a", [0.5, 0.9]), Agent("b", [0.7])])


def refusal(market: Any, policy: str, **how: Any) -> str:
    with pytest.raises(ValueError, match=r".") as caught:
        exact(market, policy, **how)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_what_reaches_all_states_is_refused_beforehand() -> None:
    with pytest.raises(ValueError, match=r"horizon = 60 needs up to 8,259,888 states at a time"):
        prepare(SMALL, "h-epsilon-greedy", horizon=60, limit=8_259_887)
    assert prepare(SMALL, "h-epsilon-greedy", horizon=60, limit=8_259_888).size.layer == 8_259_888


def test_a_ucb_rule_may_try_and_is_stopped() -> None:
    line = refusal(SMALL, "h-ucb", horizon=30, limit=1_000)
    assert line.startswith("horizon = 30 needs more than 1,128 states in round 18 (0.000144 GB)")
    assert "the limit is 1,000 (0.000128 GB)" in line
    assert line.endswith("would help")
    line = refusal(SMALL, "h-ucb", horizon=30, limit=1_000, fractions=True)
    assert line.startswith("horizon = 30 needs more than 1,128 states in round 18 (0.00113 GB)")
    most = prepare(SMALL, "h-ucb", horizon=12).size.layer
    assert exact(SMALL, "h-ucb", horizon=12, limit=most).states > 0


@pytest.mark.parametrize("policy", ["h-ucb", "ucb1", "prh-ucb"])
def test_the_hopeless_is_refused_at_once(policy: str) -> None:
    assert "e+" in refusal(paper_market("2c"), policy, horizon=2_000)


def test_too_many_samples_or_orders() -> None:
    assert "at most 10,000 are accepted" in refusal(paper_market("2c"), "s-ucb", horizon=10)
    crowd = Market([Agent(str(k), [0.5]) for k in range(9)])
    assert refusal(crowd, "h-ucb-t-free", horizon=2).startswith("362,880 samples and orders")


@pytest.mark.parametrize(
    ("how", "line"),
    [
        ({"horizon": 0}, "horizon = 0 is not a whole number >= 1"),
        ({"horizon": 2.0}, "horizon = 2.0 is not a whole number >= 1"),
        ({"horizon": 2001}, "horizon = 2001 is not a whole number from 1 to 2000"),
        ({"horizon": 5, "limit": 0}, "limit = 0 is not a whole number >= 1"),
    ],
)
def test_bad_numbers(how: dict[str, Any], line: str) -> None:
    assert refusal(SMALL, "ucb1", **how) == line


def test_a_market_and_a_policy_are_needed() -> None:
    assert refusal(5, "ucb1", horizon=5).startswith("market = 5 is not a Market")
    assert "is not known" in refusal(SMALL, "ucb2", horizon=5)
    assert "posterior" in refusal(SMALL, "h-thompson", horizon=5)
