"""The figure of the price of an identity, and the price itself."""

from typing import Any

import numpy as np
import pytest

from copyproof import Attacks, attacks, paper_market
from copyproof.auditing.report import plot_identity_price


@pytest.fixture(scope="module")
def tried() -> list[Attacks]:
    how: dict[str, Any] = {"agent": "0.5-agent", "horizon": 300, "seed": 1, "budget": 3_000_000}
    return [attacks(paper_market("1a"), policy, **how) for policy in ("ucb1", "h-ucb", "rh-ucb")]


def test_the_price_is_the_most_per_further_identity(tried: list[Attacks]) -> None:
    for found in tried:
        price = found.identity_price
        assert price.mean == max(one.each.mean for one in found.identities)
        assert price.low == max(0.0, *(one.each.low for one in found.identities))
        assert price.high == max(one.each.high for one in found.identities)
        assert 0 < price.low <= price.mean <= price.high
        told = found.to_dict()["identity_price"]
        assert told["identities"] == found.dearest.count
        assert told["mean"] == price.mean


def test_a_line_for_each_policy_from_two_names_on(tried: list[Attacks]) -> None:
    ax = plot_identity_price(tried)
    drawn = [line for line in ax.lines if np.size(line.get_xdata()) == 4]
    assert len(drawn) == 3
    for line, found in zip(drawn, tried, strict=True):
        x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
        assert x.tolist() == [2, 3, 5, 10]
        assert y.tolist() == [one.each.mean for one in found.identities]


def test_a_price_that_nothing_is_known_of_is_drawn_as_such() -> None:
    found = attacks(paper_market("1a"), "h-ucb", agent="0.5-agent", horizon=300, seed=1, budget=1)
    ax = plot_identity_price(found)
    assert any("not known" in text.get_text() for text in ax.texts)
    assert found.identity_price.low == 0


def test_attacks_that_do_not_belong_together_are_refused(tried: list[Attacks]) -> None:
    other = attacks(paper_market("1a"), "h-ucb", agent="0.6-agent", horizon=300, seed=1, budget=1)
    with pytest.raises(ValueError, match="attacks differ in their agent"):
        plot_identity_price([tried[0], other])
