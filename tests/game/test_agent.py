"""An agent: originals, copies, and what follows from them."""

import re
from collections.abc import Callable

import numpy as np
import pytest

from copyproof.game import NEUTRAL, Agent, Bernoulli, Beta, Gaussian, RiskAverse


def test_defaults() -> None:
    agent = Agent("ann", [0.5, Beta(2, 3)])
    assert agent.arms == (Bernoulli(0.5), Beta(2, 3))
    assert agent.copies == (1, 1)
    assert agent.utility == NEUTRAL
    assert agent.takes_part


def test_the_best_arm_counts_hidden_ones_and_is_the_first_of_equals() -> None:
    agent = Agent("ann", [0.2, 0.7, 0.7], copies=[1000, 0, 1])
    assert agent.best_mean == 0.7
    assert agent.best_arm == 1
    assert agent.registered == 1001
    assert agent.best_arm_only().copies == (0, 1, 0)


def test_who_hides_everything_takes_no_part() -> None:
    assert not Agent("ann", [0.5], copies=[0]).takes_part


def test_another_strategy_is_another_agent() -> None:
    agent = Agent("ann", [0.5, 0.2], utility=RiskAverse(0.5))
    changed = agent.with_copies(np.array([3, 0]))
    assert agent.copies == (1, 1)
    assert changed == Agent("ann", [0.5, 0.2], [3, 0], RiskAverse(0.5))
    assert {type(count) for count in changed.copies} == {int}
    with pytest.raises(AttributeError):
        changed.copies = (1, 1)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: Agent("", [0.5]), "name = '' is not one line of visible text"),
        (lambda: Agent("bob", []), "arms is empty: at least one is needed (agent 'bob')"),
        (lambda: Agent("bob", [0.5, 1.3]), "arms[1].mean = 1.3 is not in [0, 1] (agent 'bob')"),
        (lambda: Agent("bob", ["x"]), "arms[0].mean = 'x' is not a number (agent 'bob')"),  # type: ignore[list-item]
        (
            lambda: Agent("bob", 0.5),  # type: ignore[arg-type]
            "arms = 0.5 is not a list of rewards or Bernoulli means (agent 'bob')",
        ),
        (
            lambda: Agent("bob", [0.5], [-1]),
            "copies[0] = -1 is not a whole number >= 0 (agent 'bob')",
        ),
        (
            lambda: Agent("bob", [0.5, 0.2], [1, 1.5]),  # type: ignore[list-item]
            "copies[1] = 1.5 is not a whole number >= 0 (agent 'bob')",
        ),
        (
            lambda: Agent("bob", [0.5], [True]),
            "copies[0] = True is not a whole number >= 0 (agent 'bob')",
        ),
        (
            lambda: Agent("bob", [0.5], [1, 2]),
            "copies has 2 entries for 1 arms: one per arm is needed (agent 'bob')",
        ),
        (
            lambda: Agent("bob", [0.5], utility=2),  # type: ignore[arg-type]
            "utility = 2 is not a utility record (agent 'bob')",
        ),
    ],
)
def test_refusals(build: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(said)}\Z"):
        build()


def test_a_utility_of_gains_is_refused_where_an_arm_can_lose() -> None:
    with pytest.raises(
        ValueError, match=r"utility = power 0.5 takes revenue >= 0, but arms\[1\] is gaussian"
    ):
        Agent("ann", [0.5, Gaussian(0.5, 1.0)], utility=RiskAverse(0.5))
