"""A candidate beside the first policy, and guard rails: decided, recorded and replayed the same."""

import logging
import random
from collections.abc import Sequence
from typing import Any

import pytest

from copyproof.live import Decision, Diverged, MarketConfig, MarketPaused, Principal
from copyproof.live.candidate import draw
from copyproof.live.checks import check_store
from copyproof.live.exports import audit_lines
from copyproof.live.forgetting import forget
from copyproof.live.snapshots import from_bytes, to_bytes
from copyproof.live.stores import Store, open_store
from copyproof.live.verification import Verdict, verify
from tests.live.simulated import EVERY_ROW
from tests.live.test_principal import TEN, Clock, market, reopened

OTHERS = ["ucb1", "rh-kl-ucb(L=0.5)", "trial-anytime(first=10, factor=2, power=1)", "prh-ucb"]
OTHERS += ["h-thompson", "rh-ucb(L=0.5)", "s-ucb(l=2)"]


def play(principal: Principal, clock: Clock, rounds: int, seed: int = 4) -> list[tuple[str, str]]:
    """Decisions of all kinds, with rewards that come late or never; the arms."""
    luck = random.Random(seed)
    waiting: list[str] = []
    shown: list[tuple[str, str]] = []
    for n in range(rounds):
        clock.now += 1
        kind = luck.randrange(8)
        eligible = ["ann", "bob"] if kind == 0 else None
        segment = ["de", "fr"][n % 2] if kind in (1, 2) else None
        slate, count = kind == 3, luck.randint(1, 3)
        made = principal.ask(count, eligible=eligible, slate=slate, segment=segment)
        shown += [(one.agent, one.arm) for one in made]
        waiting += [one.id for one in made]
        luck.shuffle(waiting)
        while len(waiting) > 6:
            principal.tell(waiting.pop(), luck.randrange(5) / 4)
    return shown


def why_paused(principal: Principal) -> str | None:
    return principal.paused


def candidate_of(principal: Principal) -> tuple[str, float] | None:
    return principal.candidate


def events_of(principal: Principal, kind: str) -> list[dict[str, Any]]:
    return [one for _, one in principal.store.events("default") if one["kind"] == kind]


def checked(principal: Principal) -> Verdict:
    """Replayed from the journal alone, from snapshots, and as an auditor does."""
    reopened(principal)
    check_store(principal.store, replay=True)
    verdict = verify(audit_lines(principal.store, "default"))
    assert verdict.holds, verdict
    return verdict


# --- a shadow ------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", OTHERS)
def test_a_shadow_changes_nothing(policy: str) -> None:
    (plain, clock), (watched, other) = (market(horizon=900, reward_window=20) for _ in range(2))
    watched.set_policy(policy, share=0)
    assert play(plain, clock, 150) == play(watched, other, 150)
    found = watched.statistics()
    assert found.candidate is not None
    assert found.candidate.decisions == found.round
    assert found.candidate.drawn == 0
    assert 0 < found.candidate.agreed < found.round
    assert found.agents == plain.statistics().agents
    assert all("shadow" in one for one in events_of(watched, "asked"))
    assert not any("propensities" in one for one in events_of(watched, "asked"))
    checked(watched)


@pytest.mark.parametrize("policy", EVERY_ROW)
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_policy_beside_itself_always_agrees(policy: str, share: float) -> None:
    """Whoever is drawn: both have learnt the same from the same plays."""
    sized = {"s-ucb": "s-ucb(l=2)", "rh-ucb": "rh-ucb(L=1)"}
    policy = sized.get(policy, policy)
    try:
        (plain, clock), (watched, other) = (
            market(policy, horizon=300, reward_window=20) for _ in range(2)
        )
    except ValueError:  # the size of its sample is left to the market
        pytest.skip("it is given its size by the market")
    assert play(plain, clock, 15) == play(watched, other, 15)
    watched.set_policy(policy, share=share)
    assert play(plain, clock, 60, seed=5) == play(watched, other, 60, seed=5)
    found = watched.statistics().candidate
    assert found is not None
    assert found.agreed == found.decisions > 60
    assert found.difference.mean == 0.0


