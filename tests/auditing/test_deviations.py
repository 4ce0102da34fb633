"""The standard deviations, and those that a user writes down."""

import re

import pytest

from copyproof import Agent, BetaPrior, ListPrior
from copyproof.auditing.deviations import (
    given_deviations,
    ladder,
    standard_deviations,
)


def test_the_ladder_ends_at_the_most() -> None:
    assert ladder(100) == [1, 2, 5, 10, 20, 50, 100]
    assert ladder(7) == [1, 2, 5, 7]
    assert ladder(2) == [1, 2]


def test_a_single_arm_can_only_be_copied() -> None:
    found = standard_deviations(Agent("ann", [0.5]), (1,), most_copies=10)
    assert [one.copies for one in found] == [(2,), (5,), (10,)]
    assert all(one.replicates((1,)) for one in found)


def test_two_arms() -> None:
    found = standard_deviations(Agent("ann", [0.2, 0.5]), (0, 1), most_copies=2)
    strategies = {one.copies: one.name for one in found}
    assert strategies == {
        (1, 1): "all × 1",
        (1, 0): "worst × 1",
        (0, 2): "best × 2",
        (2, 2): "all × 2",
        (1, 2): "best × 2, others once",
        (2, 0): "worst × 2",
        (2, 1): "worst × 2, others once",
    }
    hiding = {one.copies for one in found if not one.replicates((0, 1))}
    assert hiding == {(1, 1), (1, 0)}


def test_three_arms_hide_the_best_or_the_worst() -> None:
    found = standard_deviations(Agent("ann", [0.9, 0.2, 0.1]), (1, 1, 1), most_copies=2)
    strategies = {one.copies for one in found}
    assert {(1, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 0), (1, 1, 2), (2, 1, 1)} <= strategies
    assert (1, 1, 1) not in strategies
    assert len(strategies) == len(found)


def test_equal_arms_are_one_best_and_one_worst() -> None:
    found = standard_deviations(Agent("ann", [0.5, 0.5]), (1, 0), most_copies=2)
    assert {one.copies for one in found if one.name.startswith("worst")} >= {(0, 1), (0, 2)}


def test_who_knows_only_a_prior_copies_without_hiding() -> None:
    agent = Agent("ann", [BetaPrior(1, 1)] * 3)
    found = standard_deviations(agent, (1, 1, 1), most_copies=2)
    assert {one.copies: one.name for one in found} == {
        (2, 2, 2): "all × 2",
        (2, 1, 1): "arm 1 × 2, others as before",
        (1, 0, 0): "arm 1 alone",
        (0, 1, 1): "all but arm 1",
    }
    found = standard_deviations(agent, (0, 1, 1), most_copies=2)
    assert [one.copies for one in found if one.replicates((0, 1, 1))] == [(0, 2, 2), (0, 2, 1)]


def test_different_priors_are_copied_by_their_expected_means() -> None:
    agent = Agent("ann", [BetaPrior(1, 1), ListPrior([0.1, 0.3]), 0.9])
    found = standard_deviations(agent, (1, 1, 1), most_copies=2)
    copying = {one.copies for one in found if one.replicates((1, 1, 1))}
    assert copying == {(2, 2, 2), (1, 1, 2), (1, 2, 1)}
    assert not agent.knows_best_arm
    assert Agent("bob", [BetaPrior(1, 1)]).knows_best_arm


@pytest.mark.parametrize(
    ("strategies", "message"),
    [
        ([], "deviations is empty"),
        ([[1, 2, 3]], "deviations[0] has 3 counts, and agent 'ann' has 2 arms"),
        ([[2, 0], [1, -1]], "deviations[1][1] = -1 is not a whole number >= 0"),
        ([[0, 0]], "deviations[0] = [0, 0] is not a strategy that registers something"),
        ([[1, 0]], "deviations[0] = [1, 0] is not different from the reference"),
        (["21"], "deviations[0] = '21' is not a list of copy counts"),
    ],
)
def test_bad_deviations_are_named(strategies: list[list[int]], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        given_deviations(Agent("ann", [0.5, 0.2]), (1, 0), strategies)
