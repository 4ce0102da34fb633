"""Ids name one decision of one past, and cannot be guessed."""

import contextlib
import shutil
import sqlite3
from collections import Counter
from pathlib import Path

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyproof.live import MarketConfig, Principal, Undone, Unknown
from copyproof.live.ids import Ids
from copyproof.live.stores import Conflict, Store, open_store, restore
from tests.postgres import Server

TEXTS = st.text() | st.none() | st.integers() | st.sampled_from(("m-1-", "--", "m-٣-x", "m--1-"))
ARMS = [("ann", "a"), ("bob", "b"), ("cid", "c")]


def market(store: Store, name: str = "m") -> Principal:
    principal = Principal("h-ucb", store, market=name, config=MarketConfig(seed=1))
    principal.register_arms(ARMS)
    return principal


def refuses_the_past(store: Store, lost: list[str], kept: list[str]) -> None:
    """Decisions that a store has lost are made anew, and their old rewards count for nobody."""
    principal = Principal(store=store, market="m")
    for decision in lost:
        with pytest.raises(Undone, match="is of a past that was undone"):
            principal.tell(decision, 1.0)
    again = [each.id for each in principal.ask(2 * len(lost))]
    assert not set(again) & set(lost)
    for decision in lost:
        with pytest.raises(Undone, match="decision = 'm-"):
            principal.tell(decision, 1.0)
    with pytest.raises(Undone, match=r"rewards\[1\].decision = "):
        principal.tell_many([(again[0], 1.0), (lost[0], 1.0)])
    for decision in kept + again:
        assert principal.tell(decision, 1.0).status == "counted"
    assert principal.statistics().revenue == len(kept + again)
    last = Principal(store=store, market="m")  # all of that is stored
    assert last.tell(again[0], 1.0).status == "ignored"
    with pytest.raises(Undone):
        last.tell(lost[0], 1.0)


def test_after_a_restore_old_rewards_are_refused(tmp_path: Path) -> None:
    with open_store(f"sqlite:{tmp_path}/live.db") as store:
        principal = market(store)
        kept = [each.id for each in principal.ask(5)]
        store.backup(tmp_path / "backup.db")
        lost = [each.id for each in principal.ask(5)]
    restore(tmp_path / "backup.db", f"sqlite:{tmp_path}/new.db")
    with open_store(f"sqlite:{tmp_path}/new.db") as store:
        refuses_the_past(store, lost, kept)


def test_with_an_older_copy_of_the_file_old_rewards_are_refused(tmp_path: Path) -> None:
    """Nobody is told: the file is just put back, at a place where a process had started before."""
    with open_store(f"sqlite:{tmp_path}/live.db") as store:
        kept = [each.id for each in market(store).ask(5)]
    shutil.copy(tmp_path / "live.db", tmp_path / "copy.db")
    lost = []
    for _ in range(2):
        with open_store(f"sqlite:{tmp_path}/live.db") as store:
            lost += [each.id for each in Principal(store=store, market="m").ask(3)]
    shutil.copy(tmp_path / "copy.db", tmp_path / "live.db")
    with open_store(f"sqlite:{tmp_path}/live.db") as store:
        refuses_the_past(store, lost, kept)


def test_with_a_truncated_journal_old_rewards_are_refused(tmp_path: Path) -> None:
    with open_store(f"sqlite:{tmp_path}/live.db") as store:
        principal = market(store)
        kept = [each.id for each in principal.ask(5)]
        last = principal.last
        lost = [each.id for each in Principal(store=store, market="m").ask(3)]
    with contextlib.closing(sqlite3.connect(tmp_path / "live.db")) as raw:
        raw.execute("DELETE FROM events WHERE number > ?", (last,))
        raw.execute("UPDATE markets SET last = ?", (last,))
        raw.commit()
    with open_store(f"sqlite:{tmp_path}/live.db") as store:
        refuses_the_past(store, lost, kept)


