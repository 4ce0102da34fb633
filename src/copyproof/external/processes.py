"""Slow games on all cores: processes that take batches of repetitions.

On Linux the processes are forked: they have the policy, whatever it is made of, and the packages it
needs without loading them again. Elsewhere they are spawned, and the policy is sent to them, which
takes one that can be pickled: those made from a text, a library's, and those of functions and
classes that a module can import; a lambda or a local function is refused.

Each process has a pipe. It is sent a batch of repetitions, and answers with their results or with
what went wrong. It ignores interrupts: the parent ends all processes. A process whose parent has
died ends within a second, also if its policy never answers.
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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, TypeAlias

from copyproof.external.game import GameResult, GameSetup, play_game
from copyproof.external.records import ExternalError, ExternalPolicy, one_line
from copyproof.validation import FieldError

_Pipe: TypeAlias = "Connection[Any, Any]"

# Seconds between two looks at how far the games are.
LOOK = 0.05
# Seconds between two looks at whether the parent is alive.
_LOOK_FOR_PARENT = 0.5


@dataclass(frozen=True, slots=True)
class _Failure:
    message: str
    cause: BaseException | None


@dataclass(frozen=True, slots=True)
class _Games:
    """What all processes play, and the rounds that each has played."""

    policy: ExternalPolicy
    setup: GameSetup
    rounds: Any


def start_method() -> str:
    """How processes begin: forked on Linux, spawned elsewhere."""
    return "fork" if sys.platform == "linux" else "spawn"


def in_processes(
    policy: ExternalPolicy,
    setup: GameSetup,
    batches: Sequence[range],
    keep: Callable[[int, GameResult], None],
    *,
    workers: int,
    progress: Callable[[int], None] | None,
) -> None:
    """Play all batches of repetitions, and hand over each game as it comes, with its number."""
    method = start_method()
    context: Any = multiprocessing.get_context(method)
    if method != "fork":
        _check_sendable(policy, workers)
    games = _Games(policy, setup, context.RawArray("q", workers))
    queue = list(reversed(batches))
    started: list[_Worker] = []
    try:
        for slot in range(workers):
            started.append(_start(context, started, games, slot))
            started[-1].send(queue.pop())
        while busy := [worker for worker in started if worker.batch]:
            pipes: list[Any] = [worker.pipe for worker in busy]
            ready = wait(pipes, timeout=LOOK)
            for worker in busy:
                if worker.pipe in ready:
                    for repetition, game in worker.receive(policy):
                        keep(repetition, game)
                    if queue:
                        worker.send(queue.pop())
            if progress is not None:
                progress(sum(games.rounds))
    finally:
        for worker in started:
            worker.stop()


@dataclass(slots=True)
class _Worker:
    """One process, its pipe, and the batch that it is playing."""

    process: Any
    pipe: _Pipe
    batch: range = range(0)

    def send(self, batch: range) -> None:
        self.batch = batch
        try:
            self.pipe.send(batch)
        except OSError:
            return  # it has died: receive() will find out how

    def receive(self, policy: ExternalPolicy) -> list[tuple[int, GameResult]]:
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
        self.batch = range(0)
        return list(zip(batch, answer, strict=True))

    def stop(self) -> None:
        self.pipe.close()  # an idle process ends by itself
        if self.batch:
            self.process.terminate()
        self.process.join(1.0)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process.close()


def _start(context: Any, others: list[_Worker], games: _Games, slot: int) -> _Worker:
    ours, theirs = context.Pipe()
    inherited = []
    if context.get_start_method() == "fork":
        # A forked process holds copies of the parent's ends of all pipes so far; kept open, they
        # would hide the parent's death from the others.
        inherited = [ours, *(worker.pipe for worker in others)]
    given = (os.getpid(), theirs, inherited, games, slot)
    process = context.Process(target=_work, args=given, daemon=True)
    with warnings.catch_warnings():
        # About threads: the engine's are closed, and those of NumPy's BLAS expect forks.
        warnings.filterwarnings("ignore", ".*is multi-threaded", DeprecationWarning)
        process.start()
    theirs.close()
    return _Worker(process, ours)


def _work(parent: int, pipe: _Pipe, inherited: list[_Pipe], games: _Games, slot: int) -> None:
    """Play batches in a process of its own, until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for other in inherited:
        other.close()
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()

    def tick(rounds: int) -> None:
        games.rounds[slot] += rounds

    try:
        while True:
            batch: range = pipe.recv()
            try:
                answer: Any = [
                    play_game(games.policy, games.setup, number, tick) for number in batch
                ]
            except ExternalError as error:
                answer = _Failure(str(error), _sendable_cause(error))
            pipe.send(answer)
    except (EOFError, OSError):
        return  # stopped, or the parent has ended


def _end_with(parent: int) -> None:
    """End this process, whatever it is doing, once its parent has ended."""
    while os.getppid() == parent:
        time.sleep(_LOOK_FOR_PARENT)
    os._exit(1)


def _sendable_cause(error: ExternalError) -> BaseException | None:
    """The exception behind an error, with its traceback as a note, in a form that can be sent."""
    cause = error.__cause__
    if cause is None:
        return None
    trace = "".join(traceback.format_exception(cause)).rstrip()
    try:
        pickle.loads(pickle.dumps(cause))
    except Exception:  # whatever a foreign exception's own pickling may raise
        cause = RuntimeError(one_line(cause))
    cause.add_note(f"In the process that played it:\n{trace}")
    return cause


def _check_sendable(policy: ExternalPolicy, workers: int) -> None:
    try:
        pickle.dumps(policy)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        accepted = "give workers = 1, or a policy that a module can import"
        problem = f"policy {policy.name!r} cannot be sent to another process"
        said = f"= {workers}: {problem} ({one_line(error)}); {accepted}"
        raise FieldError("workers", workers, accepted, said) from error
