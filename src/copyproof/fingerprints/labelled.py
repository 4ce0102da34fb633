"""How good a threshold is, on pairs of which it is known whether they are the same.

With s the similarity of a pair and θ the threshold, precision is the share of true pairs among
those with s ≥ θ, and recall the share of the true pairs that have it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from copyproof.validation import FieldError


@dataclass(frozen=True, slots=True)
class Point:
    """Precision and recall at one threshold.

    Attributes
    ----------
    threshold, precision, recall : float
        Precision is 1 where nothing is found.
    found, true : int
        Pairs at or above the threshold, and how many of these are true.
    """

    threshold: float
    precision: float
    recall: float
    found: int
    true: int


def precision_and_recall(
    similarities: Iterable[float], same: Iterable[bool], thresholds: Sequence[float]
) -> tuple[Point, ...]:
    """Return precision and recall of labelled pairs at each threshold.

    Parameters
    ----------
    similarities : iterable of float
        Of each pair.
    same : iterable of bool
        Whether it is a true one.
    thresholds : sequence of float
        To be tried.

    Examples
    --------
    >>> precision_and_recall([0.9, 0.6, 0.2], [True, False, True], [0.5])
    (Point(threshold=0.5, precision=0.5, recall=0.5, found=2, true=1),)
    """
    alike, truth = np.asarray([*similarities], float), np.asarray([*same], bool)
    if alike.shape != truth.shape or not truth.any():
        raise FieldError("same", truth.shape, f"as long as {alike.shape}, with one that is true")
    points = []
    for threshold in thresholds:
        above = alike >= threshold
        found, true = int(above.sum()), int((above & truth).sum())
        precision = true / found if found else 1.0
        points.append(Point(float(threshold), precision, true / int(truth.sum()), found, true))
    return tuple(points)