def test_when_a_database_goes_back_in_time_under_a_running_principal(postgres: Server) -> None:
    """As a recovery to a point in time does: the next append does not fit, and it starts anew."""
    url = postgres.new_url()
    with open_store(url) as store:
        principal = market(store)
        kept = [each.id for each in principal.ask(5)]
        last, head = store.head("m")
        lost = [each.id for each in principal.ask(3)]
        with psycopg.connect(postgres.url()) as raw:
            raw.execute(f"SET search_path = {url.rpartition('=')[2]}")
            raw.execute("DELETE FROM events WHERE number > %s", (last,))
            raw.execute("UPDATE markets SET last = %s, head = %s", (last, head))
        with pytest.raises(Conflict, match="is not the next"):
            principal.ask()
        store.check()
        with pytest.raises(Undone):
            principal.tell(lost[0], 1.0)
        refuses_the_past(store, lost, kept)


def test_two_principals_of_one_store_agree_about_ids() -> None:
    """Who begins a generation and is refused by the store has not begun it."""
    with open_store("memory:") as store:
        one = market(store)
        two = Principal(store=store, market="m")
        asked = one.ask(2)
        with pytest.raises(Conflict, match="is not the next"):
            two.ask(2)
        asked += one.ask(2)
        assert [two.tell(each.id, 1.0).status for each in asked] == ["counted"] * 4
        two.ask()
        generations = store.generations("m")
        assert generations is not None
        assert [first for first, _ in generations] == [1, 5]


def test_ids_are_keyed_by_a_secret_of_the_market() -> None:
    """Equal names, seeds and requests make other ids in each market."""
    found: Counter[str] = Counter()
    for _ in range(20):
        with open_store("memory:") as store:
            found.update(each.id for each in market(store).ask(10))
    assert set(found.values()) == {1}


def test_a_new_market_draws_its_seed_and_keeps_it() -> None:
    with open_store("memory:") as store:
        seeds = [Principal("h-ucb", store, market=f"m{n}").config.seed for n in range(20)]
        assert len(set(seeds)) == 20
        assert all(seed is not None and 0 <= seed < 2**53 for seed in seeds)
        assert store.markets()["m0"]["seed"] == seeds[0]
        assert Principal(store=store, market="m0", config=MarketConfig("h-ucb")).policy == "h-ucb"
        with pytest.raises(ValueError, match="the one of market 'm0', which exists"):
            Principal(store=store, market="m0", config=MarketConfig("h-ucb", seed=5))


@given(st.integers(1, 2**47), st.text(min_size=1, max_size=20))
def test_an_id_gives_its_round_back(round_: int, market: str) -> None:
    ids = Ids(market, b"key", [(1, "0a0a0a0a")])
    assert ids.round(ids.id(round_), last=2**47) == round_
    with pytest.raises(Undone):
        ids.round(ids.id(round_), last=round_ - 1)
    with pytest.raises(Undone):
        Ids(market, b"key", [(1, "0b0b0b0b")]).round(ids.id(round_), last=2**47)
    for other in (Ids(market, b"other", []), Ids(f"{market}-", b"key", []), Ids("-", b"key", [])):
        with pytest.raises(Unknown):
            other.round(ids.id(round_), last=2**47)


@given(st.integers(1, 2**47) | st.integers(1, 3000), st.integers(1, 50))
def test_ids_in_a_row_are_those_of_their_rounds(first: int, count: int) -> None:
    for ids in (
        Ids("m", b"key", [(1, "0a0a0a0a")]),
        Ids("m", b"key", [(1, "0a0a0a0a"), (first + 3, "0b0b0b0b")]),
    ):
        rounds = range(first, first + count)
        assert ids.ids(first, count) == [ids.id(round_) for round_ in rounds]
        assert len({*ids.ids(first, count)}) == count


@given(TEXTS)
def test_anything_else_is_unknown(text: object) -> None:
    with pytest.raises(Unknown, match="is not known"):
        Ids("m", b"key", [(1, "0a0a0a0a")]).round(text, last=1000)
