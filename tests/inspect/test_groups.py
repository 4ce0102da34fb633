"""Groups of copies: found by contents, never by equal means."""

from pathlib import Path

import numpy as np
import pytest

from copyproof.inspect.estimated import estimate_market
from copyproof.inspect.groups import find_groups
from copyproof.inspect.scan import Columns, Scan, scan
from tests.inspect.logs import Row, copied_rows, honest_rows, write

COLUMNS = Columns(time="time", content=("text",))


def scanned(tmp_path: Path, rows: list[Row], columns: Columns = COLUMNS) -> Scan:
    return scan(write(tmp_path / "log.parquet", rows), columns)


@pytest.mark.parametrize("seed", range(5))
def test_honest_arms_of_one_quality_are_no_group(tmp_path: Path, seed: int) -> None:
    rows = honest_rows(seed)
    assert find_groups(scanned(tmp_path, rows)) == ()
    assert find_groups(scanned(tmp_path, rows, Columns())) == ()  # nor without contents


def test_copies_inside_an_agent(tmp_path: Path) -> None:
    rows = copied_rows(copies=10)
    [group] = find_groups(scanned(tmp_path, rows))
    own = [row for row in rows if row["agent"] == "ann" and int(row["arm"][1:]) < 10]
    assert {arm for _, arm in group.arms} == {f"a{n}" for n in range(10)}
    assert group.plays == len(own)
    assert group.share == pytest.approx(len(own) / len(rows))
    assert group.copies == {"ann": 9}
    assert group.agree
    assert group.evidence.endswith("; rewards agree with one mean")
    assert group.arms[0][1] == own[0]["arm"]  # the first to come


def test_copies_across_agents_call_nobody_a_copier(tmp_path: Path) -> None:
    rows = honest_rows()
    for row in rows:
        if row["arm"] in ("a3", "b"):
            row["text"] = "Fresh coffee from the hills of Colombia, roasted daily"
    [group] = find_groups(scanned(tmp_path, rows))
    assert sorted(group.agents) == ["ann", "bob"]
    assert group.copies == {}


def test_a_foreign_arm_does_not_acquit_a_copier(tmp_path: Path) -> None:
    """Whoever else has an arm of the same text, with whatever mean, is no witness for a copier."""
    rng = np.random.default_rng(1)
    arms = [("ann", f"a{n}", 0.5) for n in range(20)] + [("eve", "e", 0.1), ("bob", "b", 0.5)]
    rows = [
        {
            "agent": agent,
            "arm": arm,
            "reward": float(rng.random() < mean),
            "time": n,
            "text": "Second-hand bicycles" if agent == "bob" else "Fresh coffee, roasted daily",
        }
        for n, k in enumerate(rng.integers(len(arms), size=6000).tolist())
        for agent, arm, mean in [arms[k]]
    ]
    found = scanned(tmp_path, rows)
    [group] = groups = find_groups(found)
    assert not group.agree
    assert group.copies == {"ann": 19}
    said = "; rewards of ann agree with one mean, but those of all agents differ (chance "
    assert said in group.evidence
    market = estimate_market(found, groups, "log").market
    assert market.agent("ann").copies == (20,)
    assert market.agent("eve").copies == (1,)


def test_a_template_with_different_rewards_is_no_copying(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = [
        {
            "agent": "ann",
            "arm": f"a{k}",
            "reward": float(rng.random() < (0.2 if k else 0.6)),
            "time": n,
            "text": f"Hand made leather bags for every day of the week, in colour {k}",
        }
        for n, k in enumerate(rng.integers(2, size=4000).tolist())
    ]
    [group] = find_groups(scanned(tmp_path, rows))
    assert not group.agree
    assert group.copies == {}
    assert "but the rewards differ" in group.evidence


def test_equal_histories_are_shown_and_call_nobody_a_copier(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    quality = rng.random(100)
    rows = [
        {"agent": agent, "arm": arm, "reward": float(quality[n]), "time": n}
        for n in range(100)
        for agent, arm in (("ann", "x"), ("bob", "y"))
    ]
    rows += [{"agent": "cid", "arm": "z", "reward": 0.0, "time": n} for n in range(100)]
    rows += [{"agent": "dan", "arm": "w", "reward": 0.0, "time": n} for n in range(100)]
    [group] = find_groups(scanned(tmp_path, rows, Columns(time="time")))
    assert group.kind == "rewards"
    assert group.arms == (("ann", "x"), ("bob", "y"))  # and not those that never pay
    assert group.copies == {}
    assert "the first 64 rewards are equal" in group.evidence
