"""What any device must do: decide what the engine decides, to the last decision.

A backend's test class inherits ``DeviceConformance`` and says how portions of games are played
(``devices.together.Portion``); the rest is the same for all. Games are short, and every choice of
theirs is compared, with revenue, plays and regret to the last bit.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from copyproof import CATALOGUE, Agent, Bernoulli, Market, parse_policy
from copyproof.devices.together import Portion
from copyproof.engine.drawn_means import drawn_means
from copyproof.engine.lower import lower
from copyproof.engine.lower_rewards import lower_priors
from copyproof.game import Admit, Renew, Retire, Schedule
from copyproof.game.changing import Drift, Piecewise
from copyproof.game.discount import Explicit, Geometric
from copyproof.game.priors import BetaPrior, ListPrior, UniformPrior
from copyproof.game.rewards import Beta, Empirical, Exponential, Gaussian, Mixture, Poisson
from copyproof.simulation.threads import fill, new_record, raise_for
from copyproof.validation import FieldError

TWO_AND_THREE = (
    Market(
        [Agent("a", [Bernoulli(0.4)], copies=[3]), Agent("b", [Bernoulli(0.7), Bernoulli(0.2)])]
    ),
    Market([Agent(name, [Bernoulli(mean)]) for name, mean in (("a", 0.3), ("b", 0.9), ("c", 0.6))]),
)

FAMILIES: dict[str, tuple[Any, Any]] = {
    "bernoulli": (Bernoulli(0.4), Bernoulli(0.7)),
    "beta": (Beta(2.0, 3.0), Beta(0.5, 0.25)),
    "gaussian": (Gaussian(0.4, 0.3), Gaussian(0.7, 0.1)),
    "exponential": (Exponential(0.4), Exponential(0.7)),
    "poisson": (Poisson(0.4), Poisson(3.0)),
    "empirical": (Empirical([0.0, 0.3, 0.9]), Empirical([0.2, 0.2, 1.0])),
    "mixture of atoms": (Mixture([Poisson(1.0), 0.5], [1, 3]), Mixture([0.1, 0.9])),
    "mixture with densities": (
        Mixture([0.0, Exponential(2.0)], [9, 1]),
        Mixture([Beta(2.0, 3.0), Gaussian(0.5, 0.2), 0.5]),
    ),
    "piecewise": (Piecewise([(1, 0.2), (15, 0.9)]), Piecewise([(1, 0.8), (25, 0.1)])),
    "drift": (Drift(0.1, 0.9, first=5, last=30), Drift(0.8, 0.2, first=1, last=40)),
}


def portion(
    market: Market,
    policy: str,
    horizon: int,
    *,
    first: int = 0,
    count: int = 2,
    checkpoints: Sequence[int] = (),
    **game: Any,
) -> Portion:
    """Some repetitions, with every choice."""
    lowered = lower(market, parse_policy(policy), horizon=horizon, seed=3, **game)
    rounds = np.array([*checkpoints, horizon])
    means = None
    if market.has_priors:
        priors = lower_priors(market)
        means = drawn_means(priors, seed=3, first=first, repetitions=count)
    record = new_record(lowered, len(rounds), count, trace=True)
    return Portion(lowered, rounds, record, first, means)


def assert_as_engine(played: Portion) -> None:
    """Compare what a device left behind with what the engine does."""
    horizon = played.record.choices.shape[1]
    usual = new_record(played.lowered, len(played.checkpoints), len(played), trace=bool(horizon))
    fill(played.lowered, played.checkpoints, usual, workers=1, first=played.first,
         means=played.means)  # fmt: skip
    for field, array in usual._asdict().items():
        np.testing.assert_array_equal(getattr(played.record, field), array, err_msg=field)


class DeviceConformance:
    """Inherit it, and override ``play``."""

    def play(self, portions: Sequence[Portion]) -> list[int]:
        """Play portions, whose records are modified; a status for each."""
        raise NotImplementedError

    def check(self, *portions: Portion) -> None:
        assert self.play(portions) == [0] * len(portions)
        for one in portions:
            assert_as_engine(one)

    @pytest.mark.parametrize("row", [row.name for row in CATALOGUE])
    def test_every_policy_of_the_catalogue(self, row: str) -> None:
        policy = "fair(ucb1)" if row == "fair" else row
        self.check(*(portion(market, policy, 40) for market in TWO_AND_THREE))

    @pytest.mark.parametrize("family", list(FAMILIES))
    def test_every_family_of_rewards(self, family: str) -> None:
        one, other = FAMILIES[family]
        market = Market([Agent("a", [one], copies=[2]), Agent("b", [other, Bernoulli(0.5)])])
        apart = Market([Agent("a", [other]), Agent("b", [one])])
        self.check(portion(market, "h-ucb", 30), portion(apart, "h-ucb", 30))
        if market.agents[0].arms[0].support == (0.0, 1.0):
            self.check(portion(market, "trial", 30))

    def test_means_that_are_drawn_for_every_game(self) -> None:
        arms: list[Any] = [BetaPrior(2.0, 1.0), UniformPrior(0.2, 0.9)]
        market = Market([Agent("a", arms), Agent("b", [ListPrior([0.3, 0.8])])])
        other = Market([Agent("a", arms[:1]), Agent("b", [0.6])])
        self.check(portion(market, "h-ucb", 40, first=5), portion(other, "h-ucb", 40))

    @pytest.mark.parametrize("discount", [Geometric(0.9), Explicit([1.0] * 10 + [0.5] * 30)])
    def test_discounts(self, discount: Any) -> None:
        market = Market(TWO_AND_THREE[0].agents, discount=discount)
        self.check(portion(market, "ucb1", 40))

    def test_arms_that_come_and_go(self) -> None:
        schedule = Schedule(
            changes=[Retire(10, "a", 0), Admit(20, "b", 1, count=2)],
            renewals=[Renew("a", after=3)],
        )
        self.check(portion(TWO_AND_THREE[0], "h-ucb", 50, schedule=schedule))

    def test_an_agent_that_comes_later_counts_in_its_own_n(self) -> None:
        agents = [Agent("a", [0.9, 0.2]), Agent("b", [0.8]), Agent("c", [0.6], copies=[0])]
        schedule = Schedule([Retire(10, "a", 0), Admit(20, "c", 0), Admit(40, "a", 0)])
        market = Market(agents)
        self.check(portion(market, "trial(c=0.5)", 60, schedule=schedule))
        self.check(portion(market, "trial(c=0.5, season=15)", 60, schedule=schedule))

    def test_tapes_and_an_order_of_ties(self) -> None:
        market = TWO_AND_THREE[1]
        tape = [[0.0, 1.0] * 20, [1.0] * 40, [0.5] * 40]
        self.check(portion(market, "h-ucb", 30, tape=tape))
        self.check(portion(market, "trial", 30, priority=[2, 0, 1]))

    def test_a_tape_that_is_too_short_is_said(self) -> None:
        short = portion(TWO_AND_THREE[1], "h-ucb", 30, tape=[[1.0] * 40, [1.0] * 3, [1.0] * 40])
        (status,) = self.play([short])
        with pytest.raises(FieldError, match=r"tape\[1\] has 3 rewards"):
            raise_for(status, short.lowered)

    @pytest.mark.parametrize(
        "policy",
        [
            "ucb1",
            "trial",
            *(pytest.param(name, marks=pytest.mark.slow) for name in ("h-ucb", "rh-ucb")),
        ],
    )
    def test_large_games_and_checkpoints(self, policy: str) -> None:
        crowd = Market([Agent("a", [0.4, 0.1], copies=[150, 60]), Agent("b", [0.7])])
        self.check(portion(crowd, policy, 30, checkpoints=[1, 12]))

    def test_neither_order_nor_company_changes_a_game(self) -> None:
        crowd = Market([Agent("a", [0.4], copies=[200]), Agent("b", [0.7])])
        asked = list(itertools.product((*TWO_AND_THREE, crowd), ("h-ucb", "rh-ucb"), (5, 12)))
        asked += [(TWO_AND_THREE[0], "ucb1", 12), (TWO_AND_THREE[1], "trial", 12)]

        def portions() -> list[Portion]:
            return [
                portion(*one, first=place % 3, count=1 + place % 2)
                for place, one in enumerate(asked)
            ]

        forth, back = portions(), portions()
        self.check(*forth)
        self.play(back[::-1])
        for one, other in zip(forth, back, strict=True):
            for array, same in zip(one.record, other.record, strict=True):
                np.testing.assert_array_equal(array, same)
