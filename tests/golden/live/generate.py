"""Write the golden journals: what a session of every kind of request stores, for each policy.

``python -m tests.golden.live.generate``. It uses nothing but the public API. ``MARKET.ndjson`` is
the journal of a market, a line for each event as the service exports it. The same session is played
and compared by ``tests/golden/test_live.py``.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from copyproof.live import MarketConfig, NoArm, Principal
from copyproof.live.stores import Store, open_store

STEPS = 60

MARKETS = {
    "ucb1": MarketConfig("ucb1", seed=1, reward_window=20.0),
    "thompson": MarketConfig(
        "thompson", seed=2, reward_window=20.0, default_reward=0.25, late="correct", rewards="sum"
    ),
    "h-ucb": MarketConfig(
        "h-ucb",
        seed=2**64 - 1,
        reward_window=20.0,
        late="correct",
        rewards="last",
        correction_window=30.0,
        unanswered="omitted",
    ),
    "rh-ucb": MarketConfig(
        "rh-ucb(L=3)", seed=4, horizon=400, reward_window=20.0, late="correct", rewards="max"
    ),
    "prh-ucb": MarketConfig(
        "prh-ucb", seed=5, reward_window=20.0, most_arms=40, per_agent=3, unanswered="patient"
    ),
    "trial": MarketConfig("trial(c=1/2, lost=0.1)", seed=8, horizon=400, reward_window=20.0),
    "trial-anytime": MarketConfig(
        "trial-anytime(c=1/2, lost=0.3, first=60, factor=2, power=1)",
        seed=9,
        reward_window=20.0,
        late="correct",
        rewards="last",
        correction_window=40.0,
    ),
}
"""Each market's policy and terms."""


class Clock:
    """The time of a session, which stands still but for ``now``."""

    def __init__(self, now: float = 1.7e9) -> None:
        self.now = now

    def __call__(self) -> float:
        """The time in seconds."""
        return self.now


@contextmanager
def refused(*kinds: type[Exception]) -> Iterator[None]:
    """A request that must be refused."""
    try:
        yield
    except kinds:
        return
    raise AssertionError(f"none of {kinds} was raised")


class Session:
    """Requests of every kind to one market, the same ones in every run."""

    def __init__(self, store: Store, market: str) -> None:
        self.clock = Clock()
        self.principal = Principal(
            store=store, market=market, config=MARKETS[market], clock=self.clock
        )
        self.rng = random.Random(market)
        self.ids: list[str] = []

    def play(self) -> None:
        """Everything, with a snapshot in the middle."""
        self.register()
        self.steps(STEPS // 2)
        self.principal.snapshot()
        self.change_policy()
        self.steps(STEPS // 2)

    def register(self) -> None:
        """Agents and arms, of odd names, one by one, together, with keys, and again."""
        principal = self.principal
        with refused(NoArm):
            principal.ask()
        assert principal.register_agent("ann")
        assert principal.register_agent("grün \U0001f600", key="an agent")
        assert not principal.register_agent("ann", key="an agent that is known")
        assert principal.register_arm("ann", "a 'quoted' \"arm\"")
        pairs = [("ann", "b"), ("grün \U0001f600", "c"), ("bob", "d"), ("bob", "e"), ("cid", "f")]
        assert principal.register_arms(pairs, key="arms") == 5
        assert principal.register_arms(pairs, key="arms") == 5
        assert principal.register_arms(pairs) == 0
        principal.suspend_agent("cid")
        principal.suspend_arm("bob", "e")

    def steps(self, count: int) -> None:
        """Ask, tell and let the others come and go."""
        for step in range(count):
            self.clock.now += self.rng.choice([0.0, 0.25, 1.0, 3.5])
            self.ask(step)
            self.tell(step)
            if step % 4 == 1:
                self.come_and_go(step // 4)

    def ask(self, step: int) -> None:
        """One decision or some; among agents, among arms, as a slate, with a key."""
        principal = self.principal
        count = self.rng.choice([1, 1, 2, 5])
        eligible: Any = None
        if step % 8 == 3:
            eligible = ["bob", "ann"]
        elif step % 8 == 5:
            eligible = {"ann": ["b"], "bob": ["e", "d"]}
        key = f"ask {self.principal.round}" if step % 9 == 4 else None
        asked = principal.ask(count, eligible=eligible, slate=step % 5 == 3, key=key)
        if key is not None:
            again = principal.ask(count, eligible=eligible, slate=step % 5 == 3, key=key)
            assert again == asked
        self.ids += [decision.id for decision in asked]

    def tell(self, step: int) -> None:
        """Rewards in time, late, again and corrected, one by one and together."""
        principal, rng = self.principal, self.rng
        if step % 4 == 0:
            recent = rng.sample(self.ids[-8:], k=min(4, len(self.ids)))
            key = f"tell {principal.round}" if step % 3 == 0 else None
            rewards = [(one, rng.choice([0, 0.25, 1 / 3, 1])) for one in recent]
            assert principal.tell_many(rewards, key=key)
        elif step % 4 == 1:
            principal.tell(self.ids[-1], rng.random())
        elif step % 4 == 2:
            principal.tell(rng.choice(self.ids), rng.choice([0.0, 0.5, 1.0]))

    def come_and_go(self, turn: int) -> None:
        """Arms and agents join, retire, return, are suspended and resumed; plays expire."""
        principal = self.principal
        match turn:
            case 0:
                principal.resume_agent("cid")
                principal.retire_arm("ann", "b")
            case 1:
                principal.register_arms([("dan", f"arm {n}") for n in range(5)])
                principal.suspend_agent("bob", key="suspend bob")
            case 2:
                principal.register_arm("ann", "b", key=f"b {principal.round}")
                principal.suspend_arm("cid", "f")
            case 3:
                self.clock.now += 15.0
                principal.retire_arm("cid", "f")
                principal.resume_agent("bob")
            case 4:
                principal.expire()
                principal.register_arm("cid", "f")
                principal.resume_arm("bob", "e")
            case 5:
                principal.suspend_agent("ann")
                principal.resume_agent("ann", key=f"ann {principal.round}")
                with principal.group():
                    principal.register_arms([(f"late {n}", "x") for n in range(15)])
            case 6:
                self.clock.now += 60.0
                principal.resume_arm("cid", "f")
                principal.register_arms([("dan", f"more {n}") for n in range(6)])
            case _:
                principal.suspend_arm("bob", "e", key=f"withhold e {principal.round}")

    def change_policy(self) -> None:
        """Go to another policy and back, with decisions of its own in between."""
        principal = self.principal
        before = principal.policy
        assert principal.set_policy("h-thompson")
        principal.ask(4)
        assert principal.set_policy(before, key="back")
        assert not principal.set_policy(before)


def lines_of(store: Store, market: str) -> bytes:
    """The journal of a market as the service exports it."""
    return b"".join(
        orjson.dumps({"number": number, **event}, option=orjson.OPT_APPEND_NEWLINE)
        for number, event in store.events(market)
    )


def main(folder: Path) -> None:
    """Write the journals of all markets."""
    with open_store("memory:") as store:
        for market in MARKETS:
            Session(store, market).play()
            (folder / f"{market}.ndjson").write_bytes(lines_of(store, market))


if __name__ == "__main__":
    main(Path(__file__).parent)
