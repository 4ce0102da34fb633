"""The plays of a market as a table: who was shown when, and what it was worth.

One row for each decision of the journal, as far as it is kept, in order:

==============  ====================================================================================
column          what it says
==============  ====================================================================================
decision        the id that the caller was given
round           1, 2, 3, …
at              when it was decided, in seconds since 1970
segment         what the visitor is; null in the game without segments
slate           whether it was a place of a slate
agent, arm      what was shown
status          told, default (its reward window is over) or waiting
reward          the last reward that was told, the default reward, or null
told_at         when it was told, or its window ended
==============  ====================================================================================
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from copyproof.live.records import MarketConfig
from copyproof.live.replay import ids_of, recover
from copyproof.live.stores import Store

SCHEMA = pa.schema(
    [
        ("decision", pa.string()),
        ("round", pa.int64()),
        ("at", pa.float64()),
        ("segment", pa.string()),
        ("slate", pa.bool_()),
        ("agent", pa.string()),
        ("arm", pa.string()),
        ("status", pa.dictionary(pa.int8(), pa.string())),
        ("reward", pa.float64()),
        ("told_at", pa.float64()),
    ]
)
_STATUS = ("waiting", "told", "default")
_AT_ONCE = 100_000  # rows that are written in one go


class _Rewards:
    """What became of the decisions from a round on."""

    def __init__(self, store: Store, market: str, last: int, config: MarketConfig) -> None:
        self.first = end = 1
        for event in _asked(store, market, last):
            self.first = self.first if end > 1 else event["round"]
            end = event["round"] + len(event["arms"])
        size = end - self.first if end > 1 else 0
        self.status = np.zeros(size, np.int8)
        self.reward = np.full(size, np.nan)
        self.at = np.full(size, np.nan)
        for event in _events(store, market, last):
            if event["kind"] == "told":
                self._told(event)
            elif event["kind"] == "expired":
                upto = max(event["upto"] - self.first + 1, 0)
                waiting = np.flatnonzero(self.status[:upto] == 0)
                self.status[waiting] = 2
                self.reward[waiting], self.at[waiting] = config.default_reward, event["at"]

    def _told(self, event: dict[str, Any]) -> None:
        for round_, reward in zip(event["rounds"], event["rewards"], strict=True):
            place = round_ - self.first
            if place >= 0:  # or else the decision is no longer in the journal
                self.status[place], self.reward[place] = 1, reward
                self.at[place] = event["at"]


def _events(store: Store, market: str, last: int) -> Iterator[dict[str, Any]]:
    """Give the events that are kept, up to a number: others write meanwhile."""
    for number, event in store.events(market, store.compacted(market)):
        if number > last:
            return
        yield event


def _asked(store: Store, market: str, last: int) -> Iterator[dict[str, Any]]:
    return (event for event in _events(store, market, last) if event["kind"] == "asked")


def write_plays(store: Store, market: str, path: Path) -> int:
    """Write the plays of a market as a Parquet file; how many there are.

    Memory grows by 17 bytes for each decision that is kept, and not with what is written.
    """
    config = MarketConfig.from_dict(store.markets()[market])
    state, last, _ = recover(store, market, config)
    names = state.registry.name_of
    ids = ids_of(store, market)
    rewards = _Rewards(store, market, last, config)
    count = 0
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:
        rows: list[tuple[Any, ...]] = []

        def flush() -> None:
            nonlocal count
            if rows:
                writer.write_table(_table(rows, rewards, count))
                count += len(rows)
                rows.clear()

        for event in _asked(store, market, last):
            asked = (event["at"], event.get("segment"), event.get("slate", False))
            for round_, arm in enumerate(event["arms"], event["round"]):
                rows.append((ids.id(round_), round_, *asked, *names(arm)))
            if len(rows) >= _AT_ONCE:
                flush()
        flush()
    return count


def _table(rows: list[tuple[Any, ...]], rewards: _Rewards, first: int) -> pa.Table:
    """Return some rows with what became of them."""
    here = slice(first, first + len(rows))
    columns: list[Any] = [pa.array(column) for column in zip(*rows, strict=True)]
    status = pa.DictionaryArray.from_arrays(pa.array(rewards.status[here]), pa.array(_STATUS))
    values = [pa.array(each[here], from_pandas=True) for each in (rewards.reward, rewards.at)]
    arrays = [*columns, status, *values]
    return pa.Table.from_arrays(
        [array.cast(field.type) for array, field in zip(arrays, SCHEMA, strict=True)],
        schema=SCHEMA,
    )
