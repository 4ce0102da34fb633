"""Tasks: a slice of a cell's games, its audit or its exact values, and what comes of it.

A task is played in the calling thread, here or on another machine, and depends on the cell and the
slice alone. What goes wrong with one cell, such as a policy that raises, is an outcome, too: the
others are played all the same.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof.auditing import audit
from copyproof.auditing.result import Gain
from copyproof.exact_values import exact
from copyproof.exact_values.feasibility import ADVICE
from copyproof.external import ExternalPolicy
from copyproof.external.records import one_line
from copyproof.policy import Policy
from copyproof.simulation import Repetitions
from copyproof.simulation.run import play
from copyproof.simulation.slices import SlicedGame
from copyproof.studies.arrays import pack
from copyproof.studies.cells import Cell
from copyproof.studies.sums import Sums, Values, sums_of

# Numbers of tasks that are no slices.
EXTRAS = {"audit": -1, "exact": -2}
_NAMES = {number: name for name, number in EXTRAS.items()}
# What helps where exact values are too large: studies have no limit to give.
_ADVICE = "a shorter horizon or fewer different arms would help"


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """One slice of a cell (its number from 0), or one of ``EXTRAS``."""

    cell: Cell
    number: int

    @property
    def work(self) -> int:
        """Its part of the cell's T·R."""
        if self.number >= 0:
            return self.cell.slice(self.number)[1] * self.cell.horizon
        extras = self.cell.extras
        if self.cell.terms.plays:
            return 0
        share, rest = divmod(self.cell.work, len(extras))
        return share + rest * (self.number == EXTRAS[extras[0]])


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What came of a task: sums of a slice, or values of an extra; or why it failed."""

    digest: str
    number: int
    found: Sums | Values | None
    failure: str | None = None
    arrays: bytes | None = None
    work: int = 0


def tasks_of(cell: Cell, known: "set[int] | frozenset[int]" = frozenset()) -> Iterator[Task]:
    """All tasks of a cell but those that are known."""
    for number in (*range(cell.slices), *(EXTRAS[name] for name in cell.extras)):
        if number not in known:
            yield Task(cell, number)


def outcome_of(task: Task, games: Repetitions) -> Outcome:
    """What comes of a slice, once its games have been played."""
    cell = task.cell
    sums = sums_of(games, cell.market, cell.terms.measure)
    packed = pack(games) if cell.terms.arrays else None
    return Outcome(cell.digest, task.number, sums, arrays=packed, work=task.work)


def failure_of(task: Task, error: Exception) -> Outcome:
    """The outcome of a task that went wrong, with the reason on one line."""
    policy = task.cell.policy
    if isinstance(error, MemoryError):
        reason = "not enough memory"
    else:
        said = str(error) if isinstance(error, ValueError) else one_line(error)
        reason = " ".join(said.split()) or type(error).__name__
        reason = reason.replace(policy.loads, policy.text)  # no paths of a machine
        reason = reason.replace(ADVICE, _ADVICE)
    return Outcome(task.cell.digest, task.number, None, reason, work=task.work)


class Player:
    """Plays tasks in one thread; consecutive slices of a cell share their arrays.

    Parameters
    ----------
    control : array of int
        ``control[0]`` is the wish to stop, ``control[1 + worker]`` counts rounds.
    worker : int
        The number of this thread.
    processes : int
        For policies that are not ours; 0 plays them in this thread, as where it is no matter if
        one of them ends the program.
    device : str
        What audits play on: ``"cpu"``, or ``"cuda"`` for policies of ours.
    """

    def __init__(
        self,
        control: NDArray[np.int64] | None = None,
        worker: int = 0,
        processes: int = 0,
        device: str = "cpu",
    ) -> None:
        self._control = np.zeros(worker + 2, np.int64) if control is None else control
        self._worker = worker
        self._processes = processes
        self._device = device
        self._game: SlicedGame | None = None
        self._digest = ""

    def play(self, task: Task) -> Outcome | None:
        """Play one task; None if it was stopped.

        Raises
        ------
        OSError
            If the machine is at fault: no room for compiled code, no process.
        """
        cell, number = task.cell, task.number
        try:
            if number < 0:
                found = self._extra(cell, _NAMES[number])
                return Outcome(cell.digest, number, found, work=task.work)
            games = self._slice(cell, *cell.slice(number))
            return None if games is None else outcome_of(task, games)
        except OSError:
            raise
        except Exception as error:  # whatever a policy of one's own may raise
            return failure_of(task, error)

    def _slice(self, cell: Cell, first: int, count: int) -> Repetitions | None:
        policy = cell.policy.policy
        if isinstance(policy, ExternalPolicy):
            return self._external(cell, policy, first, count)
        if self._game is None or self._digest != cell.digest:
            self._game = SlicedGame(
                cell.market,
                policy,
                horizon=cell.horizon,
                seed=cell.seed,
                checkpoints=cell.checkpoints,
                schedule=cell.schedule,
            )
            self._digest = cell.digest
        return self._game.play(first, count, self._control, self._worker)

    def _external(
        self, cell: Cell, policy: ExternalPolicy, first: int, count: int
    ) -> Repetitions | None:
        before = int(self._control[1 + self._worker])

        def progress(rounds: int) -> None:
            self._control[1 + self._worker] = before + rounds
            if self._control[0]:
                raise _Stopped

        try:
            return play(
                cell.market,
                policy,
                first,
                count,
                horizon=cell.horizon,
                seed=cell.seed,
                checkpoints=cell.checkpoints,
                workers=max(1, self._processes),
                schedule=cell.schedule,
                progress=progress,
                apart=self._processes > 0,
            )
        except _Stopped:
            return None

    def _extra(self, cell: Cell, name: str) -> Values:
        policy = cell.policy.policy
        if name == "exact":
            if not isinstance(policy, Policy):
                raise ValueError(f"policy '{policy}' is not ours: exact values cannot be computed")
            return _exact_values(cell, policy)
        return _audit_values(cell, policy, max(1, self._processes), self._device)


class _Stopped(BaseException):
    """Breaks off the games of a policy that is not ours."""


def _exact_values(cell: Cell, policy: Policy) -> Values:
    found = exact(cell.market, policy, horizon=cell.horizon)
    return {
        "exact_regret": float(found.regret),
        "exact_revenue": [float(agent.revenue) for agent in found.agents],
        "exact_plays": [float(agent.plays) for agent in found.agents],
    }


def _audit_values(cell: Cell, policy: Policy | ExternalPolicy, workers: int, device: str) -> Values:
    given: dict[str, Any] = {**cell.terms.audit, "workers": workers, "device": device}
    found = audit(cell.market, policy, horizon=cell.horizon, seed=cell.seed, **given)
    best = [agent.best_deviation for agent in found.agents]
    tried = [
        _deviation(agent.name, gain, copying)
        for agent in found.agents
        for copying, gains in ((True, agent.copying), (False, agent.showing))
        for gain in gains
    ]
    return {
        "audit_verdict": found.verdict,
        "audit_method": found.method,
        "audit_rounds": found.rounds,
        "audit_agents": [agent.name for agent in found.agents],
        "audit_verdicts": [agent.verdict for agent in found.agents],
        "audit_gain": [gain.gain.mean for gain in best],
        "audit_gain_low": [gain.gain.low for gain in best],
        "audit_gain_high": [gain.gain.high for gain in best],
        "audit_copies": [list(gain.copies) for gain in best],
        "audit_revenue": [agent.revenue for agent in found.agents],
        "audit_tolerance": [agent.tolerance for agent in found.agents],
        "audit_deviations": tried,
    }


def _deviation(agent: str, found: Gain, copying: bool) -> dict[str, Any]:
    """One strategy that an audit has tried, as ``results`` keeps it."""
    gain, loss = found.gain, found.loss
    return {
        "agent": agent,
        "copies": list(found.copies),
        "copying": copying,
        **{"gain": gain.mean, "gain_low": gain.low, "gain_high": gain.high},
        **{"loss": loss.mean, "loss_low": loss.low, "loss_high": loss.high},
        "verdict": found.verdict,
        "games": found.repetitions,
    }


_LOCAL = threading.local()


def play_batch(batch: list[Task]) -> list[Outcome]:
    """Play some tasks, one after the other, in this thread of a worker that cannot be stopped."""
    player: Player | None = getattr(_LOCAL, "player", None)
    if player is None:
        player = _LOCAL.player = Player()
    return [found for task in batch if (found := player.play(task)) is not None]
