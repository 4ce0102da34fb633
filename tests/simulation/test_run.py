"""play and simulate: bad input is named, interrupts are prompt, ranges may be cut anywhere."""

import itertools
import json
import re
import threading
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from copyproof import (
    Agent,
    BetaPrior,
    Explicit,
    Gaussian,
    ListPrior,
    Market,
    Renew,
    Result,
    Retire,
    Schedule,
    UniformPrior,
    compare,
    exact,
    paper_market,
    parse_policy,
    river_policy,
    simulate,
    write_market,
)
from copyproof.external import AnyPolicy
from copyproof.simulation import play
from copyproof.simulation.decisions import decisions
from copyproof.validation import FieldError

MARKET = Market([Agent("a", [0.5]), Agent("b", [0.9])])
GOOD: dict[str, Any] = {"horizon": 10, "repetitions": 2, "seed": 1}
ARRAYS = ("regret_curves", "revenue", "plays", "original_plays")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"horizon": 0}, "horizon = 0 is not a whole number from 1 to "),
        ({"horizon": 1.5}, "horizon = 1.5 is not a whole number from 1 to "),
        ({"horizon": "10"}, "horizon = '10' is not a whole number from 1 to "),
        ({"horizon": True}, "horizon = True is not a whole number from 1 to "),
        ({"repetitions": 0}, "repetitions = 0 is not a whole number from 1 to 4294967296"),
        ({"seed": -1}, "seed = -1 is not a whole number from 0 to 18446744073709551615"),
        ({"seed": 2**64}, "seed = 18446744073709551616 is not a whole number from 0 to"),
        ({"seed": 10**5000}, "seed = 2**16609 or more is not a whole number from 0"),
        ({"checkpoints": None}, "checkpoints = None is not a whole number from 1 to "),
        ({"checkpoints": 5.0}, "checkpoints = 5.0 is not a whole number from 1 to "),
        ({"policy": 5}, "policy = 5 is not a Policy, an ExternalPolicy or a text such as"),
        ({"market": 5}, "market = 5 is not a Market, the path of a market file, or paper:FIGURE"),
        ({"workers": 0}, "workers = 0 is not a whole number from 1 to 1024"),
        ({"checkpoints": 0}, "checkpoints = 0 is not a whole number from 1 to "),
        ({"checkpoints": [3, 11]}, "checkpoints[1] = 11 is not a whole number from 1 to 10"),
        ({"repetitions": 2**32, "checkpoints": 10}, "repetitions = 4294967296 with 10 checkpoints"),
    ],
)
def test_bad_numbers_are_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        simulate(**{"market": MARKET, "policy": "ucb1", **GOOD, **change})
    assert "\n" not in str(caught.value)


DRAWN = Market(
    [
        Agent("ann", [UniformPrior(0.2, 1), BetaPrior(0.5, 0.5), 0.3], copies=[1, 2, 0]),
        Agent("bob", [ListPrior([0.4, 0.7])]),
    ]
)


@pytest.mark.parametrize("policy", ["ucb1", "rh-ucb", "trial", "h-thompson"])
def test_a_prior_of_one_mean_is_that_mean(policy: str) -> None:
    means = [[0.5, 0.1], [0.4]]
    known = Market([Agent("ann", means[0], copies=[3, 2]), Agent("bob", means[1])])
    priors = [[ListPrior([mean]) for mean in row] for row in means]
    drawn = Market([Agent("ann", priors[0], copies=[3, 2]), Agent("bob", priors[1])])
    one = simulate(known, policy, horizon=400, repetitions=6, seed=9)
    other = simulate(drawn, policy, horizon=400, repetitions=6, seed=9)
    for name in ARRAYS:
        assert np.array_equal(getattr(one, name), getattr(other, name))
    assert one.means is None
    assert one.best_mean == other.best_mean


