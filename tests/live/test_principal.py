"""What the principal promises: late rewards, churn, subsets, slates, keys, and clear errors."""

from typing import Any

import numpy as np
import pytest

from copyproof.live import KeyReused, MarketConfig, NoArm, Principal, Unknown
from copyproof.live.stores import Store, open_store
from copyproof.live.stores.memory import MemoryStore
from tests.live.simulated import EVERY_ROW

TEN = [("ann", "a"), ("ann", "b"), ("ann", "c"), ("bob", "d"), ("bob", "e"), ("cid", "f")]


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def market(policy: str = "h-ucb", **settings: Any) -> tuple[Principal, Clock]:
    clock = Clock()
    config = MarketConfig(policy, seed=7, **settings)
    principal = Principal(config=config, clock=clock)
    principal.register_arms(TEN)
    return principal, clock


def reopened(principal: Principal) -> Principal:
    again = Principal(store=principal.store)
    assert again.digest() == principal.digest()
    return again


# --- late rewards ------------------------------------------------------------------------------


def test_a_burst_is_spread_although_no_reward_has_come() -> None:
    principal, _ = market()
    plays = {one.agent: one.plays for one in (principal.ask(300), principal.statistics())[1].agents}
    assert plays == {"ann": 100, "bob": 100, "cid": 100}
    assert principal.pending == 300


def test_means_use_answered_plays_only_where_others_are_omitted() -> None:
    # Half of cid's plays pay 1 and the others wait: its mean is 1, and it is played most.
    principal, _ = market(unanswered="omitted")
    for round_ in range(400):
        [decision] = principal.ask()
        if decision.agent != "cid":
            principal.tell(decision.id, 0)
        elif round_ % 2:
            principal.tell(decision.id, 1)
    ann, bob, cid = principal.statistics().agents
    assert cid.answered < cid.plays
    assert cid.plays > 5 * max(ann.plays, bob.plays)


def test_a_play_without_a_reward_takes_the_default_and_replay_reads_no_clock() -> None:
    principal, clock = market(reward_window=60, default_reward=0.25)
    first = principal.ask(4)
    clock.now += 59
    assert principal.expire() == 0
    principal.tell(first[0].id, 1)
    clock.now += 1
    second = principal.ask()
    assert principal.pending == len(second)
    assert principal.statistics().revenue == 1 + 3 * 0.25
    assert principal.tell(first[1].id, 1).status == "refused-late"
    assert principal.tell(first[0].id, 1).status == "refused-late"
    assert principal.expire(clock.now + 60) == 1
    reopened(principal)


def test_a_late_reward_corrects_if_the_market_says_so() -> None:
    principal, clock = market(reward_window=60, late="correct", correction_window=600)
    decisions = principal.ask(3)
    principal.tell(decisions[0].id, 0.5)
    clock.now += 100
    late = principal.tell(decisions[1].id, 0.75)
    assert (late.status, late.reward) == ("corrected", 0.75)
    assert principal.tell(decisions[1].id, 1).status == "ignored"  # the first one counts
    assert principal.tell(decisions[0].id, 1).status == "ignored"
    assert principal.statistics().revenue == 1.25
    assert principal.statistics().answered == 3
    clock.now += 600
    principal.ask()
    clock.now += 60
    principal.expire()
    assert principal.tell(decisions[2].id, 1).status == "refused-late"  # long forgotten
    reopened(principal)


@pytest.mark.parametrize(
    ("rewards", "worth"), [("first", 0.5), ("last", 0.25), ("sum", 1.0), ("max", 0.75)]
)
def test_several_rewards_for_one_decision(rewards: str, worth: float) -> None:
    principal, _ = market(rewards=rewards)
    [decision] = principal.ask()
    told = [principal.tell(decision.id, reward) for reward in (0.5, 0.75, 0.25)]
    assert [one.status for one in told[1:]] == 2 * ["ignored" if rewards == "first" else "counted"]
    assert told[-1].reward == worth
    statistics = principal.statistics(decision.agent)
    assert (statistics.answered, statistics.revenue) == (1, worth)
    assert sum(arm.revenue for arm in statistics.arms) == worth
    reopened(principal)


