"""What a market file may say, and the one line for what it may not."""

import re
from typing import Any

import pytest

from copyproof.game import Geometric, RiskAverse, RiskSeeking, market_from_dict
from copyproof.game.utility import NEUTRAL
from copyproof.validation import FieldError


def one_arm(**arm: Any) -> dict[str, Any]:
    return {"agents": [{"name": "ann", "arms": [arm]}]}


def one_agent(**agent: Any) -> dict[str, Any]:
    return {"agents": [{"name": "ann", "arms": [{"mean": 0.5}], **agent}]}


def market(**market: Any) -> dict[str, Any]:
    return {**one_agent(), **market}


def test_whole_numbers_pass_for_numbers() -> None:
    assert market_from_dict(one_arm(mean=1)).best_mean == 1.0


@pytest.mark.parametrize(
    ("power", "utility"), [(0.5, RiskAverse(0.5)), (1, NEUTRAL), (2, RiskSeeking(2))]
)
def test_powers(power: float, utility: object) -> None:
    assert market_from_dict(one_agent(utility={"power": power})).agents[0].utility == utility


def test_discount_and_fee() -> None:
    found = market_from_dict(market(fee=0.25, discount={"factor": 0.5}))
    assert (found.fee, found.discount) == (0.25, Geometric(0.5))


