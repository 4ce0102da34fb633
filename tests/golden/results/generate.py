"""Results of one version, kept for all later ones: ``python -m tests.golden.results.generate``.

Run it with the version whose files are to be kept; it writes one ``.npz`` for every game, and what
that version reads out of it into ``expected.json``. Made with version 0.1.0, before any release.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from copyproof import (
    Admit,
    Agent,
    Beta,
    Empirical,
    Exponential,
    Gaussian,
    Geometric,
    Market,
    Poisson,
    Renew,
    Result,
    Retire,
    RiskAverse,
    Schedule,
    paper_market,
    simulate,
)

FILES = Path(__file__).parent

_COPIES = Market(
    [
        Agent("ann", [0.5, 0.2, 0.1], copies=[20, 1, 0], utility=RiskAverse(0.5)),
        Agent("bob", [0.9]),
        Agent("eve", [0.7], copies=[0]),
    ],
    discount=Geometric(0.999),
    fee=0.25,
)
_FAMILIES = Market(
    [
        Agent("a", [Beta(2.0, 3.0), Gaussian(0.4, 0.5)]),
        Agent("b", [Poisson(0.7), Exponential(0.6)], copies=[1, 3]),
        Agent("c", [Empirical([0.0, 0.5, 0.5, 1.0])]),
    ]
)
_SCHEDULE = Schedule(
    [Retire(20, "ann", 0, 5), Admit(40, "ann", 0, 3, True), Admit(60, "ann", 0, 2, False)],
    [Renew("bob", after=25)],
)

GAMES: dict[str, Callable[[], Result]] = {
    "ucb1": lambda: simulate(_COPIES, "ucb1", horizon=300, repetitions=5, seed=1),
    "s-ucb": lambda: simulate(_COPIES, "s-ucb(l=2)", horizon=300, repetitions=5, seed=2),
    "fair": lambda: simulate(_COPIES, "fair(ucb1)", horizon=300, repetitions=5, seed=3),
    "h-ucb-one-repetition": lambda: simulate(
        paper_market("1a"), "h-ucb", horizon=500, repetitions=1, seed=2**64 - 1
    ),
    "rh-ucb": lambda: simulate(
        paper_market("2c"), "rh-ucb(L=3)", horizon=500, repetitions=3, seed=5
    ),
    "prh-ucb-checkpoints": lambda: simulate(
        _COPIES, "prh-ucb", horizon=300, repetitions=4, seed=6, checkpoints=[1, 50, 300]
    ),
    "grace": lambda: simulate(_COPIES, "grace", horizon=300, repetitions=4, seed=7),
    "families": lambda: simulate(_FAMILIES, "h-ucb", horizon=300, repetitions=4, seed=8),
    "schedule": lambda: simulate(
        _COPIES, "h-ucb", horizon=100, repetitions=4, seed=9, schedule=_SCHEDULE
    ),
}


def numbers(result: Result) -> dict[str, Any]:
    """What a result says, without what depends on the clock."""
    found = result.to_dict()
    del found["seconds"], found["rounds_per_second"]
    # Every tenth point of the curve, to keep the file small.
    found["curve"] = {key: points[::10] for key, points in found["curve"].items()}
    found["original_plays"] = result.original_plays.sum(axis=0).tolist()
    found["schedule"] = result.schedule and result.schedule.to_dict()
    return found


if __name__ == "__main__":
    expected = {}
    for name, play in GAMES.items():
        result = play()
        result.save(FILES / f"{name}.npz")
        expected[name] = numbers(result)
    text = json.dumps(expected, allow_nan=False) + "\n"
    (FILES / "expected.json").write_text(text, encoding="utf-8")
