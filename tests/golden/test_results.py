"""Results that an earlier version saved are opened by this one, which plays the same games again.

``results/generate.py`` made the files with the public API of that version, before numerics had
versions. Those of today play these games to the same end, but for one with an agent without an arm,
which counted in n.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from copyproof import Result
from copyproof.engine.version import NUMERICS
from tests.golden.results.generate import FILES, GAMES, numbers

EXPECTED: dict[str, dict[str, Any]] = json.loads((FILES / "expected.json").read_text("utf-8"))

MOVED = {"grace"}


def test_every_file_is_opened() -> None:
    assert {path.stem for path in FILES.glob("*.npz")} == set(GAMES) == set(EXPECTED)


@pytest.mark.parametrize("name", GAMES)
def test_a_saved_result_says_the_same(name: str) -> None:
    found = numbers(Result.load(FILES / f"{name}.npz"))
    assert found["numerics"] == 1
    assert {key: found[key] for key in EXPECTED[name]} == EXPECTED[name]  # it may say more today


@pytest.mark.parametrize("name", sorted(GAMES.keys() - MOVED))
def test_the_same_game_ends_the_same(name: str) -> None:
    old, new = Result.load(FILES / f"{name}.npz"), GAMES[name]()
    assert (new.market, new.policy, new.schedule) == (old.market, old.policy, old.schedule)
    np.testing.assert_array_equal(new.rounds, old.rounds)
    np.testing.assert_array_equal(new.plays, old.plays)
    np.testing.assert_array_equal(new.original_plays, old.original_plays)
    # Sums of real rewards may differ in their last bit between processors.
    np.testing.assert_allclose(new.revenue, old.revenue, rtol=1e-13)
    np.testing.assert_allclose(new.regret_curves, old.regret_curves, rtol=1e-13)


@pytest.mark.parametrize("name", ["h-ucb-one-repetition", "schedule"])
def test_what_is_saved_again_is_the_same(name: str, tmp_path: Path) -> None:
    Result.load(FILES / f"{name}.npz").save(tmp_path / "again.npz")
    with np.load(FILES / f"{name}.npz") as before, np.load(tmp_path / "again.npz") as after:
        assert sorted(before.files) == sorted(after.files)
        for array in set(before.files) - {"manifest"}:
            np.testing.assert_array_equal(before[array], after[array])
        old, new = (json.loads(one["manifest"].tobytes()) for one in (before, after))
    assert new == old | {"numerics": 1}


def test_a_new_result_says_its_numerics(tmp_path: Path) -> None:
    new = GAMES["schedule"]()
    new.save(tmp_path / "new.npz")
    assert Result.load(tmp_path / "new.npz").numerics == NUMERICS == new.to_dict()["numerics"]
