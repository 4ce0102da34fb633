"""Live, replayed, and from a snapshot: the same state, bit for bit, whatever happened."""

import contextlib
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copyproof.live import Diverged, MarketConfig, NoArm, Principal, Rail
from copyproof.live.exports import audit_lines
from copyproof.live.replay import recover
from copyproof.live.stores import StoreError, Uncertain
from copyproof.live.stores.memory import MemoryStore
from copyproof.live.verification import verify

EPOCHS = "trial-anytime(first=10, factor=2, power=1)"
POLICIES = ["prh-ucb", "h-ucb", "ucb1", "rh-ucb(L=0.7)", "h-ucb-t-free", "h-thompson", "fair"]
POLICIES += [
    EPOCHS,
    "trial(c=0.3)",
    "trial(c=0.5, season=30)",
    "trial(c=0.5, lost=0.5, memory=8)",
    "rh-kl-ucb(L=0.5)",
    "h-etc(plays=2)",
]
MORE_POLICIES = [*POLICIES, "s-ucb(l=0.5)", "h-kl-ucb", "thompson", "h-epsilon-greedy"]
RAILS = [
    Rail("share", 9, at_most=0.9),
    Rail("reward", 4, at_least=0.2, at_most=0.9, then="fall-back"),
    Rail("share", 5, at_most=0.7, then="fall-back"),
]
AGENTS = ["ann", "bob", "cid", "dan"]
ARMS = ["a", "b", "c", "d", "e", "f"]


class Failing(MemoryStore):
    """A store that fails on demand: before it stores anything, or after it has."""

    fail = ""

    def append(
        self, market: str, first: int, events: Sequence[dict[str, Any]], **more: Any
    ) -> None:
        fail, self.fail = self.fail, ""
        if fail == "before":
            raise StoreError("the disk is full")
        super().append(market, first, events, **more)
        if fail == "after":
            raise Uncertain("the connection broke")


STEP = st.tuples(
    st.sampled_from(
        ["ask"] * 4
        + ["tell"] * 4
        + ["arm"] * 3
        + ["arms", "retire", "retire", "agent", "suspend", "resume", "policy", "wait", "again"]
        + ["suspend arm", "resume arm", "resume arm", "bind", "prints", "review"]
        + ["candidate", "candidate", "drop", "rails", "pause", "continue", "continue"]
        + ["expire", "clock", "snapshot", "compact", "fail before", "fail after", "group"]
    ),
    st.integers(0, 10_000),
)
CONFIG = st.builds(
    MarketConfig,
    policy=st.sampled_from(POLICIES),
    seed=st.integers(0, 2**64 - 1),
    horizon=st.just(200),
    reward_window=st.sampled_from([10.0, 1000.0]),
    default_reward=st.sampled_from([0.0, 0.3]),
    late=st.sampled_from(["refuse", "correct"]),
    rewards=st.sampled_from(["first", "last", "sum", "max"]),
    correction_window=st.sampled_from([0.0, 30.0]),
    unanswered=st.sampled_from(["estimated", "patient", "omitted"]),
)


