"""Writes the catalogue of policies into the page that asks for it, from ``CATALOGUE``."""

from typing import Any

from copyproof import CATALOGUE
from copyproof.policy import NamedPolicy
from copyproof.policy.catalogue import SEASON

PAGE = "reference/policies"
PLACE = "<!-- the catalogue is written here -->"


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", _fill)
    app.connect("env-get-outdated", lambda *_: [PAGE])  # the catalogue may have changed
    return {"parallel_read_safe": True}


def _fill(app: Any, page: str, source: list[str]) -> None:
    if page == PAGE:
        assert PLACE in source[0]
        source[0] = source[0].replace(PLACE, catalogue())


def catalogue() -> str:
    """An overview as a table, then a section for every policy."""
    lines = ["## Overview", "", "| policy | parameters | what it does |", "|---|---|---|"]
    for row in CATALOGUE:
        parameters = ", ".join(f"`{name}`" for name in _parameters(row)) or "–"
        lines.append(f"| [`{row.name}`](#{row.name}) | {parameters} | {row.about} |")
    return "\n".join([*lines, "", *(_section(row) for row in CATALOGUE)])


def _section(row: NamedPolicy) -> str:
    lines = [f"({row.name})=", f"## `{row.name}`", "", f"{_sentence(row.about)}", ""]
    for name, about in _parameters(row).items():
        lines.append(f"- `{name}`: {about}")
    lines += ["", f"Source: {row.citation}.", "", "What is claimed of it:", ""]
    for claim in row.claims:
        lines.append(f"- **{claim.status}**: {claim.text}")
    return "\n".join([*lines, "", ""])


def _parameters(row: NamedPolicy) -> dict[str, str]:
    """What each parameter of the text form sets, and what it is if left out."""
    if row.name == "fair":
        return {"A": "a flat policy, such as `s-ucb(l=5)`; `ucb1` if left out."}
    return {name: _about(row, path) for name, path in row.parameters.items()}


def _about(row: NamedPolicy, path: str) -> str:
    if path == SEASON:
        return (
            "epochs of so many rounds, each a game of its own; one game of $T$ rounds if left out."
        )
    value: Any = row.policy
    for name in path.split("."):
        value = getattr(value, name)
    shown = f"{value:g}" if isinstance(value, float) else value
    default = "chosen by the market" if value is None else f"`{shown}`"
    return f"sets `{path}`, {default} if left out."


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
