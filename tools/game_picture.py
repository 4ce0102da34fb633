"""The picture of the game for README and docs: ``python -m tools.game_picture FILE``.

A real Chromium opens the page with a hundred copies under UCB1, and the picture is taken when the
game is over.
"""

import sys
import tempfile
from pathlib import Path

from copyproof.lab import packing
from tests.browser import opened, running

STATE = "chapter=1&policy=ucb1&copies=100&seed=1"
HEIGHT = 1150  # of what is shown, in pixels


def main(target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "game.html"
        file.write_text(packing.page(), encoding="utf-8")
        for browser in running():
            with opened(browser, f"{file.as_uri()}#{STATE}", width=1280) as page:
                page.set_viewport_size({"width": 1280, "height": HEIGHT})
                page.wait_for_function("() => globalThis.copyproof?.isTold", timeout=60_000)
                page.screenshot(path=target)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
