"""The page as one file: modules, style sheets and HTML, packed so that it opens from a disk.

A browser loads no modules from files that lie beside a page on a disk. So each module becomes a
function that gives what it exports, in the order in which they need each other, all in one script.
"""

import re
from functools import cache
from importlib.resources import files

from copyproof.pages import style

ENTRY = "app.js"
_FOLDER = files("copyproof.lab") / "page"
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([a-z-]+\.js)";\n', re.M)
_EXPORT = re.compile(r"^export ((?:const|function|async function|class) ([A-Za-z_]\w*))", re.M)


def page(head: str = "") -> str:
    """Return the whole page; ``head`` is put into its head.

    Examples
    --------
    >>> page().count("<script")
    1
    """
    sheet = style("tokens.css", "controls.css") + _text("page.css")
    html = _text("index.html")
    html = html.replace("<!-- styles -->", f"{head}<style>{sheet}</style>", 1)
    return html.replace("<!-- script -->", f'<script type="module">\n{script()}</script>', 1)


@cache
def script() -> str:
    """All modules as one script."""
    parts: dict[str, str] = {}
    _pack(ENTRY, parts)
    return "".join(parts.values())


def _pack(name: str, parts: dict[str, str]) -> None:
    """Add a module after those that it needs."""
    text = _text(name)
    for _, needed in _IMPORT.findall(text):
        if needed not in parts:
            _pack(needed, parts)
    text = _IMPORT.sub(lambda m: f"const {{{m[1]}}} = {_variable(m[2])};\n", text)
    exported = ", ".join(each for _, each in _EXPORT.findall(text))
    text = _EXPORT.sub(r"\1", text)
    parts[name] = f"const {_variable(name)} = (() => {{\n{text}return {{ {exported} }};\n}})();\n"


def _variable(module: str) -> str:
    return f"module_{module.removesuffix('.js').replace('-', '_')}"


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
