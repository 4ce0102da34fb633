"""Answers by idempotency key: the same key gets the same answer again, for a day.

There may be as many keys as requests of a day, so each is kept as a short text and nothing else:
no objects that the garbage collector would walk through, and a snapshot joins the texts as they
are. They lie in blocks, in the order in which they came, so that a copy can be made block by block
while more come; a block in which few are left is joined with the next one, so that memory and
copies follow what is kept. Times never go back, so the keys that came first are the first to go.

A key may name its caller before a colon, as the service has it do (``CALLER:KEY``). Of one caller
the last ``MOST_ANSWERS`` answers are kept, and of these the last with ``MOST_CHARACTERS`` together,
however young the others are: nobody can fill the memory. A request with a key that was forgotten is
a new one. What is forgotten, and when, depends on the events alone, so that a replay forgets the
same.
"""

import json
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from copyproof.live.stores.texts import JSON

KEY_SECONDS = 86400.0
# Of one caller: half a minute of 10,000 requests a second, or a day of three.
MOST_ANSWERS = 300_000
# Of one caller: about as many answers to single decisions; of 1,000 rewards at a time some 1,600.
MOST_CHARACTERS = 2**25
_BESIDE = 50  # characters that count for time and digest: how long they are depends on more
_BLOCK = 1024  # keys
_SMALL = _BLOCK // 4  # keys of a block that is joined with another
_FEW = 32  # blocks that the last step of a copy may copy
_PASSES = 3  # over blocks that have changed, before a copy is finished however many there are


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
    characters : int
        How many characters their keys and answers may have together; one is always kept.

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

    def __init__(self, most: int = MOST_ANSWERS, characters: int = MOST_CHARACTERS) -> None:
        self._most = most
        self._characters = characters
        # Texts by key in blocks; the blocks, the oldest first; and the block of each key.
        self._blocks: dict[int, dict[str, str]] = {}
        self._order: list[int] = []
        self._block_of: dict[str, int] = {}
        self._last = 0
        # Per caller: its keys, the oldest first, and their characters together.
        self._callers: dict[str, deque[str]] = {}
        self._sizes: dict[str, int] = {}
        # How many changes there were, and which was the last of each block.
        self._changes = 0
        self._changed: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._block_of)

    def _text(self, key: str) -> str | None:
        block = self._block_of.get(key)
        return None if block is None else self._blocks[block][key]

    def get(self, key: str) -> Answer | None:
        """What was answered to a key; None if it is new, or long forgotten."""
        text = self._text(key)
        if text is None:
            return None
        _, request, answer = text.split(" ", 2)
        return Answer(request, json.loads(answer))

    def put(self, key: str, at: float, request: str, answer: Any) -> None:
        """Keep the answer that a key got at a time, and forget those of more than a day before."""
        while self._order:
            first, text = next(iter(self._blocks[self._order[0]].items()))
            if float(text[: text.index(" ")]) >= at - KEY_SECONDS:
                break
            self._forget_first_of(_caller(first), first)
        self._add(key, f"{at!r} {request} {''.join(JSON(answer, 0))}")

    def _add(self, key: str, text: str) -> None:
        """Keep a text, in the place of one of the same key; make room among those of its caller."""
        caller, before = _caller(key), self._text(key)
        if before is None:
            if len(self._blocks.get(self._last, ())) >= _BLOCK:
                self._last += 1
            if self._last not in self._blocks:
                self._blocks[self._last] = {}
                self._order.append(self._last)
            self._block_of[key] = self._last
        block = self._block_of[key]
        self._blocks[block][key] = text
        self._note(block)
        if not caller:
            return
        mine = self._callers.setdefault(caller, deque())
        if before is None:
            mine.append(key)
        more = _size(key, text) - (0 if before is None else _size(key, before))
        self._sizes[caller] = self._sizes.get(caller, 0) + more
        while len(mine) > self._most or (self._sizes[caller] > self._characters and len(mine) > 1):
            self._forget_first_of(caller, mine[0])

    def _forget_first_of(self, caller: str, key: str) -> None:
        """Forget a key, which is the oldest of its caller, or has none and is the oldest of all."""
        number = self._block_of.pop(key)
        block = self._blocks[number]
        text = block.pop(key)
        self._note(number)
        if len(block) <= _SMALL:
            self._join(number)
        if not caller:
            return
        mine = self._callers[caller]
        mine.popleft()
        self._sizes[caller] -= _size(key, text)
        if not mine:
            del self._callers[caller], self._sizes[caller]

    def _join(self, number: int) -> None:
        """Put what is left of a block into the next or the one before, if there is room."""
        place, block = bisect_left(self._order, number), self._blocks[number]
        for other in (*self._order[place + 1 : place + 2], *self._order[max(place, 1) - 1 : place]):
            there = self._blocks[other]
            if len(there) + len(block) <= _BLOCK:
                both = {**block, **there} if other > number else {**there, **block}
                self._blocks[other] = both
                self._block_of |= dict.fromkeys(block, other)
                self._note(other)
                break
        else:
            if block:
                return
        del self._blocks[number], self._changed[number], self._order[place]

    def _note(self, block: int) -> None:
        self._changes += 1
        self._changed[block] = self._changes

    def set_clock(self, at: float) -> None:
        """Let what was answered after a time, which the clock is set back to, be answered then."""

        def earlier(text: str) -> str:
            time, _, rest = text.partition(" ")
            return f"{at!r} {rest}" if float(time) > at else text

        self._replace(earlier)

    def replace_requests(self, replaced: Callable[[str], str]) -> None:
        """Replace the digests of requests."""

        def with_other(text: str) -> str:
            at, request, answer = text.split(" ", 2)
            return f"{at} {replaced(request)} {answer}"

        self._replace(with_other)

    def _replace(self, replaced: Callable[[str], str]) -> None:
        """Replace texts by others of the same size."""
        for number, block in self._blocks.items():
            self._blocks[number] = {key: replaced(text) for key, text in block.items()}
            self._note(number)

    def export(self) -> Any:
        """All of it as an array of bytes. A key is one line, and so is its text."""
        return AnswersCopy(self).finish()()

    @property
    def blocks(self) -> dict[int, int]:
        """The blocks by number, in order, with the number of their last change; a copy."""
        return {number: self._changed[number] for number in self._order}

    def last_change(self, number: int) -> int | None:
        """The number of a block's last change; None if it is gone."""
        return self._changed.get(number)

    def block(self, number: int) -> list[tuple[str, str]]:
        """The keys of a block with their texts; a copy."""
        return list(self._blocks[number].items())

    def load(self, saved: Any) -> None:
        """Take over what ``export`` wrote; more than is kept of a caller is left out."""
        lines = saved.tobytes().decode().split("\n")
        self._blocks, self._order, self._block_of, self._last = {}, [], {}, 0
        self._callers, self._sizes, self._changed = {}, {}, {}
        for key, text in zip(lines[:-1:2], lines[1::2], strict=True):
            self._add(key, text)