@pytest.mark.parametrize("policy", OTHERS)
def test_with_all_decisions_it_is_the_market_of_its_own(policy: str) -> None:
    """From the start, with the same seed: what it decides is what a market of its own would."""
    (plain, clock), (watched, other) = (market(one, horizon=900) for one in (policy, "h-ucb"))
    watched.set_policy(policy, share=1)
    assert play(plain, clock, 100) == play(watched, other, 100)
    watched.set_policy(policy)  # takes over for good, with all that it has learnt
    assert (watched.policy, watched.candidate) == (plain.policy, None)
    assert play(plain, clock, 50, seed=6) == play(watched, other, 50, seed=6)
    checked(watched)


# --- a share -------------------------------------------------------------------------------------


def test_draws_are_made_of_seed_and_round_and_recorded() -> None:
    principal, clock = market()
    principal.ask(5)
    principal.set_policy("fair", share=0.3)
    play(principal, clock, 200)
    seed = principal.config.seed or 0
    drawn = different = 0
    for event in events_of(principal, "asked")[1:]:
        slate, first = event.get("slate", False), event["round"]
        same = True
        both = zip(event["arms"], event["shadow"], event["propensities"], strict=True)
        for n, (arm, shadow, propensity) in enumerate(both):
            mine = draw(seed, first if slate else first + n) < 0.3
            same = arm == shadow and (same or not slate)
            assert propensity == (1.0 if same else 0.3 if mine else 0.7)
            drawn += mine
            different += not same
    found = principal.statistics().candidate
    assert found is not None
    assert (found.drawn, found.decisions - found.agreed) == (drawn, different)
    assert 0.2 < drawn / found.decisions < 0.4
    assert found.since == 6


def test_the_share_goes_up_and_back_without_loss() -> None:
    principal, clock = market()
    plays = {}
    for share in (0.0, 0.1, 0.5, 1.0, 0.0):
        assert principal.set_policy("trial-anytime", share=share)
        assert not principal.set_policy("trial-anytime", share=share)
        play(principal, clock, 60)
        found = principal.statistics().candidate
        assert found is not None
        plays[share] = found.drawn / found.decisions
        assert principal.policy == "h-ucb"
        checked(principal)
    assert plays[1.0] == 1.0 > plays[0.5] > plays[0.1] > plays[0.0] == 0.0
    assert principal.statistics().plays == principal.round
    assert principal.drop_candidate()
    assert not principal.drop_candidate()
    assert principal.statistics().candidate is None
    assert "shadow" not in [*events_of(principal, "asked"), principal.ask() and {}][-1]
    checked(principal)


def test_another_candidate_replaces_one_and_another_policy_drops_it() -> None:
    principal, clock = market()
    principal.set_policy("ucb1", share=0.5)
    play(principal, clock, 20)
    principal.set_policy("fair", share=0.5)
    play(principal, clock, 20)
    assert candidate_of(principal) == ("fair(ucb1)", 0.5)
    assert principal.set_policy("h-ucb")  # it goes on with what it has, alone
    assert (principal.policy, principal.candidate) == ("h-ucb", None)
    principal.set_policy("fair", share=1)
    principal.set_policy("prh-ucb")
    assert (principal.policy, principal.candidate) == ("prh-ucb", None)
    play(principal, clock, 20)
    checked(principal)


def test_values_are_found_by_the_share() -> None:
    """The first policy shows everyone alike; the candidate finds who pays 0.9."""
    principal, _ = market("fair")
    principal.set_policy("h-ucb", share=0.5)
    luck, pays = random.Random(2), {"ann": 0.1, "bob": 0.1, "cid": 0.9}
    for _ in range(3000):
        [one] = principal.ask()
        principal.tell(one.id, float(luck.random() < pays[one.agent]))
    found = principal.statistics().candidate
    assert found is not None
    assert found.known == 3000
    assert found.value.lower < 0.85 < found.value.upper
    assert found.value_of_first.lower < 1.1 / 3 < found.value_of_first.upper
    assert found.difference.lower > 0.3
    checked(principal)


