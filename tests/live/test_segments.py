"""Segments: games of their own in one market, that snapshots, replays and late rewards agree on."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from copyproof.live import KeyReused, MarketConfig, Principal, Unknown
from copyproof.live.stores import open_store
from tests.live.test_principal import TEN, Clock, market, reopened

POLICIES = ["h-ucb", "ucb1", "trial-anytime(first=10, factor=2, power=1)"]


def test_without_a_segment_nothing_changes() -> None:
    (plain, _), (other, _) = market(), market()
    for n in range(200):
        [one], [two] = plain.ask(), other.ask()
        assert (one.agent, one.arm) == (two.agent, two.arm)
        for principal, decision in ((plain, one), (other, two)):
            principal.tell(decision.id, n % 3 / 2)
        if n > 50:  # what others do has no effect on it
            for decision in other.ask(2, segment="de"):
                other.tell(decision.id, 1.0)
    assert other.round == 200 + 2 * 149


@pytest.mark.parametrize("policy", POLICIES)
def test_a_segment_is_a_market_with_a_seed_of_its_own(policy: str) -> None:
    """Its decisions are those of a market that has only its visitors."""
    whole, _ = market(policy)
    whole.ask(7)
    whole.retire_arm("ann", "b")
    parts: dict[str, Principal] = {}
    waiting: list[tuple[Principal, str, str, float]] = []
    luck = random.Random(3)
    for n in range(300):
        segment = luck.choice(["de", "fr", "at/mobile"])
        [one] = whole.ask(segment=segment)
        if segment not in parts:
            seed = whole._current()._config_of(segment).seed
            parts[segment] = Principal(config=MarketConfig(policy, seed=seed), clock=Clock())
            parts[segment].register_arms(TEN)
            parts[segment].retire_arm("ann", "b")
        [two] = parts[segment].ask()
        assert (one.agent, one.arm) == (two.agent, two.arm)
        waiting.append((parts[segment], one.id, two.id, luck.random()))
        if n == 100:
            for principal in (whole, *parts.values()):
                principal.suspend_agent("bob")
        while len(waiting) > 10:
            mine, whole_id, id_, reward = waiting.pop(luck.randrange(len(waiting)))
            assert whole.tell(whole_id, reward).status == mine.tell(id_, reward).status == "counted"
    assert len(parts) == 3
    total = sum(one.statistics().revenue for one in parts.values())
    assert whole.statistics().revenue == pytest.approx(total)
    assert whole.statistics().pending == 10 + 7
    reopened(whole)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("late", ["refuse", "correct"])
def test_snapshots_replays_and_expiry_agree(policy: str, late: Any) -> None:
    principal, clock = market(
        policy, late=late, reward_window=20, correction_window=30, rewards="last"
    )
    luck = random.Random(9)
    made: list[str] = []
    for n in range(250):
        clock.now += 1
        segment = luck.choice([None, "a", "b"] if n > 30 else [None])
        slate = luck.random() < 0.3
        key = f"ask {n}" if luck.random() < 0.2 else None
        made += [one.id for one in principal.ask(2, segment=segment, slate=slate, key=key)]
        told = [(luck.choice(made[-60:]), luck.random()) for _ in range(luck.randint(1, 4))]
        found = principal.tell_many(told, key=f"tell {n}")
        assert [one.decision for one in found] == [decision for decision, _ in told]
        assert principal.tell_many(told, key=f"tell {n}") == found
        if n == 40:
            principal.register_arms([("dan", "x", "c1"), ("ann", "z")])
            principal.suspend_arm("cid", "f")
        if n == 60:
            principal.set_policy("prh-ucb")
        if n % 40 == 0:
            if n > 100:
                principal.compact()
            again = reopened(principal)
            assert again.statistics() == principal.statistics()
            assert again.pending == principal.pending
    kinds = {one.status for one in principal.tell_many([(id_, 0.5) for id_ in made])}
    assert kinds == ({"counted", "refused-late"} | ({"corrected"} if late == "correct" else set()))
    assert principal.round == len(made)
    clock.now += 1000
    principal.expire()
    assert principal.pending == 0
    [seen] = principal.ask(segment="a")
    assert seen.agent not in {one.agent for one in principal.ask(5, segment="b", seen=[seen.id])}
    reopened(principal)


class _NotGoneThrough(dict[Any, Any]):
    """A dict that may be looked into, and not gone through."""

    def __iter__(self) -> Iterator[Any]:
        raise AssertionError("a request goes through all segments")

    def values(self) -> Any:
        raise AssertionError("a request goes through all segments")


def test_with_many_segments_each_is_a_market_of_its_own() -> None:
    """Decisions, and what becomes of rewards that come in batches, late or twice."""
    whole, clock = market(reward_window=25, most_segments=10_000)
    state = whole._current()
    parts: dict[str, Principal] = {}
    waiting: list[tuple[Principal, str, str]] = []
    kinds: set[str] = set()
    luck = random.Random(4)
    for n in range(1200):
        clock.now += luck.random()
        segment = f"s{luck.randrange(200)}" if n < 900 else luck.choice(list(parts))
        if segment not in parts:
            config = MarketConfig("h-ucb", seed=state._config_of(segment).seed, reward_window=25)
            parts[segment] = Principal(config=config, clock=clock)
            parts[segment].register_arms(TEN)
        if n == 900:  # all are there: from now on no request looks at more than its own
            state.segments = _NotGoneThrough(state.segments)
        [one], [two] = whole.ask(segment=segment), parts[segment].ask()
        assert (one.agent, one.arm) == (two.agent, two.arm)
        waiting.append((parts[segment], one.id, two.id))
        if n % 20 == 19:
            some = [waiting.pop(luck.randrange(len(waiting))) for _ in range(15)]
            rewards = [luck.random() for _ in some]
            pairs = list(zip(some, rewards, strict=True))
            found = whole.tell_many([(id_, reward) for (_, id_, _), reward in pairs])
            alone = [mine.tell(id_, reward) for (mine, _, id_), reward in pairs]
            assert [one.status for one in found] == [one.status for one in alone]
            kinds |= {one.status for one in found}
    assert (len(parts) > 150, kinds) == (True, {"counted", "refused-late"})
    state.segments = dict(state.segments.items())
    for one_market in parts.values():
        one_market.expire()
    assert whole.pending == sum(one_market.pending for one_market in parts.values()) > 0
    reopened(whole)


def test_a_journal_is_replayed_in_one_batch() -> None:
    principal, clock = market(reward_window=15)
    for n in range(60):
        clock.now += 1
        plays = principal.ask(3, segment=[None, "x", "y"][n % 3] if n > 9 else None, key=f"k{n}")
        principal.tell_many([(one.id, n % 2) for one in plays[:2]], key=f"t{n}")
    store = open_store("memory:")
    store.create_market("default", principal.store.markets()["default"])
    store.append("default", 1, [event for _, event in principal.store.events("default")])
    again = Principal(store=store)
    assert again.digest() == principal.digest()
    assert again.ask(3, segment="y", key="k59")[0].round == 178
    with pytest.raises(KeyReused):
        again.ask(3, segment="x", key="k59")


def test_there_are_only_so_many() -> None:
    principal, _ = market(most_segments=2)
    for segment in ("a", "b", "a"):
        principal.ask(segment=segment)
    with pytest.raises(ValueError, match="segment = 'c' is not one of the 2 that the market may"):
        principal.ask(segment="c")
    with pytest.raises(ValueError, match="segment = ''"):
        principal.ask(segment="")
    assert principal.round == 3
    reopened(principal)


def test_statistics_of_one_segment() -> None:
    principal, _ = market()
    prices = {name: n / 16 for n, (_, name) in enumerate(TEN)}
    played: dict[str, list[float]] = {"": [], "de": [], "fr": []}
    for n in range(300):
        segment = list(played)[n % 3]
        [one] = principal.ask(segment=segment or None)
        played[segment].append(prices[one.arm] if segment == "de" else n % 4 / 4)
        principal.tell(one.id, played[segment][-1])
    whole = principal.statistics()
    assert (whole.segment, whole.segments, whole.plays) == (None, ("de", "fr"), 300)
    for segment, rewards in played.items():
        found = principal.statistics(segment=segment)
        assert (found.segment, found.round, found.plays) == (segment, 100, 100)
        assert found.revenue == sum(rewards)
        assert sum(one.play_share for one in found.agents) == pytest.approx(1.0)
        of_ann = principal.statistics("ann", segment=segment)
        assert sum(arm.plays for arm in of_ann.arms) == found.agents[0].plays
    with pytest.raises(Unknown, match="segment = 'it' is not known"):
        principal.statistics(segment="it")


def test_copies_are_suspected_in_the_segment_that_shows_them() -> None:
    principal = Principal("ucb1", config=MarketConfig(seed=1))
    principal.register_arms([("ann", "a"), ("ann", "b"), ("bob", "c")])
    luck, price = random.Random(1), random.Random(2)
    same = [price.random() for _ in range(200)]
    shown: dict[tuple[str | None, str], int] = {}
    for _ in range(600):
        segment = luck.choice([None, "de"])
        [one] = principal.ask(segment=segment)
        n = shown[segment, one.arm] = shown.get((segment, one.arm), -1) + 1
        is_copy = segment == "de" and one.agent == "ann"
        principal.tell(one.id, same[n % 200] if is_copy else luck.random())
    [found] = principal.statistics().suspected
    assert (found.arms, found.segment) == ((("ann", "a"), ("ann", "b")), "de")
    [alone] = principal.statistics(segment="de").suspected
    assert alone.chance == pytest.approx(found.chance / 2)  # half as many pairs were looked at
    assert principal.statistics(segment="").suspected == ()
