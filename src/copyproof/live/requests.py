"""What every request meets: its idempotency key before it, guard rails before and after it."""

import hashlib
import logging
from dataclasses import replace
from typing import Any

from copyproof.live import events
from copyproof.live.events import IdempotencyKey, MarketEvent
from copyproof.live.idempotency import Answer, Answers
from copyproof.live.journaled import Journaled
from copyproof.live.records import KeyReused, MarketPaused
from copyproof.live.stores.texts import JSON
from copyproof.live.switch import SwitchState
from copyproof.live.watch import line_of
from copyproof.validation import name, shown

_log = logging.getLogger("copyproof.live")
_MOST_UNCHANGED = 1000  # answers of one caller to requests that changed nothing


class Requests(Journaled):
    """One market, with what its requests meet; ``AskTell`` carries them out."""

    def _rebuild(self) -> None:
        # Answers to requests that changed nothing: they are no events, and end with the process, or
        # as soon as something is undone, which they may have seen.
        self._unchanged = Answers(_MOST_UNCHANGED)
        self._notices: list[str] = []  # for the log, once what they are about is stored
        super()._rebuild()

    def stored(self) -> None:
        """Go on from what was staged: the store has it."""
        super().stored()
        if self._notices:
            self._tell_notices()

    def _write(self, event: MarketEvent) -> Any:
        """Carry an event out in memory, and what follows from it; all of it is committed later."""
        outcomes = super()._write(event)
        if self._state.watch.crossing is not None:
            self._cross_rail()
        return outcomes

    def _expire_due(self, now: float | None = None) -> float:
        """Write down what has expired by now; the time."""
        at = self._time(now)
        due = self._state.due(at)
        if due is not None:
            self._write(events.Expired(*due, at))
        return at

    # --- guard rails ---------------------------------------------------------------------------

    def _checked_rails(self, state: SwitchState) -> float:
        """Refuse to decide while paused, also for what expires just now; the time."""
        with self.group():  # it is written down, also if nothing is decided
            now = self._expire_due()
        if state.watch.paused is not None:
            raise MarketPaused(state.watch.why_paused(state.registry))
        return now

    def _cross_rail(self) -> None:
        """Write down that a guard rail was left, and do what it says."""
        state = self._state
        assert state.watch.crossing is not None
        rail, measured, owner = state.watch.crossing
        self._write(events.RailCrossed(rail, measured, state.at, owner))
        crossed = state.watch.crossed(state.registry)
        if crossed is not None:
            said = line_of(replace(crossed, agent=None))  # a name may have to be forgotten
            self._notices.append(f"a guard rail was left ({crossed.then}): {said}")

    def _tell_notices(self) -> None:
        """Write to the log what is stored now."""
        for notice in self._notices:
            _log.warning("market %s: %s", self.market, notice, extra={"market": self.market})
        self._notices = []

    # --- keys ----------------------------------------------------------------------------------

    def _keyed(self, key: str | None, request: Any) -> tuple[IdempotencyKey | None, Answer | None]:
        """A caller's key with the digest of its request, and what was answered to it before.

        KeyReused if that was the answer to another request.
        """
        if key is None:
            return None, None
        key, state = name("key", key), self._rebuilt()
        if key in self._gathered_keys:
            self.carry_out()
        digest = hashlib.sha256("".join(JSON(request, 0)).encode()).hexdigest()[:32]
        found = state.answers.get(key) or self._unchanged.get(key)
        # A token stands for the digest if a name was forgotten since.
        if found and found.request not in (digest, self._blinding.token(digest)):
            raise KeyReused(f"key = {shown(key)} is not free: it came with another request before")
        return IdempotencyKey(key, digest), found

    def _remember_unchanged(self, keyed: IdempotencyKey | None, answer: Any) -> None:
        """Remember the answer to a request that changed nothing, without writing anything.

        Once it is forgotten, as after a restart, the same request is carried out as a new one: it
        did nothing the first time, so nothing is done twice.
        """
        if keyed is not None:
            self._unchanged.put(keyed.key, self._time(), keyed.request, answer)
