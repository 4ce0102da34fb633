"""How a snapshot of an earlier format is brought up to date: one step at a time.

A step changes the words and arrays of one format into those of the next. There is none until a
release has a format of its own. Tables have steps, too (``stores.schema``).
"""

from collections.abc import Callable
from typing import Any

Step = Callable[[dict[str, Any], dict[str, Any]], None]
STEPS: dict[int, Step] = {}


def bring_up_to_date(words: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Walk the steps from the format of a snapshot on; both are modified in place."""
    while (step := STEPS.get(words["format"])) is not None:
        step(words, arrays)
        words["format"] += 1
