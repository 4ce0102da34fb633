"""Policies that are not ours, through the same statistics."""

import pytest

from copyproof import Agent, ExternalPolicy, Market, attacks, audit, function_policy, paper_market
from copyproof.external import Tally

MARKET = Market([Agent("ann", [0.5]), Agent("bob", [0.8])])


def first(tally: Tally) -> str:
    return tally.arms[0]


def test_a_policy_that_ignores_copies_gives_nothing_for_them() -> None:
    policy = function_policy(first, name="always the first")
    found = audit(MARKET, policy, horizon=50, seed=1, most_copies=2, budget=200_000, tolerance=1)
    assert found.verdict == "no-gain"
    assert found.policy == "always the first"
    for agent in found.agents:
        for gain in agent.copying:
            assert gain.gain.mean == 0.0
            assert gain.gain.high > 0.0  # seen, not proven


def test_a_policy_that_deals_by_arms_pays_for_copies() -> None:
    policy = function_policy(lambda tally: tally.arms[tally.round % len(tally.arms)], name="deal")
    found = audit(MARKET, policy, horizon=60, seed=1, most_copies=3, budget=200_000)
    assert found.verdict == "prone"
    ann = found.agents[0]
    # With c of c + 1 arms ann has the share c / (c + 1) instead of a half.
    assert ann.copying[0].gain.low < 60 * 0.5 * (2 / 3 - 1 / 2) < ann.copying[0].gain.high


def test_river_and_mabwiser_are_prone() -> None:
    for policy in ("river:UCB(delta=1)", "mabwiser:UCB1(alpha=1)"):
        found = audit(
            paper_market("1a"), policy, agent="0.5-agent", horizon=300, seed=1, most_copies=5
        )
        assert found.verdict == "prone"


def test_an_unknown_arm_is_named_with_round_and_repetition() -> None:
    def lost(tally: Tally) -> str:
        return "nowhere" if tally.round == 7 else tally.arms[0]

    with pytest.raises(ValueError, match=r"round 7 of repetition 0.*'nowhere'"):
        audit(MARKET, function_policy(lost, name="lost"), horizon=50, seed=1, workers=1)


def test_an_exception_is_not_swallowed() -> None:
    def broken(tally: Tally) -> str:
        if tally.round == 3:
            raise RuntimeError("out of ideas")
        return tally.arms[0]

    with pytest.raises(ValueError, match=r"round 3 of repetition 0.*out of ideas"):
        audit(MARKET, function_policy(broken, name="broken"), horizon=50, seed=1, workers=1)


def test_exact_values_need_one_of_our_policies() -> None:
    with pytest.raises(ValueError, match="'sampling' takes any policy"):
        audit(MARKET, function_policy(first), horizon=5, seed=1, method="exact")


def test_several_identities_can_be_tried_on_any_policy() -> None:
    policy: ExternalPolicy = function_policy(
        lambda tally: tally.arms[tally.round % len(tally.arms)], name="deal"
    )
    found = attacks(MARKET, policy, agent="ann", horizon=60, seed=1, identities=[2])
    assert found.identities_verdict == "prone"
    assert found.renewals == ()
    assert found.renewals_verdict == "undecided"


@pytest.mark.parametrize("seed", range(4))
def test_a_policy_that_rarely_punishes_is_not_called_prone(seed: int) -> None:
    # Copies earn two more rounds of a hundred, and with chance 5 % nothing: a loss in the mean.
    def wary(tally: Tally) -> str:
        mine = [arm for arm in tally.arms if tally.owners[arm] == "ann"]
        if tally.round == 1:
            tally.memory["banned"] = len(mine) > 1 and tally.rng.random() < 0.05
        extra = len(mine) > 1 and tally.round % 50 == 1
        if not tally.memory["banned"] and (tally.round % 2 == 0 or extra):
            return mine[0]
        return tally.arms[-1]

    market = Market([Agent("ann", [0.9]), Agent("bob", [0.9])])
    found = audit(
        market,
        function_policy(wary, name="wary"),
        agent="ann",
        horizon=100,
        seed=seed,
        most_copies=2,
        budget=100_000,
        workers=1,
    )
    assert found.verdict != "prone"
