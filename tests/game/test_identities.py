"""One person as several agents."""

from typing import Any

import pytest

from copyproof import Agent, Geometric, Market, RiskAverse, simulate, split

MARKET = Market(
    [
        Agent("ann", [0.2, 0.5, 0.1], copies=[2, 3, 0], utility=RiskAverse(0.5)),
        Agent("bob", [0.9]),
    ],
    fee=0.5,
    discount=Geometric(0.99),
)


def test_the_best_arm_at_each() -> None:
    market, names = split(MARKET, "ann", 3)
    assert names == ("ann", "ann#2", "ann#3")
    assert market.names == ("ann", "bob", "ann#2", "ann#3")
    assert market.profile == ((0, 1, 0), (1,), (1,), (1,))
    assert market.agent("ann#3").best_mean == 0.5
    assert market.agent("ann#3").utility == RiskAverse(0.5)
    assert (market.fee, market.discount) == (0.5, Geometric(0.99))


def test_arms_dealt_out() -> None:
    market, names = split(MARKET, "ann", 2, "deal")
    assert names == ("ann", "ann#2")
    # 0.2, 0.2, 0.5, 0.5, 0.5 in turn; hidden ones stay with the first.
    assert market.profile == ((1, 2, 0), (1,), (1, 1))
    assert market.registered == MARKET.registered


def test_one_identity_is_the_agent_itself() -> None:
    assert split(MARKET, "ann", 1, "deal") == (MARKET, ("ann",))
    assert split(MARKET, "bob", 1) == (MARKET, ("bob",))


@pytest.mark.parametrize(
    ("how", "message"),
    [
        (("eve", 2), "agent = 'eve' is not one of"),
        (("ann", 0), "identities = 0 is not a whole number >= 1"),
        (("ann", 2, "worst"), "how = 'worst' is not best or deal"),
        (("ann", 6, "deal"), "identities = 6 is more than the 5 arms that 'ann' registers"),
    ],
)
def test_bad_splits_are_refused(how: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        split(MARKET, *how)


def test_identities_pay_under_h_ucb() -> None:
    market = Market([Agent("low", [0.5]), Agent("high", [0.9])])
    several, names = split(market, "low", 4)
    how: dict[str, Any] = {"horizon": 3000, "repetitions": 100, "seed": 1}
    alone = simulate(market, "h-ucb", **how).revenue[:, 0]
    mine = [several.names.index(name) for name in names]
    together = simulate(several, "h-ucb", **how).revenue[:, mine].sum(axis=1)
    gain = together - alone
    assert gain.mean() - 5 * gain.std(ddof=1) / 10 > 2 * alone.mean()
