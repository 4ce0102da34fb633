"""Plays as a table: every decision, with its id, names and what became of it."""

from pathlib import Path

import pyarrow.parquet as pq

from copyproof.live import MarketConfig, Principal
from copyproof.live.plays import SCHEMA, write_plays
from copyproof.live.stores import open_store

NOW = [0.0]


def market(**config: object) -> Principal:
    terms = MarketConfig(seed=5, reward_window=10.0, default_reward=0.25, **config)  # type: ignore[arg-type]
    principal = Principal(
        "h-ucb", open_store("memory:"), market="m", config=terms, clock=lambda: NOW[0]
    )
    principal.register_arms([("ann", "a1"), ("ann", "a2"), ("bob", "b")])
    return principal


def test_every_decision_is_a_row(tmp_path: Path) -> None:
    NOW[0] = 1.0
    principal = market()
    one, two = principal.ask(2)
    slate = principal.ask(2, slate=True)
    NOW[0] = 3.0
    principal.tell(one.id, 1.0)
    NOW[0] = 12.0
    late = principal.ask()  # the rest of the first four have no reward any more
    assert write_plays(principal.store, "m", tmp_path / "plays.parquet") == 5
    table = pq.read_table(tmp_path / "plays.parquet")
    assert table.schema.equals(SCHEMA)
    rows = table.to_pylist()
    assert [row["decision"] for row in rows] == [each.id for each in (one, two, *slate, *late)]
    assert [(row["agent"], row["arm"]) for row in rows] == [
        (each.agent, each.arm) for each in (one, two, *slate, *late)
    ]
    assert [row["slate"] for row in rows] == [False, False, True, True, False]
    assert [row["status"] for row in rows] == ["told", *["default"] * 3, "waiting"]
    assert [row["reward"] for row in rows] == [1.0, 0.25, 0.25, 0.25, None]
    assert [row["told_at"] for row in rows] == [3.0, 12.0, 12.0, 12.0, None]
    assert [row["round"] for row in rows] == [1, 2, 3, 4, 5]


def test_what_is_left_of_a_compacted_journal(tmp_path: Path) -> None:
    NOW[0] = 1.0
    principal = market()
    first = principal.ask(3)
    principal.snapshot()
    principal.ask()
    principal.compact()
    principal.tell_many([(each.id, 1.0) for each in first])
    kept = principal.ask(2)
    assert write_plays(principal.store, "m", tmp_path / "plays.parquet") == 3
    rows = pq.read_table(tmp_path / "plays.parquet").to_pylist()
    assert [row["round"] for row in rows] == [4, 5, 6]
    assert [row["decision"] for row in rows[1:]] == [each.id for each in kept]


def test_no_decisions_are_an_empty_table(tmp_path: Path) -> None:
    assert write_plays(market().store, "m", tmp_path / "plays.parquet") == 0
    assert pq.read_table(tmp_path / "plays.parquet").num_rows == 0
