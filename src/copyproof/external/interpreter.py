"""A policy in another Python interpreter, for packages that cannot live beside copyproof.

The other interpreter runs ``worker.py``, one small file without dependencies, and speaks JSON, a
line per question and answer, over its standard input and output. It is started when first needed,
plays one game after the other, and ends with the policy object or with this process. A process that
was forked off this one starts an interpreter of its own.

SMPyBandits is played this way: it needs NumPy 1.26.
"""

import json
import os
import subprocess
import sys
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copyproof.external.libraries import call_text, says_all
from copyproof.external.records import ExternalError, ExternalPolicy
from copyproof.validation import shown

_HERE = Path(__file__).parent


class InterpreterError(RuntimeError):
    """What went wrong in the other interpreter."""

    def __str__(self) -> str:
        return " ".join(super().__str__().split())


class Interpreter:
    """A factory whose learners live in another interpreter, one game at a time.

    Parameters
    ----------
    python : str
        The program.
    where, name
        The factory there: a module or a ``.py`` file, and what it is called in it.
    parameters : mapping
        What the factory is given besides; it must be possible to write them as JSON.
    """

    def __init__(self, python: str, where: str, name: str, parameters: Mapping[str, Any]) -> None:
        self.python = python
        self.target = [where, name, dict(parameters)]
        self._process: subprocess.Popen[str] | None = None
        self._starter = 0
        self._game = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return (Interpreter, (self.python, *self.target))

    def __call__(
        self, arms: Sequence[str], *, owners: Mapping[str, str], horizon: int, seed: int
    ) -> "RemoteLearner":
        """Begin a game there, which ends the one before."""
        self.ask("make", [list(arms), dict(owners), horizon, seed])
        self._game += 1
        return RemoteLearner(self, self._game)

    def ask(self, what: str, given: Any) -> Any:
        """Put a question, and return the answer."""
        process = self._running()
        try:
            return self._exchange(process, what, given)
        except InterpreterError:
            raise
        except BaseException:
            self.close()  # interrupted between question and answer: the line is out of step
            raise

    def close(self) -> None:
        """End the interpreter; the next question starts another one."""
        process, self._process = self._process, None
        if process is not None and self._starter == os.getpid():
            _end(process)

    def _running(self) -> "subprocess.Popen[str]":
        if self._process is not None and self._starter == os.getpid():
            return self._process
        try:
            process = subprocess.Popen(
                [self.python, str(_HERE / "worker.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
            )
        except OSError as error:
            raise InterpreterError(
                f"python = {shown(self.python)} cannot be started: {error.strerror}"
            ) from None
        self._process, self._starter = process, os.getpid()
        weakref.finalize(self, _end, process)
        try:
            self._exchange(process, "load", self.target)
        except BaseException:
            self.close()
            raise
        return process

    def _exchange(self, process: "subprocess.Popen[str]", what: str, given: Any) -> Any:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps({what: given}) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line.endswith("\n"):
            self.close()
            raise InterpreterError(
                f"the interpreter {self.python} ended with status {process.returncode}"
            )
        answer = json.loads(line)
        if "error" in answer:
            raise InterpreterError(f"{answer['error']} (in {self.python})")
        return answer["ok"]


@dataclass(frozen=True, slots=True)
class RemoteLearner:
    """A game that is played in another interpreter."""

    interpreter: Interpreter
    game: int

    def choose(self) -> str:
        """Return the arm that the policy over there chooses."""
        arm: str = self._ask("choose", [])
        return arm

    def learn(self, arm: str, reward: float) -> None:
        """Pass the reward on."""
        self._ask("learn", [arm, reward])

    def _ask(self, what: str, given: list[Any]) -> Any:
        if self.game != self.interpreter._game:
            raise InterpreterError("another game has begun in this interpreter")
        return self.interpreter.ask(what, given)


def _end(process: "subprocess.Popen[str]") -> None:
    """Close the pipes, upon which the worker ends by itself, and see to it that it does."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except BrokenPipeError:
                continue  # it has ended already
    try:
        process.wait(1.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def interpreter_policy(
    where: str, name: str, /, *, python: str | os.PathLike[str], **parameters: Any
) -> ExternalPolicy:
    """Take a policy that another interpreter has, with packages that this one cannot have.

    Parameters
    ----------
    where : str
        A module that can be imported there, or the path of a ``.py`` file.
    name : str
        What the factory is called in it; see ``ExternalPolicy``.
    python : path
        The other interpreter, Python 3.9 or newer. It need not have copyproof.
    **parameters
        Further keyword arguments of the factory: anything that JSON can carry.

    Returns
    -------
    ExternalPolicy

    Examples
    --------
    >>> import tempfile
    >>> source = '''
    ... class First:
    ...     def __init__(self, arms, *, owners, horizon, seed):
    ...         self.choose = lambda: arms[0]
    ...         self.learn = lambda arm, reward: None
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "mine.py"
    ...     _ = file.write_text(source)
    ...     policy = interpreter_policy(str(file), "First", python=sys.executable)
    >>> learner = policy.factory(["ann/1"], owners={"ann/1": "ann"}, horizon=1, seed=0)
    >>> learner.choose()
    'ann/1'
    """
    shown_too = {**parameters, "python": str(python)}
    text = call_text(where, name, shown_too)
    return _checked(text, shown_too, Interpreter(str(python), where, name, parameters))


def smpybandits_policy(
    kind: str, /, *, python: str | os.PathLike[str] | None = None, **parameters: Any
) -> ExternalPolicy:
    """Take a policy from SMPyBandits, which is played in an interpreter of its own.

    Parameters
    ----------
    kind : str
        A class of ``SMPyBandits.Policies``, such as ``"UCB"``.
    python : path, optional
        The interpreter of an environment with SMPyBandits; this one by default.
    **parameters
        What the class is made with, besides the number of arms. The horizon is filled in where
        the class asks for it.

    Returns
    -------
    ExternalPolicy
    """
    shown_too = parameters if python is None else {**parameters, "python": str(python)}
    text = call_text("smpybandits", kind, shown_too)
    where = str(_HERE / "smpybandits_learner.py")
    given = {"kind": kind, "parameters": parameters}
    program = sys.executable if python is None else str(python)
    try:
        made = Interpreter(program, where, "SmpybanditsLearner", given)
        return _checked(text, shown_too, made)
    except ExternalError as error:
        if "No module named 'SMPyBandits'" not in str(error):
            raise
        raise ExternalError(
            f"policy = {text!r}: {program} does not have SMPyBandits; install SMPyBandits, "
            "numpy==1.26.4, scipy==1.14.1 and six in an environment of their own, and give "
            "python=PATH of its interpreter"
        ) from None


def source_there(python: str, where: str) -> str:
    """Say which code a module or a file is in another interpreter; see ``worker.source``.

    Examples
    --------
    >>> source_there(sys.executable, "river").partition(" ")[0].count(".")
    2
    """
    there = Interpreter(python, str(_HERE / "worker.py"), "source", {})
    try:
        found: str = there.ask("source", [where])
    except InterpreterError as error:
        raise ExternalError(f"policy: the code of {where} cannot be found: {error}") from error
    finally:
        there.close()
    return found


def _checked(text: str, shown_too: Mapping[str, Any], factory: Interpreter) -> ExternalPolicy:
    """Make a learner once, so that what is missing there is found before the first game."""
    try:
        factory(["a/1", "b/1"], owners={"a/1": "a", "b/1": "b"}, horizon=2, seed=0)
    except (InterpreterError, TypeError) as error:
        raise ExternalError(f"policy = {text!r}: {error}") from error
    return ExternalPolicy(text, factory, text if says_all(text, shown_too) else None)