@pytest.mark.parametrize("rewards", ["first", "last", "sum"])
@pytest.mark.parametrize("late", ["refuse", "correct"])
def test_estimates_reach_to_the_first_decision_that_waits(rewards: Any, late: Any) -> None:
    principal, clock = market(rewards=rewards, late=late, reward_window=50)
    principal.ask(3)
    principal.set_policy("fair", share=0.5)
    clock.now += 10
    made = principal.ask(4)
    known = [0, 0, 2, 2] if rewards == "first" else [0, 0, 0, 0]
    for n, expected in zip((3, 1, 0, 1), known, strict=True):
        principal.tell(made[n].id, 1.0)
        found = principal.statistics().candidate
        assert found is not None
        assert found.known == expected
    clock.now += 50
    principal.expire()
    found = principal.statistics().candidate
    assert found is not None
    assert found.known == 4
    principal.tell(made[2].id, 1.0)  # too late to be compared
    assert principal.statistics().candidate == found
    checked(principal)


# --- guard rails ---------------------------------------------------------------------------------


def told(principal: Principal, made: Sequence[Decision], reward: float) -> None:
    for one in made:
        principal.tell(one.id, reward)


def test_a_share_that_is_too_large_pauses(caplog: pytest.LogCaptureFixture) -> None:
    principal, _ = market()
    principal.set_rails([{"measure": "share", "last": 20, "at_most": 0.5}])
    principal.ask(40)
    assert why_paused(principal) is None
    with caplog.at_level(logging.WARNING):
        made = principal.ask(12, eligible=["bob"])
    why = "the share of agent 'bob' in the last 20 decisions is 0.7: at_most = 0.5"
    assert why_paused(principal) == why
    said = why.replace("agent 'bob'", "an agent")  # the log names none
    assert caplog.messages == [f"market default: a guard rail was left (pause): {said}"]
    with pytest.raises(MarketPaused, match="market is paused until it is resumed: the share of"):
        principal.ask()
    told(principal, made, 1.0)  # rewards still come
    found = principal.statistics()
    assert found.paused == why
    assert found.crossed is not None
    assert (found.crossed.agent, found.crossed.measured) == ("bob", 0.7)
    assert found.rails[0].seen == 0
    assert reopened(principal).paused == why
    principal.snapshot()
    assert reopened(principal).paused == why
    assert principal.resume()
    assert not principal.resume()
    principal.ask(19, eligible=["bob"])  # they are counted anew
    assert why_paused(principal) is None
    checked(principal)


def test_a_bad_candidate_loses_its_share() -> None:
    principal, _ = market()
    rail = {"measure": "reward", "last": 30, "at_least": 0.4, "then": "fall-back"}
    principal.set_rails([rail])
    principal.set_policy("fair", share=0.5)
    pays = {"ann": 0.0, "bob": 0.0, "cid": 1.0}
    while candidate_of(principal) == ("fair(ucb1)", 0.5):
        for one in principal.ask(5):
            principal.tell(one.id, pays[one.agent])
        assert principal.round < 500
    assert candidate_of(principal) == ("fair(ucb1)", 0.0)
    assert why_paused(principal) is None
    crossed = principal.statistics().crossed
    assert crossed is not None
    assert crossed.measured < 0.4
    assert crossed.then == "fall-back"
    principal.ask(100)
    assert candidate_of(principal) == ("fair(ucb1)", 0.0)
    checked(principal)


def test_it_falls_back_to_another_policy_where_nobody_has_a_share() -> None:
    principal, _ = market("fair")
    rail = {"measure": "reward", "last": 10, "at_least": 0.4, "then": "fall-back"}
    principal.set_rails([rail], fallback="h-ucb")
    told(principal, principal.ask(9, segment="de"), 0.0)
    assert principal.policy == "fair(ucb1)"
    told(principal, principal.ask(1), 0.0)
    assert principal.policy == "h-ucb"
    told(principal, principal.ask(30), 0.0)  # there is nothing more to fall back to
    assert len(events_of(principal, "crossed")) == 1
    checked(principal)


def test_plays_that_expire_count_for_rails() -> None:
    principal, clock = market(reward_window=10, default_reward=0.2)
    principal.set_rails([{"measure": "reward", "last": 6, "at_least": 0.3}])
    made = principal.ask(6)
    told(principal, made[:1], 0.8)
    clock.now += 20
    principal.expire()
    assert why_paused(principal) is None  # 0.3
    principal.ask(1)
    clock.now += 20
    with pytest.raises(MarketPaused):
        principal.ask()
    assert principal.round == 7
    assert why_paused(principal) == "the mean reward of the last 6 plays is 0.2: at_least = 0.3"
    checked(principal)


