"""Duplicate detection by equal histories: arms that were paid the same rewards in the same order.

Two arms are suspected if their first m answers agree one by one (m = 16, 64, 256 or 1024, the
largest at which they do), and independent arms would hardly do so. With independent rewards the
chance that two arms agree m times is c^m, where c is the chance that two rewards of such an arm are
equal. c is estimated by how often a reward of the arm equals the one before it, plus one in case
of luck: c = (repeats + 1) / (answers + 1). Among n arms there are n(n − 1)/2 pairs; a group is
shown if their number times c^m, the number of such pairs to be expected by chance, is below 1/1000.

What it can tell: the same thing submitted twice, where the reward is a property of the thing (a
price, a score, a quality that is measured) or of the same audience at the same time. What it
cannot: copies whose rewards are drawn anew at each play, as clicks are, have histories of their own
and look like any two arms of equal mean; and an arm that always pays the same says nothing at all
(c is near 1). So an empty list is no proof of honesty. The policies do not need one: they keep
copies from paying without knowing them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from copyproof.client.records import Suspicion
from copyproof.engine.live_records import PRINTS

_MOST_EXPECTED = 1e-3


def suspected(
    history: Any, prints: Any, names: Sequence[tuple[str, str]], pairs: float
) -> tuple[Suspicion, ...]:
    """Groups of arms with equal histories, those that agree longest first.

    Parameters
    ----------
    history, prints : array
        Per arm that is looked at, as the engine keeps them.
    names : sequence of (agent, arm)
        Whose they are.
    pairs : float
        How many pairs of arms there are, those with few answers included.
    """
    found: list[Suspicion] = []
    seen: set[int] = set()
    for level in range(len(PRINTS) - 1, -1, -1):
        there = np.flatnonzero(history["rewards"] >= PRINTS[level])
        order = there[np.argsort(prints[there, level], kind="stable")]
        marks = prints[order, level]
        edges = np.concatenate(([0], np.flatnonzero(marks[1:] != marks[:-1]) + 1, [len(order)]))
        several = np.flatnonzero(np.diff(edges) > 1)  # most have a history of their own
        for start, stop in zip(edges[several], edges[several + 1], strict=True):
            group = order[start:stop]
            if seen.issuperset(group.tolist()):
                continue
            rewards = history["rewards"][group]
            agreeing = (history["repeats"][group] + 1.0) / (rewards + 1.0)
            chance = float(pairs * np.max(agreeing) ** PRINTS[level])
            if chance < _MOST_EXPECTED:
                seen.update(group.tolist())
                named = tuple(names[place] for place in np.sort(group).tolist())
                found.append(Suspicion(named, PRINTS[level], chance))
    return tuple(found)
