"""A kernel that is called again with the same records is the same kernel."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from copyproof.engine.repeated_calls import RepeatedCalls


class Record(NamedTuple):
    numbers: Any


def add(record: Record, one: float) -> float:
    record.numbers[0] += one
    return float(record.numbers[0])


def test_the_code_is_called_without_a_look_at_types() -> None:
    kernel: Any = njit(add)
    calls, records = RepeatedCalls(), (Record(np.zeros(1)),)
    found = [calls(kernel, records, 1.0) for _ in range(3)]
    assert found == [1.0, 2.0, 3.0]
    [only] = kernel.overloads.values()
    assert calls._code is only.entry_point


def test_other_records_and_other_kernels_are_looked_at() -> None:
    kernel: Any = njit(add)
    calls, records = RepeatedCalls(), (Record(np.zeros(1)),)
    calls(kernel, records, 1.0)
    whole = (Record(np.zeros(1, np.int64)),)  # whose bits say something else as floats
    assert calls(kernel, whole, 1.0) == 1
    assert whole[0].numbers[0] == 1
    # From now on there are two ways to read an array, and every call is looked at.
    assert calls(kernel, whole, 1.0) == 2
    assert calls._code is None
    assert calls(add, records, 1.0) == 2.0
