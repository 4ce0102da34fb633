"""compare: against exact values, on one market and on several, and what it refuses."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from copyproof import (
    Agent,
    Comparison,
    Gaussian,
    Market,
    Renew,
    Result,
    Schedule,
    UniformPrior,
    compare,
    exact,
    paper_market,
    simulate,
)
from copyproof.auditing.limits import large_sample_limits
from copyproof.comparison import pair_limits, ranking
from copyproof.validation import FieldError

SIZE: dict[str, Any] = {"horizon": 400, "repetitions": 60, "seed": 2}
MARKET = paper_market("1a", copies=20)
POLICIES = ("ucb1", "h-ucb", "rh-ucb")


def play(market: Market, *policies: str, **size: int) -> list[Result]:
    return [simulate(market, policy, **(SIZE | size)) for policy in policies]


@pytest.fixture(scope="module")
def results() -> list[Result]:
    return play(MARKET, *POLICIES)


def nine(copies: int = 20) -> list[Market]:
    """Markets of other arms, each with one agent that copies."""
    return [
        Market([Agent("a", [0.4 + 0.02 * k], copies=[copies]), Agent("b", [0.8])]).named(f"m{k}")
        for k in range(9)
    ]


@pytest.fixture(scope="module")
def many() -> list[Result]:
    """Nine markets, three policies each."""
    return [result for one in nine() for result in play(one, *POLICIES, repetitions=20)]


def test_differences_are_those_of_the_games(results: list[Result]) -> None:
    found = compare(results)
    assert found.policies == POLICIES
    assert len(found.differences) == 3
    regret = {str(one.policy): one.regret_curves[:, -1] for one in results}
    for one in found.differences:
        x = regret[one.against] - regret[one.policy]
        most = 0.4 * 400
        expected = large_sample_limits(x, 0.05 / 3, least=-most, most=most)
        assert one.by.mean == pytest.approx(expected.mean)
        assert one.by.low == pytest.approx(expected.low)
        assert one.by.high == pytest.approx(expected.high)
        assert one.by.mean >= 0
        assert one.verdict == ("better" if one.by.low > 0 else "open")
    assert found.ranking is None
    assert found.played[0].means[1].mean == pytest.approx(regret["h-ucb"].mean())
    assert found.between("ucb1", "h-ucb") == found.between("h-ucb", "ucb1")


def test_the_order_of_results_does_not_matter(results: list[Result]) -> None:
    def found(order: list[Result]) -> set[Any]:
        return {
            (one.policy, one.against, round(one.by.low, 9)) for one in compare(order).differences
        }

    assert found(results) == found(results[::-1])


def test_revenue_and_lost_games(results: list[Result]) -> None:
    earns = compare(results, measure="revenue", agent="0.5-agent", unseen=False)
    one = earns.between("ucb1", "h-ucb")
    assert one.policy == "ucb1"  # under which copies pay
    own = [result.revenue[:, 0] for result in results]
    assert one.by.mean == pytest.approx((own[0] - own[1]).mean())
    lost = compare(results, measure="lost")
    shares = {str(result.policy): result.lost.share for result in results if result.lost}
    for pair in lost.differences:
        assert pair.by.mean == pytest.approx(shares[pair.against] - shares[pair.policy])
        assert -1.01 <= pair.by.low <= pair.by.high <= 1.01
    wider = compare(results, measure="revenue", agent="0.5-agent")
    assert wider.between("ucb1", "h-ucb").by.low < one.by.low


def test_limits_hold_for_real_policies() -> None:
    # The truth is computed; what is drawn are 200 samples of 40 games of three policies.
    market = Market([Agent("a", [0.6], copies=[3]), Agent("b", [0.9])])
    policies = ("ucb1", "h-ucb", "fair(ucb1)")
    truth = {policy: float(exact(market, policy, horizon=24).regret) for policy in policies}
    trials, missed = 200, 0
    for seed in range(trials):
        found = compare(play(market, *policies, horizon=24, repetitions=40, seed=seed))
        missed += any(
            not one.by.low <= truth[one.against] - truth[one.policy] <= one.by.high
            for one in found.differences
        )
    # Four standard errors of a share of 5 % in 200 trials are 6.2 %.
    assert missed / trials <= 0.05 + 0.062


def test_several_markets(many: list[Result]) -> None:
    found = compare(many)
    assert len(found.played) == 9
    assert len(found.differences) == 27
    assert found.ranking is not None
    assert found.ranking.policies[-1] == "ucb1"
    means = {(one.market, one.policy): one.regret.mean for one in many}
    ahead = sum(
        means[market, parsed["h-ucb"]] < means[market, parsed["ucb1"]]
        for market in {one.market for one in many}
        for parsed in [{str(one.policy): one.policy for one in many}]
    )
    pair = next(p for p in found.ranking.pairs if {p.policy, p.against} == {"h-ucb", "ucb1"})
    assert pair.ahead == ahead
    # All limits hold together, so that they are wider than those of one market.
    alone = compare([one for one in many if one.market == many[0].market])
    label = many[0].market.label
    first, second = found.between("h-ucb", "ucb1", label), alone.between("h-ucb", "ucb1")
    assert first.by.low < second.by.low
    with pytest.raises(LookupError, match="9 differences of h-ucb and ucb1, not one: market"):
        found.between("h-ucb", "ucb1")


def test_markets_may_differ_in_horizon_and_seed() -> None:
    one = play(paper_market("1a"), "ucb1", "h-ucb", horizon=100, seed=1)
    other = play(paper_market("2a"), "ucb1", "h-ucb", horizon=50, seed=5)
    found = compare([*one, *other])
    assert [(one.market, one.horizon, one.seed) for one in found.played] == [
        ("paper:1a", 100, 1),
        ("paper:2a", 50, 5),
    ]


def test_one_market_may_be_played_in_several_settings() -> None:
    both = [
        one
        for horizon, seed in ((100, 1), (200, 1), (100, 2))
        for one in play(MARKET, "ucb1", "h-ucb", horizon=horizon, seed=seed)
    ]
    found = compare(both)
    assert [(one.horizon, one.seed) for one in found.played] == [(100, 1), (200, 1), (100, 2)]
    assert found.ranking is None  # one market is no sample of markets
    assert len(found.differences) == 3
    alone = compare(both[2:4]).between("ucb1", "h-ucb")
    one = found.between("ucb1", "h-ucb", horizon=200)
    assert one.by.mean == alone.by.mean
    assert one.by.low < alone.by.low  # all three hold together
    assert found.between("ucb1", "h-ucb", horizon=100, seed=2).played.seed == 2
    with pytest.raises(LookupError, match="0 differences of x and h-ucb, not one: ucb1, h-ucb are"):
        found.between("x", "h-ucb")
    with pytest.raises(LookupError, match="2 differences of ucb1 and h-ucb, not one"):
        found.between("ucb1", "h-ucb", horizon=100)
    assert repr(found).startswith("<Comparison of 2 policies on paper:1a:20 in 3 settings by")


def test_a_market_counts_once_in_the_ranking(many: list[Result]) -> None:
    """Two seeds of a market are no two markets: they would make differences look more certain."""
    again = [result for one in nine() for result in play(one, *POLICIES, repetitions=20, seed=3)]
    found = compare([*many, *again]).ranking
    assert found is not None
    assert found.markets == 9
    both = np.array([[one.regret.mean for one in half] for half in (many, again)])
    table = both.mean(axis=0).reshape(9, 3)
    assert found == ranking(table, POLICIES, alpha=1 - 0.95)


def test_strategies_of_a_market_are_no_markets(many: list[Result]) -> None:
    """Their games are not independent, and would make differences look more certain, too."""
    others = [result for one in nine(5) for result in play(one, *POLICIES, repetitions=20)]
    found = compare([*many, *others])
    assert len(found.played) == 18
    assert found.ranking is not None
    assert found.ranking.markets == 9
    one = [result for each in nine(5)[:1] for result in play(each, *POLICIES, repetitions=20)]
    assert compare([*many[:3], *one]).ranking is None


def test_the_same_games_under_two_names(many: list[Result]) -> None:
    """As a study has them where a strategy leaves a market as it is."""
    same = [replace(one, market=one.market.named(f"{one.market.name} (honest)")) for one in many]
    found = compare([*many, *same])
    assert len(found.played) == 18
    assert found.ranking == compare(many).ranking
    assert found.played[-1].market == "m8 (honest)"
    mixed = sorted([*many, *same], key=lambda one: str(one.policy)[::-1])
    assert compare(mixed).ranking is not None  # in whatever order they are given
    assert len(compare([mixed[0], *mixed[:0:-1]]).played) == 18
    # And one market under two names is one where it is played once.
    two = compare([many[0], replace(many[1], market=many[1].market.named("other"))])
    assert len(two.played) == 1


def test_a_schedule_is_a_setting() -> None:
    renewed = Schedule(renewals=[Renew("0.5-agent", after=1)])
    both = [
        simulate(MARKET, policy, **SIZE, schedule=schedule)
        for schedule in (None, renewed)
        for policy in ("ucb1", "h-ucb")
    ]
    assert [one.market for one in compare(both).played] == ["paper:1a:20", "paper:1a:20 (2)"]


def test_markets_of_one_name_are_told_apart() -> None:
    markets = [Market([Agent("a", [mean]), Agent("b", [0.9])]).named("same") for mean in (0.1, 0.2)]
    results = [one for market in markets for one in play(market, "ucb1", "h-ucb", horizon=20)]
    labels = [one.market for one in compare(results).played]
    assert len(set(labels)) == 2
    assert all(label.startswith("same (") for label in labels)


def test_unbounded_rewards_and_priors_have_limits() -> None:
    wide = Market([Agent("a", [Gaussian(0.5, 1.0)]), Agent("b", [UniformPrior(0, 1)])])
    found = compare(play(wide, "ucb1", "h-ucb"), measure="revenue", agent="a")
    assert all(math.isfinite(one.by.high) for one in found.differences)
    regret = compare(play(wide, "ucb1", "h-ucb"))
    assert all(math.isfinite(one.by.high) for one in regret.differences)


def test_equal_policies_are_equal_and_not_better() -> None:
    market = Market([Agent("a", [0.5]), Agent("b", [0.9])])
    found = compare(play(market, "h-ucb", "hierarchical(ucb, thompson)"))
    (one,) = found.differences  # one arm each: the arm rule has nothing to choose
    assert one.verdict == "equal"
    assert one.needed is None
    assert found.best == "h-ucb"


def test_the_best(results: list[Result]) -> None:
    two = [one for one in results if str(one.policy) in ("ucb1", "h-ucb")]
    assert compare(two, unseen=False).best == "h-ucb"
    few = [
        replace(
            one,
            repetitions=5,
            regret_curves=one.regret_curves[:5],
            revenue=one.revenue[:5],
            plays=one.plays[:5],
            original_plays=one.original_plays[:5],
        )
        for one in two
    ]
    assert compare(few).best is None


def test_json_and_frames(results: list[Result], many: list[Result]) -> None:
    for found, rows in ((compare(results), 3), (compare(many), 27), (compare(play(
        MARKET, "ucb1", "h-ucb", repetitions=3)), 1)):  # fmt: skip
        data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert len(data["differences"]) == rows
        frame = found.to_frame()
        assert list(frame.columns[:5]) == ["policy", "market", "seed", "horizon", "against"]
        assert len(frame) == rows
        assert (frame["by"] >= 0).all()
        assert (frame["low"] <= frame["high"]).all()
        known = frame[frame["verdict"] == "better"]
        assert known["games_needed"].isna().all()


def other(results: list[Result], **changed: Any) -> list[Result]:
    if "horizon" in changed:  # played to its end
        changed["rounds"] = results[1].rounds * changed["horizon"] // results[1].horizon
    return [results[0], replace(results[1], **changed)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 3}, "results differ in their seed on paper:1a:20: 2 and 3 share no luck"),
        ({"horizon": 500}, "results differ in their horizon on paper:1a:20: 400 and 500"),
        ({"repetitions": 61}, "results differ in their repetitions on paper:1a:20: 60 and 61"),
        (
            {"schedule": Schedule(renewals=[Renew("0.5-agent", after=1)])},
            "results differ in their schedule on paper:1a:20: None and Schedule",
        ),
        ({"market": paper_market("2a")}, "results has 'h-ucb' on another market, and not on"),
    ],
)
def test_what_shares_no_luck_is_refused(
    change: dict[str, Any], message: str, results: list[Result]
) -> None:
    with pytest.raises(FieldError, match=message) as error:
        compare(other(results, **change))
    assert "\n" not in str(error.value)


def test_other_bad_input_is_refused(results: list[Result]) -> None:
    def refused(message: str, given: Any, **how: Any) -> None:
        with pytest.raises(FieldError, match=message):
            compare(given, **how)

    refused("results is empty", [])
    refused("results has one policy, ucb1: two or more", results[:1])
    refused("results has one policy, ucb1: two or more", results[0])
    refused("results has 'ucb1' twice on paper:1a:20", [results[0], results[0]])
    refused(r"results\[1\] = 'h-ucb' is not a Result", [results[0], "h-ucb"])
    refused("measure = 'regrets' is not one of .*; did you mean 'regret'", results,
            measure="regrets")  # fmt: skip
    refused("agent is not given, and measure = 'revenue'", results, measure="revenue")
    refused("agent is given, and measure = 'regret'", results, agent="0.5-agent")
    refused("did you mean '0.5-agent'", results, measure="revenue", agent="0.5agent")
    refused(r"confidence = 1.0 is not in \(0, 1\)", results, confidence=1)
    refused("unseen = 'no' is not True or False", results, unseen="no")
    rough = [simulate(MARKET, policy, **SIZE, checkpoints=[7]) for policy in ("ucb1", "h-ucb")]
    refused("lost of ucb1 is not known: it takes a checkpoint at 360", rough, measure="lost")


def test_it_says_on_one_line_what_it_is(results: list[Result], many: list[Result]) -> None:
    for found in (compare(results), compare(many), compare(results, measure="lost")):
        assert "\n" not in repr(found)
        assert len(repr(found)) < 150
    assert repr(compare(many)).startswith("<Comparison of 3 policies on 9 markets by regret: ")


def test_plain_arrays_give_the_same(results: list[Result]) -> None:
    # What a study's report does with tables of its own.
    found: Comparison = compare(results)
    rows = -np.stack([one.regret_curves[:, -1] for one in results])
    pairs = pair_limits(rows, alpha=1 - 0.95, reach=0.4 * 400)
    assert [abs(p.difference.mean) for p in pairs] == [d.by.mean for d in found.differences]
    assert [p.needed for p in pairs] == [d.needed for d in found.differences]