def test_corrections_never_leave_the_range_of_rewards() -> None:
    # 0.1 + 0.2 − 0.1 − 0.2 is not 0 in floating point; a mean below 0 would break posteriors.
    principal, _ = market("h-thompson", rewards="last")
    decisions = principal.ask(40)
    for rewards in ([0.1, 0.2, 0.3], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.7, 1.0, 1.0]):
        for n, decision in enumerate(decisions):
            principal.tell(decision.id, rewards[n % 3])
        for one in principal.statistics().agents:
            assert 0 <= one.revenue <= one.answered
        principal.ask(10)


def test_corrections_of_earlier_epochs_stay_in_range_too() -> None:
    principal, _ = market("trial-anytime(first=10, factor=2, power=1)", rewards="last")
    decisions = principal.ask(40)  # two epochs are over
    for rewards in ([0.1, 0.2, 0.3], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.7, 0.1, 0.3], 3 * [0.0]):
        for n, decision in enumerate(decisions):
            principal.tell(decision.id, rewards[n % 3])
        for one in principal.statistics().agents:
            assert 0 <= one.revenue <= one.answered
    principal.set_policy("h-thompson")
    principal.ask(20)
    reopened(principal)


def test_a_clock_set_back_stands_still() -> None:
    principal, clock = market(reward_window=60)
    [decision] = principal.ask()
    clock.now = 10.0
    principal.ask()
    assert principal.tell(decision.id, 1).status == "counted"
    events = [event for _, event in principal.store.events("default")]
    assert all(event["at"] == 1000.0 for event in events)
    clock.now = 1059.0
    assert principal.expire() == 0
    clock.now = 1060.0
    assert principal.expire() == 1
    reopened(principal)


# --- agents and arms ---------------------------------------------------------------------------


def test_statistics_survive_retirement_and_return() -> None:
    principal, _ = market()
    for decision in principal.ask(60):
        principal.tell(decision.id, 1)
    before = principal.statistics("cid")
    principal.retire_arm("cid", "f")
    assert all(decision.agent != "cid" for decision in principal.ask(30))
    assert principal.statistics("cid").agents[0].plays == before.plays
    principal.register_arm("cid", "f")
    assert principal.statistics("cid").arms == before.arms
    principal.register_arm("cid", "new")
    assert [arm.plays for arm in principal.statistics("cid").arms] == [before.arms[0].plays, 0]
    reopened(principal)


def test_an_agent_cannot_register_arms_without_end() -> None:
    principal = Principal(config=MarketConfig(most_arms=3))
    assert principal.register_arms([("ann", "a"), ("ann", "b"), ("bob", "a"), ("ann", "b")]) == 3
    principal.retire_arm("ann", "a")
    before = principal.digest()
    with pytest.raises(ValueError, match=r"arms = 4 is not at most 3: arms that agent 'ann' ever"):
        principal.register_arms([("bob", "b"), ("ann", "c"), ("ann", "d")])
    assert principal.digest() == before
    assert principal.register_arms([("ann", "a"), ("ann", "c")]) == 2  # the first comes back
    with pytest.raises(ValueError, match="arms = 4"):
        principal.register_arm("ann", "d")
    with pytest.raises(ValueError, match=r"arms = 4 .* 'cid'"):
        principal.register_arms([("cid", name) for name in "abcd"])
    assert len(principal.statistics().agents) == 2


