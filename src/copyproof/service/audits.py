"""What would copies gain here? Audits of a market's present estimates, as jobs of their own.

The service does not know the laboratory: an audit is the program ``copyproof audit``, in a process
of its own with the lowest priority, on a market file that is written from what the arms of the
market seem to pay now (``live.estimates``). One runs at a time; what it found is kept in memory,
the last few of each market.
"""

import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from copyproof.live.estimates import Estimates
from copyproof.service.errors import Refusal

MOST_AGENTS, MOST_ARMS = 8, 4  # of a market that is audited
_KEPT = 10  # audits of one market
_WAITING = 8
_SECONDS = 300.0  # that one may take
_LONGEST = 300  # characters of what went wrong

AuditState: TypeAlias = Literal["waiting", "running", "done", "failed"]


@dataclass(frozen=True, slots=True)
class AuditedAgent:
    """What the best copying that was tried would gain an agent, with limits."""

    agent: str
    verdict: str
    copies: tuple[int, ...]
    gain: float
    low: float
    high: float
    revenue: float


@dataclass(frozen=True, slots=True)
class AuditReport:
    """An audit of a market's estimates, and what it found, once it is done.

    ``arms`` is how many arms it looks at, ``left_out`` how many agents and arms it does not.
    """

    id: str
    market: str
    policy: str
    horizon: int
    at: float
    state: AuditState
    arms: int
    left_out: int
    seconds: float | None = None
    verdict: str | None = None
    agents: tuple[AuditedAgent, ...] = ()
    error: str | None = None


class Audits:
    """The audits of one process.

    Parameters
    ----------
    clock : callable
        Seconds since 1970.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._pool = ThreadPoolExecutor(1, "audits")
        self._lock = threading.Lock()
        self._reports: dict[str, AuditReport] = {}
        self._process: subprocess.Popen[str] | None = None
        self._is_closed = False

    def of(self, market: str) -> list[AuditReport]:
        """Return the audits of a market, the newest first."""
        with self._lock:
            return [one for one in reversed(self._reports.values()) if one.market == market]

    def start(self, market: str, policy: str, horizon: int, found: Estimates) -> AuditReport:
        """Begin an audit, or let it wait for the one before.

        Raises
        ------
        Refusal
            409 if there is nothing to audit, 503 if too many wait.
        """
        if not found.agents:
            raise Refusal(409, "market", "no arm is registered: there is nothing to audit")
        report = AuditReport(
            id=secrets.token_hex(6),
            market=market,
            policy=policy,
            horizon=horizon,
            at=self._clock(),
            state="waiting",
            arms=sum(map(len, found.agents.values())),
            left_out=found.left_out,
        )
        with self._lock:
            open_ones = [
                one for one in self._reports.values() if one.state in ("waiting", "running")
            ]
            if len(open_ones) >= _WAITING or self._is_closed:
                raise Refusal(503, "audits", f"{len(open_ones)} audits are waiting, try again", 30)
            own = [one.id for one in self._reports.values() if one.market == market]
            for old in own[: max(0, len(own) - _KEPT + 1)]:
                if self._reports[old].state in ("done", "failed"):
                    del self._reports[old]
            self._reports[report.id] = report
        self._pool.submit(self._run, report, found)
        return report

    def close(self) -> None:
        """End the one that runs, and begin no other."""
        with self._lock:
            self._is_closed = True
            process = self._process
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, report: AuditReport, found: Estimates) -> None:
        """Run one audit; on the thread of audits."""
        began = time.monotonic()
        self._note(replace(report, state="running"))
        try:
            with tempfile.TemporaryDirectory(prefix="copyproof-audit-") as folder:
                file = Path(folder, "market.json")
                file.write_text(json.dumps(found.to_market()), encoding="utf-8")
                answer = self._program(report, file)
            done = replace(
                report,
                state="done",
                verdict=answer["verdict"],
                agents=tuple(map(_agent, answer["agents"])),
            )
        except (OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
            said = " ".join(str(error).split())[:_LONGEST] or type(error).__name__
            done = replace(report, state="failed", error=said)
        self._note(replace(done, seconds=time.monotonic() - began))

    def _program(self, report: AuditReport, file: Path) -> Any:
        """Run the program; what it answers."""
        command = [sys.executable, "-m", "copyproof", "audit", str(file), "--json"]
        command += ["--policy", report.policy, "--horizon", str(report.horizon)]
        command += ["--seed", "1", "--workers", "1"]
        # The store's address and its password are no business of an audit.
        kept = {name: each for name, each in os.environ.items() if "COPYPROOF" not in name}
        with self._lock:
            if self._is_closed:
                raise ValueError("the service stops")
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=kept,
            )
            self._process = process
        try:
            if sys.platform != "win32":
                with suppress(OSError):
                    os.setpriority(os.PRIO_PROCESS, process.pid, 19)
            said, wrong = process.communicate(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise ValueError(f"it took longer than {_SECONDS:g} seconds") from None
        finally:
            with self._lock:
                self._process = None
        if process.returncode != 0:
            lines = [line for line in wrong.splitlines() if line.strip()]
            raise ValueError(lines[-1] if lines else f"it ended with status {process.returncode}")
        return json.loads(said)

    def _note(self, report: AuditReport) -> None:
        with self._lock:
            if report.id in self._reports:
                self._reports[report.id] = report


def _agent(found: Any) -> AuditedAgent:
    best = found["best_deviation"]
    return AuditedAgent(
        agent=found["name"],
        verdict=found["verdict"],
        copies=tuple(best["copies"]),
        gain=best["gain"],
        low=best["low"],
        high=best["high"],
        revenue=found["revenue"],
    )
