"""Inspections: who copies, what it costs, and what the log cannot say."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from copyproof import inspect_log, read_market, simulate, write_market
from copyproof.inspect import Answer, Inspection
from copyproof.inspect.answers import predicted
from copyproof.simulation import Interval
from copyproof.validation import FieldError
from tests.inspect.logs import copied_rows, honest_rows, write


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Inspection:
    path = write(tmp_path_factory.mktemp("log") / "log.csv", copied_rows())
    return inspect_log(path, time="time", content="text", policy="ucb1", repetitions=39)


def answer(found: Inspection, question: str, policy: str) -> Answer:
    [one] = [one for one in found.answers if (one.question, one.policy) == (question, policy)]
    return one


def test_agents_and_arms(found: Inspection) -> None:
    rows = copied_rows()
    ann = found.agents["ann"]
    own = [row["reward"] for row in rows if row["agent"] == "ann"]
    assert (ann.plays, ann.share) == (len(own), len(own) / len(rows))
    assert ann.reward.mean == pytest.approx(np.mean(own))
    assert 0.45 < ann.reward.low < ann.reward.mean < ann.reward.high < 0.55
    assert (len(ann.arms), ann.copies) == (20, 9)
    assert found.agents["bob"].copies == 0
    assert [agent.name for agent in found.copiers] == ["ann"]
    assert sum(found.shares[0]) == pytest.approx(1.0)
    plays = np.array([agent.plays for agent in found.agents]) / len(rows)
    assert found.concentration.agents == pytest.approx(float(plays @ plays))
    assert 0 < found.concentration.gini < 1


def test_the_market_has_one_original_with_copies(found: Inspection, tmp_path: Path) -> None:
    market = found.market
    ann = market.agent("ann")
    assert sorted(ann.copies) == [1] * 10 + [10]
    assert market.has_priors
    write_market(market, tmp_path / "market.toml")
    assert read_market(tmp_path / "market.toml") == market
    assert found.to_dict()["market"] == json.loads(json.dumps(found.to_dict()["market"]))


def test_answers(found: Inspection) -> None:
    assert [one.question for one in found.answers] == [
        "like", "switch", "copies", "share", "copies", "share",
    ]  # fmt: skip
    cost = answer(found, "copies", "default")
    assert cost.value is not None
    said = "Change of earnings under default if every agent had one arm instead of its copies: "
    assert cost.text.startswith(said)
    share = answer(found, "share", "ucb1")
    assert share.value is not None
    assert share.before is not None
    assert share.value.mean < share.before.mean  # copies take plays under UCB1


def test_a_log_that_the_policy_did_not_write(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = [
        {"agent": agent, "arm": agent, "reward": int(rng.random() < mean)}
        for agent, mean, plays in (("ann", 0.2, 1900), ("bob", 0.8, 100))
        for _ in range(plays)
    ]
    found = inspect_log(write(tmp_path / "log.csv", rows), policy="ucb1", repetitions=39)
    like = answer(found, "like", "ucb1")
    assert like.why is not None
    assert "ann had 95.0 %" in like.why


def test_answers_are_those_of_games_on_the_market(found: Inspection) -> None:
    results = simulate(
        found.market, ["default", "ucb1"], horizon=found.used, repetitions=39, seed=0
    )
    new, now = (one.revenue.sum(axis=1) for one in results)
    assert answer(found, "switch", "default").value == predicted(new - now)


def test_what_is_printed(found: Inspection) -> None:
    data = found.to_dict()
    assert list(data)[:5] == ["rows", "agents", "groups", "market", "answers"]
    assert {"arms", "evidence", "plays", "share"} <= set(data["groups"][0])
    assert set(data["groups"][0]["arms"][0]) == {"agent", "arm"}
    json.dumps(data, allow_nan=False)
    frame = found.to_frame()
    assert len(frame) == 22
    assert frame["plays"].sum() == found.used
    assert int(frame["group"].notna().sum()) == 10
    assert repr(found) == (
        "<Inspection log.csv: 4,400 rows, 3 agents, 22 arms; 1 agent holds 9 copies>"
    )
    assert "1 agent holds 9 copies" in found._repr_html_()
    with pytest.raises(ValueError, match="read-only"):
        found.shares[0, 0] = 1


def test_an_honest_log(tmp_path: Path) -> None:
    path = write(tmp_path / "log.csv", honest_rows())
    found = inspect_log(path, content="text", repetitions=0)
    assert found.copiers == ()
    assert found.groups == ()
    assert found.answers == ()
    assert "no copies found" in repr(found)


def test_without_contents_it_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "log.csv", copied_rows())
    found = inspect_log(path, repetitions=0)
    assert found.copiers == ()
    assert any("cannot be told from honest arms" in note for note in found.notes)


def test_without_a_policy_the_log_is_what_counts(tmp_path: Path) -> None:
    rows = copied_rows(plays=50)
    found = inspect_log(write(tmp_path / "log.csv", rows), content="text", repetitions=39)
    switch = answer(found, "switch", "default")
    assert switch.value is not None
    total = sum(row["reward"] for row in rows)
    games = simulate(found.market, "default", horizon=len(rows), repetitions=39, seed=0)
    assert switch.value.mean == pytest.approx(float(games.revenue.sum(axis=1).mean()) - total)
    assert any("name it with --policy (policy= in Python)" in note for note in found.notes)


def test_a_policy_that_never_explored_leaves_no_answer(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = [{"agent": "ann", "arm": "a", "reward": int(rng.random() < 0.4)} for _ in range(2000)]
    rows += [{"agent": f"other {n}", "arm": f"b{n}", "reward": n % 2} for n in range(5)]
    found = inspect_log(write(tmp_path / "log.csv", rows), repetitions=39)
    switch = answer(found, "switch", "default")
    assert switch.value is None
    assert switch.why is not None
    assert "the log has seen fewer than 10 times" in switch.why
    assert any("5 of 6 originals were seen fewer than 10 times" in note for note in found.notes)


def test_rewards_of_any_size(tmp_path: Path) -> None:
    """Stars from 1 to 5: answers are in stars."""
    rows = honest_rows(plays=50)
    for place, row in enumerate(rows):
        row["reward"] = 3 if place == 0 else 1 + 4 * row["reward"]
    found = inspect_log(write(tmp_path / "log.csv", rows), policy="ucb1", repetitions=39)
    assert any("Rewards lie from 1 to 5: games pay one" in note for note in found.notes)
    assert found.agents["bob"].reward.mean == pytest.approx(1 + 4 * 0.6, abs=0.9)
    switch = answer(found, "switch", "default")
    assert switch.value is not None
    plain = simulate(found.market, ["default", "ucb1"], horizon=1100, repetitions=39, seed=0)
    difference = plain[0].revenue.sum(axis=1).mean() - plain[1].revenue.sum(axis=1).mean()
    assert switch.value.mean == pytest.approx(4 * difference)


@pytest.mark.parametrize(
    ("unit", "zero", "policy", "two_valued"),
    [
        (0.01, 0, "ucb1", True),
        (57.5, 0, "ucb1", True),
        (1, -1, "ucb1", True),
        (1, -1, None, True),
        (1e-7, 0, "ucb1", True),
        (0.01, 3, None, False),
    ],
)
def test_unit_and_zero_of_the_rewards_do_not_matter(
    unit: float, zero: float, policy: str | None, two_valued: bool, tmp_path: Path
) -> None:
    rows = copied_rows(plays=50)
    if not two_valued:
        for place, row in enumerate(rows[::3]):
            row["reward"] = (place % 5) / 4
    plain = inspect_log(
        write(tmp_path / "log.csv", rows), content="text", policy=policy, repetitions=39
    )
    for row in rows:
        row["reward"] = unit * row["reward"] + zero
    other = inspect_log(
        write(tmp_path / "log.csv", rows), content="text", policy=policy, repetitions=39
    )
    assert len(other.answers) == len(plain.answers)
    for one, same in zip(other.answers, plain.answers, strict=True):
        assert (one.question, one.policy, one.why) == (same.question, same.policy, same.why)
        scale = unit if one.question in ("switch", "copies") else 1.0
        assert near(one.value, same.value, scale, 0.0)
        assert near(one.before, same.before, 1.0, 0.0)
    assert [group.evidence for group in other.groups] == [group.evidence for group in plain.groups]
    for agent, known in zip(other.agents, plain.agents, strict=True):
        assert (agent.name, agent.share) == (known.name, known.share)
        assert near(agent.reward, known.reward, unit, zero)
    assert any("Rewards lie" in note for note in other.notes) != two_valued


def near(one: Interval | None, same: Interval | None, unit: float, zero: float) -> bool:
    """Whether limits are those of the same in another unit and from another zero."""
    if one is None or same is None:
        return one is same
    expected = [unit * end + zero for end in (same.mean, same.low, same.high)]
    return [one.mean, one.low, one.high] == pytest.approx(expected, rel=1e-6, abs=1e-6 * unit)


def test_a_range_that_the_log_does_not_show(tmp_path: Path) -> None:
    rows = honest_rows(plays=50)
    for row in rows:
        row["reward"] = 0.01 * row["reward"]
    path = write(tmp_path / "log.csv", rows)
    found = inspect_log(path, reward_range=(0, 1), repetitions=0)
    assert any("Rewards lie from 0 to 1:" in note for note in found.notes)
    assert found.market.agent("bob").arms[0].mean < 0.02  # a hundredth of what it is by default
    large = inspect_log(path, reward_range=(0, 1e5), repetitions=39)
    assert "e+0" not in answer(large, "switch", "default").text  # but thousands separators
    below = inspect_log(path, reward_range="-1,0.005", repetitions=0)
    [problem] = below.problems
    assert problem.what == "a reward that is not in the range"
    assert problem.rows == sum(row["reward"] > 0.005 for row in rows)
    assert below.used == len(rows) - problem.rows


def test_losses_that_are_expected_are_not_odd(tmp_path: Path) -> None:
    rows = [{"agent": f"a{n % 2}", "arm": f"b{n % 2}", "reward": -(n % 3)} for n in range(60)]
    path = write(tmp_path / "log.csv", rows)
    [odd] = inspect_log(path, repetitions=0).problems
    assert odd.what == "a reward below 0"
    found = inspect_log(path, reward_range=(-2, 0), repetitions=39)
    assert found.problems == ()
    switch = answer(found, "switch", "default")
    assert switch.value is not None
    assert switch.text.endswith("60 rounds.")  # no share of a total below 0


def test_newcomers(tmp_path: Path) -> None:
    rows = [{"agent": "old", "arm": "a", "reward": 1, "time": n} for n in range(100)]
    rows += [{"agent": "new", "arm": "b", "reward": 1, "time": 90}]
    found = inspect_log(write(tmp_path / "log.csv", rows), time="time", repetitions=0)
    assert [agent.name for agent in found.agents if agent.newcomer] == ["new"]


def test_a_wrong_time_makes_no_newcomers(tmp_path: Path) -> None:
    rows = [{"agent": f"a{n % 3}", "arm": f"b{n % 3}", "reward": 1, "time": n} for n in range(99)]
    path = write(tmp_path / "log.csv", [*rows, {**rows[0], "time": -1e6}])
    found = inspect_log(path, time="time", repetitions=0)
    assert [agent.name for agent in found.agents if agent.newcomer] == []


def test_a_budget_shortens_the_games(tmp_path: Path) -> None:
    path = write(tmp_path / "log.csv", honest_rows(plays=50))
    found = inspect_log(path, budget=39 * 500)
    assert (found.horizon, found.repetitions) == (500, 39)
    assert any("Games have 500 rounds" in note for note in found.notes)
    with pytest.raises(FieldError, match="budget = 100 is not at least"):
        inspect_log(path, budget=100, horizon=1000)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"policy": "ucb7"}, "ucb7"),
        ({"target": "h-ubc"}, "h-ubc"),
        ({"content_kind": "picture"}, "content_kind = 'picture'"),
        ({"repetitions": 5}, "repetitions = 5"),
        ({"horizon": 0}, "horizon = 0"),
        ({"agent": "who"}, "agent = 'who' is not a column of"),
        ({"reward_range": (1, 0)}, r"reward_range = \(1, 0\) is not two numbers LOW,HIGH"),
        ({"reward_range": "0,inf"}, "reward_range = '0,inf' is not two numbers LOW,HIGH"),
        ({"reward_range": 5}, "reward_range = 5 is not two numbers LOW,HIGH"),
    ],
)
def test_bad_input(given: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = write(tmp_path / "log.csv", honest_rows(plays=2))
    with pytest.raises(ValueError, match=said):
        inspect_log(path, **given)
