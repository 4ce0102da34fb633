"""The pictures of the gallery: ``python -m tools.gallery`` runs the code of its page.

Every block of Python in ``docs/gallery.md`` is run by itself, in a folder of its own, and writes
one picture there, which goes to ``docs/images/gallery``. ``tests/docs/test_gallery.py`` runs them,
too.
"""

import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "gallery.md"
PICTURES = ROOT / "docs" / "images" / "gallery"


def blocks() -> dict[str, str]:
    """The code of each picture, by the picture's name."""
    found = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    return {re.findall(r'"(\w+\.png)"\)', code)[-1]: code for code in found}


@contextlib.contextmanager
def drawn(name: str, code: str) -> Iterator[Path]:
    """Run a block; where its picture is, until the folder is removed."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            exec(compile(code, f"{PAGE.name}, {name}", "exec"), {"__name__": "gallery"})
        finally:
            os.chdir(before)
        yield Path(folder) / name


def main() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name, code in blocks().items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        with drawn(name, code) as picture:
            (PICTURES / name).write_bytes(picture.read_bytes())
        print(PICTURES / name, flush=True)


if __name__ == "__main__":
    main()