@pytest.mark.parametrize("policy", ["h-ucb", "ucb1", "trial-anytime", "rh-ucb(L=2)"])
def test_a_suspended_arm_stays_out_whatever_its_agent_does(policy: str) -> None:
    principal = Principal(config=MarketConfig(policy, horizon=1000))
    principal.register_arms([("ann", "a"), ("ann", "b"), ("bob", "c")])
    principal.ask(30)
    plays = {arm.arm: arm.plays for arm in principal.statistics("ann").arms}
    assert principal.suspend_arm("ann", "a")
    assert not principal.suspend_arm("ann", "a")
    assert not principal.register_arm("ann", "a")  # it is registered all the while
    assert principal.retire_arm("ann", "a")
    assert principal.register_arm("ann", "a")
    first, second = principal.statistics("ann").arms
    assert (first.registered, first.suspended, first.in_play) == (True, True, False)
    assert (second.registered, second.suspended) == (True, False)
    assert [one.arms for one in principal.statistics().agents] == [1, 1]
    assert "a" not in {decision.arm for decision in principal.ask(300)}
    with pytest.raises(NoArm):
        principal.ask(eligible={"ann": ["a"]})
    reopened(principal)
    principal.snapshot()
    reopened(principal)
    assert principal.resume_arm("ann", "a")
    assert not principal.resume_arm("ann", "a")
    assert "a" in {decision.arm for decision in principal.ask(3, slate=True)}
    assert principal.statistics("ann").arms[0].plays == plays["a"] + 1
    principal.suspend_arm("ann", "b")
    principal.retire_arm("ann", "b")
    principal.resume_arm("ann", "b")
    assert "b" not in {decision.arm for decision in principal.ask(300)}
    with pytest.raises(Unknown, match="arm = 'x' is not known"):
        principal.suspend_arm("ann", "x")
    reopened(principal)


def test_a_reward_for_a_retired_arm_or_a_suspended_agent_counts() -> None:
    for policy in ("h-ucb", "ucb1", "prh-ucb"):
        principal, _ = market(policy)
        decisions = principal.ask(30)
        principal.retire_arm("cid", "f")
        principal.suspend_agent("bob")
        for decision in decisions:
            assert principal.tell(decision.id, 1).status == "counted"
        assert principal.statistics().revenue == 30
        assert {decision.agent for decision in principal.ask(30)} == {"ann"}
        principal.resume_agent("bob")
        assert {decision.agent for decision in principal.ask(300)} == {"ann", "bob"}
        reopened(principal)


def test_remove_and_submit_again_as_new_gives_no_extra_seats() -> None:
    """A sample's size counts every arm ever admitted."""
    principal, _ = market("rh-ucb(L=1)", horizon=100)  # 4 seats for each agent
    principal.register_arms([("eve", f"0/{n}") for n in range(50)])
    principal.ask(20)
    seen = {arm.arm for arm in principal.statistics("eve").arms if arm.in_play}
    assert len(seen) == 4
    for again in range(1, 10):  # all but one of the sample go, and come again as new
        for n, arm in enumerate(sorted(seen)[1:] if again == 1 else ["new 0", "new 1", "new 2"]):
            principal.retire_arm("eve", arm)
            principal.register_arm("eve", f"new {n}")
        principal.ask(20)
    arms = principal.statistics("eve").arms
    assert {arm.arm for arm in arms if arm.in_play} == {min(seen)}
    assert {arm.arm for arm in arms if arm.plays} <= seen
    principal.retire_arm("eve", min(seen))  # the last one: now one that waits takes over
    principal.ask(20)
    assert sum(arm.in_play for arm in principal.statistics("eve").arms) == 1
    reopened(principal)


def test_priority_ties_hold_for_agents_that_come_later() -> None:
    one, _ = market("h-ucb-t-free", horizon=100)
    for name in ("dan", "eve", "fay"):
        one.register_arm(name, "x")
    many = [decision.agent for decision in one.ask(6)]
    other, _ = market("h-ucb-t-free", horizon=100)
    first = [decision.agent for decision in other.ask(3)]
    for name in ("dan", "eve", "fay"):
        other.register_arm(name, "x")
    rest = [decision.agent for decision in other.ask(3)]
    assert sorted(many) == sorted(first + rest)
    assert [name for name in many if name in rest] == rest  # one order, whoever comes when
    reopened(other)


# --- subsets and slates ------------------------------------------------------------------------


def sized(policy: str) -> str:
    """The text of a row, with the numbers that it leaves to a market."""
    given = {"s-ucb": "(l=1)", "rh-ucb-online": "(L=1)", "rh-ucb": "(L=0.5)"}
    given |= {"rh-ucb-t-free": "(L=0.5)", "moss": "(K=10)", "h-moss": "(agents=3, K=5)"}
    given |= {"moss-anytime": "(K=10)", "h-moss-anytime": "(agents=3, K=5)"}
    return policy + given.get(policy, "")