class Session:
    """A principal under random requests."""

    def __init__(self, config: MarketConfig) -> None:
        self.now = 0.0
        self.store = Failing()
        self.principal = Principal(config=config, store=self.store, clock=lambda: self.now)
        self.ids: list[str] = []

    def step(self, kind: str, n: int) -> None:
        agent, arm = AGENTS[n % 4], ARMS[n // 4 % 6]
        principal = self.principal
        match kind:
            case "ask":
                eligible = [None, None, None, [agent], {agent: ["a", "b"]}, {"ann": [arm]}][n % 6]
                key = f"key {n % 3}" if n % 5 == 0 else None
                segment = "de" if n % 13 == 0 else None
                plays, slate = 1 + n % 7, n % 11 == 0
                asked = principal.ask(
                    plays, eligible=eligible, slate=slate, segment=segment, key=key
                )
                self.ids += [decision.id for decision in asked]
            case "tell":
                some = self.ids[-1 - n % 20 :: -3][:5] or [self.ids[0]]
                key = f"key {n % 3}" if n % 5 == 0 else None
                principal.tell_many([(one, n % 4 / 3) for one in some], key=key)
            case "arm":
                principal.register_arm(agent, arm)
            case "arms":
                principal.register_arms([(agent, f"{arm}{k}") for k in range(n % 30)])
            case "retire":
                principal.retire_arm(agent, arm)
            case "agent":
                principal.register_agent(f"agent {n % 40}", group=[None, None, "x"][n % 3])
            case "suspend":
                principal.suspend_agent(agent)
            case "resume":
                principal.resume_agent(agent)
            case "suspend arm":
                principal.suspend_arm(agent, arm)
            case "resume arm":
                principal.resume_arm(agent, arm)
            case "bind":
                principal.bind([agent], [None, "x", "y"][n % 3])
            case "prints":
                principal.set_fingerprints({(agent, arm): {"hash": n % 2}})
            case "review":
                for one in principal.suspicions():
                    principal.review(one.id, "confirmed" if n % 2 else "dismissed")
            case "policy":
                principal.set_policy(MORE_POLICIES[n % len(MORE_POLICIES)])
            case "candidate":
                policy = MORE_POLICIES[n % len(MORE_POLICIES)]
                principal.set_policy(policy, share=[0, 0.3, 0.8, 1][n // 3 % 4])
            case "drop":
                principal.drop_candidate()
            case "rails":
                fallback = MORE_POLICIES[n % len(MORE_POLICIES)]
                principal.set_rails(RAILS[: n % 4], fallback=fallback if n % 2 else None)
            case "pause":
                principal.pause(f"pause {n}")
            case "continue":
                principal.resume()
            case "wait":
                self.now += (n % 30) - 5  # at times the clock is set back
            case "again":
                self.principal = Principal(store=self.store, clock=lambda: self.now)
                assert self.principal.digest() == principal.digest()
            case "expire":
                principal.expire()
            case "clock":
                principal.set_clock(max(1.0, self.now - n % 20))
            case "snapshot":
                principal.snapshot()
            case "compact":
                principal.compact()
            case _:
                raise AssertionError(kind)

    def attempt(self, kind: str, n: int) -> None:
        # Nothing to choose, unknown names, keys that are taken:
        with contextlib.suppress(ValueError, LookupError):
            self.step(kind, n)

    def fail(self) -> None:
        """Write several events at once, so that the store can fail."""
        with self.principal.group():
            self.attempt("ask", 1)
            self.attempt("tell", 2)
            self.principal.register_agent(f"agent of {self.store.last('default')}")

    def check(self) -> None:
        expected = self.principal.digest()
        assert recover(self.store, "default", self.principal.config).state.digest() == expected
        assert self.store.last("default") == self.principal.last


def run(config: MarketConfig, steps: list[tuple[str, int]]) -> Session:
    session = Session(config)
    principal = session.principal
    principal.register_arms([("ann", "a"), ("bob", "b")])
    for kind, n in steps:
        if kind.startswith("fail"):
            before = session.principal.digest()
            session.store.fail = kind.split()[1]
            with pytest.raises(StoreError):
                session.fail()
            session.check()
            assert (session.principal.digest() == before) == (kind == "fail before")
        elif kind == "group":
            with session.principal.group():
                for k in range(n % 4):
                    session.attempt(["ask", "tell", "arm", "retire"][(n // 4 + k) % 4], n + k)
        else:
            session.attempt(kind, n)
    return session


def check_all(config: MarketConfig, steps: list[tuple[str, int]]) -> None:
    session = run(config, steps)
    session.check()
    # The same once more without snapshots and compaction: the journal alone.
    plain = [step for step in steps if step[0] not in ("snapshot", "compact")]
    alone = run(config, plain)
    assert alone.principal.digest() == session.principal.digest()
    # And as an auditor does: every shadow, every draw and every rail must be the right one.
    verdict = verify(audit_lines(alone.store, "default"))
    assert verdict.holds, verdict


@settings(max_examples=60)
@given(CONFIG, st.lists(STEP, max_size=60))
def test_the_state_is_what_the_journal_says(
    config: MarketConfig, steps: list[tuple[str, int]]
) -> None:
    check_all(config, steps)


@pytest.mark.slow
@settings(max_examples=1500)
@given(CONFIG, st.lists(STEP, max_size=200))
def test_the_state_is_what_the_journal_says_for_many(
    config: MarketConfig, steps: list[tuple[str, int]]
) -> None:
    check_all(config, steps)


def filled(**settings: Any) -> Session:
    session = Session(MarketConfig("prh-ucb", seed=3, **settings))
    session.principal.register_arms([(agent, arm) for agent in AGENTS for arm in ARMS])
    for n in range(100):
        session.attempt("ask", 6 * n + 1)
        session.attempt("tell", n)
        session.now += 1
    return session


def ask_twice(principal: Principal) -> None:
    with principal.group():
        principal.ask(3)
        principal.ask(eligible={"ann": []})


def test_a_group_is_one_append_and_all_or_nothing() -> None:
    session = filled()
    principal, store = session.principal, session.store
    last = store.last("default")
    with principal.group():
        first = principal.ask(3)
        principal.tell(first[0].id, 1)
        with principal.group():
            principal.register_arm("eve", "x")
        assert store.last("default") == last
    assert store.last("default") == last + 4  # asked, told, agent, arms
    before = principal.digest()
    with pytest.raises(NoArm):
        ask_twice(principal)
    assert principal.digest() == before
    store.fail = "before"
    with pytest.raises(StoreError):
        session.fail()
    assert principal.digest() == before
    with principal.group():
        first = principal.ask(3)
        with pytest.raises(NoArm):
            principal.ask(eligible={"ann": []})  # bad input that is caught does not end a group
    assert principal.tell(first[0].id, 1).status == "counted"
    session.check()


def test_a_group_that_fails_stays_failed_until_the_store_is_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = filled()
    principal = session.principal
    before = principal.digest()
    session.store.fail = "before"

    def events(market: str, after: int = 0) -> Any:
        raise StoreError("the database is away")

    monkeypatch.setattr(session.store, "events", events)
    for _ in range(3):
        with pytest.raises(StoreError):
            principal.ask()
    monkeypatch.undo()
    assert principal.digest() == before
    assert principal.ask()
    session.check()


def test_a_damaged_snapshot_is_passed_over() -> None:
    session = filled()
    number = session.store.last("default")
    session.principal.snapshot()
    expected = session.principal.digest()
    found = session.store.snapshot("default")
    assert found is not None
    assert found[0] == number
    session.store.save_snapshot("default", number, found[1][:-1] + b"x", found[2])
    assert Principal(store=session.store).digest() == expected
    session.store.save_snapshot("default", number, b"nothing", "0" * 64)
    assert Principal(store=session.store).digest() == expected


def test_a_journal_of_other_decisions_is_not_followed() -> None:
    session = filled()
    events = [event for _, event in session.store.events("default")]
    asked = next(event for event in events if event["kind"] == "asked")
    asked["arms"][0] = (asked["arms"][0] + 1) % 24
    other = MemoryStore()
    other.create_market("default", session.principal.config.to_dict())
    other.append("default", 1, events)
    with pytest.raises(Diverged, match="another version of copyproof, or is damaged"):
        Principal(store=other)


def test_compaction_keeps_everything() -> None:
    session = filled(late="correct", reward_window=5.0)
    session.principal.compact()
    assert session.store.compacted("default") == 0  # behind the older of two snapshots
    number = session.store.last("default")
    session.step("ask", 1)
    session.principal.compact()
    assert session.store.compacted("default") == number
    before = session.principal.digest()
    again = Principal(store=session.store, clock=lambda: session.now)
    assert again.digest() == before
    assert again.tell(session.ids[0], 1).status in ("corrected", "ignored")
    # Without the newest snapshot the older one and the journal after it will do.
    found = session.store.snapshot("default")
    assert found is not None
    session.store.save_snapshot("default", found[0], b"nothing", found[2])
    assert Principal(store=session.store).digest() == again.digest()
