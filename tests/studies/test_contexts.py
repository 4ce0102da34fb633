"""Games with contexts: their kernels against plain loops, and the script with few games."""

import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

import contexts
from contexts_games import InnerRegret, Platform, hierarchical_game, play


@pytest.mark.parametrize("segments", [False, True])
@pytest.mark.parametrize("keyed", [False, True])
def test_a_game_is_that_of_a_plain_loop(segments: bool, keyed: bool) -> None:
    rng = np.random.default_rng(1)
    owner, key = [0, 0, 0, 1, 2], [0, 0, 1, 2, 3]
    mean = rng.random((5, 2))
    visits, own = rng.integers(0, 2, 300), rng.integers(0, 2, (3, 300 if keyed else 0))
    uniforms = rng.random((3, 300))
    revenue, plays, expected = hierarchical_game(
        np.array(owner), np.array(key), mean, visits, own, uniforms, np.array([2, 0, 1]),
        np.array([4, 1, 0, 3, 2]), segments, True, 3.0, 0.0, 0.5, 2.0,
    )  # fmt: skip
    history: list[tuple[int, int, int, int, float]] = []  # game, owner, key, context, reward
    for t in range(300):
        game = int(visits[t]) if segments else 0
        values = []
        for i in range(3):
            rewards = [y for g, j, _, _, y in history if (g, j) == (game, i)]
            N = len(rewards)
            credit = min(N, 2 + 0.5 * math.sqrt(N))
            values.append(
                (sum(rewards) + credit) / N + math.sqrt(6 / N) if N else math.inf,
            )
        i = max((2, 0, 1), key=lambda j: values[j])
        k = sum(j == i for _, j, _, _, _ in history)
        x = int(own[i, k]) if keyed else int(visits[t])
        total = sum((j, c) == (i, x) for _, j, _, c, _ in history)
        inner = {}
        for a in (4, 1, 0, 3, 2):
            rewards = [y for _, _, f, c, y in history if (f, c) == (key[a], x)]
            n = len(rewards)
            width = math.sqrt(2 * math.log(total + 1) / n) if n else 0.0
            if owner[a] == i:
                inner[a] = sum(rewards) / n + width if n else math.inf
        a = max(inner, key=lambda arm: inner[arm])
        history.append((game, i, key[a], x, float(uniforms[i, k] < mean[a, x])))
    assert plays.tolist() == [sum(j == i for _, j, _, _, _ in history) for i in range(3)]
    assert revenue.tolist() == [sum(y for _, j, _, _, y in history if j == i) for i in range(3)]
    assert 0 < expected < 300


def test_copies_of_a_feature_change_no_game() -> None:
    for name, (arms, copies) in contexts.MARKETS.items():
        more = arms.with_copies({a: copies.get(a, 1) for a in range(len(arms.owner))})
        for game in range(3):
            plain, copied = (play(some, Platform(), 2000, game) for some in (arms, more))
            assert (plain[0] == copied[0]).all(), name


def test_the_bound_holds_where_it_says_something() -> None:
    (line,) = contexts.bound([20_000], 4)
    assert line["regret"]["mean"] + 4 * line["regret"]["error"] < line["bound"]
    assert InnerRegret(1, 100).credit == pytest.approx(math.sqrt(8 * math.log(20_000)))


def test_the_script_with_few_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = ["--out", str(tmp_path), "--games", "2", "--horizon", "1000"]
    monkeypatch.setattr(sys, "argv", ["contexts.py", *options])
    contexts.main()
    found = json.loads((tmp_path / "contexts.json").read_text())
    for part in ("price", "coupling", "copies", "bound"):
        table = (tmp_path / f"contexts_{part}.md").read_text().splitlines()
        assert len({line.count("|") for line in table}) == 1
        assert found[part]


def test_what_is_published() -> None:
    """Numbers that the page states, from the file that the script wrote."""
    found = json.loads((contexts.RESULTS / "contexts.json").read_text())
    regret = {(line["market"], line["platform"]): line["regret"]["mean"] for line in found["price"]}
    assert regret["generalists", "flat"] > 4 * regret["generalists", "blind to the visitor"]
    assert regret["specialists", "blind to the visitor"] > 80 * regret["specialists", "flat"]
    assert all(line["regret"]["mean"] >= 0 for line in found["price"])
    longest = found["coupling"][-1]
    assert longest["one coin"]["mean"] > 25 * longest["every play"]["mean"]
    gains = {(line["horizon"], *line["copies"]): line for line in found["copies"]}
    gain = gains[300, 2, 1]["gain"]
    assert gain["mean"] > 5 * gain["error"]
    assert all(line["gain by feature"] == {"mean": 0, "error": 0} for line in found["copies"])
