"""The study of uninformed agents: its strategies, its questions, its table."""

from studies.uninformed import MARKETS, ask, markdown, random_markets, search

SMALL = MARKETS[0]


def test_strategies_with_copies_and_without() -> None:
    six = MARKETS[-2]
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
        (10, 10, 0, 0, 0, 0),
        (10, 1, 0, 0, 0, 0),
    ]
    assert all(max(copies) > 1 for copies in six.copying(six.numbers))


def test_h_ucb_pays_in_a_short_game() -> None:
    found = ask("h-ucb", SMALL, 200_000)
    for question in ("every", "best"):
        answer = found[question]
        assert (answer["reference"], answer["copies"]) == ([1, 1], [2, 1])
        assert answer["verdict"] == "prone"
        assert answer["low"] < 0.25 < answer["high"]
    table = markdown([found])
    assert "| `h-ucb` | 2 arms, 0 or 1; alone | 7 | **+" in table
    assert "(1 × 2 → 2, 1), prone" in table


def test_the_search_finds_it_again() -> None:
    others = [case for case in random_markets(1, 3) if case.horizon < 100]
    found = search("h-ucb", [*others, SMALL], 200_000)
    assert found["best"]["verdict"] in ("prone", "no-gain", "undecided")
    assert len(markdown([found]).splitlines()[0].split("|")) == 6


def test_random_markets_can_be_played() -> None:
    cases = list(random_markets(11, 30))
    assert cases == list(random_markets(11, 30))
    assert len({case.name for case in cases}) > 20
    for case in cases:
        assert case.market.agents[0].copies == case.plain[-1]
