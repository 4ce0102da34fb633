"""Off-policy values of logs that say how likely each decision was."""

from pathlib import Path

import numpy as np

from copyproof import inspect_log
from copyproof.off_policy import Refusal, Value
from tests.inspect.logs import Row, write

MEANS = {"a": 0.2, "b": 0.4, "c": 0.6, "d": 0.8}
OWNERS = {"a": "ann", "b": "ann", "c": "ann", "d": "bob"}


def logged(chances: list[float], rows: int = 4000, seed: int = 1) -> list[Row]:
    rng = np.random.default_rng(seed)
    shown = rng.choice(4, size=rows, p=chances)
    return [
        {
            "agent": OWNERS[arm],
            "arm": arm,
            "reward": int(rng.random() < MEANS[arm]),
            "p": chances[k],
        }
        for k in shown.tolist()
        for arm in ["abcd"[k]]
    ]


def test_values_hold_the_truth(tmp_path: Path) -> None:
    path = write(tmp_path / "log.csv", logged([0.4, 0.3, 0.2, 0.1]))
    found = inspect_log(path, propensity="p", repetitions=0)
    true = {
        "every arm alike": 0.5,
        "every agent alike, and its arms": (0.4 + 0.8) / 2,
    }
    *values, replayed = found.off_policy
    assert len(values) == 6
    assert isinstance(replayed.answer, Refusal)
    assert "decisions were not uniform" in str(replayed)
    for one in values:
        assert isinstance(one.answer, Value)
        assert one.answer.value.low <= true[one.policy] <= one.answer.value.high
        assert one.answer.value.high - one.answer.value.low < 0.15
        assert one.answer.effective < 4000
    assert [one["estimator"] for one in found.to_dict()["off_policy"][:3]] == [
        "ips", "snips", "doubly robust",
    ]  # fmt: skip


def test_the_shares_of_the_target(tmp_path: Path) -> None:
    path = write(tmp_path / "log.csv", logged([0.25] * 4))
    found = inspect_log(path, propensity="p", repetitions=39)
    values = [one for one in found.off_policy if one.policy.startswith("default")]
    assert [one.answer.estimator for one in values] == ["ips", "snips", "doubly robust", "replay"]
    for one in values:
        assert isinstance(one.answer, Value)
        assert one.answer.value.mean > 0.7  # it finds the best arm


def test_too_few_rows_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "log.csv", logged([0.25] * 4, rows=60))
    found = inspect_log(path, propensity="p", repetitions=0)
    assert all(isinstance(one.answer, Refusal) for one in found.off_policy)
    assert "and 100 are needed" in str(found.off_policy[0])


def test_a_policy_that_is_not_ours_is_replayed(tmp_path: Path) -> None:
    path = write(tmp_path / "log.csv", logged([0.25] * 4))
    found = inspect_log(path, propensity="p", target="river:UCB(delta=1)", repetitions=0)
    [value] = [one for one in found.off_policy if one.answer.estimator == "replay"]
    assert isinstance(value.answer, Value)
    assert value.answer.value.mean > 0.6


def test_bad_propensities_are_counted(tmp_path: Path) -> None:
    rows = logged([0.25] * 4, rows=200)
    rows[3]["p"], rows[5]["p"] = 0.0, 1.5
    found = inspect_log(write(tmp_path / "log.csv", rows), propensity="p", repetitions=0)
    [problem] = found.problems
    assert (problem.what, problem.rows) == ("a propensity that is not in (0, 1]", 2)
    assert found.used == 198


def test_arms_whose_names_run_together_are_two(tmp_path: Path) -> None:
    """``x/y`` of ann, and ``y`` of ann/x."""
    rng = np.random.default_rng(1)
    arms = [("ann", "x/y", 0.9), ("ann/x", "y", 0.1)]
    rows: list[Row] = [
        {"agent": agent, "arm": arm, "reward": int(rng.random() < mean), "p": 0.5}
        for k in rng.integers(2, size=4000).tolist()
        for agent, arm, mean in [arms[k]]
    ]
    path = write(tmp_path / "log.jsonl", rows)
    found = inspect_log(path, propensity="p", target="h-ucb", repetitions=0)
    replayed = found.off_policy[-1].answer
    assert isinstance(replayed, Value)
    assert replayed.value.mean > 0.8
