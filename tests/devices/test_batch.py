"""Batches: what their numbers of bytes are, and what may share one."""

import numpy as np
import pytest

from copyproof import Agent, Market, paper_market, parse_policy
from copyproof.devices.batch import ITEM_BYTES, NODE_BYTES, Batch, is_large, pack, shared
from copyproof.devices.cuda_source import aligned, narrow
from copyproof.engine.lower import Lowered, lower
from copyproof.engine.state import ITEM
from copyproof.engine.tournament import NODE
from copyproof.game.rewards import Poisson
from copyproof.validation import FieldError


def lowered(market: Market, policy: str = "rh-ucb", horizon: int = 10, seed: int = 1) -> Lowered:
    return lower(market, parse_policy(policy), horizon=horizon, seed=seed)


def packed(*games: Lowered) -> Batch:
    places = np.arange(len(games), dtype=np.int32)
    return pack(games, places, np.zeros(len(games), np.int64), np.array([games[0].horizon]))


def test_bytes_are_those_of_the_engines_records() -> None:
    assert narrow(ITEM).itemsize == ITEM_BYTES
    assert aligned(NODE).itemsize == NODE_BYTES
    assert narrow(ITEM).names == ITEM.names


@pytest.mark.parametrize("figure", ["1a", "2c"])
@pytest.mark.parametrize("policy", ["ucb1", "rh-ucb", "trial"])
def test_a_game_is_as_large_as_its_batch_says(figure: str, policy: str) -> None:
    one = lowered(paper_market(figure), policy)
    assert packed(one).shape.is_large == is_large(one)


def test_markets_of_one_batch_may_differ_in_the_size_of_samples() -> None:
    few = lowered(Market([Agent("a", [0.5]), Agent("b", [0.4])]))
    many = lowered(Market([Agent("a", [0.5, 0.1, 0.2]), Agent("b", [0.4])]))
    assert packed(few, many).arrays["factors"].tolist() == [1.0, 3.0]


def test_what_may_not_share_a_batch() -> None:
    market = paper_market("1a")
    tables = Market([Agent("a", [Poisson(1.0)]), Agent("b", [Poisson(2.0)])])
    others = Market([Agent("a", [Poisson(1.0)]), Agent("b", [Poisson(3.0)])])
    one = lowered(market)
    for other in (
        lowered(market, "h-ucb"), lowered(market, horizon=11), lowered(market, seed=2),
    ):  # fmt: skip
        assert shared(one) != shared(other)
        with pytest.raises(ValueError, match="games of one batch differ"):
            packed(one, other)
    with pytest.raises(ValueError, match="games of one batch differ"):
        packed(lowered(tables, "ucb1"), lowered(others, "ucb1"))


def test_counters_of_32_bits_are_enough_or_it_is_said() -> None:
    with pytest.raises(FieldError, match="horizon = 2147483648 is not at most 2147483647 on a GPU"):
        packed(lowered(paper_market("1a"), horizon=2**31))
