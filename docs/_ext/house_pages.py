"""Pages that are made of files outside ``docs``: their links lead to pages here, not to files.

The changelog and the readme name pages as one sees them in the source, ``docs/how-to/live.md``.
The directive ``game`` shows the game in a frame, from the one file that ``copyproof lab`` serves.
"""

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CHANGELOG = "changelog"
_LINK = re.compile(r"\]\((?:docs/)([\w/-]+\.md(?:#[\w-]+)?)\)")
# What there is in the source alone.
_FILE = re.compile(r"\[([^\]]+)\]\((?!https?://|#)([^)]*)\)")
GAME = "_static/game.html"


def setup(app: Any) -> dict[str, bool]:
    app.connect("include-read", _included)
    app.add_directive("game", _directive())
    app.connect("build-finished", _write_game)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _included(app: Any, path: Path, page: str, text: list[str]) -> None:
    if path.name in ("CHANGELOG.md", "README.md"):
        text[0] = links_from_here(text[0])


def links_from_here(text: str) -> str:
    """Links to pages as seen from the top of the docs; what is no page becomes its text.

    Examples
    --------
    >>> links_from_here("[a](docs/how-to/live.md#keys), [b](LICENSE), [c](https://c.org)")
    '[a](how-to/live.md#keys), b, [c](https://c.org)'
    """
    held: list[str] = []

    def hold(found: re.Match[str]) -> str:
        held.append(f"]({found.group(1)})")
        return f"](https://held/{len(held) - 1})"

    text = _FILE.sub(r"\1", _LINK.sub(hold, text))
    return re.sub(r"\]\(https://held/(\d+)\)", lambda found: held[int(found.group(1))], text)


def _directive() -> Any:
    from docutils import nodes
    from docutils.parsers.rst import Directive

    class Game(Directive):
        has_content = True

        def run(self) -> list[Any]:
            html = (
                f'<div class="game"><iframe src="{GAME}" loading="lazy" '
                'title="The game: you are the worst of five. Get rich."></iframe>'
                f'<p><a href="{GAME}">The game on a page of its own</a></p></div>'
            )
            return [nodes.raw("", html, format="html")]

    return Game


def _write_game(app: Any, error: Exception | None) -> None:
    from copyproof.lab.packing import page

    if error is None:
        (Path(app.outdir) / GAME).write_text(page(), encoding="utf-8")
