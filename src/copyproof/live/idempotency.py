"""Answers by idempotency key: the same key gets the same answer again, for a day.

There may be as many keys as requests of a day, so each is kept as a short text and nothing else:
no objects that the garbage collector would walk through, and a snapshot joins the texts as they
are. Times never go back, so the keys that came first are the first to go.
"""

import json
from collections import deque
from typing import Any, NamedTuple

import numpy as np

KEY_SECONDS = 86400.0


class Answer(NamedTuple):
    """What was answered to the request of a key."""

    request: str  # its digest
    answer: Any


class Answers:
    """Answers by key, in the order in which the keys came.

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

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        # A dict could tell its first key, too, but steps over all that were removed before it.
        self._order: deque[str] = deque()

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
        while self._order and self._at(self._order[0]) < at - KEY_SECONDS:
            del self._texts[self._order.popleft()]
        if key not in self._texts:
            self._order.append(key)
        self._texts[key] = f"{at!r} {request} {json.dumps(answer, separators=(',', ':'))}"

    def set_clock(self, at: float) -> None:
        """Let what was answered after a time, which the clock is set back to, be answered then."""
        for key, text in self._texts.items():
            if self._at(key) > at:
                self._texts[key] = f"{at!r} {text.partition(' ')[2]}"

    def _at(self, key: str) -> float:
        text = self._texts[key]
        return float(text[: text.index(" ")])

    def export(self) -> Any:
        """All of it as an array of bytes. A key is one line, and so is its text."""
        lines = (f"{key}\n{self._texts[key]}\n" for key in self._order)
        return np.frombuffer("".join(lines).encode(), np.uint8)

    def load(self, saved: Any) -> None:
        """Take over what ``export`` wrote."""
        lines = saved.tobytes().decode().split("\n")
        self._order = deque(lines[:-1:2])
        self._texts = dict(zip(self._order, lines[1::2], strict=True))
