"""A live market's journal, as ``copyproof store export`` writes it, as rows of a log.

Of its lines three kinds are needed: ``arms`` = [[agent, arm], …] or [agent, arm, content], numbered
in the order in which they came; ``asked``: from ``round`` on, the numbers of the arms decided for;
``told``: rounds and their rewards. A row is a decision that a reward was told for, in the order of
the rewards; a decision without one is counted, and is no row. Names are tokens there, and contents
too: equal tokens are equal contents.
"""

import json
from collections.abc import Iterator
from typing import Any

from copyproof.inspect.problems import Problems

JOURNAL_COLUMNS = ("agent", "arm", "reward", "time", "content")
_AGAIN = "a reward that was told again, or of a decision before this journal: the first counts"
_UNANSWERED = "decisions that no reward was told for"


def is_journal(head: bytes) -> bool:
    """Whether a file begins as a journal does."""
    return b'"copyproof"' in head.partition(b"\n")[0][:200]


def journal_blocks(blocks: Iterator[bytes], problems: Problems) -> Iterator[Any]:
    """Give the decisions of a journal that were answered."""
    import pyarrow as pa

    reader = _Reader(problems)
    for block in blocks:
        rows = [row for line in block.splitlines() for row in reader.rows(line)]
        if rows:
            columns = list(zip(*rows, strict=True))
            yield pa.table(
                {
                    name: pa.array(values)
                    for name, values in zip(JOURNAL_COLUMNS, columns, strict=True)
                }
            )
    for round_, number in reader.waiting.items():
        problems.add(_UNANSWERED, round_, reader.arms[number][:2], left_out=True)


class _Reader:
    """What a journal has said so far."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.lines = 0
        self.numbers: dict[tuple[str, str], int] = {}
        self.arms: list[list[Any]] = []
        self.waiting: dict[int, int] = {}

    def rows(self, line: bytes) -> Iterator[tuple[Any, ...]]:
        """Give the rows that a line adds: agent, arm, reward, time, content."""
        self.lines += 1
        try:
            event = json.loads(line)
            kind = event.get("kind")
            if kind == "arms":
                for agent, arm, *content in event["arms"]:
                    if (agent, arm) not in self.numbers:
                        self.numbers[agent, arm] = len(self.arms)
                        self.arms.append([agent, arm, content[0] if content else None])
            elif kind == "asked":
                for place, number in enumerate(event["arms"]):
                    self.waiting[event["round"] + place] = number
            elif kind == "told":
                for round_, reward in zip(event["rounds"], event["rewards"], strict=True):
                    if round_ not in self.waiting:
                        self.problems.add(_AGAIN, round_, reward)
                        continue
                    agent, arm, content = self.arms[self.waiting.pop(round_)]
                    yield agent, arm, float(reward), float(event["at"]), content
        except (ValueError, KeyError, TypeError, IndexError, AttributeError):
            text = line[:60].decode(errors="replace")
            self.problems.add("no line of a journal", self.lines, text)
