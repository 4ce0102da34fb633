"""Estimates of plays that wait, under rules 1, and corrections in their own place."""

import random

import numpy as np
import pytest

from copyproof.live import MarketConfig, Principal

ARMS = [("ann", "a"), ("ann", "b"), ("bob", "a"), ("cid", "a")]
ONE_ARM = ["trial(c=0.5, lost=0.3, memory=200)", "grace(memory=100)", "h-ucb", "thompson"]


@pytest.mark.parametrize("policy", ONE_ARM)
@pytest.mark.parametrize("changes", [False, True])
def test_when_all_rewards_are_told_it_does_not_matter_when(policy: str, changes: bool) -> None:
    """Sums are equal to the last bit, by arm, agent, window and level: every play has its place."""
    rng = random.Random(1)
    rewards = [float(rng.randint(0, 1)) for _ in range(700)]
    found = []
    for late in (False, True):
        settings = MarketConfig(policy, horizon=1000, late="correct", rewards="last", rules=1)
        principal = Principal(config=settings)
        principal.register_arm("ann", "a")
        waiting: list[tuple[str, float]] = []
        for number, reward in enumerate(rewards):
            [decision] = principal.ask()
            waiting.append((decision.id, reward))
            rng.shuffle(waiting)
            while waiting and (not late or rng.random() < 0.45):
                told, known = waiting.pop()
                if late and rng.random() < 0.2:
                    principal.tell(told, 1.0 - known)  # corrected right away
                principal.tell(told, known)
            if changes and number == 600:
                principal.set_policy("fair")
                principal.set_policy(policy)
        assert (len(waiting) > 50) == late
        assert principal.pending == len(waiting)
        if late:
            log = principal._state.export()["log"]
            assert 0 < log["value"][log["told"] == 0].max() < 1  # some of them were estimated
            principal.tell_many(waiting)
        found.append(principal._state.export())
        assert principal.statistics().revenue == sum(rewards)
    same = ["agents", "arms", "past", "past_arms"]
    if policy.startswith("grace"):
        same.append("windows")
    if not changes:  # a change of policy forgets the order
        same += [name for name in ("trials", "starts", "blocks") if name in found[0]]
    for name in same:
        for field in found[0][name].dtype.names or (...,):
            np.testing.assert_array_equal(found[0][name][field], found[1][name][field], name)


def test_estimates_are_no_revenue() -> None:
    principal = Principal("h-ucb", config=MarketConfig(rules=1))
    principal.register_arms(ARMS)
    first = principal.ask(60)
    principal.tell_many([(decision.id, 1.0) for decision in first])
    principal.ask(20)
    statistics = principal.statistics()
    assert (statistics.answered, statistics.pending, statistics.revenue) == (60, 20, 60.0)
    log = principal._state.export()["log"]
    # Of three agents, each with 20 rewards of 1 and 20 of 0 that were never given, but assumed.
    np.testing.assert_allclose(log["value"][-20:], 20 / 40, atol=2e-6)


def test_plays_that_wait_are_estimated_anew_when_what_is_known_has_doubled() -> None:
    principal = Principal("grace-anytime", config=MarketConfig(rules=1))
    principal.register_arm("ann", "a")
    plays = principal.ask(100)
    estimates = []
    for known, decision in enumerate(plays[:70], 1):
        principal.tell(decision.id, 1.0)
        log = principal._state.export()["log"]
        [worth] = set(log["value"][log["told"] == 0].tolist())
        estimates.append(worth)
        assert log["value"][log["told"] == 1].tolist() == [1.0] * known
    doubled = [1, 2, 4, 8, 16, 32, 64]
    assert [n for n, one in enumerate(estimates, 1) if n == 1 or one != estimates[n - 2]] == doubled
    np.testing.assert_allclose(sorted(set(estimates)), [n / (n + 20) for n in doubled], atol=1e-6)
    [agent] = principal._state.export()["agents"]
    assert agent["total"] == 70.0 + 30 * estimates[-1]


def test_all_agents_plays_are_estimated_anew_each_by_its_own() -> None:
    principal = Principal("h-ucb", config=MarketConfig(rules=1))
    principal.register_arms([("ann", "a"), ("bob", "b"), ("cid", "c")])
    plays = principal.ask(90, slate=False)
    mine = {agent: [one for one in plays if one.agent == agent] for agent in ("ann", "bob")}
    principal.tell_many([(one.id, 1.0) for one in mine["ann"][:10]])
    principal.tell_many([(one.id, float(n < 3)) for n, one in enumerate(mine["bob"][:6])])
    state = principal._state.export()
    waiting = state["log"]["told"] == 0
    for agent, worth in enumerate((10 / 30, 3 / 26, 0.0)):
        values = state["log"]["value"][waiting & (state["log"]["arm"] == agent)]
        assert len(values) > 10
        np.testing.assert_allclose(values, worth, atol=2e-6)
