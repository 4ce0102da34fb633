"""A live market's journal as a log: what every decision counts for, prints, and bound names."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from copyproof import inspect_log, simulate
from copyproof.inspect.scan import Columns, Scan, scan
from copyproof.live import MarketConfig, Principal
from copyproof.live.exports import agent_lines, audit_lines
from copyproof.validation import FieldError


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def opened(clock: Clock | None = None, **config: Any) -> Principal:
    settings = MarketConfig(policy="h-ucb", seed=1, **config)
    return Principal(config=settings, market="m", clock=clock or Clock())


def exported(principal: Principal, folder: Path) -> Path:
    path = folder / "journal.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in audit_lines(principal.store, "m")))
    return path


def problems(found: Scan) -> dict[str, int]:
    return {one.what: one.rows for one in found.problems}


def test_a_decision_without_a_reward_in_time_counts_with_the_default(tmp_path: Path) -> None:
    """Only clicks are told: an arm pays what its clicks are among all its showings."""
    clock, rng, clicks = Clock(), np.random.default_rng(1), 0
    principal = opened(clock, reward_window=60.0)
    principal.register_arms([("ann", "a"), ("bob", "b")])
    for _ in range(400):
        clock.now += 1
        [decision] = principal.ask()
        if rng.random() < 0.1:
            principal.tell(decision.id, 1.0)
            clicks += 1
    clock.now += 61
    principal.expire()
    found = scan(exported(principal, tmp_path), Columns())
    assert (found.rows, found.tally.rows) == (400, 400)
    assert float(found.tally.total.sum()) == clicks
    assert found.problems == ()


@pytest.mark.parametrize("rewards", ["first", "last", "sum", "max"])
@pytest.mark.parametrize("late", ["refuse", "correct"])
def test_rewards_count_as_they_do_in_the_market(rewards: str, late: str, tmp_path: Path) -> None:
    """Several rewards for a decision, late ones, and some that never come."""
    clock, rng = Clock(), np.random.default_rng(2)
    principal = opened(
        clock, rewards=rewards, late=late, default_reward=0.25, reward_window=20.0,
        correction_window=40.0,
    )  # fmt: skip
    principal.register_arms([("ann", "a"), ("ann", "b"), ("bob", "c")])
    asked: list[str] = []
    for _ in range(300):
        clock.now += 1
        asked += [one.id for one in principal.ask()]
        for decision in rng.choice(asked[-70:], size=2).tolist():
            principal.tell(decision, float(rng.integers(5)) / 4)
    known = [(one.answered, one.revenue) for one in principal.statistics().agents]
    found = scan(exported(principal, tmp_path), Columns())
    tally = found.tally
    plays = np.bincount(tally.owner[: tally.count], tally.plays[: tally.count])
    totals = np.bincount(tally.owner[: tally.count], tally.total[: tally.count])
    counted: list[Any] = [
        (int(n), pytest.approx(total)) for n, total in zip(plays, totals, strict=True)
    ]
    assert sorted(known) == sorted(counted, key=lambda one: one[0])
    waiting = 300 - tally.rows
    assert problems(found)["decisions that still wait for their reward"] == waiting
    assert found.rows == 300


def test_a_row_has_the_time_at_which_it_was_shown(tmp_path: Path) -> None:
    clock = Clock()
    principal = opened(clock)
    principal.register_arms([("ann", "a")])
    first, second = principal.ask(2)
    clock.now += 50
    principal.tell(second.id, 1.0)
    principal.tell(first.id, 0.0)
    found = scan(exported(principal, tmp_path), Columns())
    assert (found.tally.first[0], found.tally.last[0]) == (1000.0, 1000.0)
    assert found.problems == ()


def test_fingerprints_and_contents(tmp_path: Path) -> None:
    """A print counts; a content without one is compared for being equal, and not for its words."""
    principal = opened()
    principal.register_arms([("ann", f"a{n}") for n in range(4)])
    principal.register_arms([("bob", "b0", "article 1041"), ("bob", "b1", "article 1042")])
    principal.register_arms([("bob", "b2")])
    principal.register_arms([("bob", "b2", "article 1041")])  # said later
    same = {"hash": "00000000000000ff"}
    principal.set_fingerprints({("ann", f"a{n}"): same for n in range(3)})
    for _ in range(140):
        [decision] = principal.ask()
        principal.tell(decision.id, 0.5)
    found = inspect_log(exported(principal, tmp_path), repetitions=0)
    assert sorted(agent.copies for agent in found.agents) == [1, 2]
    assert not any("No contents were given" in note for note in found.notes)


def test_bound_names_are_one_principal(tmp_path: Path) -> None:
    principal = opened()
    principal.register_arms([("ann", "a"), ("bob", "b"), ("anna", "c"), ("cid", "d")])
    principal.bind(["ann", "anna"], "ann & co")
    principal.bind(["cid", "bob"], "x")
    principal.bind(["cid", "bob"], None)  # and free again
    rng = np.random.default_rng(1)
    for _ in range(400):
        [decision] = principal.ask()
        principal.tell(decision.id, float(rng.random() < 0.5))
    found = inspect_log(exported(principal, tmp_path), target="h-ucb", repetitions=39)
    [(group, members)] = found.market.groups.items()
    assert len(members) == 2
    assert {agent.name for agent in found.agents if agent.group == group} == {*members}
    assert [agent["group"] for agent in found.to_dict()["agents"]].count(group) == 2
    assert any("2 names are bound to 1 principal" in note for note in found.notes)
    [switch] = found.answers
    games = simulate(found.market, "h-ucb", horizon=400, repetitions=39, seed=0)
    assert switch.value is not None
    logged = sum(agent.plays * agent.reward.mean for agent in found.agents)
    played = float(games.revenue.sum(axis=1).mean())
    assert switch.value.mean == pytest.approx(played - logged)


def test_a_group_may_be_called_like_an_agent_outside_it(tmp_path: Path) -> None:
    principal = opened()
    principal.register_arms([("ann", "a"), ("bob", "b"), ("cid", "c")])
    principal.bind(["ann", "bob"], "cid")
    for _ in range(6):
        [decision] = principal.ask()
        principal.tell(decision.id, 1.0)
    lines = exported(principal, tmp_path).read_text().splitlines()
    events = [json.loads(line) for line in lines]
    names = [event["agent"] for event in events if event.get("kind") == "agent"]
    for event in events:
        if event.get("kind") == "group":
            event["group"] = names[2]  # whether groups go by tokens or not
    path = tmp_path / "other.jsonl"
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    found = inspect_log(path, repetitions=0)
    assert list(found.market.groups) == [f"{names[2]} (group)"]


def test_conditions_of_decisions_are_said(tmp_path: Path) -> None:
    principal = opened()
    principal.register_arms([("ann", "a"), ("bob", "b"), ("cid", "c")])
    asked = [*principal.ask(2, slate=True), *principal.ask(segment="de"), *principal.ask()]
    asked += principal.ask(eligible=["ann"])
    for one in asked:
        principal.tell(one.id, 1.0)
    found = scan(exported(principal, tmp_path), Columns())
    assert found.tally.rows == 5
    [said] = found.notes
    assert "made 2 as places of slates, 1 in 1 segment, 1 among some of the arms:" in said


def test_arms_may_have_one_name_under_two_agents(tmp_path: Path) -> None:
    principal = opened()
    principal.register_arms([("ann", "a"), ("bob", "a")])
    for _ in range(4):
        [decision] = principal.ask()
        principal.tell(decision.id, 1.0)
    assert scan(exported(principal, tmp_path), Columns()).problems == ()


def test_a_journal_without_its_beginning_is_refused(tmp_path: Path) -> None:
    """Arms go by their numbers, and those of a beginning that is not there are not known."""
    path = tmp_path / "journal.jsonl"
    first = {"copyproof": "journal", "version": 1, "market": "m", "after": 7, "config": {}}
    path.write_text(json.dumps(first) + "\n")
    with pytest.raises(FieldError, match="begins after event 7"):
        scan(path, Columns())


def test_a_journal_of_one_agent_is_refused(tmp_path: Path) -> None:
    principal = opened()
    principal.register_arms([("ann", "a")])
    principal.ask()
    path = tmp_path / "journal.jsonl"
    lines = agent_lines(principal.store, "m", "ann", [0])
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    with pytest.raises(FieldError, match="the journal of one agent"):
        scan(path, Columns())
