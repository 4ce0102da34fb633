"""What is made of other files for the clients of the service: ``make clients``.

The blocking client is the asynchronous one without ``async`` and ``await``. The types of the
TypeScript client are made of the OpenAPI document by openapi-typescript, which needs node.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / "src" / "copyproof" / "client"
TYPESCRIPT = ROOT / "client" / "typescript"
TWINS = {
    "async_connection.py": "connection.py",
    "async_identities.py": "identities.py",
    "async_operations.py": "operations.py",
    "async_client.py": "client.py",
}
_NAMES = {
    r"\b__a(enter|exit)__": r"__\1__",
    r"\baclosing\b": "closing",
    r"\bAsync(Client|Connection|Pool|Iterator|Generator|Operations|Identities)\b": r"\1",
    r"\basync_(connection|pool|operations|identities)\b": r"\1",
    r"\b(async|await) ": "",
}


def blocking(source: Path) -> str:
    """Return the blocking twin of a module."""
    text = source.read_text(encoding="utf-8")
    for name, other in _NAMES.items():
        text = re.sub(name, other, text)
    text = re.sub(
        r"^The blocking twin, ``\w+``, is made of this module by ``make clients``",
        f"Made of ``{source.name}`` by ``make clients``; change that",
        text,
        flags=re.M,
    )
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", "made.py", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stdout


def _shortened(found: Any) -> Any:
    """Return the document without titles, which repeat names, and without answers that refuse.

    Those are the same everywhere, and stay among the components.
    """
    if isinstance(found, list):
        return [_shortened(each) for each in found]
    if not isinstance(found, dict):
        return found
    return {
        name: {"200": _shortened(each["200"])} if name == "responses" else _shortened(each)
        for name, each in found.items()
        if not (name == "title" and isinstance(each, str))
    }


def schema() -> str:
    """Return the types of the OpenAPI document, as openapi-typescript writes them."""
    from copyproof.service import document

    program = TYPESCRIPT / "node_modules" / ".bin" / "openapi-typescript"
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "openapi.json"), Path(folder, "schema.ts")
        source.write_text(json.dumps(_shortened(document())), encoding="utf-8")
        options = ["--alphabetize", "--default-non-nullable", "false"]
        command = [str(program), str(source), "-o", str(made), *options]
        subprocess.run(command, check=True, capture_output=True, text=True)
        return made.read_text(encoding="utf-8")


def main() -> None:
    """Make all of it anew."""
    for source, made in TWINS.items():
        (PYTHON / made).write_text(blocking(PYTHON / source), encoding="utf-8")
    if shutil.which("node") is None or not (TYPESCRIPT / "node_modules").exists():
        sys.exit("the TypeScript client was left as it is: no node, or no `npm ci` in its folder")
    (TYPESCRIPT / "src" / "schema.ts").write_text(schema(), encoding="utf-8")


if __name__ == "__main__":
    main()