@pytest.mark.parametrize("policy", EVERY_ROW)
def test_when_all_are_eligible_decisions_are_the_same(policy: str) -> None:
    text = sized(policy)
    (one, _), (other, _) = (market(text, horizon=1000) for _ in range(2))
    arms = {agent: [arm for owner, arm in TEN if owner == agent] for agent, _ in TEN}
    for round_ in range(150):
        count = 1 + round_ % 3
        kinds = (None, ["ann", "bob", "cid"], arms)
        first, second = one.ask(count), other.ask(count, eligible=kinds[1 + round_ % 2])
        assert [each.arm for each in second] == [each.arm for each in first]
        for n, (decision, again) in enumerate(zip(first, second, strict=True)):
            if (n + round_) % 4:
                one.tell(decision.id, float(len(decision.arm + decision.agent) % 2 + n) / 3)
                other.tell(again.id, float(len(decision.arm + decision.agent) % 2 + n) / 3)
    assert one.statistics() == other.statistics()


@pytest.mark.parametrize("policy", ["h-ucb", "ucb1", "h-kl-ucb", "h-thompson", "h-epsilon-greedy"])
def test_the_choice_among_some_is_that_of_a_market_without_the_others(policy: str) -> None:
    # In one that is not patient those who are suspended make nobody wait, and the others here do.
    principal, clock = market(policy, unanswered="patient")
    for round_ in range(60):
        for decision in principal.ask(2):
            principal.tell(decision.id, round_ % 3 / 2)
        if round_ % 10:
            continue
        fork = Principal(store=_copy(principal), clock=clock)
        fork.retire_arm("ann", "a")
        fork.suspend_agent("bob")
        wanted = [(one.agent, one.arm) for one in fork.ask(5)]
        eligible = {"ann": ["b", "c"], "cid": ["f"]}
        assert [(one.agent, one.arm) for one in principal.ask(5, eligible=eligible)] == wanted
    reopened(principal)


def _copy(principal: Principal) -> Store:
    store = open_store("memory:")
    store.create_market("default", principal.store.markets()["default"])
    store.append("default", 1, [event for _, event in principal.store.events("default")])
    return store


@pytest.mark.parametrize("policy", ["h-ucb", "ucb1", "prh-ucb", "rh-ucb(L=0.3)", "thompson"])
def test_only_eligible_arms_are_shown_and_there_is_always_one(policy: str) -> None:
    principal, _ = market(policy, horizon=100)
    for n, (agent, arm) in enumerate(TEN * 10):
        decisions = principal.ask(2, eligible={"bob": [], agent: [arm]})
        assert {(one.agent, one.arm) for one in decisions} == {(agent, arm)}
        principal.tell(decisions[0].id, n % 2)
        assert {one.agent for one in principal.ask(3, eligible=["cid", "ann"])} <= {"ann", "cid"}
    assert principal.round == 300
    reopened(principal)


@pytest.mark.parametrize("policy", EVERY_ROW)
def test_a_slate_has_different_arms_each_a_play(policy: str) -> None:
    text = sized(policy)
    principal, _ = market(text, horizon=1000, per_agent=None)
    for count in (1, 3, 6, 10):
        slate = principal.ask(count, slate=True)
        assert len({(one.agent, one.arm) for one in slate}) == len(slate) == min(count, 6)
    some = principal.ask(5, slate=True, eligible={"ann": ["a", "b"], "cid": ["f"]})
    assert {one.arm for one in some} == {"a", "b", "f"}
    assert principal.round == principal.statistics().plays == 19
    principal.ask(20)
    reopened(principal)


EPOCHS = "trial-anytime(first=10, factor=2, power=1)"


@pytest.mark.parametrize(
    "eligible", [None, ["ann", "bob", "cid"], {"ann": ["a", "b", "c"], "bob": ["d"], "cid": ["f"]}]
)
def test_a_slate_has_different_arms_although_an_epoch_ends_within(eligible: Any) -> None:
    most = 5 if isinstance(eligible, dict) else 6
    for before in range(1, 11):
        principal, _ = market(EPOCHS, per_agent=None)
        principal.ask(before)
        slate = principal.ask(10, slate=True, eligible=eligible)
        assert len({(one.agent, one.arm) for one in slate}) == len(slate) == most
        reopened(principal)


# --- policy, keys, errors ----------------------------------------------------------------------


