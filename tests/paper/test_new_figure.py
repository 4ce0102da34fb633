"""What ``paper/figure.py`` says about a new figure is true: one record, and all the rest follows.

The toy figure is named nowhere but in the registry; its claim is one more entry of the claims.
"""

import json
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from copyproof import Agent, Market, plot_regret
from copyproof.cli.app import app
from copyproof.pages import PageTable
from copyproof.paper import CLAIMS, FIGURES, StudyFigure, StudyResults, claims
from copyproof.paper.claim import Judged, claim
from copyproof.paper.figure import arms_by_agent
from tests.pages.parsed import Page

DUEL = Market([Agent("ann", [0.4], copies=[9]), Agent("bob", [0.6])])
TOY = StudyFigure(
    name="duel",
    heading="A duel",
    title="A duel: two agents, and nine copies",
    caption="Two agents with one arm each; ann registers it nine times.",
    runs=lambda settings: {(p,): settings.run(DUEL, p) for p in ("ucb1", "h-ucb")},
    rows=lambda results: [
        {"policy": policy, "regret": result.regret.mean} for (policy,), result in results.items()
    ],
    numbers=lambda results: PageTable(
        ["Policy", "Regret"],
        [[str(policy), f"{result.regret.mean:.3f}"] for (policy,), result in results.items()],
        "Regret of the duel.",
    ),
    plot=lambda results: [plot_regret(list(results.values()))],
    alt_text=lambda results: f"Two rising lines of regret, {len(results)} policies.",
    markets=lambda _: {"The duel": arms_by_agent(DUEL)},
)


@claim("Z1", "duel", beyond=True)
def copies_cost_ucb1(study: StudyResults) -> Judged:
    """In the duel UCB1 has more regret than H-UCB."""
    flat, hierarchical = (study["duel"][policy,].regret.mean for policy in ("ucb1", "h-ucb"))
    return flat > hierarchical, f"{flat:.1f} against {hierarchical:.1f}"


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setitem(FIGURES, TOY.name, TOY)
    monkeypatch.setattr(claims, "CLAIMS", (*CLAIMS, copies_cost_ucb1))
    arguments = ["paper", "--only", "duel", "--horizon", "300", "--repetitions", "4", "--json"]
    done = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "out")])
    assert done.exit_code == 0
    assert json.loads(done.stdout)["figures"] == ["duel"]
    return tmp_path / "out"


def test_one_record_makes_a_figure(folder: Path) -> None:
    for file in ("png", "svg", "pdf"):
        assert (folder / "figures" / f"duel.{file}").stat().st_size > 1000
    frame = pd.read_parquet(folder / "data" / "duel.parquet")
    assert frame["policy"].tolist() == ["ucb1", "h-ucb"]
    assert (folder / "data" / "duel.csv").read_text().startswith("policy,regret\nucb1,")

    found = {one["claim"]: one for one in json.loads((folder / "claims.json").read_text())}
    assert found["Z1"]["text"] == "In the duel UCB1 has more regret than H-UCB."
    assert found["Z1"]["figures"] == ["duel"]

    page = Page((folder / "index.html").read_text(encoding="utf-8"))
    assert "duel" in page.ids
    assert page.values("img", "alt") == ["Two rising lines of regret, 2 policies."]
    assert f"Z1. {found['Z1']['text']}" in page.text
    for words in (TOY.heading, TOY.caption, "Regret of the duel.", "0.4 × 9"):
        assert words in page.text
    assert f"ucb1 {frame['regret'][0]:.3f}" in page.text


def test_the_help_lists_every_figure() -> None:
    text = CliRunner().invoke(app, ["paper", "--help"]).stdout
    assert all(name in text for name in FIGURES)
