"""Audits, attacks, equilibria, exact values and bounds as people see them."""

from typing import Any

import pytest

from copyproof import Agent, Market, attacks, audit, bounds, equilibrium, exact
from tests.pages.parsed import Page

MARKET = Market([Agent("<i>ann</i>", [0.5]), Agent("bob", [0.8])]).named("two & two")
GAME: dict[str, Any] = {"horizon": 60, "seed": 7}
FOUND: dict[str, tuple[Any, int]] = {
    "audit": (audit(MARKET, "ucb1", most_copies=2, budget=10**5, **GAME), 2),
    "attacks": (attacks(MARKET, "h-ucb", agent="<i>ann</i>", budget=10**5, **GAME), 8),
    "equilibrium": (equilibrium(MARKET, "h-ucb", cap=2, budget=10**5, **GAME), 3),
    "exact": (exact(MARKET, "h-ucb", horizon=8), 2),
    "bound": (bounds(MARKET, "h-ucb", 60)[0], 1),
    "bounds": (bounds(MARKET, "h-ucb", 60), 14),
}


@pytest.mark.parametrize("name", FOUND)
def test_frames_open_with_what_was_asked(name: str) -> None:
    found, rows = FOUND[name]
    frame = found.to_frame()
    asked = ["policy", "market", "seed", "horizon"]
    if name in ("exact", "bound", "bounds"):  # where nothing is drawn
        asked.remove("seed")
    assert list(frame.columns[: len(asked)]) == asked
    assert "seed" not in frame.columns[len(asked) :]
    assert set(frame["market"]) == {"two & two"}
    assert len(frame) == rows
    if "seed" in asked:
        assert set(frame["seed"]) == {7}


@pytest.mark.parametrize("name", FOUND)
def test_notebooks_show_names_as_text(name: str) -> None:
    page = Page(FOUND[name][0]._repr_html_())
    assert not page.all("i")
    assert "two & two" in page.text
    if name in ("audit", "attacks", "exact"):
        assert "<i>ann</i>" in page.text


@pytest.mark.parametrize("name", ["audit", "attacks", "equilibrium", "exact", "bound"])
def test_lines_are_short(name: str) -> None:
    line = repr(FOUND[name][0])
    assert line.startswith(f"<{name.capitalize()} ")
    assert "\n" not in line
    assert len(line) < 160


def test_agents_by_name() -> None:
    for found in (FOUND["audit"][0], FOUND["exact"][0]):
        assert found.agents["bob"] is found.agents[1]
        with pytest.raises(ValueError, match="did you mean 'bob'"):
            found.agents["bobb"]


def test_bounds_are_a_tuple_and_equal_where_they_say_the_same() -> None:
    found = FOUND["bounds"][0]
    assert isinstance(found, tuple)
    again = bounds(MARKET.named("another"), "h-ucb", 60)
    assert again == found
    assert {one.market for one in again} == {"another"}
    assert set(found[0].to_dict()) == {
        "theorem", "kind", "value", "applies", "why", "vacuous", "of", "parameters", "proven"
    }  # fmt: skip
