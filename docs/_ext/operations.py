"""Writes the tables of settings and of metrics into the pages that ask for them, from the code."""

from typing import Any

from copyproof.cli.settings import Settings, flag, shown, table, variable
from copyproof.service.exposition import METRICS

PLACES = {
    "reference/settings": "<!-- the settings are written here -->",
    "reference/metrics": "<!-- the metrics are written here -->",
}


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", _fill)
    app.connect("env-get-outdated", lambda *_: list(PLACES))  # the tables may have changed
    return {"parallel_read_safe": True}


def _fill(app: Any, page: str, source: list[str]) -> None:
    if page in PLACES:
        assert PLACES[page] in source[0]
        found = settings() if page.endswith("settings") else metrics()
        source[0] = source[0].replace(PLACES[page], found)


def settings() -> str:
    """A row for every setting."""
    lines = [
        "| in a file | what it is | default | accepted | flag | variable |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in table().items():
        default = shown(name, getattr(Settings(), name))
        default = default if default == row.unset else f"`{default}`"
        lines.append(
            f"| `{name}` | {row.about} | {default} | {row.kind.accepted} "
            f"| `{flag(name)}` | `{variable(name)}` |"
        )
    return "\n".join(lines)


def metrics() -> str:
    """A row for every metric."""
    lines = ["| metric | kind | labels | what it tells |", "|---|---|---|---|"]
    for row in METRICS:
        labels = ", ".join(f"`{label}`" for label in row.labels) or "–"
        lines.append(f"| `{row.name}` | {row.kind} | {labels} | {row.about} |")
    return "\n".join(lines)
