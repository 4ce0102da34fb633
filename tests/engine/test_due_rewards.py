"""Rewards count when they are due: whether and when zeros are told changes nothing."""

import random
from collections.abc import Callable, Collection, Mapping
from itertools import product
from typing import Any

import numpy as np
import pytest

from copyproof.engine.live_records import BANKED, BASE, UNKNOWN
from copyproof.live import MarketConfig, Principal
from tests.live.exported import are_due, rounds_of

MEANS = {"ann": 0.6, "bob": 0.5, "eve": 0.3}
POLICIES = [
    "trial-anytime",
    "trial-anytime(memory=200)",
    "trial-anytime(first=300)",
    "h-ucb",
    "h-thompson",
]


class Market:
    """A market whose agents have one arm each; the k-th play of an agent has the same luck."""

    def __init__(self, policy: str = "trial-anytime", **settings: Any) -> None:
        self.now = 0.0
        config = MarketConfig(policy, **{"seed": 3, **settings})
        self.principal = Principal(config=config, clock=lambda: self.now)
        self.principal.register_arms([(agent, "a") for agent in MEANS])
        self.luck = {agent: random.Random(f"{agent} {config.seed}") for agent in MEANS}
        self.path: list[str] = []
        self.waiting: list[tuple[int, str, str, float]] = []  # round, agent, id, reward

    def ask(self, count: int = 1, *, slate: bool = False) -> None:
        self.now += 1.0
        for one in self.principal.ask(count, slate=slate):
            self.path.append(one.agent)
            reward = float(self.luck[one.agent].random() < MEANS[one.agent])
            self.waiting.append((one.round, one.agent, one.id, reward))

    def tell(self, late: Mapping[str, int] | int = 0, silent: Collection[str] = ()) -> None:
        """Tell rewards that are so many rounds old, by agent, but for the zeros of the silent."""
        told, rest = [], []
        for round_, agent, decision, reward in self.waiting:
            least = late if isinstance(late, int) else late.get(agent, 0)
            is_told = len(self.path) - round_ >= least and (reward > 0 or agent not in silent)
            if is_told:
                told.append((decision, reward))
            else:
                rest.append((round_, agent, decision, reward))
        self.waiting = rest
        if told:
            self.principal.tell_many(told)

    @property
    def arrays(self) -> dict[str, Any]:
        return self.principal._state.export()

    @property
    def delays(self) -> list[int]:
        """After how many rounds the next plays of each agent are due; −1 if nobody knows."""
        places = self.arrays["known"]["waits"].tolist()
        return [-1 if place == UNKNOWN else (1 << place - 1) * (place > 1) for place in places]


WAYS: dict[str, Callable[[Market], None]] = {
    "one at a time": lambda market: market.ask(),
    "ten at a time": lambda market: market.ask(10),
    "slates": lambda market: market.ask(2, slate=True),
}


@pytest.mark.parametrize(
    ("way", "late"),
    [
        ("one at a time", 150),
        ("slates", 0),
        *(
            pytest.param(*pair, marks=pytest.mark.slow)
            for pair in product(WAYS, [0, 150])
            if pair not in (("one at a time", 150), ("slates", 0))
        ),
    ],
)
@pytest.mark.parametrize("policy", POLICIES)
def test_silence_about_zeros_changes_no_decision(policy: str, way: str, late: int) -> None:
    """Not of the one who is silent, nor of the others: they see the same game."""
    paths = []
    for silent in ((), ("eve",), tuple(MEANS)):
        market = Market(policy, reward_window=400.0)
        while len(market.path) < 1200:
            WAYS[way](market)
            market.tell(late, silent)
        paths.append(market.path)
    assert paths[0] == paths[1] == paths[2]
    assert 0 < paths[0].count("eve") < 600


def test_ones_that_are_told_later_are_not_worth_more() -> None:
    """One agent alone is late; the others are told at once."""
    shown = {0: 0, 20: 0, 300: 0}
    for own, seed in product(shown, range(12)):
        market = Market(seed=seed)
        for _ in range(100):
            market.ask(10)
            market.tell({"eve": own})
        shown[own] += market.path.count("eve")
    assert shown[300] < shown[0]
    assert shown[20] < 1.02 * shown[0]


@pytest.mark.parametrize(
    ("settings", "late"),
    [({"unanswered": "patient"}, {"ann": 300}), ({}, {"ann": 300, "eve": 300})],
)
def test_the_slow_are_not_taken_for_such_that_fail(
    settings: dict[str, Any], late: dict[str, int]
) -> None:
    """The best agent's rewards come late, and it is shown most all the same."""
    for seed in range(4):
        market = Market(seed=seed, **settings)
        for _ in range(400):
            market.ask(10)
            market.tell(late)
        assert market.delays[0] == 512
        assert market.path[-1000:].count("ann") > 800