def test_the_policy_changes_and_the_statistics_stay() -> None:
    principal, _ = market("h-ucb", horizon=1000)
    for policy in ("ucb1", "rh-ucb(L=2)", "prh-ucb", "s-ucb(l=1)", "thompson", "h-ucb-t-free"):
        for decision in principal.ask(30):
            principal.tell(decision.id, 0.5)
        before = principal.statistics().agents
        assert principal.set_policy(policy)
        assert not principal.set_policy(policy)
        assert principal.statistics().agents == before
        assert principal.policy == policy
        principal.retire_arm("bob", "d")
        principal.ask(5)
        principal.register_arm("bob", "d")
        reopened(principal)
    with pytest.raises(ValueError, match="is not 'h-ucb-t-free': use set_policy"):
        Principal("h-ucb", principal.store)


@pytest.mark.parametrize("policy", ["h-ucb", "ucb1", "h-thompson", EPOCHS.replace("10", "20")])
def test_another_policy_goes_on_with_the_statistics_of_all_epochs(policy: str) -> None:
    principal, _ = market(EPOCHS)
    decisions = principal.ask(40)  # epochs of 10 and 20 rounds are over, and no reward has come
    for decision in decisions[::2]:
        principal.tell(decision.id, 1)
    before = principal.statistics()
    principal.set_policy(policy)
    assert principal.statistics().agents == before.agents
    for decision in decisions[1::2]:
        assert principal.tell(decision.id, 1).status == "counted"
    known = principal._state.export()
    for name in ("agents", "arms"):
        assert known[name]["plays"].sum() == known[name]["answers"].sum() == 40
        assert (known[name]["plays"] == known[name]["answers"]).all()
    assert principal.statistics().revenue == 40
    principal.ask(60)
    assert principal.statistics().plays == 100
    reopened(principal)


def test_rewards_of_plays_before_a_policy_with_epochs_are_learned_from() -> None:
    principal, _ = market("h-ucb")
    decisions = principal.ask(30)
    principal.set_policy("trial-anytime")
    for decision in decisions:
        principal.tell(decision.id, 1)
    assert principal._state.export()["agents"]["answers"].sum() == 30
    reopened(principal)


def test_rewards_before_a_trial_count_as_if_they_had_come_evenly() -> None:
    principal, _ = market("h-ucb", horizon=1000)
    decisions = principal.ask(300)
    for number, decision in enumerate(decisions):
        principal.tell(decision.id, number % 2)
    assert "trials" not in principal._state.export()
    principal.set_policy("trial(c=0.9, lost=0.5)")  # after two plays an agent is judged
    known = principal._state.export()
    rows, first = known["agents"], known["trials"][:, 0]
    assert first == pytest.approx(rows["total"] / rows["answers"] * (rows["answers"] - 2))
    assert reopened(principal)._state.export()["trials"].tolist() == known["trials"].tolist()


def test_a_correction_goes_to_all_levels_of_a_trial_that_have_begun() -> None:
    principal, _ = market("trial(c=0.9, lost=0.5)", horizon=1000, rewards="last")
    decisions = principal.ask(60)
    for decision in decisions:
        principal.tell(decision.id, 0)
    before = principal._state.export()["trials"].copy()
    principal.tell(decisions[-1].id, 1)
    after = principal._state.export()["trials"]
    assert before.sum() == 0
    [agent] = np.flatnonzero(after.sum(axis=1))
    plays = int(principal._state.export()["agents"]["plays"][agent])
    begun = [int(2 * 2 ** (0.3 * g)) < plays for g in range(24)]
    assert after[agent].tolist() == [float(one) for one in begun]
    reopened(principal)


def test_a_season_needs_no_horizon() -> None:
    principal, _ = market("trial(c=0.5, season=20)")
    for _ in range(50):
        [decision] = principal.ask()
        principal.tell(decision.id, 1)
    epochs = principal._state.export()["epoch"][["number", "before", "horizon"]]
    assert set(epochs.tolist()) == {(2, 40, 20)}
    reopened(principal)


