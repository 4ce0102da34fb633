"""A reputation ends with a memory; what that saves where means change, and costs where not."""

import pytest

from copyproof.drills import drill
from copyproof.drills.changing import BAIT, STILL


def test_bait_pays_without_a_memory_only() -> None:
    gains = drill("trial-anytime", scenarios=["bait"], games=1, seed=1, workers=1).gains
    paying, *new = gains
    assert (paying.pays, paying.is_old) == (True, False)
    assert paying.attacking.plays > 10 * paying.without.plays
    for setting, one in zip(BAIT.settings[1:], new, strict=True):
        assert setting.memory is not None
        assert one.attacking.plays <= one.without.plays + 0.15 * setting.memory
        assert one.attacking.plays < one.without.plays


@pytest.mark.slow
def test_bait_gains_less_than_a_new_agent_has() -> None:
    """The worst of 20 games, too."""
    for one in drill("trial-anytime", scenarios=["bait"], games=20, seed=2, workers=1).gains:
        assert (one.largest < 0) != one.pays


def test_where_means_change_a_memory_saves() -> None:
    found = drill("trial-anytime", scenarios=["drift"], games=1, seed=1, workers=1).gains
    assert len(found) == 3
    for one in found:
        assert one.measure == "regret"
        assert one.attacking.regret < one.without.regret
        assert one.gain.mean == pytest.approx(one.without.regret - one.attacking.regret)
        assert one.without.plays == 100_000


@pytest.mark.slow
def test_where_nothing_changes_a_memory_costs_little() -> None:
    """With 800 plays a replicator's search may fail, which memory.md says; with 2,000 no game is
    lost but the one that is lost without a memory, too."""
    found = drill("trial-anytime", scenarios=["still"], games=5, seed=1, workers=1).gains
    assert len(found) == len(STILL.settings)
    for one in found:
        if one.setting.startswith("truthful"):
            assert one.attacking.regret < one.without.regret
        elif one.setting.endswith(", 2000"):
            assert one.attacking.most < max(1000, 1.01 * one.without.most)
            assert one.attacking.regret < 1.4 * one.without.regret