def last_waits(market: Market) -> dict[str, int]:
    """After how many rounds each agent's last play was due."""
    arrays = market.arrays
    places = zip(market.path[arrays["counters"][BASE] :], arrays["waits"].tolist(), strict=True)
    return {agent: (1 << place - 1) * (place > 1) for agent, place in places}


def test_nobody_is_waited_for_longer_than_another_one() -> None:
    found = []
    for late in ({"eve": 300}, {"bob": 100, "eve": 300}, {"ann": 30, "bob": 100, "eve": 300}):
        market = Market("h-ucb")
        for round_ in range(3000):
            if round_ == 2500:
                market.principal.snapshot()
            market.ask()
            market.tell(late)
        assert market.delays == [32 * ("ann" in late), 128 * ("bob" in late), 512]
        again = Principal(store=market.principal.store, clock=lambda: 0.0)  # from the snapshot
        assert again.digest() == market.principal.digest()
        found.append(last_waits(market))
    assert found == [
        {"ann": 0, "bob": 0, "eve": 0},
        {"ann": 0, "bob": 128, "eve": 128},
        {"ann": 32, "bob": 128, "eve": 128},
    ]
    patient = Market("h-ucb", unanswered="patient")
    for _ in range(3000):
        patient.ask()
        patient.tell({"eve": 300})
    assert last_waits(patient) == {"ann": 0, "bob": 0, "eve": 512}


@pytest.mark.parametrize("policy", ["h-ucb", "ucb1"])
def test_who_may_not_be_shown_makes_nobody_wait(policy: str) -> None:
    """A rival whose rewards were late, and who is removed, hides nobody's lateness any more."""
    market = Market(policy)

    def waits_of_bob(told: int = 600) -> int:
        for _ in range(told):
            market.ask()
            market.tell({"bob": 40, "eve": 300})
        again = Principal(store=market.principal.store, clock=lambda: 0.0)
        assert again.digest() == market.principal.digest()
        return last_waits(market)["bob"]

    principal = market.principal
    assert waits_of_bob(3000) == 64
    principal.suspend_agent("eve")
    principal.snapshot()
    assert waits_of_bob() == 0  # eve's last rewards come, and change nothing
    principal.resume_agent("eve")
    assert waits_of_bob() == 64
    if policy != "ucb1":
        principal.retire_arm("eve", "a")
        assert waits_of_bob() == 0
        principal.snapshot()
        principal.register_arm("eve", "a")
        assert waits_of_bob() == 64


def test_what_a_play_counts_for_until_it_is_due() -> None:
    market = Market("h-ucb", unanswered="patient")
    assert market.delays == [UNKNOWN - 1] * 3
    market.ask(90)
    arrays = market.arrays
    assert not arrays["known"]["plays"].any()  # before anything is told none is due
    assert not arrays["counted"].any()
    told = {}
    for round_, agent, decision, _ in market.waiting[:60]:
        told[round_] = float(agent == "ann")
        market.principal.tell(decision, told[round_])
    # Ann's were told up to 89 rounds later, three quarters of them after more than 32.
    assert market.delays == [128, -1, -1]
    market.ask(90)
    arrays = market.arrays
    mine = [round_ for round_, value in told.items() if value and 180 - round_ >= 128]
    known = arrays["known"][0]
    assert (known["plays"], known["total"]) == (len(mine), len(mine))
    newest = arrays["counted"][arrays["log"]["arm"] == 0][-1]
    assert 0 < newest <= known["total"] / (known["plays"] + 20)
    assert not arrays["counted"][arrays["log"]["arm"] > 0].any()


def test_a_play_counts_at_most_as_those_of_all_agents() -> None:
    market = Market(reward_window=5000.0)
    for _ in range(300):
        market.ask(10)
        market.tell(400)
    due, newest = market.arrays["due"][0], market.arrays["counted"][-1]
    assert market.path[-1] == "ann"
    # A play may have become due in its round, after it was dated.
    assert 0.5 < newest <= due["total"] / (due["plays"] - 1) < 0.6


def test_everyone_has_a_delay_of_its_own() -> None:
    market = Market()
    while len(market.path) < 6000:
        market.ask()
        market.tell({"bob": 40, "eve": 900})
    assert market.delays == [0, 64, 1024]


