"""Puts the game beside the pages of the docs, as one file: ``game.html``."""

from pathlib import Path
from typing import Any

from copyproof.lab.packing import page


def setup(app: Any) -> dict[str, bool]:
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True}


def _write(app: Any, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        (Path(app.outdir) / "game.html").write_text(page(), encoding="utf-8")