@pytest.mark.parametrize("policy", ["ucb1", "h-ucb"])
def test_a_game_with_priors_is_the_game_of_its_means(policy: str) -> None:
    found = simulate(DRAWN, policy, horizon=300, repetitions=5, seed=9, workers=2)
    assert found.means is not None
    assert len(np.unique(found.means[:, 0])) == 5
    for r, means in enumerate(found.means):
        agents = [Agent("ann", means[:3], copies=[1, 2, 0]), Agent("bob", means[3:])]
        (one,) = (play(Market(agents), policy, r, 1, horizon=300, seed=9),)
        for name in ARRAYS:
            assert np.array_equal(getattr(one, name)[0], getattr(found, name)[r])
    assert found.best_mean.mean == np.mean(found.means.max(axis=1))


def test_the_draw_does_not_depend_on_strategy_policy_workers_or_range() -> None:
    def means(market: Market = DRAWN, policy: str = "h-ucb", first: int = 0, **how: Any) -> Any:
        return play(market, policy, first, 6 - first, **{"horizon": 50, "seed": 9, **how}).means

    reference = means()
    for other in (
        means(DRAWN.with_strategy("ann", [0, 5, 1])),
        means(policy="ucb1", workers=1),
        means(policy="ucb1", workers=4),
    ):
        assert np.array_equal(other, reference)
    assert np.array_equal(means(first=4), reference[4:])
    assert not np.array_equal(means(seed=10), reference)


def test_revenue_is_the_exact_one_averaged_over_the_draw() -> None:
    """At most 5 standard errors off, which a right value is with a chance below 1e-6."""
    arms = [ListPrior([0.2, 0.8]), ListPrior([0.2, 0.8])]
    market = Market([Agent("ann", arms, copies=[2, 1]), Agent("bob", [0.5])])
    values = [
        exact(Market([Agent("ann", means, copies=[2, 1]), Agent("bob", [0.5])]), "h-ucb", horizon=8)
        for means in itertools.product([0.2, 0.8], repeat=2)
    ]
    found = simulate(market, "h-ucb", horizon=8, repetitions=20_000, seed=9)
    revenue, regret = found.agents[0].revenue, found.regret
    expected = np.mean([float(one.agents[0].revenue) for one in values])
    assert abs(revenue.mean - expected) < 5 * revenue.stderr
    assert abs(regret.mean - np.mean([float(one.regret) for one in values])) < 5 * regret.stderr


@pytest.mark.parametrize("policy", ["ucb1", "prh-ucb", "h-thompson"])
@pytest.mark.parametrize("cuts", [(0, 20), (0, 1, 20), (0, 7, 8, 20), (5, 12)])
def test_a_range_may_be_cut_anywhere(policy: str, cuts: tuple[int, ...]) -> None:
    market = paper_market("2c")
    whole = simulate(market, policy, horizon=300, repetitions=20, seed=4, checkpoints=3)
    parts = [
        play(market, policy, first, last - first, horizon=300, seed=4, checkpoints=3, workers=k + 1)
        for k, (first, last) in enumerate(itertools.pairwise(cuts))
    ]
    assert [part.first for part in parts] == list(cuts[:-1])
    for name in ARRAYS:
        found = np.concatenate([getattr(part, name) for part in parts])
        assert np.array_equal(found, getattr(whole, name)[cuts[0] : cuts[-1]])


def test_new_arms_are_those_of_their_repetition() -> None:
    market = Market([Agent("a", [0.5, 0.2], copies=[3, 1]), Agent("b", [0.6])])
    schedule = Schedule([Retire(20, "a", 0, 1)], [Renew("a", below=0.5)])
    game: dict[str, Any] = {"horizon": 200, "seed": 2, "schedule": schedule}
    whole = simulate(market, "h-ucb", repetitions=9, **game)
    later = play(market, "h-ucb", 4, 5, **game)
    assert whole.new_arms is not None
    assert later.new_arms is not None
    assert len(np.unique(whole.new_arms[:, 0])) > 1
    assert np.array_equal(later.new_arms, whole.new_arms[4:])
    assert play(market, "h-ucb", 4, 5, horizon=200, seed=2).new_arms is None


