"""Copies change nothing in segments, and segments have their price."""

from copyproof.drills import drill


def test_copies_change_nothing_in_segments() -> None:
    gains = drill("h-ucb", scenarios=["segments"], games=1, seed=1, workers=1).gains
    assert {one.verdict for one in gains} == {"unchanged"}
    totals = [one.without.total for one in gains]
    assert totals[0] > totals[2] > totals[3]
