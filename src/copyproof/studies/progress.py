"""Progress for people who call Python: a line of text, or a bar in a notebook, with an estimate.

Neither needs a package: a notebook is told through IPython, which is there if a notebook is. The
command line has a bar of its own.
"""

import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from copyproof.studies.run import Progress

_EVERY = 0.5
_WIDTH = 30


def progress_bar() -> Callable[[Progress], None]:
    """A callback that shows how far a run is, and about how long it will still take.

    Examples
    --------
    >>> words(Progress(rounds=500, total=2000, cells=8), seconds=10.0)
    '25 % of 8 cells, about 30 s left'
    """
    begin = shown = time.monotonic()
    display = _notebook()

    def show(now: Progress) -> None:
        nonlocal shown
        moment = time.monotonic()
        ended = now.rounds >= now.total
        if moment - shown < _EVERY and not ended:
            return
        shown = moment
        text = words(now, moment - begin)
        share = now.rounds / now.total if now.total else 1.0
        if display is not None:
            display(text, share)
        elif sys.stderr is not None:
            bar = "#" * round(share * _WIDTH)
            end = "\n" if ended else ""
            sys.stderr.write(f"\r[{bar:<{_WIDTH}}] {text:<40}{end}")
            sys.stderr.flush()

    return show


def words(now: Progress, seconds: float) -> str:
    """How far a run is after some seconds, in words."""
    share = now.rounds / now.total if now.total else 1.0
    left = "" if share in (0.0, 1.0) else f", about {_span(seconds * (1 - share) / share)} left"
    return f"{share:.0%} of {now.cells:,} cells{left}".replace("%", " %")


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _notebook() -> Callable[[str, float], None] | None:
    """What shows a bar in a notebook; None if this is none."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or type(shell).__name__ != "ZMQInteractiveShell":
        return None
    display: Any = import_module("IPython.display")
    handle: Any = display.display(display.HTML(""), display_id=True)

    def show(text: str, share: float) -> None:
        bar = f'<progress value="{share:.4f}" max="1" style="width: 20em"></progress>'
        handle.update(display.HTML(f"{bar} {text}"))

    return show
