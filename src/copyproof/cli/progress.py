"""Progress: what a user sees while a command works through policies, and how it is stopped.

A bar on standard error appears when the work has taken a second; on a terminal only. A line says so
when the engine is compiled for the first time. Ctrl-C ends the work within a second even where
Python cannot break it off, as inside the compiler.
"""

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from copyproof._progress import Bar
from copyproof.cli.output import say
from copyproof.policy import Policy

if TYPE_CHECKING:
    from copyproof.studies.run import Progress as StudyProgress

P = TypeVar("P")
R = TypeVar("R")

COMPILING = "compiling the engine, once for this version (about 15 s) ..."

# Seconds of work before the bar is worth showing.
_BAR_AFTER = 1.0
# Seconds; what is wrong with the input is found sooner, and then nothing is compiled.
_SAY_COMPILING_AFTER = 0.5
# Wipe the line of the bar, and show the cursor that it hides.
_CLEAR = "\r\x1b[2K\x1b[?25h"


class ProgressBar:
    """The progress of one command, as a context.

    Parameters
    ----------
    compiles : bool
        Whether the engine must be compiled first.
    """

    def __init__(self, *, compiles: bool) -> None:
        self._begin: float | None = None
        self._bar = Bar(transient=True)
        self._is_shown = False
        self._compiling: threading.Timer | None = None
        if compiles:
            self._compiling = threading.Timer(_SAY_COMPILING_AFTER, say, [COMPILING])
            self._compiling.daemon = True

    def __enter__(self) -> "ProgressBar":
        if self._compiling is not None:
            self._compiling.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._compiled()
        self._bar.__exit__()

    def show(self, done: int, total: int, about: str = "") -> None:
        """Take notice of how much is done, as ``Bar.show``; show it if the work is worth a bar."""
        if done:
            self._compiled()
        now = time.monotonic()
        if self._begin is None:
            self._begin = now
        if not self._is_shown:
            self._is_shown = now - self._begin > _BAR_AFTER and _is_terminal()
        if self._is_shown:
            self._bar.show(done, total, about)

    def show_run(self, now: "StudyProgress") -> None:
        """Take notice of how far a study's run is."""
        now.show_on(self.show)

    def _compiled(self) -> None:
        if self._compiling is not None:
            self._compiling.cancel()
            self._compiling = None


def in_turn(
    policies: Sequence[P],
    rounds: Sequence[int],
    find: Callable[[P, Callable[[int], None]], R],
    *,
    compiles: bool,
) -> list[R]:
    """Work through policies, with a bar; return what was found of each, in their order.

    Parameters
    ----------
    policies : sequence
        Ours or others'.
    rounds : sequence of int
        How much work each of them is.
    find : callable
        Takes a policy and a callback for progress.
    compiles : bool
        Whether the engine must be compiled first.
    """

    def refuses_nothing(place: int) -> bool:
        policy = policies[place]
        return isinstance(policy, Policy) and not policy.needs_unit_rewards

    found = {}
    total, before = sum(rounds), 0
    with ProgressBar(compiles=compiles) as bar:

        def after(before: int) -> Callable[[int], None]:
            return lambda done: bar.show(before + done, total)

        # A policy that may be refused goes first: a refusal comes before any work.
        for place in sorted(range(len(policies)), key=refuses_nothing):
            found[place] = find(policies[place], after(before))
            before += rounds[place]
    return [found[place] for place in range(len(policies))]


@contextmanager
def prompt_interrupt() -> Iterator[None]:
    """End the process at once on Ctrl-C, whatever the main thread is doing.

    Python raises ``KeyboardInterrupt`` only between two of its own steps, which a call into the
    compiler may keep many seconds apart, and loses it if that step is one of the compiler's
    callbacks. So another thread is told of the signal. Nothing may be written inside this context.
    """
    before = signal.getsignal(signal.SIGINT)
    here = threading.current_thread() is threading.main_thread()
    if not here or before is not signal.default_int_handler:  # such as ignored, in the background
        yield
        return
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)

    def watch() -> None:
        while received := ours.recv(1):
            if received[0] == signal.SIGINT:
                say(_CLEAR + "interrupted" if _is_terminal() else "interrupted")
                os._exit(130)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    wakeup = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        signal.set_wakeup_fd(wakeup)
        theirs.close()
        watcher.join()
        ours.close()


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
