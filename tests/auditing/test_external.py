"""Policies that are not ours, through the same statistics."""

import random
from typing import Any

import pytest

from copyproof import Agent, ExternalPolicy, Market, attacks, audit, function_policy, paper_market
from copyproof.auditing.report.captions import verdict_words
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
            paper_market("1a"), policy, agent="0.5-agent", horizon=100, seed=1, most_copies=5
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
    assert len(found.renewals) == 4  # functions learn nothing, so that arms may come and go
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


class Rule:
    """Chooses an owner by the numbers of arms, at random where they say nothing."""

    def __init__(self, arms: Any, *, owners: Any, horizon: int, seed: int) -> None:
        self.rng = random.Random(seed)
        self.of: dict[str, list[str]] = {}
        for arm in arms:
            self.of.setdefault(owners[arm], []).append(arm)

    def favourite(self) -> str | None:
        """The owner who gets all the rounds."""
        raise NotImplementedError

    def choose(self) -> str:
        owner = self.favourite() or self.rng.choice(list(self.of))
        return self.of[owner][0]

    def learn(self, arm: str, reward: float) -> None:
        pass


class Odd(Rule):
    """Pays for every count but those of the ladder."""

    def favourite(self) -> str | None:
        counts = {owner: len(arms) for owner, arms in self.of.items()}
        return next((o for o, c in counts.items() if c not in (1, 2, 5, 10, 20, 50, 100)), None)


class Two(Rule):
    """Pays only if two agents copy."""

    def favourite(self) -> str | None:
        copying = [owner for owner, arms in self.of.items() if len(arms) > 1]
        return copying[0] if len(copying) > 1 else None


TRIO = Market([Agent("ann", [0.6]), Agent("bob", [0.8]), Agent("cat", [0.7])])


def test_counts_off_the_ladder_are_tried() -> None:
    policy = ExternalPolicy("odd", Odd)
    found = audit(TRIO, policy, agent="ann", horizon=100, seed=1, workers=1, budget=400_000)
    assert found.verdict == "prone"
    assert found.agents[0].best_deviation.copies[0] not in (2, 5, 10, 20, 50, 100)
    again = audit(TRIO, policy, agent="ann", horizon=100, seed=1, workers=1, budget=400_000)
    assert again.agents == found.agents
    other = audit(TRIO, policy, agent="ann", horizon=100, seed=2, workers=1, budget=400_000)
    assert {one.copies for one in other.agents[0].copying} != {
        one.copies for one in found.agents[0].copying
    }


def test_two_who_copy_at_once_are_tried() -> None:
    policy = ExternalPolicy("two", Two)
    found = audit(TRIO, policy, horizon=100, seed=1, most_copies=5, workers=1, budget=2_000_000)
    assert found.verdict == "prone"
    assert "prone" not in [agent.verdict for agent in found.agents]
    pairs = [one.name for one in found.coalitions]
    assert pairs == ["ann + bob", "ann + cat", "bob + cat"]
    pair = found.coalitions["ann + bob"]
    assert pair.verdict == "prone"
    first, second = pair.best_deviation.copies
    assert first > 1 < second
    # The first of them gets all the rounds, instead of a third for each.
    truth = 100 * (0.6 - (0.6 + 0.8) / 3)
    assert pair.best_deviation.gain.low < truth < pair.best_deviation.gain.high
    said = found.to_dict()["coalitions"]
    assert [one["name"] for one in said] == pairs
    assert said[0]["best_deviation"]["copies"] == [first, second]
    assert "where two agents copy at once: bob + cat gain" in verdict_words(found, "two")
    assert "ann + bob" in found.to_frame()["agent"].tolist()


def test_a_policy_that_plays_the_same_is_unchanged() -> None:
    policy = function_policy(first, name="always the first")
    found = audit(MARKET, policy, horizon=50, seed=1, most_copies=2, budget=200_000)
    assert found.verdict == "unchanged"
    assert {agent.verdict for agent in found.agents} == {"unchanged"}
    assert found.why_undecided is None
    assert found.budget_needed is None
    assert found.to_dict()["verdict"] == "unchanged"
    assert "no play differs" in verdict_words(found, "it")


def test_one_play_in_another_order_is_a_change() -> None:
    # The same plays of each agent, and the same revenue; only their order tells of the copy.
    def turned(tally: Tally) -> str:
        place = tally.round % 2 if len(tally.arms) > 2 else 1 - tally.round % 2
        return tally.arms[-place]

    policy = function_policy(turned, name="turned")
    found = audit(MARKET, policy, agent="ann", horizon=50, seed=1, most_copies=2, budget=200_000)
    assert found.agents[0].best_deviation.gain.mean == 0.0
    assert found.verdict == "undecided"
