"""The study of uninformed agents: its strategies, its questions, its table."""

from pathlib import Path

from copyproof import audit
from studies.uninformed import MARKETS, ask, markdown, random_markets, search, searched_markdown

SMALL = MARKETS[0]


def test_strategies_with_copies_and_without() -> None:
    (six,) = (case for case in MARKETS if case.arms == 6)
    assert six.arms == 6
    assert six.plain == [
        (1, 0, 0, 0, 0, 0),
        (1, 1, 0, 0, 0, 0),
        (1, 1, 1, 0, 0, 0),
        (1, 1, 1, 1, 1, 1),
    ]
    assert six.copying([2]) == [
        (2, 2, 0, 0, 0, 0),
        (2, 1, 0, 0, 0, 0),
        (5, 5, 0, 0, 0, 0),
        (5, 1, 0, 0, 0, 0),
    ]
    assert all(max(copies) > 1 for copies in six.copying(six.numbers))


def test_h_ucb_pays_in_a_short_game(tmp_path: Path) -> None:
    (found,) = ask(["h-ucb"], [SMALL], 200_000, tmp_path / "cells")
    alone = audit(
        SMALL.market,
        "h-ucb",
        agent="ann",
        reference=[1, 1],
        deviations=SMALL.copying([2]),
        horizon=7,
        seed=1,
        budget=200_000,
        method="sampling",
    )
    best = alone.agents[0].best_deviation
    assert found["every"]["gain"] == best.gain.mean
    assert (found["every"]["low"], found["every"]["high"]) == (best.gain.low, best.gain.high)
    assert (found["every"]["games"], found["every"]["revenue"]) == (
        best.repetitions,
        alone.agents[0].revenue,
    )
    for question in ("every", "best"):
        answer = found[question]
        assert (answer["reference"], answer["copies"]) == ([1, 1], [2, 1])
        assert answer["verdict"] == "prone"
        assert answer["low"] < 0.25 < answer["high"]
    assert "| policy | 2 arms, 0 or 1; alone; T = 7 |\n" in markdown([found], "best")
    assert "| `h-ucb` | **+" in markdown([found], "every")


def test_the_search_finds_it_again(tmp_path: Path) -> None:
    others = [case for case in random_markets(1, 3) if case.horizon < 100]
    (found,) = search(["h-ucb"], [*others, SMALL], 200_000, tmp_path)
    assert search(["h-ucb"], [*others, SMALL], 200_000, tmp_path) == [found]
    assert found["best"]["verdict"] in ("prone", "no-gain", "undecided")
    assert searched_markdown([found]).startswith("| policy | market | without copies → with copies")


def test_random_markets_can_be_played() -> None:
    cases = list(random_markets(11, 30))
    assert cases == list(random_markets(11, 30))
    assert len({case.name for case in cases}) > 20
    for case in cases:
        assert case.market.agents[0].copies == case.plain[-1]
