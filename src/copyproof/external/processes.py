"""Slow games on all cores: processes that take batches of repetitions.

On Linux the processes are forked: they have the policy, whatever it is made of, and the packages it
needs without loading them again. Elsewhere they are spawned, and the policy is sent to them, which
takes one that can be pickled: those made from a text, a library's, and those of functions and
classes that a module can import; a lambda or a local function is refused.

Each process has a pipe. It is sent the first and the last repetition of a batch, and answers with
rows or with what went wrong. Interrupts are the parent's business: it ends all processes. A process
whose parent has died ends within a second, also if its policy never answers.
"""

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from copyproof.external.records import ExternalError, ExternalPolicy, one_line
from copyproof.external.table import Row, Table, play_game

__all__ = ["in_processes", "start_method"]

_LOOK = 0.05
"""Seconds between two looks at how far the processes are."""
_LOOK_FOR_PARENT = 0.5
"""Seconds between two looks at whether the parent is alive."""


@dataclass(frozen=True, slots=True)
class _Failure:
    message: str
    cause: BaseException | None


def start_method() -> str:
    """How processes begin: forked on Linux, spawned elsewhere."""
    return "fork" if sys.platform == "linux" else "spawn"


def in_processes(
    policy: ExternalPolicy,
    table: Table,
    batches: Sequence[range],
    keep: Callable[[range, list[Row]], None],
    *,
    workers: int,
    progress: Callable[[int], None] | None,
) -> None:
    """Play all batches of repetitions, and hand over the rows of each as they come."""
    method = start_method()
    context: Any = multiprocessing.get_context(method)
    if method != "fork":
        _check_sendable(policy, workers)
    counters = context.RawArray("q", workers)
    queue = list(reversed(batches))
    team: list[_Member] = []
    try:
        for slot in range(workers):
            team.append(_hire(context, team, policy, table, counters, slot))
            team[-1].give(queue.pop())
        while busy := [member for member in team if member.batch is not None]:
            pipes: list[Any] = [member.pipe for member in busy]
            ready = wait(pipes, timeout=_LOOK)
            for member in busy:
                if member.pipe in ready:
                    batch, rows = member.take(policy)
                    keep(batch, rows)
                    if queue:
                        member.give(queue.pop())
            if progress is not None:
                progress(sum(counters))
    finally:
        for member in team:
            member.dismiss()


@dataclass(slots=True)
class _Member:
    """One process, its pipe, and what it is busy with."""

    process: Any
    pipe: "Connection[Any, Any]"
    batch: range | None = None

    def give(self, batch: range) -> None:
        self.batch = batch
        try:
            self.pipe.send(batch)
        except OSError:
            return  # it has died: take() will find out how

    def take(self, policy: ExternalPolicy) -> tuple[range, list[Row]]:
        assert self.batch is not None
        batch = self.batch
        try:
            answer = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            raise ExternalError(
                f"policy {policy.name!r}: repetitions {batch[0]} to {batch[-1]}: the process that "
                f"played them ended with exit code {self.process.exitcode}"
            ) from None
        if isinstance(answer, _Failure):
            raise ExternalError(answer.message) from answer.cause
        self.batch = None
        return batch, answer

    def dismiss(self) -> None:
        self.pipe.close()  # an idle process ends by itself
        if self.batch is not None:
            self.process.terminate()
        self.process.join(1.0)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process.close()


def _hire(
    context: Any,
    team: list[_Member],
    policy: ExternalPolicy,
    table: Table,
    counters: Any,
    slot: int,
) -> _Member:
    ours, theirs = context.Pipe()
    inherited = []
    if context.get_start_method() == "fork":
        # A forked process holds copies of the parent's ends of all pipes so far; kept open, they
        # would hide the parent's death from the others.
        inherited = [ours, *(member.pipe for member in team)]
    process = context.Process(
        target=_serve,
        args=(os.getpid(), theirs, inherited, policy, table, counters, slot),
        daemon=True,
    )
    with _quiet_fork():
        process.start()
    theirs.close()
    return _Member(process, ours)


@contextmanager
def _quiet_fork() -> Iterator[None]:
    """No warning about threads: the engine's are closed, and those of NumPy's BLAS mind forks."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*is multi-threaded", DeprecationWarning)
        yield


def _serve(
    parent: int,
    pipe: "Connection[Any, Any]",
    inherited: "list[Connection[Any, Any]]",
    policy: ExternalPolicy,
    table: Table,
    counters: Any,
    slot: int,
) -> None:
    """The life of one process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for other in inherited:
        other.close()
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()

    def tick(rounds: int) -> None:
        counters[slot] += rounds

    try:
        while True:
            batch: range = pipe.recv()
            try:
                answer: Any = [play_game(policy, table, number, tick) for number in batch]
            except ExternalError as error:
                answer = _Failure(str(error), _sendable_cause(error))
            pipe.send(answer)
    except (EOFError, OSError):
        return  # dismissed, or the parent has gone


def _end_with(parent: int) -> None:
    """End this process, whatever it is doing, when nobody wants its games any more."""
    while os.getppid() == parent:
        time.sleep(_LOOK_FOR_PARENT)
    os._exit(1)


def _sendable_cause(error: ExternalError) -> BaseException | None:
    """The exception behind an error, with its traceback as a note, in a form that can be sent."""
    cause = error.__cause__
    if cause is None:
        return None
    story = "".join(traceback.format_exception(cause)).rstrip()
    try:
        cause.add_note(f"In the process that played it:\n{story}")
        pickle.loads(pickle.dumps(cause))
    except Exception:  # whatever a foreign exception's own pickling may raise
        cause = RuntimeError(one_line(cause))
        cause.add_note(f"In the process that played it:\n{story}")
    return cause


def _check_sendable(policy: ExternalPolicy, workers: int) -> None:
    try:
        pickle.dumps(policy)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError(
            f"workers = {workers}: policy {policy.name!r} cannot be sent to another process "
            f"({one_line(error)}); give workers = 1, or a policy that a module can import"
        ) from error