def test_the_same_key_gives_the_same_answer_and_changes_nothing() -> None:
    principal, clock = market(reward_window=5)
    asked = principal.ask(3, key="one")
    told = principal.tell(asked[0].id, 1, key="two")
    new = principal.register_arm("dan", "g", key="three")
    assert principal.register_agent("ann", key="four") is False
    clock.now += 3600
    principal.ask()
    before = principal.digest(), principal.store.last("default")
    for one in (principal, reopened(principal)):
        assert one.ask(3, key="one") == asked
        assert one.tell(asked[0].id, 1, key="two") == told
        assert one.register_arm("dan", "g", key="three") is new is True
        assert one.register_agent("ann", key="four") is False
        with pytest.raises(KeyReused, match="key = 'one' is not free"):
            one.ask(4, key="one")
        with pytest.raises(KeyReused):
            one.register_agent("eve", key="two")
    assert (principal.digest(), principal.store.last("default")) == before


def test_what_changes_nothing_is_no_event_and_has_the_same_answer_again() -> None:
    principal, _ = market()
    principal.register_arms([("ann", "a"), ("bob", "b")])
    last = principal.last

    def unchanged(key: str) -> list[object]:
        return [
            principal.register_agent("ann", key=f"{key} 1"),
            principal.register_arm("ann", "a", key=f"{key} 2"),
            principal.resume_agent("bob", key=f"{key} 3"),
            principal.resume_arm("bob", "b", key=f"{key} 4"),
            principal.set_policy(principal.policy, key=f"{key} 5"),
        ]

    for n in range(20):
        assert unchanged(f"{n}") == [False] * 5
    assert principal.last == last
    # The answer is remembered, so that what came after it is not undone by a retry.
    principal.retire_arm("ann", "a")
    assert principal.register_arm("ann", "a", key="3 2") is False
    with pytest.raises(KeyReused):
        principal.register_arm("ann", "b", key="3 2")
    # After a restart it is a new request, which is carried out once.
    again = Principal(store=principal.store)
    assert again.register_arm("ann", "a", key="3 2") is True
    assert again.register_arm("ann", "a", key="3 2") is True
    assert again.last == last + 2


def test_what_changed_nothing_in_a_group_that_failed_is_forgotten_with_it() -> None:
    principal, _ = market()
    principal.register_arms([("ann", "a")])

    def fail() -> None:
        with principal.group():
            principal.register_agent("zoe")
            assert principal.register_agent("zoe", key="mine") is False
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert principal.register_agent("zoe", key="mine") is True


def test_keys_are_kept_for_a_day() -> None:
    principal, clock = market()
    [first] = principal.ask(key="old")
    clock.now += 86_400
    principal.ask(key="new")
    assert principal.ask(key="old") == [first]
    clock.now += 1
    principal.ask(key="newer")
    assert principal.ask(key="old") != [first]
    reopened(principal)


def test_errors_name_the_field_and_nothing_happens() -> None:
    principal, _ = market()
    [decision] = principal.ask()
    before = principal.digest(), principal.store.last("default")
    other = Principal("h-ucb", market="other")
    other.register_arm("x", "y")
    [foreign] = other.ask()
    rewards: list[Any] = [-0.1, 1.1, float("nan"), "1", None, True]
    for reward in rewards:
        with pytest.raises(ValueError, match="reward = "):
            principal.tell(decision.id, reward)
    with pytest.raises(ValueError, match=r"rewards\[1\]\.reward = 2 is not in \[0, 1\]"):
        principal.tell_many([(decision.id, 1), (decision.id, 2)])
    digit = "8" if decision.id[8] == "9" else "9"  # the generation is random
    mistyped = [decision.id[:-1], f"default-{digit}{decision.id[9:]}"]
    unknown_ids: list[Any] = [foreign.id, "", "default-2-0", *mistyped, 5]
    for wrong in unknown_ids:
        with pytest.raises(Unknown, match=r"decision = .* is not known"):
            principal.tell(wrong, 1)
    counts: list[Any] = [0, 1001, 1.5]
    for count in counts:
        with pytest.raises(ValueError, match="count = "):
            principal.ask(count)
    with pytest.raises(Unknown, match=r"eligible\[0\] = 'eve' is not known"):
        principal.ask(eligible=["eve"])
    with pytest.raises(Unknown, match=r"eligible.ann\[0\] = 'z' is not known"):
        principal.ask(eligible={"ann": ["z"]})
    with pytest.raises(ValueError, match="eligible = 'ann' is not a list"):
        principal.ask(eligible="ann")
    nobody: list[Any] = [[], {"ann": []}]
    for empty in nobody:
        with pytest.raises(NoArm, match="eligible is empty"):
            principal.ask(eligible=empty)
    for call in (principal.suspend_agent, principal.resume_agent, principal.statistics):
        with pytest.raises(Unknown):
            call("eve")
    with pytest.raises(Unknown):
        principal.retire_arm("ann", "z")
    with pytest.raises(Unknown, match="is not known") as unknown:
        principal.tell_many([(decision.id, 1), (foreign.id, 1)])
    assert unknown.value.field == "rewards[1].decision"
    with pytest.raises(ValueError, match=r"arms\[0\]\.arm = '' is not one line"):
        principal.register_arm("ann", "")
    assert (principal.digest(), principal.store.last("default")) == before
    with pytest.raises(NoArm, match="no arm is registered"):
        Principal("h-ucb").ask()


