"""The hash chain finds every change, and shows single pieces of events without the rest."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from copyproof.live.stores import Damaged, Store, open_store
from copyproof.live.stores import chain as chains
from copyproof.live.stores.blinding import TOKEN
from tests.postgres import Server

EVENTS: list[dict[str, Any]] = [
    {"kind": "agent", "agent": "ann", "at": 0.5},
    {"kind": "arms", "arms": [["ann", "a"], ["ann", "b"]], "at": 0.5, "key": "k", "request": "9f"},
    {"kind": "asked", "round": 1, "at": 0.75, "arms": [0, 1]},
    {"kind": "asked", "round": 3, "eligible": ["ann"], "slate": True, "at": 0.75, "arms": [0]},
    {"kind": "asked", "round": 4, "eligible": {"ann": ["b"]}, "at": 0.75, "arms": [1]},
    {"kind": "told", "rounds": [1, 2], "rewards": [0.1, 1.0], "at": 1.5},
    {"kind": "retire", "agent": "ann", "arm": "a", "at": 1.5},
    {"kind": "expired", "upto": 4, "forgotten": 0, "at": 9.0},
]
# A change, as statements, and what is said of it.
REWARD = "UPDATE events SET body = replace(body, '0.1', '0.2') WHERE number = 6"
CHANGES: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("UPDATE events SET body = replace(body, '[0,1]', '[1,1]') WHERE number = 3",),
        "event 3 is not as it was written",
    ),
    ((REWARD,), "event 6 is not as it was written"),
    (
        ("UPDATE events SET body = replace(body, '\"ann\"', '\"bob\"') WHERE number = 1",),
        "event 1 is not as it was written",
    ),
    (
        ("UPDATE events SET body = replace(body, '\"b\"', '\"c\"') WHERE number = 5",),
        "event 5 is not as it was written",
    ),
    # Two rows change places.
    (
        (
            "UPDATE events SET number = -number WHERE number = 4",
            "UPDATE events SET number = 4 WHERE number = 5",
            "UPDATE events SET number = 5 WHERE number = -4",
        ),
        "event 4 is not as it was written",
    ),
    # Only what is in them does.
    (
        (
            "UPDATE events SET body = (SELECT body FROM events AS o WHERE o.number = "
            "11 - events.number) WHERE number IN (5, 6)",
        ),
        "event 5 is not as it was written",
    ),
    (("DELETE FROM events WHERE number = 7",), "event 7 is missing"),
    # A wrong one comes first, also if one is missing after it.
    ((REWARD, "DELETE FROM events WHERE number = 7"), "event 6 is not as it was written"),
    # One is taken out, and those behind it close up.
    (
        (
            "DELETE FROM events WHERE number = 5",
            "UPDATE events SET number = -number WHERE number > 5",
            "UPDATE events SET number = -number - 1 WHERE number < 0",
            "UPDATE markets SET last = 7",
        ),
        "event 5 is not as it was written",
    ),
    (("UPDATE events SET body = '{' WHERE number = 6",), "event 6 cannot be read"),
    (("UPDATE events SET body = x'00' WHERE number = 6",), "event 6 cannot be read"),
    (("UPDATE markets SET config = '{\"seed\":2}'",), "is not the one it began with"),
    (("UPDATE markets SET head = cut",), "or its head was changed"),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(f"sqlite:{tmp_path}/live.db") as store:
        store.create_market("m", {"seed": 1})
        store.append("m", 1, EVENTS)
        yield store


def run(path: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as raw:
        for sql in statements:
            before = raw.total_changes  # which counts what triggers change, too
            raw.execute(sql)
            assert raw.total_changes > before, sql
        raw.commit()


@pytest.mark.parametrize(("change", "said"), CHANGES)
def test_the_first_event_that_is_wrong_is_named(
    store: Store, tmp_path: Path, change: tuple[str, ...], said: str
) -> None:
    store.check()
    run(tmp_path / "live.db", *change)
    with pytest.raises(Damaged, match=rf"^market 'm': .*{said}"):
        store.check()
    with pytest.raises(Damaged):
        store.backup(tmp_path / "backup.db")
    assert not (tmp_path / "backup.db").exists()


def test_a_truncated_journal_is_found(store: Store, tmp_path: Path) -> None:
    run(tmp_path / "live.db", "DELETE FROM events WHERE number > 5", "UPDATE markets SET last = 5")
    with pytest.raises(Damaged, match="it does not end with event 5, or its head was changed"):
        store.check()


def test_events_of_which_no_head_was_kept_are_named_together(store: Store, tmp_path: Path) -> None:
    run(tmp_path / "live.db", "UPDATE events SET mark = NULL WHERE number < 7")
    store.check()
    run(tmp_path / "live.db", REWARD)
    with pytest.raises(Damaged, match="an event from 1 to 7 is not as it was written"):
        store.check()
    run(tmp_path / "live.db", "UPDATE events SET mark = NULL")
    with pytest.raises(Damaged, match="an event from 1 to 8 is not as it was written"):
        store.check()


def test_what_is_wrong_is_not_compacted(store: Store, tmp_path: Path) -> None:
    run(tmp_path / "live.db", REWARD)
    store.save_snapshot("m", 8, b"state")
    with pytest.raises(Damaged, match="an event from 1 to 7 is not as it was written"):
        store.compact("m", 7)
    assert store.compacted("m") == 0


def test_postgres_finds_it_too(postgres: Server, tmp_path: Path) -> None:
    url = postgres.new_url()
    with open_store(url) as store:
        store.create_market("m", {"seed": 1})
        store.append("m", 1, EVENTS)
        store.check()
        store.backup(tmp_path / "good.db")
        with psycopg.connect(postgres.url()) as raw:
            raw.execute(f"SET search_path = {url.rpartition('=')[2]}")
            raw.execute(REWARD)
        with pytest.raises(Damaged, match="event 6 is not as it was written"):
            store.check()
        with pytest.raises(Damaged, match="event 6 is not as it was written"):
            store.backup(tmp_path / "backup.db")
    assert not (tmp_path / "backup.db").exists()


def test_a_damaged_page_is_found_and_not_backed_up(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    with open_store(f"sqlite:{path}") as store:
        store.create_market("m", {})
        store.append("m", 1, [{"n": n, "text": "x" * 500} for n in range(200)])
        store.save_snapshot("m", 200, bytes(range(1, 201)) * 100)
    whole = path.read_bytes()
    found = 0
    for page in range(4096, len(whole), 4096):  # half a page, as a disk loses it
        if not whole[page + 1000 : page + 3048].strip(b"\0"):
            continue  # nothing is stored there
        path.write_bytes(whole[: page + 1000] + b"\x5a" * 2048 + whole[page + 3048 :])
        with contextlib.suppress(Damaged), open_store(f"sqlite:{path}") as store:
            with pytest.raises(Damaged):
                store.check()
            with pytest.raises(Damaged):
                store.backup(tmp_path / "backup.db")
            found += 1
        assert not (tmp_path / "backup.db").exists()
    assert found > len(whole) // 4096 // 2


def test_compaction_keeps_the_chain(store: Store, tmp_path: Path) -> None:
    head = store.head("m")
    store.save_snapshot("m", 8, b"state")
    store.compact("m", 5)
    assert store.head("m") == head
    store.check()
    run(tmp_path / "live.db", REWARD)
    with pytest.raises(Damaged, match="event 6 is not as it was written"):
        store.check()


def test_a_chain_does_not_depend_on_how_events_were_appended(store: Store) -> None:
    chain = store.chain("m")
    found = chain.cut
    for number, event in enumerate(EVENTS, 1):
        found = chains.head_after(found, number, [event], chain.secret)
    assert found == chain.head == store.head("m")[1]


def test_what_is_chained_holds_no_names() -> None:
    chain = chains.Chain.begin("m", {})
    blinding = chains.blinding_of(chain.secret)
    for event in EVENTS:
        shown = blinding.blinded(event)
        assert "ann" not in str(shown)
        assert "9f" not in (shown.get("request"),)
        assert blinding.blinded(shown) == shown  # what was forgotten is chained as before
    token = blinding.token("ann")
    assert TOKEN.fullmatch(token)
    assert blinding.blinded(EVENTS[3])["eligible"] == [token]
    assert blinding.blinded(EVENTS[4])["eligible"] == {token: [blinding.token("ann", "b")]}
    assert blinding.token("ann", "b") != blinding.token("bob", "b")


def test_the_pieces_of_frequent_events_are_what_json_makes_of_them() -> None:
    for event in EVENTS:
        first, *rest = chains.pieces(event)
        apart = {"asked": ("arms",), "told": ("rounds", "rewards"), "arms": ("arms",)}
        common = {k: v for k, v in event.items() if k not in apart.get(event["kind"], ())}
        assert first == chains.encode(common)
        assert len(rest) == sum(len(event[k]) for k in apart.get(event["kind"], ())[:1])
        assert chains.pieces(event, chains.encode(event)) == [first, *rest]
    assert chains.pieces(EVENTS[2])[1:] == ["[0,1]", "[1,2]"]
    assert chains.pieces(EVENTS[5])[1:] == ["[1,0.1]", "[2,1.0]"]
    assert chains.pieces({"kind": "told", "rounds": [1], "rewards": []})[1:] == []


def test_an_arm_that_is_chosen_again_is_one_piece() -> None:
    event = {"kind": "asked", "round": 7, "at": 0.5, "key": ',"arms":', "request": "9f"}
    event["arms"] = [3, 5, 3, 3, 8]
    first, *rest = chains.pieces(event, chains.encode(event))
    assert first == chains.encode({k: v for k, v in event.items() if k != "arms"})
    assert rest == ["[3,7,9,10]", "[5,8]", "[8,11]"]


@pytest.mark.parametrize("count", [1, 4, 5, 8, 9, 100])
def test_every_piece_has_a_salt_of_its_own(count: int) -> None:
    texts = [f"{n}" for n in range(count)]
    found = chains.salts(b"key", 7, count)
    assert len({*found}) == count
    shown = [chains.digest(salt, text) for salt, text in zip(found, texts, strict=True)]
    assert chains.digests(texts, 7, b"key") == shown
    assert not {*found} & {*chains.salts(b"key", 8, count)}


@pytest.mark.parametrize("arms", [[[1]], ["1"], [1.0], [True], [None]])
def test_decisions_that_are_no_numbers_are_damage_like_any_other(arms: Any) -> None:
    event = {**EVENTS[2], "arms": arms}
    assert chains.pieces(event) == [chains.encode(event)]
