"""Search results with an excerpt, also where the pages are opened from a disk.

Sphinx takes excerpts from the pages, which a browser does not hand out when they lie on a disk. So
their texts are written beside the index, and a script shows the part that holds a word.
"""

import html
import json
import re
from pathlib import Path
from typing import Any

TEXTS = "_static/texts.js"


def setup(app: Any) -> dict[str, bool]:
    app.connect("html-page-context", _scripts)
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _scripts(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    if page == "search":
        app.add_js_file("texts.js")
        app.add_js_file("excerpts.js")


def _write(app: Any, error: Exception | None) -> None:
    if error is not None:
        return
    texts = {page: _words(app.env.get_doctree(page)) for page in sorted(app.env.found_docs)}
    written = json.dumps(texts, ensure_ascii=False, separators=(",", ":"))
    (Path(app.outdir) / TEXTS).write_text(f"const PAGE_TEXTS = {written};\n", encoding="utf-8")


def _words(doctree: Any) -> str:
    """The text of a page, with formulas as they look, not as they are written."""
    from docutils.nodes import Text, math, math_block
    from docutils.utils.math.latex2mathml import tex2mathml

    for kind in (math, math_block):
        for node in list(doctree.findall(kind)):
            formula = re.sub(r"<[^>]+>", " ", tex2mathml(node.astext()))
            node.replace_self(Text(html.unescape(formula)))
    return " ".join(doctree.astext().split())
