"""The study is the paper's: markets, sizes, and each run played once."""

from collections.abc import Iterator

import pytest

from copyproof import paper_market
from copyproof.paper import (
    FIGURES,
    PAPER_SIZE,
    QUICK,
    Settings,
    all_runs,
    runs_of,
)
from copyproof.paper.study import (
    ABLATION_MARKETS,
    COPIES,
    FRONTIER_POLICIES,
    MARKETS,
    OURS,
    POLICIES,
    RIVALS,
    SAMPLE_FACTORS,
)
from copyproof.policy import PAPER_POLICIES, own_rules, parse_policy, with_market_defaults
from copyproof.studies import cells


def test_sizes() -> None:
    assert {figure: len(runs_of(figure, PAPER_SIZE)) for figure in FIGURES} == {
        "fig1a": 42, "fig1b": 42, "fig2a": 7, "fig2b": 7, "fig2c": 7, "convexity": 11,
        "markets": 20, "frontier": 2 * len(FRONTIER_POLICIES),
        "ablation": 16, "samples": 5, "growth": 98,
    }  # fmt: skip
    assert {run.repetitions for run in runs_of("convexity", PAPER_SIZE).values()} == {300}
    for figure in FIGURES.keys() - {"convexity", "frontier", "growth"}:
        for run in runs_of(figure, PAPER_SIZE).values():
            assert (run.horizon, run.repetitions, run.seed) == (100_000, 100, 1)


def test_growth_reaches_from_a_thousand_to_a_million() -> None:
    assert PAPER_SIZE.horizons == (1000, 3162, 10_000, 31_623, 100_000, 316_228, 1_000_000)
    assert PAPER_SIZE.repetitions_at(1_000_000) == 20
    assert PAPER_SIZE.repetitions_at(100_000) == 100


def test_shared_runs_are_played_once() -> None:
    runs = all_runs(FIGURES, PAPER_SIZE)
    assert len({run.digest for run in runs}) == len(runs)
    assert len(runs) < sum(len(runs_of(figure, PAPER_SIZE)) for figure in FIGURES)
    assert runs_of("samples", PAPER_SIZE)[(3,)] == runs_of("fig2c", PAPER_SIZE)[("rh-ucb",)]
    markets = runs_of("markets", PAPER_SIZE)
    assert markets["honest-1", OURS] == runs_of("fig1a", PAPER_SIZE)[1, OURS]
    others = all_runs(tuple(figure for figure in FIGURES if figure != "markets"), PAPER_SIZE)
    new = [key for key, run in markets.items() if run not in others]
    assert new == [("honest-3", policy) for policy in (*RIVALS, OURS)]


def test_the_papers_six_and_ours() -> None:
    assert (*PAPER_POLICIES, OURS) == POLICIES
    assert len(PAPER_POLICIES) == 6
    assert parse_policy("default") == parse_policy(OURS)
    assert MARKETS["honest-3"].registered == MARKETS["honest-3"].originals == 15


def test_digests_tell_rules_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text of a policy is the same when a constant of its rules has changed."""
    runs = runs_of("fig2a", QUICK)
    before = {key: run.digest for key, run in runs.items()}
    monkeypatch.setattr(own_rules, "GATE", 0.35)
    cells._rules.cache_clear()  # constants do not change in a process, but here
    assert [key for key, run in runs.items() if run.digest != before[key]] == [(OURS,)]


@pytest.fixture(autouse=True)
def _rules_as_they_are() -> Iterator[None]:
    yield
    cells._rules.cache_clear()


def test_the_study_file_says_what_the_paper_says() -> None:
    assert COPIES == (1, 100, 200, 300, 400, 500)
    assert SAMPLE_FACTORS == (1, 3, 6, 10, 22)
    assert RIVALS == ("h-ucb", "rh-ucb", "prh-ucb")
    assert MARKETS["honest-3"] == paper_market("2c").honest()
    assert {name: MARKETS[name] for name in ("2a", "2b", "2c")} == {
        name: paper_market(name) for name in ("2a", "2b", "2c")
    }
    assert ABLATION_MARKETS["105,001 arms"].registered == 105_001
    for figure in ("1a", "1b"):
        for (copies, _), run in runs_of(f"fig{figure}", PAPER_SIZE).items():
            assert run.market == paper_market(figure, copies=int(copies))


def test_sizes_are_scaled() -> None:
    quick = runs_of("growth", QUICK)
    horizons = sorted({run.horizon for run in quick.values()})
    assert horizons == [100, 316, 1000, 3162, 10_000, 31_623, 100_000]
    assert quick["2a", "ucb1", 100_000].repetitions == 4
    assert quick["2a", "ucb1", 10_000].repetitions == 20


def test_digests_tell_settings_apart() -> None:
    one = runs_of("fig2a", QUICK)[("h-ucb",)]
    for other in (Settings(10_001, 20, 1), Settings(10_000, 21, 1), Settings(10_000, 20, 2)):
        assert runs_of("fig2a", other)[("h-ucb",)].digest != one.digest
    assert runs_of("fig2b", QUICK)[("h-ucb",)].digest != one.digest


def test_the_papers_parameters() -> None:
    for figure, l, L in (("fig2a", 5, 1), ("fig2b", 5, 1), ("fig2c", 15, 3)):
        runs = runs_of(figure, PAPER_SIZE)
        market = runs[("s-ucb",)].market
        assert str(with_market_defaults(parse_policy("s-ucb"), market)) == f"s-ucb(l={l})"
        assert str(with_market_defaults(parse_policy("rh-ucb"), market)) == f"rh-ucb(L={L})"
        assert set(runs) == {(policy,) for policy in POLICIES}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"horizon": 99}, "horizon = 99 is not a whole number from 100 to 1000000000"),
        ({"repetitions": 1}, "repetitions = 1 is not a whole number from 2 to 1000000"),
    ],
)
def test_a_study_has_a_least_size(change: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Settings(**change)


def test_an_unknown_figure_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match="figure = 'fig3' is not one of fig1a, fig1b, fig2a"):
        runs_of("fig3", QUICK)
