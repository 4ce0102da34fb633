"""Records by position and by name: a tuple, and a little more."""

import copy
import pickle

import pytest

from copyproof import Agent, Market
from copyproof.game import ByName
from copyproof.validation import FieldError

AGENTS = (Agent("ann", [0.5]), Agent("bob", [0.9]), Agent("eve", [0.1]))


def test_it_is_a_tuple() -> None:
    found = ByName(AGENTS)
    assert found == AGENTS
    assert hash(found) == hash(AGENTS)
    assert list(found) == list(AGENTS)
    assert len(found) == 3
    assert found[0] is AGENTS[0]
    assert found[-1] is AGENTS[2]
    assert found[1:] == AGENTS[1:]
    assert [*found[:1], *found[1:]] == list(AGENTS)
    assert AGENTS[1] in found
    with pytest.raises(IndexError):
        ByName(AGENTS)[3]


def test_names_are_found_and_suggested() -> None:
    found = ByName(AGENTS)
    assert found["bob"] is AGENTS[1]
    with pytest.raises(FieldError, match=r"agent = 'bobb' is not one of 'ann', .*'bob'\?"):
        found["bobb"]
    with pytest.raises(FieldError, match=r"agent = 'x' is not one of 'ann', 'bob', 'eve'$"):
        found["x"]


def test_copies_and_pickles_stay_what_they_are() -> None:
    for again in (copy.deepcopy(ByName(AGENTS)), pickle.loads(pickle.dumps(ByName(AGENTS)))):
        assert again["eve"] == AGENTS[2]
        assert again == AGENTS


def test_agents_of_a_market() -> None:
    market = Market(AGENTS)
    assert market["ann"] is market.agents["ann"] is market.agents[0]
    with pytest.raises(FieldError, match="did you mean 'ann'"):
        market["anne"]
    with pytest.raises(TypeError, match="not iterable"):
        iter(market)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="not iterable"):
        "ann" in market  # type: ignore[operator]  # noqa: B015
