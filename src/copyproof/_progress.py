"""A bar on standard error that says how far a computation is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from copyproof.validation import require

# What a caller may ask for: a bar, nothing, or to be told the rounds that are done.
Progress: TypeAlias = bool | Callable[[int], None] | None


@contextmanager
def progress_bar(
    total: int, *, done: int = 0, transient: bool = False
) -> Iterator[Callable[[int], None]]:
    """Show a bar, and give what is to be told how much is done.

    Parameters
    ----------
    total : int
        When it is full.
    done : int
        Where it begins.
    transient : bool
        Whether it disappears in the end.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeRemainingColumn

    columns = ("playing", BarColumn(), TaskProgressColumn(), TimeRemainingColumn(), "left")
    with Progress(
        *columns,
        console=Console(stderr=True),
        transient=transient,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as bar:
        task = bar.add_task("", total=total, completed=done)
        yield lambda now: bar.update(task, completed=now)


@contextmanager
def shown(progress: Progress, total: int) -> Iterator[Callable[[int], None] | None]:
    """Give what is to be told how much is done, with a bar if one was asked for.

    Examples
    --------
    >>> with shown(print, 10) as tell:
    ...     tell(7)
    7
    """
    if progress is True:
        with progress_bar(total) as tell:
            yield tell
        return
    accepted = "True, for a bar, or a function that is told the rounds played so far"
    require(not progress or callable(progress), "progress", progress, accepted)
    yield progress or None
