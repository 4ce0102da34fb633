"""Precision and recall of labelled pairs."""

import pytest

from copyproof.fingerprints import precision_and_recall
from copyproof.validation import FieldError


def test_by_hand() -> None:
    points = precision_and_recall([0.9, 0.8, 0.6, 0.3], [True, False, True, True], [0.95, 0.7, 0.0])
    assert [(point.precision, point.recall) for point in points] == [
        (1.0, 0.0),
        (0.5, 1 / 3),
        (0.75, 1.0),
    ]
    assert (points[1].found, points[1].true) == (2, 1)


@pytest.mark.parametrize("same", [[False, False], [True]])
def test_labels_that_cannot_be_used(same: list[bool]) -> None:
    with pytest.raises(FieldError, match="same = "):
        precision_and_recall([0.1, 0.2], same, [0.5])
