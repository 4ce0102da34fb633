"""play_external: bad input is named, results cannot be written to."""

import re
from typing import Any

import pytest

from copyproof import Agent, Explicit, ExternalPolicy, Market, paper_market
from copyproof.external import play_external
from tests.external.learners import Scripted

GOOD: dict[str, Any] = {
    "policy": ExternalPolicy("x", Scripted),
    "market": paper_market("1a"),
    "horizon": 10,
    "seed": 1,
    "first": 0,
    "repetitions": 2,
    "workers": 1,
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"policy": "ucb1"}, "policy = 'ucb1' is not an ExternalPolicy"),
        ({"market": "paper:2a"}, "market = 'paper:2a' is not a Market"),
        ({"horizon": 0}, "horizon = 0 is not a whole number from 1 to 140737488355328"),
        ({"horizon": 2**47 + 1}, "horizon = 140737488355329 is not a whole number from 1 to "),
        ({"seed": -1}, "seed = -1 is not a whole number from 0 to 18446744073709551615"),
        ({"seed": 2**64}, "seed = 18446744073709551616 is not a whole number from 0 to "),
        ({"first": -1}, "first = -1 is not a whole number from 0 to 4294967295"),
        ({"first": 2**32 - 1}, "repetitions = 2 is not a whole number from 1 to 1"),
        ({"repetitions": 0}, "repetitions = 0 is not a whole number from 1 to 4294967296"),
        ({"workers": 0}, "workers = 0 is not a whole number from 1 to 1024"),
        (
            {"market": Market([Agent("a", [0.5])], discount=Explicit([1.0, 0.5]))},
            "discount.weights has 2 entries: too few for 10 rounds",
        ),
    ],
)
def test_bad_input_is_named(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        play_external(**(GOOD | change))


def test_results_cannot_be_written_to() -> None:
    games = play_external(**GOOD)
    assert games.revenue.shape == games.plays.shape == (2, 5)
    with pytest.raises(ValueError, match="read-only"):
        games.revenue[0, 0] = 5


def test_progress_in_this_process() -> None:
    told: list[int] = []
    play_external(**(GOOD | {"horizon": 200_000, "repetitions": 1}), progress=told.append)
    assert len(told) > 1
    assert told == sorted(told)
    assert told[-1] == 200_000


def test_the_most_repetitions() -> None:
    games = play_external(**(GOOD | {"first": 2**32 - 1, "repetitions": 1, "seed": 2**64 - 1}))
    assert games.plays.sum() == 10
