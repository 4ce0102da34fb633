"""Several identities, and arms that are withdrawn and submitted again."""

import re
from typing import Any

import pytest

from copyproof import Agent, Market, attacks, paper_market, simulate, split

SINGLE = paper_market("1a")


def test_several_identities_pay_under_every_policy() -> None:
    for policy in ("ucb1", "h-ucb", "rh-ucb", "h-ucb-t-free"):
        found = attacks(
            SINGLE,
            policy,
            agent="0.5-agent",
            horizon=2000,
            seed=1,
            identities=[2, 4],
            budget=20_000_000,
        )
        assert found.identities_verdict == "prone"
        four = found.identities[1]
        assert four.count == 4
        assert four.each.mean == pytest.approx(four.gain.gain.mean / 3)


def test_the_gain_is_what_the_person_earns_in_all() -> None:
    found = attacks(SINGLE, "h-ucb", agent="0.7-agent", horizon=1000, seed=3, identities=[3])
    gain = found.identities[0].gain
    games = gain.repetitions
    market, names = split(SINGLE, "0.7-agent", 3)
    one = simulate(SINGLE, "h-ucb", horizon=1000, repetitions=games, seed=3)
    many = simulate(market, "h-ucb", horizon=1000, repetitions=games, seed=3)
    own = [market.names.index(name) for name in names]
    earned = many.revenue[:, own].sum(axis=1) - one.revenue[:, 2]
    assert gain.gain.mean == pytest.approx(earned.mean())


def test_re_registering_pays_under_ucb1_only() -> None:
    flat = attacks(SINGLE, "ucb1", agent="0.5-agent", horizon=2000, seed=1)
    assert flat.renewals_verdict == "prone"
    assert [gain.verdict for gain in flat.renewals] == ["prone"] * 4
    for policy in ("h-ucb", "rh-ucb", "prh-ucb", "h-ucb-t-free"):
        found = attacks(SINGLE, policy, agent="0.5-agent", horizon=2000, seed=1)
        assert found.renewals_verdict == "no-gain"
        assert all(gain.gain.high == 0 for gain in found.renewals)


def test_an_agent_of_several_arms_only_loses_by_losing_its_records() -> None:
    market = Market([Agent("ann", [0.8, 0.2]), Agent("bob", [0.6])])
    found = attacks(market, "h-ucb-t-free", agent="ann", reference="honest", horizon=1000, seed=1)
    by_name = {gain.deviation.name: gain for gain in found.renewals}
    assert by_name["new after every play"].gain.high < 0


def test_a_fee_is_paid_for_every_new_arm() -> None:
    market = Market(SINGLE.agents, fee=0.01)
    found = attacks(market, "h-ucb", agent="0.5-agent", horizon=200, seed=1)
    plays = simulate(market, "h-ucb", horizon=200, repetitions=400, seed=1).agents[0].plays
    # A new arm after every play but one in the last round.
    assert found.renewals[0].gain.mean == pytest.approx(-0.01 * plays.mean, rel=0.05)
    assert found.renewals[0].verdict == "no-gain"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"agent": "zoe"}, "agent = 'zoe' is not one of"),
        ({"identities": [1]}, "identities[0] = 1 is not a whole number from 2"),
        ({"identities": []}, "identities is empty"),
        ({"tolerance": -1}, "tolerance = -1.0 is not a number > 0"),
    ],
)
def test_bad_input_is_named(change: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"agent": "0.5-agent", "horizon": 100, "seed": 1, **change}
    with pytest.raises(ValueError, match=re.escape(message)):
        attacks(SINGLE, "h-ucb", **given)