def test_an_operator_pauses_with_a_reason() -> None:
    principal, _ = market()
    [one] = principal.ask(key="mine")
    assert principal.pause("moving house", key="k")
    assert principal.pause("moving house", key="k")
    assert not principal.pause("again")
    assert why_paused(principal) == "moving house"
    assert principal.ask(key="mine") == [one]  # what was answered stays answered
    reopened(principal)
    principal.resume()
    assert principal.ask()
    checked(principal)


# --- journals ------------------------------------------------------------------------------------


def copied(principal: Principal, change: Any) -> Store:
    """Another store with the same journal, but for a change."""
    found = [event for _, event in principal.store.events("default")]
    change(found)
    store = open_store("memory:")
    store.create_market("default", principal.store.markets()["default"])
    store.append("default", 1, found)
    return store


def forged(kind: str, field: str, value: Any) -> Any:
    def change(found: list[dict[str, Any]]) -> None:
        last = [event for event in found if event["kind"] == kind][-1]
        last[field] = value(last[field])

    return change


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("shadow", lambda old: [(old[0] + 1) % 6]),
        ("propensities", lambda old: [0.5 if old == [1.0] else 1.0]),
        ("arms", lambda old: [(old[0] + 1) % 6]),
    ],
)
def test_what_is_forged_is_found(field: str, value: Any) -> None:
    principal, _ = market()
    principal.set_policy("fair", share=0.5)
    for _ in range(30):
        principal.ask()
    store = copied(principal, forged("asked", field, value))
    with pytest.raises(Diverged, match="are not those of the journal"):
        Principal(store=store)
    verdict = verify(audit_lines(store, "default"))
    assert verdict.first_violation is not None
    why = "the decision is not" if field == "arms" else "the shadow decided, or a propensity, is"
    assert why in verdict.first_violation.why


def test_a_rail_that_is_ignored_or_invented_is_found() -> None:
    principal, _ = market()
    principal.set_rails([{"measure": "share", "last": 5, "at_most": 0.9}])
    principal.ask(5, eligible=["ann"])

    def ignored(found: list[dict[str, Any]]) -> None:
        del found[-1]
        found.append({"kind": "agent", "agent": "eve", "at": found[-1]["at"]})

    for change in (ignored, forged("crossed", "measured", lambda old: old / 2)):
        verdict = verify(audit_lines(copied(principal, change), "default"))
        assert verdict.first_violation is not None
        assert "a guard rail is left at another time" in verdict.first_violation.why


def test_decisions_of_a_paused_market_are_damage() -> None:
    principal, _ = market()
    principal.ask()
    principal.pause("no more")

    def more(found: list[dict[str, Any]]) -> None:
        found.append({**found[-2], "round": 2})

    with pytest.raises(Diverged, match="while the market is paused"):
        Principal(store=copied(principal, more))


def test_a_snapshot_is_the_state_with_a_candidate_and_without() -> None:
    principal, _ = market()
    for share in (None, 0.0, 0.5):
        if share is not None:
            principal.set_policy("fair", share=share)
        principal.ask(5)
        again = from_bytes(to_bytes(principal._current()))
        assert again is not None
        assert again.digest() == principal.digest()


def test_names_that_are_forgotten_are_nowhere(tmp_path: Any) -> None:
    store = open_store(f"sqlite:{tmp_path}/live.db")
    principal = Principal(store=store, config=MarketConfig("h-ucb", seed=3))
    principal.register_arms(TEN)
    principal.set_rails([{"measure": "share", "last": 5, "at_most": 0.9}])
    principal.set_policy("fair", share=0.2)
    principal.ask(5, eligible=["bob"])
    assert "bob" in (why_paused(principal) or "")
    principal.snapshot()
    forget(store, "default", "bob")
    again = Principal(store=store)
    assert "bob" not in (again.paused or "")
    assert "~" in (again.paused or "")
    assert again.digest() == Principal(store=store).digest()
