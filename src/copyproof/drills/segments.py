"""Copies where visitors come in segments, each a game of its own.

The means are the same in all segments, so that there is nothing to be learnt from them: what the
segments cost in regret is seen in the revenue of all agents together.
"""

from collections.abc import Callable

from copyproof.drills.copies import MEANS, register
from copyproof.drills.live_game import LiveGame
from copyproof.drills.scenario import Scenario, Setting

_VISITORS = 10_000


def _visits(segments: int) -> Callable[[LiveGame], None]:
    """Visitors of so many segments, each as likely."""

    def play(game: LiveGame) -> None:
        register(game, "best", 3)
        for segment in game.visits.integers(segments, size=_VISITORS).tolist():
            game.show(segment=None if segments == 1 else f"s{segment}")

    return play


SEGMENTS = Scenario(
    "segments",
    f"{_VISITORS:,} visitors of several segments; the best of four agents has 3 copies",
    "best",
    MEANS["best"],
    tuple(
        Setting(name, _visits(segments), _VISITORS, _VISITORS)
        for name, segments in (("none", 1), ("2", 2), ("10", 10), ("100", 100))
    ),
)
