"""Operations: what events do to a game's arrays, gathered and done with one call of the kernel.

What a call costs before it does anything is worth several decisions of 1 µs.
"""

from collections.abc import Collection
from typing import Any

import numpy as np

from copyproof.engine import live
from copyproof.engine.live import OPERATION, OUTCOME, serve
from copyproof.engine.live_records import BASE, EXPIRED, ROUND
from copyproof.engine.repeated_calls import RepeatedCalls
from copyproof.engine.selection import EVERYONE
from copyproof.live.arrays import Arrays
from copyproof.live.arrays_copy import ArraysCopy
from copyproof.live.records import MarketConfig
from copyproof.live.registry import Among, Registry
from copyproof.live.terms import plan_of, terms_of, unanswered_of
from copyproof.policy import Policy, parse_policy

_NONE = np.zeros(0, OUTCOME)
_NO_LISTS = np.zeros(0, np.int64)


class Operations:
    """The arrays of a game, and the operations that wait to be carried out on them."""

    def __init__(self, config: MarketConfig, policy: Policy | None = None) -> None:
        self.config = config = config.seeded()
        self.policy = parse_policy(config.policy) if policy is None else policy
        self.arrays = Arrays(plan_of(self.policy, config), unanswered_of(config))
        self.registry = Registry(config.per_agent, config.seen)
        self._terms, self._call = terms_of(config), RepeatedCalls()
        self.at = 0.0
        self._operations: list[tuple[int, int, int, int, float]] = []
        self._one = np.zeros(1, OPERATION)  # the array of them, if there is one
        self._lists: list[int] = []
        self._decisions = 0
        self._done = 0  # operations that were carried out since the last ``settle``
        self._outcomes: list[Any] = []
        self._made: list[int] = []
        self._expected: list[int] = []
        self.copying: ArraysCopy | None = None  # a copy that is being made, and told what changes

    def _gather(self, code: int, first: int, start: int = 0, stop: int = 0) -> None:
        self._operations.append((code, first, start, stop, 0.0))

    def gather(
        self, count: int, at: float, among: Among | None = None, slate: bool = False
    ) -> None:
        """Have decisions made with the next call of the kernel."""
        start = stop = -1
        code = live.SLATE if slate else live.ASK
        if among is not None:
            start = len(self._lists)
            numbers, ruled_out = map(self._numbers, (among.listed or (), among.ruled_out))
            self._lists += [EVERYONE] if among.listed is None else numbers
            self._lists += [-2 - number for number in ruled_out]
            stop = len(self._lists)
            code = live.SLATE if slate else live.AMONG
        self._operations.append((code, count, start, stop, at))
        self._decisions += count
        self.at = max(self.at, at)

    def _numbers(self, some: Collection[int]) -> list[int]:
        """Agents and arms as the arrays have them; of a principal with other names, arm by arm."""
        item_of, principals = self.arrays.item_of, self.registry.principals
        if principals.is_trivial:
            return [one if one >= 0 else item_of(-1 - one) for one in some]
        found: dict[int, None] = {}
        listed = frozenset(some)
        for one in some:
            if one < 0:
                found[item_of(-1 - one)] = None
            elif listed.issuperset(principals.names[principals.number[one]]):
                found[principals.number[one]] = None
            else:
                for arm in self.registry.arm_numbers[one].values():
                    found[item_of(arm)] = None
        return list(found)

    def _run(self, *, shadows: bool = False) -> None:
        """Carry out what was gathered, maybe as the shadow of a policy that has decided."""
        if not self._operations:
            return
        arrays, waiting = self.arrays, self._operations
        operations = self._one if len(waiting) == 1 else np.array(waiting, OPERATION)
        operations[0] = waiting[0]
        behind = self._decisions if shadows else 0
        outcomes = np.zeros(len(waiting) + behind, OUTCOME)
        lists = np.array(self._lists, np.int64) if self._lists else _NO_LISTS
        counters = arrays.counters.tolist()
        before, base, expired = counters[ROUND], counters[BASE], counters[EXPIRED]
        if before - base + self._decisions > len(arrays.log):
            arrays.fit_log(self._decisions)
            base = int(arrays.counters[BASE])
        if arrays.stale:
            arrays.show()
        self._operations, self._lists, self._decisions = [], [], 0
        terms = self._terms._replace(shadows=1) if shadows else self._terms
        if shadows:
            self._recall(arrays.log["arm"][before - base :])
        self._call(serve, arrays.shown, terms, operations, lists, outcomes)
        self._done += len(waiting)
        self._outcomes.append(outcomes)
        made = int(arrays.counters[ROUND])
        self._made += arrays.log["arm"][before - base : made - base].tolist()
        if self.copying is not None:
            told = operations["first"][operations["code"] == live.TELL]
            self.copying.note(told, expired, before)

    def _recall(self, log: Any) -> None:
        """Write decisions as the journal has them where the kernel looks; ``log`` is modified."""
        recorded = self._expected[len(self._made) :]
        log[: len(recorded)] = recorded

    def _joined_outcomes(self) -> Any:
        found = self._outcomes
        return found[0] if len(found) == 1 else np.concatenate([_NONE, *found])