def test_nothing_that_play_returns_can_be_written_to() -> None:
    found = play(MARKET, "h-ucb", 0, 2, horizon=10, seed=1)
    for name in ("rounds", *ARRAYS):
        with pytest.raises(ValueError, match="read-only"):
            getattr(found, name)[...] = 0
    with pytest.raises(FrozenInstanceError):
        found.first = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("first", "count", "message"),
    [
        (-1, 1, "first = -1 is not a whole number from 0 to 4294967295"),
        (2**32, 1, "first = 4294967296 is not a whole number from 0"),
        (0, 0, "count = 0 is not a whole number from 1 to 4294967296"),
        (2**32 - 1, 2, "count = 2 is not a whole number from 1 to 1"),
    ],
)
def test_ranges_that_do_not_exist_are_refused(first: int, count: int, message: str) -> None:
    with pytest.raises(FieldError, match=re.escape(message)):
        play(MARKET, "ucb1", first, count, horizon=10, seed=1)


def test_the_last_repetition_can_be_played() -> None:
    found = play(MARKET, "ucb1", 2**32 - 1, 1, horizon=10, seed=1)
    assert found.plays.sum() == 10


@pytest.mark.parametrize("policy", ["kl-ucb", "thompson", "h-thompson"])
def test_rules_for_unit_rewards_refuse_others(policy: str) -> None:
    market = Market([Agent("a", [0.5]), Agent("b", [0.9, Gaussian(0.1, 1.0)])])
    with pytest.raises(
        ValueError, match=r"takes rewards in \[0, 1\] only; agents\[1\].arms\[1\] is"
    ):
        simulate(market, policy, **GOOD)


def test_a_discount_that_is_too_short_is_refused() -> None:
    market = Market(MARKET.agents, discount=Explicit([1.0, 0.5, 0.2]))
    with pytest.raises(ValueError, match=r"discount\.weights has 3 entries: too few for 10"):
        simulate(market, "ucb1", **GOOD)


def test_the_largest_seed_and_one_round_are_fine() -> None:
    result = simulate(MARKET, "prh-ucb", horizon=1, repetitions=1, seed=2**64 - 1)
    assert result.plays.sum() == 1


def test_numpy_numbers_are_numbers() -> None:
    plain = simulate(MARKET, "h-ucb", horizon=70_000, repetitions=2, seed=3)
    numbers: Any = {"horizon": np.int32(70_000), "repetitions": np.int8(2), "seed": np.uint64(3)}
    given = simulate(MARKET, "h-ucb", **numbers)
    assert given.rounds.tolist() == plain.rounds.tolist()
    assert given.regret == plain.regret
    assert json.loads(json.dumps(given.to_dict()))["seed"] == 3


def test_progress_reaches_every_round() -> None:
    told: list[int] = []
    simulate(MARKET, "h-ucb", horizon=1500, repetitions=7, seed=1, progress=told.append)
    assert told[-1] == 1500 * 7
    assert told == sorted(told)


def test_an_interrupt_stops_all_threads() -> None:
    simulate(MARKET, "thompson", horizon=10, repetitions=1, seed=1)  # compiles, or loads

    def interrupt(_: int) -> None:  # where Ctrl-C would be raised
        raise KeyboardInterrupt

    market = paper_market("2c")
    with pytest.raises(KeyboardInterrupt):
        simulate(market, "thompson", horizon=10**7, repetitions=2, seed=1, progress=interrupt)
    assert threading.active_count() < 5


def test_many_agents_and_few_rounds() -> None:
    market = Market([Agent(f"{i}", [0.5]) for i in range(1000)])
    result = simulate(market, "h-ucb-t-free", horizon=10, repetitions=3, seed=1)
    assert result.plays.sum(axis=1).tolist() == [10, 10, 10]
    assert result.plays.max() == 1


def test_what_is_not_a_schedule_is_refused() -> None:
    no: Any = []
    with pytest.raises(FieldError, match=r"schedule = \[\] is not a Schedule"):
        simulate(MARKET, "ucb1", **GOOD, schedule=no)


def test_several_policies_share_their_luck(tmp_path: Path) -> None:
    write_market(MARKET, tmp_path / "market.toml")
    asked: list[AnyPolicy | str] = ["ucb1", parse_policy("trial"), river_policy("UCB", delta=1)]
    found = simulate(tmp_path / "market.toml", asked, **GOOD)
    assert [str(one.policy) for one in found] == [str(policy) for policy in asked]
    for policy, one in zip(asked, found, strict=True):
        alone = simulate(MARKET, policy, **GOOD)
        assert one.market == MARKET
        for name in ARRAYS:
            assert np.array_equal(getattr(one, name), getattr(alone, name))
    (only,) = simulate(MARKET, ("ucb1",), **GOOD)
    assert only.regret == found[0].regret


