"""Public functions that take a market, a policy or results name what they were given instead."""

from pathlib import Path
from typing import Any

import pytest

import copyproof
from copyproof import Audit, ExternalPolicy, Result, audit, paper_market, simulate, write_market
from copyproof.validation import FieldError
from tests.external.learners import Scripted

MARKET = paper_market("1a")
# How each function that takes a market and a policy is called besides.
GAMES: dict[str, dict[str, Any]] = {
    "simulate": {"horizon": 20, "repetitions": 2},
    "exact": {"horizon": 3},
    "audit": {"horizon": 20, "budget": 1000, "agent": "0.5-agent", "most_copies": 2},
    "attacks": {"horizon": 20, "budget": 1000, "agent": "0.5-agent", "identities": [2]},
    "equilibrium": {"horizon": 20, "budget": 1000, "cap": 2, "starts": ["truthful"]},
    "bounds": {"horizon": 1000},
    "lost_probability": {"horizon": 1000, "runs": 2},
}
# Those that take policies of the catalogue alone.
OURS_ONLY = ("exact", "bounds", "lost_probability")
DRAWN = ("ablation", "copies", "frontier", "growth", "markets", "samples")


@pytest.fixture(scope="module")
def result() -> Result:
    return simulate(MARKET, "h-ucb", horizon=20, repetitions=2)


@pytest.fixture(scope="module")
def found() -> Audit:
    return audit(MARKET, "h-ucb", agent="0.5-agent", horizon=20, budget=1000, most_copies=2)


@pytest.mark.parametrize("function", GAMES)
@pytest.mark.parametrize("market", [5, None, {"agents": []}, "h-ucb.toml"])
def test_what_is_not_a_market_is_named(function: str, market: Any) -> None:
    with pytest.raises(FieldError, match=r"market = .* is not a Market|h-ucb.toml: cannot be read"):
        getattr(copyproof, function)(market, "trial", **GAMES[function])


@pytest.mark.parametrize("function", GAMES)
@pytest.mark.parametrize("policy", [5, None, MARKET])
def test_what_is_not_a_policy_is_named(function: str, policy: Any) -> None:
    with pytest.raises(FieldError, match=r"^policy = .* is not a [Pp]olicy"):
        getattr(copyproof, function)(MARKET, policy, **GAMES[function])


@pytest.mark.parametrize("function", OURS_ONLY)
@pytest.mark.parametrize("policy", ["river:UCB(delta=1)", ExternalPolicy("mine", Scripted)])
def test_where_only_ours_will_do_it_is_said(function: str, policy: Any) -> None:
    with pytest.raises(FieldError, match=r"^policy = .* is not a policy of the catalogue"):
        getattr(copyproof, function)(MARKET, policy, **GAMES[function])


@pytest.mark.parametrize("function", GAMES)
def test_markets_by_file_and_by_name(function: str, tmp_path: Path) -> None:
    write_market(MARKET, tmp_path / "market.toml")
    policy = "h-ucb" if function == "exact" else "trial"
    answers = [
        getattr(copyproof, function)(market, policy, **GAMES[function])
        for market in (MARKET, "paper:1a", tmp_path / "market.toml", str(tmp_path / "market.toml"))
    ]
    parts = [one if isinstance(one, tuple) else (one,) for one in answers]
    said = [[part.to_dict() for part in one] for one in parts]
    for one in (part for some in said for part in some):
        for timed in ("seconds", "rounds_per_second"):
            one.pop(timed, None)
    assert said[0] == said[1] == said[2] == said[3]


@pytest.mark.parametrize("function", ["audit", "attacks", "equilibrium", "lost_probability"])
def test_a_progress_that_cannot_be_told_is_named(function: str) -> None:
    with pytest.raises(FieldError, match="progress = 5 is not True, for a bar, or a function"):
        getattr(copyproof, function)(MARKET, "trial", progress=5, **GAMES[function])


@pytest.mark.parametrize("results", [5, None, "h-ucb", [5], [], {"a": 1}, MARKET])
def test_what_cannot_be_drawn_is_named(results: Any, result: Result, found: Audit) -> None:
    for draw in (copyproof.plot_regret, copyproof.plot_gains):
        with pytest.raises(FieldError, match=r"^(results|audits)"):
            draw(results)
    for name in DRAWN:
        with pytest.raises(FieldError, match=r"^results"):
            getattr(copyproof, f"plot_{name}")(results)
    with pytest.raises(FieldError, match=r"audits\[1\] = .* is not an Audit"):
        copyproof.plot_gains([found, results])
    with pytest.raises(FieldError, match=r"results\[1\] = .* is not a Result"):
        copyproof.plot_regret([result, results])


def test_what_then_where(found: Audit, tmp_path: Path) -> None:
    copyproof.write_audit_report(found, tmp_path / "page.html")
    swapped: Any = (tmp_path / "page.html", found)
    with pytest.raises(FieldError, match=r"^audits = .* is not a list of audits"):
        copyproof.write_audit_report(*swapped)
    figure = copyproof.plot_gains(found)[0].get_figure(root=True)
    nowhere: Any = 5
    for write in (copyproof.write_audit_report, copyproof.write_market, copyproof.save_figure):
        what: Any = {"write_market": MARKET, "save_figure": figure}.get(write.__name__, found)
        with pytest.raises(FieldError, match=r"^path = 5 is not the path of a file"):
            write(what, nowhere)
    for write in (copyproof.write_market, copyproof.save_figure):
        with pytest.raises(FieldError, match=r"^(market|figure) = 5 is not a (Market|Figure)"):
            write(nowhere, tmp_path / "x.svg")
    with pytest.raises(FieldError, match=r"^path = 5 is not the path of a file"):
        copyproof.read_market(nowhere)
