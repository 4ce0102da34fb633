"""The table of a study: one row for each of its cells, as a Parquet file and as a frame.

Columns come in a fixed order and types: what the row is about, then what was measured, then why it
failed, if it did. What an agent has is a list, in the order of ``agents``. No times and no machines
stand in the file, so that it is the same, to the byte, however the study was run.
"""

import io
import itertools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# Rows of one group of the file, so that memory does not grow with the rows.
_GROUP = 20_000

IDENTITY = {
    "part": "text", "policy": "text", "resolved_policy": "text", "market": "text",
    "market_digest": "text", "strategy": "text", "horizon": "whole", "repetitions": "whole",
    "seed": "large", "numerics": "whole", "cell": "text", "agents": "texts",
}  # fmt: skip
#: The columns of each measure, and what they hold.
COLUMNS = {
    "regret": {f"regret_{part}": "number" for part in ("mean", "std", "stderr", "max")},
    "revenue": {f"revenue_{part}": "numbers" for part in ("mean", "std", "stderr")},
    "shares": {f"share_{part}": "numbers" for part in ("mean", "std", "stderr")},
    "lost": {
        "lost_count": "whole", "lost_share": "number", "lost_low": "number", "lost_high": "number"
    },
    "audit": {
        "audit_verdict": "text", "audit_method": "text", "audit_rounds": "whole",
        "audit_agents": "texts", "audit_verdicts": "texts", "audit_gain": "numbers",
        "audit_gain_low": "numbers", "audit_gain_high": "numbers", "audit_copies": "counts",
        "audit_revenue": "numbers", "audit_tolerance": "numbers", "audit_deviations": "deviations",
    },
    "exact": {"exact_regret": "number", "exact_revenue": "numbers", "exact_plays": "numbers"},
}  # fmt: skip


def results_bytes(rows: Iterable[dict[str, Any]], measure: Iterable[str]) -> bytes:
    """The Parquet file of rows as ``Store.rows`` gives them.

    Examples
    --------
    >>> one = {"policy": "h-ucb", "cell": "0a", "regret_mean": 1.5}
    >>> results_bytes([one], ["regret"]) == results_bytes(iter([one]), ("regret",))
    True
    """
    import pyarrow.parquet as pq

    schema = _schema(measure)
    memory = io.BytesIO()
    with pq.ParquetWriter(memory, schema, compression="zstd") as writer:
        for group in _groups(rows):
            writer.write_table(_table(group, schema))
    return memory.getvalue()


def frame_of(rows: Iterable[dict[str, Any]], measure: Iterable[str]) -> "pd.DataFrame":
    """The same as a frame.

    Examples
    --------
    >>> frame_of([{"policy": "h-ucb", "regret_mean": 1.5}], ["regret"])["regret_mean"].tolist()
    [1.5]
    """
    frame: pd.DataFrame = _table(list(rows), _schema(measure)).to_pandas()
    return frame


def _groups(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    every = iter(rows)
    while group := list(itertools.islice(every, _GROUP)):
        yield group


def _table(rows: list[dict[str, Any]], schema: "pa.Schema") -> "pa.Table":
    import pyarrow as pa

    columns = [pa.array([row.get(field.name) for row in rows], type=field.type) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def _deviation() -> "pa.DataType":
    """One deviation of an audit: who tries what, gain and loss with their limits, and games."""
    import pyarrow as pa

    limits = ("gain", "gain_low", "gain_high", "loss", "loss_low", "loss_high")
    return pa.struct(
        [
            ("agent", pa.string()),
            ("copies", pa.list_(pa.int64())),
            ("copying", pa.bool_()),
            *((name, pa.float64()) for name in limits),
            ("verdict", pa.string()),
            ("games", pa.int64()),
        ]
    )


def _schema(measure: Iterable[str]) -> "pa.Schema":
    import pyarrow as pa

    kinds = {
        "text": pa.string(),
        "whole": pa.int64(),
        "large": pa.uint64(),
        "number": pa.float64(),
        "texts": pa.list_(pa.string()),
        "numbers": pa.list_(pa.float64()),
        "counts": pa.list_(pa.list_(pa.int64())),
        "deviations": pa.list_(_deviation()),
    }
    wanted = set(measure)
    columns = dict(IDENTITY)
    for name, own in COLUMNS.items():
        if name in wanted:
            columns |= own
    columns["failure"] = "text"
    return pa.schema([(name, kinds[kind]) for name, kind in columns.items()])
