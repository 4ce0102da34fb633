"""A copy that is made in steps is the state at its last step, whatever happens meanwhile."""

import random

import pytest

from copyproof.live import MarketConfig, Principal, arrays_copy
from copyproof.live.snapshots import StateCopy, from_bytes, to_bytes

EPOCHS = "trial-anytime(first=30, power=1.1)"  # which soon end
POLICIES = (
    *("default-anytime", "ucb1", "h-ucb", "rh-ucb(L=3)", "prh-ucb", "s-ucb(l=2)", "fair(ucb1)"),
    EPOCHS,
)


class Visitors:
    """A market in memory in which anything may happen."""

    def __init__(self, policy: str, segments: bool = False, **config: object) -> None:
        self.now = 1000.0
        self.luck = random.Random(policy)
        self.segments = segments
        self.arms: list[tuple[str, str]] = []
        self.ids: list[str] = []
        settings = {"policy": policy, "seed": 5, "horizon": 10_000, "reward_window": 40, **config}
        self.principal = Principal(
            config=MarketConfig.from_dict({**MarketConfig().to_dict(), **settings}),
            clock=lambda: self.now,
        )
        for _ in range(6):
            self.register()

    def register(self) -> None:
        agent = f"a{self.luck.randrange(4)}"
        more = [(agent, f"x{len(self.arms) + n}") for n in range(self.luck.randrange(1, 4))]
        self.arms += more
        self.principal.register_arms(more)

    def act(self) -> None:
        luck, principal = self.luck, self.principal
        self.now += luck.random() * 3
        match luck.randrange(12):
            case 0:
                self.register()
            case 1:
                principal.retire_arm(*luck.choice(self.arms))
            case 2:
                principal.register_arms([luck.choice(self.arms)])
            case 3:
                agent = luck.choice(self.arms)[0]
                principal.suspend_agent(agent)
                principal.resume_agent(agent)
            case 4 | 5 | 6:
                made = principal.tell_many(
                    [(one, luck.random()) for one in luck.sample(self.ids, min(3, len(self.ids)))]
                    or [(principal.ask()[0].id, 1.0)]
                )
                assert made
            case _:
                key = f"who:{luck.random()}" if luck.random() < 0.3 else None
                segment = luck.choice((None, "de", "at")) if self.segments else None
                found = principal.ask(luck.randrange(1, 5), key=key, segment=segment)
                self.ids = [*self.ids, *(one.id for one in found)][-30:]


@pytest.fixture(autouse=True)
def _short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays_copy, "ROWS", 2)


def _copied(market: Visitors) -> tuple[bytes, int]:
    """Make a copy with something happening every few steps; and how many were spoilt."""
    spoilt = 0
    copy = market.principal.begin_copy()
    while not any(copy.step() for _ in range(7)):  # a few rows of about every array
        market.act()
        if not market.principal.is_copied_by(copy):
            spoilt += 1
            copy = market.principal.begin_copy()
    return copy.finish()(), spoilt


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("unanswered", ["estimated", "patient", "omitted"])
def test_the_copy_is_the_state(policy: str, unanswered: str) -> None:
    market = Visitors(policy, unanswered=unanswered, late="correct", correction_window=20)
    for _ in range(4):
        for _ in range(20):
            market.act()
        data, _ = _copied(market)
        assert data == to_bytes(market.principal._current())


def test_with_segments() -> None:
    market = Visitors("default-anytime", segments=True)
    for _ in range(30):
        market.act()
    for _ in range(4):
        data, _ = _copied(market)
        assert data == to_bytes(market.principal._current())


RAILS = [
    {"measure": "share", "last": 50, "at_most": 1.0, "then": "fall-back"},
    {"measure": "reward", "last": 50, "at_least": 0.0},
]


@pytest.mark.parametrize("segments", [False, True])
@pytest.mark.parametrize("policy", POLICIES)
def test_with_a_candidate_and_rails(policy: str, segments: bool) -> None:
    market = Visitors("default-anytime", segments, late="correct", correction_window=20)
    market.principal.set_rails(RAILS)
    for share in (0.0, 0.5, 1.0):
        market.principal.set_policy(policy, share=share)
        for _ in range(20):
            market.act()
        data, _ = _copied(market)
        state = market.principal._current()
        assert data == to_bytes(state)
        found = from_bytes(data)
        assert found is not None
        assert found.digest() == state.digest()
        assert found.candidate is not None


@pytest.mark.parametrize("change", ["policy", "clock", "segment", "candidate", "takes over"])
def test_what_changes_everything_spoils_it(change: str) -> None:
    market = Visitors("h-ucb")
    principal = market.principal
    principal.ask()
    if change == "takes over":
        principal.set_policy("fair", share=0.5)
    copy = principal.begin_copy()
    copy.step()
    assert principal.is_copied_by(copy)
    match change:
        case "policy":
            principal.set_policy("ucb1")
        case "clock":
            principal.set_clock(market.now - 500)
        case "candidate":
            principal.set_policy("fair", share=0)
        case "takes over":
            principal.set_policy("fair")
            principal.set_policy("h-ucb", share=0.5)
        case _:
            principal.ask(segment="new")
    assert not principal.is_copied_by(copy)


def test_the_end_of_an_epoch_spoils_it() -> None:
    market = Visitors(EPOCHS)
    spoilt = 0
    for _ in range(10):
        spoilt += _copied(market)[1]
        for _ in range(10):
            market.act()
    assert spoilt > 0


def test_after_a_failure_it_is_of_no_use() -> None:
    principal = Visitors("h-ucb").principal
    copy = principal.begin_copy()
    with principal.staging():
        principal.ask()
    principal.undo()
    assert not principal.is_copied_by(copy)
    principal.recover()
    assert not principal.is_copied_by(copy)
    assert principal.is_copied_by(StateCopy(principal._current()))
