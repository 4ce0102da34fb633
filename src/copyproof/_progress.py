"""One bar for everything that takes its time: how far it is, and about how long it still takes.

In a terminal it is drawn by Rich, on standard error; in a notebook it is the page's own, through
IPython, which is there if a notebook is. It learns how much there is to do when it is told, so that
work whose size shows only later (a study's, or that of runs after a pilot) has the same bar.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any, ParamSpec, TypeAlias

from copyproof.validation import require

P = ParamSpec("P")

# What a caller may ask for: a bar, nothing, or to be told how much is done.
Progress: TypeAlias = bool | Callable[[int], None] | None
# What shows how much is done, how much there is in all, and of what.
Show: TypeAlias = Callable[[int, int, str], None]

# Seconds between two changes of a notebook's bar.
_EVERY = 0.5


class Bar:
    """A bar, from the first time that it is told how far the work is; a context.

    Parameters
    ----------
    transient : bool
        Whether it disappears in the end; a notebook's stays.
    """

    def __init__(self, *, transient: bool = False) -> None:
        self._transient = transient
        self._open = ExitStack()
        self._show: Show | None = None

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def show(self, done: int, total: int, about: str = "") -> None:
        """Take notice that so much of all is done; ``about`` says of what, such as ``8 cells``."""
        if self._show is None:
            in_notebook = _notebook()
            self._show = in_notebook or self._open.enter_context(_terminal(self._transient))
        self._show(done, total, about)


@contextmanager
def shown(progress: Progress, total: int) -> Iterator[Callable[[int], None] | None]:
    """Give what is to be told how much is done, with a bar if one was asked for.

    The bar is full when the work has ended well, also if that took less than it might have.

    Examples
    --------
    >>> with shown(print, 10) as tell:
    ...     tell(7)
    7
    """
    shows: list[Bar] = []

    def begin(bar: Bar) -> Callable[[int], None]:
        shows.append(bar)
        bar.show(0, total)
        return lambda done: bar.show(done, total)

    with shown_by(progress, begin) as tell:
        yield tell
        for bar in shows:
            bar.show(total, total)


@contextmanager
def shown_by(
    progress: bool | Callable[P, None] | None, begin: Callable[[Bar], Callable[P, None]]
) -> Iterator[Callable[P, None] | None]:
    """The same for work that tells more than a number: ``begin`` makes of a bar what is told."""
    if progress is True:
        with Bar() as bar:
            yield begin(bar)
        return
    accepted = "True, for a bar, or a function that is told how much is done"
    if progress is None or progress is False:
        yield None
        return
    require(callable(progress), "progress", progress, accepted)
    yield progress


def words(done: int, total: int, about: str, seconds: float) -> str:
    """How far the work is after some seconds, and how long it will still take.

    Examples
    --------
    >>> words(500, 2000, "8 cells", seconds=10.0)
    '25 % of 8 cells, about 30 s left'
    """
    share = done / total if total else 1.0
    left = "" if share in (0.0, 1.0) else f", about {_span(seconds * (1 - share) / share)} left"
    return f"{100 * share:.0f} %{f' of {about}' if about else ''}{left}"


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


@contextmanager
def _terminal(transient: bool) -> Iterator[Show]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeRemainingColumn

    left = (TaskProgressColumn(), "{task.fields[about]}", TimeRemainingColumn(), "left")
    with Progress(
        "playing",
        BarColumn(),
        *left,
        console=Console(stderr=True),
        transient=transient,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as bar:
        task = bar.add_task("", total=None, about="")

        def show(done: int, total: int, about: str) -> None:
            bar.update(task, completed=done, total=total, about=f"of {about}" if about else "")

        yield show


def _notebook() -> Show | None:
    """What shows a bar in a notebook; None if this is none."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or type(shell).__name__ != "ZMQInteractiveShell":
        return None
    display: Any = import_module("IPython.display")
    handle: Any = display.display(display.HTML(""), display_id=True)
    begin = time.monotonic()
    shown_at = -_EVERY

    def show(done: int, total: int, about: str) -> None:
        nonlocal shown_at
        now = time.monotonic()
        if now - shown_at < _EVERY and done < total:
            return
        shown_at = now
        share = done / total if total else 1.0
        bar = f'<progress value="{share:.4f}" max="1" style="width: 20em"></progress>'
        handle.update(display.HTML(f"{bar} {words(done, total, about, now - begin)}"))

    return show