def test_the_delay_follows_when_telling_changes() -> None:
    market = Market()
    seen = []
    for late in (0, 300, 0):
        for _ in range(2000):
            market.ask()
            market.tell(late)
        seen.append(market.delays[0])
    assert seen == [0, 512, 0]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("policy", ["trial-anytime", "trial-anytime(memory=100)", "thompson"])
def test_sums_are_those_of_what_plays_count_for(policy: str, seed: int) -> None:
    """Whatever is asked, told, corrected and expires in whatever order."""
    rng = random.Random(seed)
    market = Market(policy, reward_window=rng.choice([30.0, 1e5]), rewards="last", late="correct")
    ids: list[str] = []
    for _ in range(400):
        market.now += rng.choice([0.0, 1.0, 5.0])
        ids += [one.id for one in market.principal.ask(rng.choice([1, 1, 10]))]
        some = rng.sample(ids[-300:], min(len(ids), rng.randint(0, 8)))
        if some:
            market.principal.tell_many([(one, rng.choice([0.0, 0.25, 1.0])) for one in some])
        if rng.random() < 0.02:
            market.principal.register_arms([(f"new {len(ids)}", "a")])
    arrays = market.arrays
    log, counters, due = arrays["log"], arrays["counters"], arrays["due"][0]
    rounds, is_due = rounds_of(arrays), are_due(arrays)
    owner = arrays["arms"]["owner"][log["arm"]]
    for name in ("counted", "worths"):
        np.testing.assert_array_equal(arrays[name][is_due], log["value"][is_due])
    is_told = log["value"] != 0.0
    np.testing.assert_array_equal(arrays["worths"][is_told], log["value"][is_told])
    for agent, row in enumerate(arrays["agents"]):
        mine = owner == agent
        last = 0
        for round_, before in zip(rounds[mine], arrays["previous"][mine], strict=True):
            assert before == last or before <= counters[BASE]
            last = round_
        assert arrays["known"]["last"][agent] == last or not mine.any()
        if counters[BASE] <= counters[BANKED]:  # all plays of this epoch are remembered
            present = mine & (rounds > counters[BANKED])
            assert row["total"] == pytest.approx(arrays["counted"][present].sum(), abs=1e-9)
            assert row["plays"] == row["answers"] == present.sum()
    assert due["total"] == pytest.approx(arrays["known"]["total"].sum())
    assert due["plays"] == arrays["known"]["plays"].sum() == counters[BASE] + is_due.sum()
    again = Principal(store=market.principal.store, clock=lambda: market.now)
    assert again.digest() == market.principal.digest()


def test_when_all_is_due_it_does_not_matter_when_it_was_told() -> None:
    """Sums are equal to the last bit, by agent, window and level: every play has its place."""
    found = []
    for late in (False, True):
        policy = "trial(c=0.5, lost=0.3, memory=200)"
        settings = MarketConfig(policy, horizon=10**4, seed=3, unanswered="patient")
        principal, rng = Principal(config=settings), random.Random(2)
        principal.register_arm("ann", "a")
        waiting: list[tuple[str, float]] = []
        for _ in range(700):
            waiting += [(one.id, float(rng.randint(0, 1))) for one in principal.ask()]
            if not late or len(waiting) > 40:
                principal.tell(*waiting.pop(0))
        if late:
            before = principal._state.export()
            assert before["known"]["waits"][0] == 7  # 64 rounds
            assert 0.0 < before["counted"][-1] < 1.0
            principal.tell_many(waiting)
        waiting = [(one.id, 0.0) for one in principal.ask(64)]
        found.append(principal._state.export())
    once, late_ = found
    # Of those that are not due the last 64 count as expected, and nothing at all told at once.
    expected = late_["counted"][-64:].sum()
    assert late_["agents"]["total"][0] == once["agents"]["total"][0] + expected
    for name in ("trials", "starts"):
        for field in once[name].dtype.names or (...,):
            rest = expected if name == "trials" else 0.0
            begun = once["starts"]["claim"] > 0.0
            np.testing.assert_array_equal(
                once[name][field][begun] + rest, late_[name][field][begun]
            )


def test_a_newcomer_during_an_epoch_shares_it_with_all_that_are_there() -> None:
    principal = Principal("trial-anytime", config=MarketConfig(seed=1))
    principal.register_arms([("ann", "a"), ("bob", "a")])
    principal.ask()
    principal.register_arms([("eve", "a"), ("fay", "a")])
    state = principal._state.export()
    units = (state["epoch"]["unit"] / state["epoch"]["horizon"]).tolist()
    assert units == [1 / 2, 1 / 2, 1 / 2, 1 / 3, 1 / 4]