def test_the_defaults_are_the_command_lines() -> None:
    found = simulate(MARKET, "ucb1")
    assert (found.horizon, found.repetitions, found.seed) == (10_000, 100, 0)
    same = simulate(MARKET, "ucb1", horizon=10_000, repetitions=100, seed=0)
    assert np.array_equal(found.regret_curves, same.regret_curves)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ([], "policy is empty: at least one is needed"),
        ({"ucb1", "h-ucb"}, "is not a list of policies"),
        (["ucb1", 5], "policy = 5 is not a Policy, an ExternalPolicy or a text"),
        (["ucb1", "hucb"], "policy = 'hucb' is not known"),
    ],
)
def test_several_policies_of_which_one_is_wrong(policy: Any, message: str) -> None:
    with pytest.raises(FieldError, match=re.escape(message)):
        simulate(MARKET, policy, **GOOD)


@pytest.mark.parametrize("policy", ["ucb1", "s-ucb", "rh-ucb", "trial", "h-ucb"])
def test_a_stopped_game_is_the_beginning_of_the_whole_one(policy: str) -> None:
    """Round by round: rules that know the horizon know the whole one."""
    market = Market([Agent("a", [0.5, 0.3], [4, 2]), Agent("b", [0.9]), Agent("c", [0.8])])
    game: dict[str, Any] = {"horizon": 1000, "seed": 3}
    schedule = Schedule(renewals=[Renew("a", after=20)])
    arms = decisions(market, policy, schedule=schedule, **game)
    owners = np.repeat([0, 1, 2], [6, 1, 1])[arms]
    for stop in (1, 2, 417, 999, 1000):
        found = simulate(market, policy, repetitions=1, stop=stop, schedule=schedule, **game)
        assert found.plays[0].tolist() == np.bincount(owners[:stop], minlength=3).tolist()
        assert (found.stop, found.horizon) == (stop, 1000)
        assert found.to_dict().get("stop", 1000) == stop
    seen: dict[str, Any] = {"repetitions": 1, "seed": 3}
    shorter = simulate("paper:1a:300", "s-ucb", horizon=417, **seen)
    stopped = simulate("paper:1a:300", "s-ucb", horizon=1000, stop=417, **seen)
    assert shorter.plays.tolist() != stopped.plays.tolist()  # it was told another T


def test_a_stopped_game_is_no_lost_one_and_keeps_its_place(tmp_path: Path) -> None:
    found = simulate(MARKET, "h-ucb", horizon=1000, repetitions=3, seed=1, stop=100)
    assert found.lost is None
    assert found.rounds[-1] == 100
    assert "T = 1,000, stopped after 100 rounds" in repr(found)
    found.save(tmp_path / "x.npz")
    assert Result.load(tmp_path / "x.npz").stop == 100
    other = simulate(MARKET, "ucb1", horizon=1000, repetitions=3, seed=1, stop=100)
    with pytest.raises(FieldError, match="stopped after 100 rounds"):
        compare([found, other])


@pytest.mark.parametrize(
    ("policy", "change", "said"),
    [
        ("h-ucb", {"stop": 0}, "stop = 0 is not"),
        ("h-ucb", {"stop": 11}, "stop = 11 is not"),
        ("river:UCB(delta=1)", {"stop": 5}, "stop = 5 is not for policies of ours alone"),
    ],
)
def test_where_games_cannot_be_stopped(policy: str, change: dict[str, Any], said: str) -> None:
    with pytest.raises(FieldError, match=said):
        simulate(MARKET, policy, **GOOD, **change)


def test_a_market_with_groups_is_not_stopped() -> None:
    market = Market([Agent("a", [0.5]), Agent("b", [0.9]), Agent("c", [0.1])]).bind(["a", "b"], "g")
    with pytest.raises(FieldError, match="stop = 5 is not for markets without groups"):
        simulate(market, "h-ucb", **GOOD, stop=5)
