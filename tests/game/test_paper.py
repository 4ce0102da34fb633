"""The paper's five markets."""

import re
from collections.abc import Callable

import pytest

from copyproof.game import PAPER_FIGURES, paper_market

NAMES = ("0.5-agent", "0.6-agent", "0.7-agent", "0.8-agent", "0.9-agent")


def test_every_figure_has_the_five_agents() -> None:
    assert PAPER_FIGURES == ("1a", "1b", "2a", "2b", "2c")
    for figure in PAPER_FIGURES:
        market = paper_market(figure)
        assert market.names == NAMES
        assert [agent.best_mean for agent in market.agents] == [0.5, 0.6, 0.7, 0.8, 0.9]


@pytest.mark.parametrize(
    ("figure", "copies", "profile"),
    [
        ("1a", None, ((1,), (1,), (1,), (1,), (1,))),
        ("1a", 500, ((500,), (1,), (1,), (1,), (1,))),
        ("1b", 500, ((1,), (1,), (1,), (1,), (500,))),
        ("2a", None, ((1000,), (1,), (1,), (1,), (1,))),
        ("2b", None, ((1000,), (1000,), (1000,), (1000,), (1,))),
        ("2b", 10, ((10,), (10,), (10,), (10,), (1,))),
        ("2c", None, ((1000, 1000, 1000),) * 3 + ((10, 100, 100),) * 2),
    ],
)
def test_profiles(figure: str, copies: int | None, profile: object) -> None:
    assert paper_market(figure, copies).profile == profile


def test_figure_2c_has_the_bad_arms() -> None:
    market = paper_market("2c")
    assert [[arm.mean for arm in agent.arms] for agent in market.agents] == [
        [best, 0.2, 0.1] for best in (0.5, 0.6, 0.7, 0.8, 0.9)
    ]
    assert market.registered == 9420
    assert market.originals == 15


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: paper_market("3"), "figure = '3' is not one of 1a, 1b, 2a, 2b, 2c"),
        (lambda: paper_market("2c", 10), "copies = 10 is not accepted: figure 2c is fixed"),
        (
            lambda: paper_market("1a", -1),
            "copies[0] = -1 is not a whole number >= 0 (agent '0.5-agent')",
        ),
    ],
)
def test_refusals(build: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(said)}\Z"):
        build()