class AnswersCopy:
    """What ``Answers.export`` gives, made in steps, between which there may be more answers.

    To copy hundreds of thousands at once takes a tenth of a second. A step copies one block. The
    last step copies those that have changed since: the newest, and where an answer was forgotten.

    Parameters
    ----------
    answers : Answers
        What is copied.
    """

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        # By number: the last change of a block when it was copied, and what it held.
        self._copied: dict[int, tuple[int, list[tuple[str, str]]]] = {}
        self._steps, self._is_done = self._copy_all(), False

    def step(self) -> bool:
        """Copy one block more; whether so few are left that it can be finished."""
        next(self._steps, None)
        return self._is_done

    def _copy_all(self) -> Iterator[None]:
        for _ in range(_PASSES):
            waiting = self._waiting()
            if len(waiting) <= _FEW:
                break
            for number in waiting:
                self._copy(number)
                yield
        self._is_done = True

    def _waiting(self) -> list[int]:
        """Blocks that are not copied, or have changed since."""
        none = (-1, None)
        found = self._answers.blocks.items()
        return [number for number, change in found if self._copied.get(number, none)[0] != change]

    def _copy(self, number: int) -> None:
        change = self._answers.last_change(number)
        if change is not None:  # it may be gone
            self._copied[number] = change, self._answers.block(number)

    def finish(self) -> Callable[[], Any]:
        """Copy what is left; the array of bytes, to be had from another thread."""
        for number in self._waiting():
            self._copy(number)
        there = [self._copied[number][1] for number in self._answers.blocks]

        def packed() -> Any:
            # In pieces, as other threads wait while one is made; for joining bytes they do not.
            texts = ("".join(f"{key}\n{text}\n" for key, text in block) for block in there)
            return np.frombuffer(b"".join([text.encode() for text in texts]), np.uint8)

        return packed


def _size(key: str, text: str) -> int:
    """Return how many characters a key and its answer count for."""
    return len(key) + _BESIDE + len(text) - text.index(" ", text.index(" ") + 1)


def _caller(key: str) -> str:
    """Return whom a key names as its caller; nobody if it has no colon."""
    caller, colon, _ = key.partition(":")
    return caller if colon else ""
