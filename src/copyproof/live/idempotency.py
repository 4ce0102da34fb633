"""Answers by idempotency key: the same key gets the same answer again, for a day.

There may be as many keys as requests of a day, so each is kept as a short text and nothing else:
no objects that the garbage collector would walk through, and a snapshot joins the texts as they
are. Times never go back, so the keys that came first are the first to go.

A key may name its caller before a colon, as the service has it do (``CALLER:KEY``). Of one caller
the last ``MOST_ANSWERS`` answers are kept, however young the others are: nobody can fill the
memory. A request with a key that was forgotten is a new one. What is forgotten, and when, depends
on the events alone, so that a replay forgets the same.
"""

import json
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from copyproof.live.stores.texts import JSON

KEY_SECONDS = 86400.0
# Of one caller: half a minute of 10,000 requests a second, or a day of three.
MOST_ANSWERS = 300_000


class Answer(NamedTuple):
    """What was answered to the request of a key."""

    request: str  # its digest
    answer: Any


class Answers:
    """Answers by key, in the order in which the keys came.

    Parameters
    ----------
    most : int
        How many answers of one caller are kept.

    Examples
    --------
    >>> answers = Answers()
    >>> answers.put("mine", 0.0, "9f", [1, [17]])
    >>> answers.get("mine").answer
    [1, [17]]
    >>> answers.put("another", 86401.0, "9f", True)
    >>> answers.get("mine") is None
    True
    """

    def __init__(self, most: int = MOST_ANSWERS) -> None:
        self._most = most
        # Ordered, as a plain dict tells its first key only after stepping over all that are gone.
        self._texts: OrderedDict[str, str] = OrderedDict()
        # Per caller: its keys, the oldest first.
        self._callers: dict[str, deque[str]] = {}

    def __len__(self) -> int:
        return len(self._texts)

    def get(self, key: str) -> Answer | None:
        """What was answered to a key; None if it is new, or long forgotten."""
        text = self._texts.get(key)
        if text is None:
            return None
        _, request, answer = text.split(" ", 2)
        return Answer(request, json.loads(answer))

    def put(self, key: str, at: float, request: str, answer: Any) -> None:
        """Keep the answer that a key got at a time, and forget those of more than a day before."""
        texts = self._texts
        while texts and self._at(first := next(iter(texts))) < at - KEY_SECONDS:
            self._forget_first_of(_caller(first))
        if key not in texts:
            self._add(key)
        texts[key] = f"{at!r} {request} {''.join(JSON(answer, 0))}"

    def _add(self, key: str) -> None:
        """Make room for a key among those of its caller."""
        caller = _caller(key)
        if caller:
            mine = self._callers.setdefault(caller, deque())
            mine.append(key)
            if len(mine) > self._most:
                self._forget_first_of(caller)

    def _forget_first_of(self, caller: str) -> None:
        """Forget the oldest key of a caller; without one, the oldest of all, which has none."""
        if not caller:
            self._texts.popitem(last=False)
            return
        mine = self._callers[caller]
        del self._texts[mine.popleft()]
        if not mine:
            del self._callers[caller]

    def set_clock(self, at: float) -> None:
        """Let what was answered after a time, which the clock is set back to, be answered then."""
        for key, text in self._texts.items():
            if self._at(key) > at:
                self._texts[key] = f"{at!r} {text.partition(' ')[2]}"

    def replace_requests(self, replaced: Callable[[str], str]) -> None:
        """Replace the digests of requests."""
        for key, text in self._texts.items():
            at, request, answer = text.split(" ", 2)
            self._texts[key] = f"{at} {replaced(request)} {answer}"

    def _at(self, key: str) -> float:
        text = self._texts[key]
        return float(text[: text.index(" ")])

    def export(self) -> Any:
        """All of it as an array of bytes. A key is one line, and so is its text."""
        lines = (f"{key}\n{text}\n" for key, text in self._texts.items())
        return np.frombuffer("".join(lines).encode(), np.uint8)

    def load(self, saved: Any) -> None:
        """Take over what ``export`` wrote; more than is kept of a caller is left out."""
        lines = saved.tobytes().decode().split("\n")
        self._texts, self._callers = OrderedDict(), {}
        for key, text in zip(lines[:-1:2], lines[1::2], strict=True):
            self._texts[key] = text
            self._add(key)


def _caller(key: str) -> str:
    """Return whom a key names as its caller; nobody if it has no colon."""
    caller, colon, _ = key.partition(":")
    return caller if colon else ""