def test_policies_that_need_the_horizon_say_so() -> None:
    for policy in ("rh-ucb(L=1)", "h-ucb-t-free"):
        with pytest.raises(ValueError, match="needs T: give the market's configuration a horizon"):
            Principal(policy)
        principal, _ = market()
        with pytest.raises(ValueError, match="needs T"):
            principal.set_policy(policy)
    with pytest.raises(ValueError, match="give it, as in"):
        Principal("rh-ucb-online")


def test_a_market_keeps_its_configuration() -> None:
    principal, _ = market()
    with pytest.raises(ValueError, match="config = "):
        Principal(store=principal.store, config=MarketConfig(seed=8))
    assert Principal(store=principal.store, config=principal.config).config.seed == 7


def test_the_same_call_opens_the_market_that_it_made() -> None:
    store = open_store("memory:")
    for _ in range(2):
        principal = Principal("h-ucb", store, config=MarketConfig(seed=3))
        assert (principal.policy, principal.config.seed) == ("h-ucb", 3)
    with pytest.raises(ValueError, match="config = "):
        Principal("h-ucb", store, config=MarketConfig(seed=4))
    with pytest.raises(ValueError, match=r"policy = .ucb1. is not 'h-ucb': use set_policy"):
        Principal("ucb1", store, config=MarketConfig(seed=3))


def test_two_processes_may_make_the_same_market_at_once() -> None:
    class Slow(MemoryStore):
        """Another process makes the market after this one has looked for it."""

        def markets(self) -> dict[str, dict[str, Any]]:
            found = super().markets()
            if not found:
                super().create_market("default", MarketConfig("h-ucb", seed=3).to_dict())
            return found

    assert Principal("h-ucb", Slow(), config=MarketConfig(seed=3)).config.seed == 3
    with pytest.raises(ValueError, match="config = "):
        Principal("h-ucb", Slow(), config=MarketConfig(seed=4))
    with pytest.raises(ValueError, match=r"market = .* is not one line of visible text"):
        Principal("h-ucb", market="a\u200bb")


def test_what_is_no_name_and_no_pair_is_bad_input() -> None:
    principal, _ = market()
    bad: list[Any] = [[], {}, None, 5]
    for value in bad:
        for call in (principal.suspend_agent, principal.resume_agent):
            with pytest.raises(Unknown, match="agent = "):
                call(value)
        with pytest.raises(Unknown, match="arm = "):
            principal.retire_arm("ann", value)
        with pytest.raises(ValueError, match=r"arms\[0\] = .* is not \(agent, arm\)"):
            principal.register_arms([value])
        with pytest.raises(ValueError, match=r"policy = .* is not a policy or its text"):
            principal.set_policy(value)
    no_lists: list[Any] = [5, "ab", {"ann": "a"}]
    for value in no_lists:
        with pytest.raises(ValueError, match=r"arms = .* is not a list of"):
            principal.register_arms(value)
        with pytest.raises(ValueError, match=r"rewards = .* is not a list of"):
            principal.tell_many(value)
    with pytest.raises(ValueError, match=r"rewards\[0\] = .* is not \(decision, reward\)"):
        principal.tell_many([("a", 1, 2)])  # type: ignore[list-item]