ARM = "agents[0].arms[0]"
FAMILIES = "bernoulli, beta, gaussian, poisson, exponential, empirical, mixture, piecewise, drift"
ONE_OF_THREE = "exactly one of the three is needed"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (one_arm(mean=1.3), f"{ARM}.mean = 1.3 is not in [0, 1]"),
        (one_arm(mean="0.5"), f"{ARM}.mean = '0.5' is not a number"),
        (one_arm(mean=True), f"{ARM}.mean = true is not a number"),
        (one_arm(mean=None), f"{ARM}.mean = None is not a number"),
        (one_arm(mean=float("nan")), f"{ARM}.mean = nan is not a finite number"),
        (one_arm(mean=float("inf")), f"{ARM}.mean = inf is not a finite number"),
        (one_arm(), f"{ARM}.mean is missing: family 'bernoulli' needs it"),
        (one_arm(mean=0.5, copies=-1), f"{ARM}.copies = -1 is not a whole number >= 0"),
        (one_arm(mean=0.5, copies=1.5), f"{ARM}.copies = 1.5 is not a whole number >= 0"),
        (one_arm(mean=0.5, copies=1.0), f"{ARM}.copies = 1.0 is not a whole number >= 0"),
        (one_arm(mean=0.5, copies="1"), f"{ARM}.copies = '1' is not a whole number >= 0"),
        (one_arm(mean=0.5, copies=True), f"{ARM}.copies = true is not a whole number >= 0"),
        (
            one_arm(meen=0.5),
            f"{ARM}.meen is not a known key: "
            "family, mean, sigma, alpha, beta, rewards, components, weights, means, start, end, "
            "first, last, prior, copies are accepted; did you mean 'mean'?",
        ),
        (
            {"agent": one_agent()["agents"]},
            "agent is not a known key: fee, discount, agents are accepted; did you mean 'agents'?",
        ),
        (
            one_arm(family="gauss", mean=0.5, sigma=1),
            f"{ARM}.family = 'gauss' is not one of {FAMILIES}; did you mean 'gaussian'?",
        ),
        (
            one_arm(family=5),
            f"{ARM}.family = 5 is not one of {FAMILIES}",
        ),
        (
            one_arm(family="cauchy"),
            f"{ARM}.family = 'cauchy' is not one of {FAMILIES}",
        ),
        (
            one_arm(family="beta", alpha=1, beta=1, mean=0.5),
            f"{ARM}.mean does not belong to family 'beta': it takes alpha and beta",
        ),
        (one_arm(family="gaussian", mean=0), f"{ARM}.sigma is missing: family 'gaussian' needs it"),
        (one_arm(family="gaussian", mean=0, sigma=0), f"{ARM}.sigma = 0.0 is not in (0, 1e12]"),
        (
            one_arm(family="mixture", weights=[1, 1], components=[{"mean": 0.5}, {"mean": 2}]),
            f"{ARM}.components[1].mean = 2.0 is not in [0, 1]",
        ),
        (
            one_arm(family="mixture", weights=[1], components=[{"mean": 0.5}, {"mean": 0.2}]),
            f"{ARM}.weights has 1 entries for 2 components: one each is needed",
        ),
        (
            one_arm(family="mixture", weights=[1], components=[{"mean": 0.5, "copies": 2}]),
            f"{ARM}.components[0].copies is not a known key: "
            "family, mean, sigma, alpha, beta, rewards are accepted",
        ),
        (
            one_arm(family="mixture", weights=[1], components=[{"family": "drift"}]),
            f"{ARM}.components[0].family = 'drift' is not one that a mixture may have: "
            "any but a mixture and means that change",
        ),
        (
            one_arm(family="mixture", components=[{"mean": 0.5}]),
            f"{ARM}.weights is missing: family 'mixture' needs it",
        ),
        (
            one_arm(family="piecewise", means=[[1, 0.5], [7, 1.5]]),
            f"{ARM}.means[1][1] = 1.5 is not in [0, 1]",
        ),
        (
            one_arm(family="piecewise", means=[0.5]),
            f"{ARM}.means[0] = 0.5 is not a list of a round and a mean",
        ),
        (
            one_arm(family="drift", start=0.1, end=0.2, first=9, last=9),
            f"{ARM}.last = 9 is not later than first = 9",
        ),
        (one_arm(family="poisson", mean=-1), f"{ARM}.mean = -1.0 is not in [0, 1e6]"),
        (
            one_arm(family="empirical", rewards=[0.5, 2]),
            f"{ARM}.rewards[1] = 2.0 is not in [0, 1]",
        ),
        (
            one_arm(family="empirical", rewards=[0.5, "a"]),
            f"{ARM}.rewards[1] = 'a' is not a number",
        ),
        (one_arm(prior=0.5), f"{ARM}.prior = 0.5 is not a table"),
        (one_arm(prior={}), f"{ARM}.prior.beta or uniform or list: {ONE_OF_THREE}"),
        (
            one_arm(prior={"beta": [1, 1], "list": [0.5]}),
            f"{ARM}.prior.beta or uniform or list: {ONE_OF_THREE}",
        ),
        (
            one_arm(prior={"betta": [1, 1]}),
            f"{ARM}.prior.betta is not a known key: beta, uniform, list are accepted; did you mean "
            "'beta'?",
        ),
        (
            one_arm(prior={"beta": [1]}),
            f"{ARM}.prior.beta = [1.0] is not two numbers, alpha and beta",
        ),
        (one_arm(prior={"beta": [1, 0]}), f"{ARM}.prior.beta[1] = 0.0 is not in (0, 1e6]"),
        (
            one_arm(prior={"uniform": [0.6, 0.2]}),
            f"{ARM}.prior.uniform[0] = 0.6 is not <= high = 0.2",
        ),
        (one_arm(prior={"uniform": 0.6}), f"{ARM}.prior.uniform = 0.6 is not a list"),
        (one_arm(prior={"list": []}), f"{ARM}.prior.list is empty: at least one is needed"),
        (one_arm(prior={"list": [0.5, 2]}), f"{ARM}.prior.list[1] = 2.0 is not in [0, 1]"),
        (one_arm(prior={"list": ["x"]}), f"{ARM}.prior.list[0] = 'x' is not a number"),
        (
            one_arm(prior={"list": [0.5]}, mean=0.5),
            f"{ARM}.mean does not belong to an arm with a prior: it pays 0 or 1, of a drawn mean",
        ),
        (
            one_arm(prior={"list": [0.5]}, family="bernoulli"),
            f"{ARM}.family does not belong to an arm with a prior: it pays 0 or 1, of a drawn mean",
        ),
        (one_agent(arms=[0.5]), f"{ARM} = 0.5 is not a table"),
        (one_agent(arms=[]), "agents[0].arms is empty: at least one is needed (agent 'ann')"),
        (one_agent(arms="x"), "agents[0].arms = 'x' is not a list"),
        (one_agent(name=""), "agents[0].name = '' is not one line of visible text"),
        (one_agent(name=5), "agents[0].name = 5 is not text"),
        (
            one_agent(name="ann\u200b"),
            r"agents[0].name = 'ann\u200b' is not one line of visible text",
        ),
        (
            one_agent(name="\ud800"),
            r"agents[0].name = '\ud800' is not one line of visible text",
        ),
        (
            one_agent(color="red"),
            "agents[0].color is not a known key: name, arms, utility, group are accepted",
        ),
        (one_agent(utility={"power": 0}), "agents[0].utility.power = 0.0 is not > 0"),
        (one_agent(utility={}), "agents[0].utility.power is missing"),
        (one_agent(utility=2), "agents[0].utility = 2 is not a table"),
        (market(fee=-1), "fee = -1.0 is not in [0, 1e12]"),
        (market(fee="1"), "fee = '1' is not a number"),
        (market(discount={"factor": 2}), "discount.factor = 2.0 is not in (0, 1]"),
        (
            market(discount={"weights": [0.5, 1]}),
            "discount.weights[1] = 1.0 is not <= weights[0] = 0.5",
        ),
        (market(discount={}), "discount.factor or weights: exactly one of the two is needed"),
        (market(agents=[]), "agents is empty: at least one is needed"),
        (market(agents={}), "agents = {} is not a list"),
        ({}, "agents is missing"),
        ([], "the whole = [] is not a table"),
        ({"a\nb": 1}, r"'a\nb' is not a known key: fee, discount, agents are accepted"),
        (
            {"agents": one_agent()["agents"] * 2},
            "agents[1].name = 'ann' is taken by agents[0]",
        ),
        (
            one_arm(mean=0.5, copies=0),
            "nobody registered an arm: every copies is 0, at least one must be >= 1",
        ),
    ],
)
def test_refusals(data: Any, said: str) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(f'file.toml: {said}')}\Z"):
        market_from_dict(data, source="file.toml")


def test_the_error_says_the_place_and_the_value() -> None:
    with pytest.raises(FieldError) as caught:
        market_from_dict(one_arm(mean=1.3), source="file.toml")
    error = caught.value
    assert (error.source, error.field, error.value) == ("file.toml", f"{ARM}.mean", 1.3)
    assert error.accepted == "in [0, 1]"


def test_the_first_problem_is_told_and_the_others_counted() -> None:
    arms = [{"mean": 0.5}, {"mean": 1.3}, {"mean": "x"}, {"copies": -1}]
    said = "market: agents[0].arms[1].mean = 1.3 is not in [0, 1] (and 2 more)"
    with pytest.raises(ValueError, match=rf"^{re.escape(said)}\Z"):
        market_from_dict(one_agent(arms=arms))
