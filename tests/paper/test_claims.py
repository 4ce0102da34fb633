"""Every verdict can go either way: on data that bear a claim out, and on data that do not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from copyproof.paper import CLAIMS, PAPER_SIZE, QUICK, Settings, judge
from copyproof.paper.study import COPIES, OURS, Run, RunKey
from tests.paper.made_up import Shape, as_the_paper_says, changed, made_up

OURS_BEYOND = {"7b, as a rate", "8b, as a rate", "D1", "D2", "D3", "D4", "D5", "D6"}


def verdicts(shape: Shape) -> dict[str, bool | None]:
    return {verdict.claim: verdict.holds for verdict in judge(made_up(shape))}


def test_all_claims_hold_on_data_as_the_paper_says() -> None:
    found = verdicts(as_the_paper_says)
    assert [name for name, holds in found.items() if not holds] == []
    assert len(found) == len(CLAIMS)
    ours = {claim.name for claim in CLAIMS if claim.beyond}
    assert ours == OURS_BEYOND
    papers = found.keys() - ours
    assert {name.split(",")[0].rstrip("abcd") for name in papers} == {str(n) for n in range(1, 12)}


def test_the_papers_claims_are_judged_on_its_own_policies() -> None:
    """Whatever the default does, they are what they are."""

    def other(figure: str, key: RunKey, run: Run) -> dict[str, Any]:
        usual = as_the_paper_says(figure, key, run)
        return usual | {"regret": 1.0, "revenue": 1.0} if run.policy == OURS else usual

    usual = {v.claim: v for v in judge(made_up()) if not v.beyond}
    assert usual == {v.claim: v for v in judge(made_up(other)) if not v.beyond}
    assert len(usual) == 22
    assert all(OURS not in verdict.evidence for verdict in usual.values())


def revenue_of(figure: str, policy: str, revenue: Callable[[int], float]) -> Shape:
    def shape(name: str, key: RunKey, run: Run) -> dict[str, Any]:
        usual = as_the_paper_says(name, key, run)
        if name == figure and run.policy == policy:
            return usual | {"revenue": revenue(int(key[0]))}
        return usual

    return shape


def in_figure(figure: str, policy: str) -> Callable[[str, RunKey, Run], bool]:
    return lambda name, key, run: name == figure and run.policy == policy


def with_most_copies(figure: str, policy: str) -> Callable[[str, RunKey, Run], bool]:
    return lambda name, key, run: name == figure and key == (COPIES[-1], policy)


def in_ablation(market: str | None, policy: str) -> Callable[[str, RunKey, Run], bool]:
    return lambda name, key, run: (
        name == "ablation" and run.policy == policy and market in (None, key[0])
    )


def on_market(market: str, policy: str) -> Callable[[str, RunKey, Run], bool]:
    return lambda name, key, run: name == "markets" and key == (market, policy)


def below_the_frontier(figure: str, key: RunKey, run: Run) -> dict[str, Any]:
    """H-UCB hardly plays the bad agent of the truthful market, and loses no game on the other."""
    usual = as_the_paper_says(figure, key, run)
    if figure != "frontier" or run.policy != "h-ucb":
        return usual
    return usual | ({"regret": 6.0} if key[0] == "truthful" else {"power": 0.1})


@pytest.mark.parametrize(
    ("claim", "shape"),
    [
        ("1", revenue_of("fig1a", "ucb1", lambda c: 100 + 1000 * np.sqrt(c))),
        ("1", revenue_of("fig1a", "ucb1", lambda c: 50_000 - c)),
        ("2a", revenue_of("fig1a", "s-ucb", lambda c: 50_000 - c)),
        ("2a", revenue_of("fig1a", "s-ucb", lambda c: 9000 if c == 300 else 100 * c)),
        ("2b", revenue_of("convexity", "s-ucb", lambda c: 100 + 1000 * np.sqrt(c))),
        ("3", revenue_of("fig1a", "h-ucb", lambda c: 100 + c / 50)),
        ("3", revenue_of("fig1b", "rh-ucb", lambda c: 80_000 - c)),
        ("4", revenue_of("fig1b", "ucb1", lambda c: 50_000 + 50 * c)),
        ("4", revenue_of("fig1b", "s-ucb", lambda c: 50_000 + 50 * c)),
        ("5a", changed(in_figure("fig2a", "ucb1"), regret=150.0)),
        ("5a", changed(in_figure("fig2a", "s-ucb"), regret=150.0)),
        ("5b", changed(in_figure("fig2a", "rh-ucb"), regret=90.0)),
        ("6", changed(in_figure("fig2b", "rh-ucb"), regret=90.0)),
        ("7a", changed(in_figure("fig2c", "prh-ucb"), regret=900.0)),
        ("7b", changed(in_figure("fig2c", "h-ucb"), power=0.4)),
        ("7b, as a rate", changed(in_figure("fig2c", "h-ucb"), power=0.85)),
        ("7c", changed(in_figure("fig2c", "h-ucb"), regret=1500.0)),
        ("8a", changed(in_figure("fig2b", "fair(ucb1)"), power=0.9)),
        ("8b", changed(in_figure("fig2c", "fair(ucb1)"), regret=199.0)),
        ("8b, as a rate", changed(in_figure("fig2c", "fair(ucb1)"), power=0.8)),
        ("9a", changed(in_figure("fig2c", "rh-ucb"), power=1.0)),
        ("9b", changed(in_figure("fig2a", "prh-ucb"), power=1.01)),
        ("10a", changed(in_ablation(None, "s-ucb"), regret=500.0)),
        ("10b", changed(in_ablation(None, "s-ucb"), power=0.5)),
        ("10c", changed(in_ablation("2c", "rh-ucb-all"), regret=900.0)),
        ("10d", changed(in_ablation("105,001 arms", "rh-ucb-all"), power=0.5)),
        ("11b", changed(lambda figure, key, run: key == (3,), missed=0)),
        ("11c", changed(lambda figure, key, run: key == (22,), missed=20)),
        ("D1", revenue_of("fig1a", OURS, lambda c: 100 + c / 50)),
        ("D1", revenue_of("fig1b", OURS, lambda c: 80_000 - c)),
        ("D2", changed(in_figure("fig2a", OURS), regret=51.0)),
        ("D2", changed(in_figure("fig2b", OURS), regret=51.0)),
        ("D3", changed(in_figure("fig2c", OURS), regret=34.0)),
        ("D4", changed(on_market("honest-3", OURS), regret=71.0)),
        ("D5", changed(on_market("honest-1", "h-ucb"), regret=29.0)),
        ("D5", changed(on_market("2c", "prh-ucb"), regret=25.0)),
        ("D6", below_the_frontier),
    ],
)
def test_a_false_claim_is_found_false(claim: str, shape: Shape) -> None:
    assert verdicts(shape)[claim] is False


@pytest.mark.parametrize(
    ("claim", "shape"),
    [
        ("1", changed(in_figure("fig1a", "ucb1"), spread=30.0)),
        ("2a", changed(in_figure("fig1a", "s-ucb"), spread=30.0)),
        ("3", changed(with_most_copies("fig1a", "h-ucb"), revenue=100.05, spread=0.2)),
        ("4", changed(in_figure("fig1b", "ucb1"), spread=60.0)),
        ("5a", changed(in_figure("fig2a", "s-ucb"), regret=200.0, spread=0.9)),
        ("5b", changed(in_figure("fig2a", "rh-ucb"), regret=101.0, spread=0.9)),
        ("7a", changed(in_figure("fig2c", "prh-ucb"), regret=1001.0, spread=0.9)),
        ("10a", changed(in_ablation(None, "s-ucb"), regret=1001.0, spread=0.9)),
        ("D2", changed(in_figure("fig2b", OURS), regret=49.0, spread=0.9)),
        ("D3", changed(in_figure("fig2c", OURS), regret=30.0, spread=2.0)),
        ("D5", changed(on_market("2c", "prh-ucb"), regret=26.0, spread=0.9)),
    ],
)
def test_a_claim_whose_interval_is_on_both_sides_is_undecided(claim: str, shape: Shape) -> None:
    assert verdicts(shape)[claim] is None


def test_a_line_that_is_convex_on_one_range_only_is_undecided() -> None:
    def s_shaped(copies: int) -> float:
        return copies**2 / 8 if copies <= 150 else 2812.5 + 2 * copies

    found = {v.claim: v for v in judge(made_up(revenue_of("convexity", "s-ucb", s_shaped)))}
    assert found["2b"].holds is None
    assert "from 1 to 125 copies chord − curve is 383 [" in found["2b"].evidence
    assert "from 1 to 500 copies chord − curve is -725 [" in found["2b"].evidence
    assert found["2b"].to_dict()["holds"] is None


def test_a_claim_on_the_market_itself_follows_the_market(monkeypatch: pytest.MonkeyPatch) -> None:
    from copyproof.paper import judges

    monkeypatch.setattr(judges, "best_share", lambda market: 0.5)
    assert verdicts(as_the_paper_says)["11a"] is False


def test_claims_without_their_figures_are_left_out() -> None:
    figures = made_up()
    only = judge({"fig2b": figures["fig2b"]})
    assert [verdict.claim for verdict in only] == ["6", "11a"]
    assert judge({})[0].to_dict()["holds"] is True


def test_evidence_names_its_numbers() -> None:
    evidence = {verdict.claim: verdict.evidence for verdict in judge(made_up())}
    rise = 60 * (COPIES[-1] - COPIES[0])
    assert f"{rise:,.0f} [" in evidence["1"]
    assert "36 of 100 repetitions" in evidence["11b"]
    assert "[" in evidence["7a"]
    assert f"regret 25 for {OURS}, 1,000 for rh-ucb, 0.025 [0.025, 0.025] of it" in evidence["D3"]
    assert "2c: 0.025 [0.025, 0.025] of the regret of the next best, rh-ucb" in evidence["D5"]


def test_a_transient_rate_does_not_make_fair_sublinear() -> None:
    """In figure 2c the search inside the agents fades; what uniform agents cost does not."""
    fading = changed(in_figure("fig2c", "fair(ucb1)"), power=0.8)
    found = {verdict.claim: verdict for verdict in judge(made_up(fading))}
    assert found["8b"].holds
    assert "at least 0.200 T for certain" in found["8b"].evidence
    assert "the search inside the agents, fades" in found["8b, as a rate"].evidence


def test_verdicts_of_reduced_studies_say_so() -> None:
    figures = made_up()
    for settings in (QUICK, Settings(repetitions=99), Settings(horizon=99_999, repetitions=500)):
        marks = {verdict.claim: verdict.reduced for verdict in judge(figures, settings)}
        assert marks.pop("11a") is None  # rests on no games
        assert set(marks.values()) == {settings.reduced}
    assert QUICK.reduced == "T = 10,000 and 20 repetitions instead of 100,000 and 100"
    for whole in (PAPER_SIZE, Settings(horizon=10**6, repetitions=1000)):
        assert {verdict.reduced for verdict in judge(figures, whole)} == {None}


def test_verdicts_say_whose_claim_it_was() -> None:
    beyond = {verdict.claim: verdict.to_dict()["beyond"] for verdict in judge(made_up())}
    assert {name for name, ours in beyond.items() if ours} == OURS_BEYOND
