"""From the values of a column to numbers: codes of names, rewards, times; −1 and NaN for bad ones.

Names are coded by a table that grows as new ones come; a value is looked at once for each block in
which it stands, however many rows have it.
"""

import math
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof.validation import FieldError, name

MISSING = -1
UNREADABLE = -2


class Codes:
    """The names of a column, in the order in which they came."""

    def __init__(self, field: str) -> None:
        self.field = field
        self.names: list[str] = []
        self._code: dict[object, int] = {}
        self._code_of_name: dict[str, int] = {}

    def of(self, column: Any) -> NDArray[np.int64]:
        """Codes of a column's values: −1 where one is missing, −2 where it is no name."""
        values, places = distinct(column)
        if values and isinstance(values[0], list | dict):  # nested: no name
            return np.where(places < 0, MISSING, UNREADABLE)
        code = self._code
        codes = [code[value] if value in code else self._new(value) for value in values]
        return np.array([*codes, MISSING], np.int64)[places]

    def _new(self, value: object) -> int:
        self._code[value] = found = self._coded(value)
        return found

    def _coded(self, value: object) -> int:
        try:
            text = value.decode() if isinstance(value, bytes) else str(value)
            text = text.strip()
            if value is None or not text:
                return MISSING
            name(self.field, text)
        except (UnicodeDecodeError, FieldError):
            return UNREADABLE
        known = self._code_of_name.get(text)  # 7 and "7" are one name
        if known is None:
            known = self._code_of_name[text] = len(self.names)
            self.names.append(text)
        return known


def distinct(column: Any) -> tuple[list[Any], NDArray[np.int64]]:
    """The different values of a column, and for each row the place of its own; −1 for null."""
    import pyarrow as pa

    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):  # of no chunks, or dictionaries that were unified
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.nulls(0)
    if pa.types.is_null(array.type):
        return [], np.full(len(array), -1, np.int64)
    if pa.types.is_nested(array.type):
        values = array.to_pylist()
        return [*values], np.arange(len(values))
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    indices = array.indices
    if indices.null_count:
        indices = indices.cast(pa.int64()).fill_null(-1)
    places = indices.to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    return array.dictionary.to_pylist(), places


def numbers(column: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """A column as numbers, NaN where one is missing or none; and where it is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    missing = pc.is_null(column).to_numpy(zero_copy_only=False).astype(bool)
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        found = column.cast(pa.float64(), safe=False)
        return found.to_numpy(zero_copy_only=False).astype(float), missing
    return _by_value(column, _number, missing)


def times(column: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """A column as seconds: numbers as they are, times since 1970, texts as ISO 8601 has them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        missing = pc.is_null(column).to_numpy(zero_copy_only=False).astype(bool)
        micro = column.cast(pa.timestamp("us", getattr(kind, "tz", None)), safe=False)
        whole = micro.cast(pa.int64()).fill_null(0).to_numpy().astype(float) / 1e6
        return np.where(missing, np.nan, whole), missing
    missing = pc.is_null(column).to_numpy(zero_copy_only=False).astype(bool)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return numbers(column)
    return _by_value(column, _time, missing)


def _by_value(
    column: Any, read: Callable[[Any], float], missing: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    values, places = distinct(column)
    empty = np.array([value in ("", b"", None) for value in values] + [True])
    found = np.array([*(read(value) for value in values), math.nan])
    return found[places], missing | empty[places]


def _number(value: Any) -> float:
    """A number, or a word for 0 or 1; NaN for anything else."""
    try:
        return float(value)
    except (TypeError, ValueError):
        word = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
        return {"true": 1.0, "false": 0.0}.get(word.strip().lower(), math.nan)


def _time(value: Any) -> float:
    plain = _number(value)
    if not math.isnan(plain):
        return plain
    try:
        text = value.decode() if isinstance(value, bytes) else str(value)
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return math.nan
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
