"""l and L where a policy leaves them to the market."""

import pytest

from copyproof import Agent, Market, parse_policy
from copyproof.policy import with_market_defaults

MARKET = Market([Agent("a", [0.5, 0.3, 0.1], copies=[1, 0, 9]), Agent("b", [0.9], copies=[0])])


@pytest.mark.parametrize(
    ("given", "resolved"),
    [
        ("s-ucb", "s-ucb(l=4)"),
        ("rh-ucb", "rh-ucb(L=3)"),
        ("rh-ucb-online", "rh-ucb-online(L=3)"),
        ("fair(s-ucb)", "fair(s-ucb(l=4))"),
        ("rh-ucb(L=7)", "rh-ucb(L=7)"),
        ("h-ucb", "h-ucb"),
        ("prh-ucb", "prh-ucb"),
    ],
)
def test_defaults(given: str, resolved: str) -> None:
    assert str(with_market_defaults(parse_policy(given), MARKET)) == resolved
