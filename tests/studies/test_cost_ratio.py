"""The study of what the defaults cost truthful agents, on one market."""

import sys
from pathlib import Path
from typing import Any

import pytest

import cost_ratio
from copyproof import simulate
from runs import read


def test_the_largest_ratio_of_a_small_grid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cost_ratio, "BEST", (1.0, 0.5))
    monkeypatch.setattr(cost_ratio, "SHARES", (0.0,))
    monkeypatch.setattr(cost_ratio, "HORIZONS", (100, 300))
    monkeypatch.setattr(sys, "argv", ["", "--cells", str(tmp_path), "--out", str(tmp_path)])
    cost_ratio.main()
    rows = read(tmp_path / "cost_ratio.csv")
    assert len(rows) == 2 * 2 * 3
    (case,) = (one for one in cost_ratio.cases() if one.name == "1, 0; T = 300")
    game: dict[str, Any] = {
        "horizon": case.horizon,
        "repetitions": case.repetitions,
        "seed": case.seed,
    }
    ours, theirs = (
        simulate(case.market, policy, **game).regret.mean for policy in ("default", "h-ucb")
    )
    row = f"| 300 | 1, 0 | {ours:.1f} | {theirs:.1f} | **{ours / theirs:.1f}** | 1, 0 |"
    assert row in (tmp_path / "cost_ratio.md").read_text()
    largest = (tmp_path / "cost_ratio_largest.md").read_text()
    assert f"| all | 1, 0 | 300 | {ours:.1f} | {theirs:.1f} | {ours / theirs:.1f} |" in largest
    assert largest in capsys.readouterr().out
