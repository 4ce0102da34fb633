"""A name is forgotten, and nothing else: the chain, the decisions and the audit stay."""

import contextlib
import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from copyproof.live import KeyReused, MarketConfig, Principal, Unknown, forgetting
from copyproof.live.checks import check_store
from copyproof.live.exports import audit_lines
from copyproof.live.forgetting import forget
from copyproof.live.stores import Conflict, LeaseLost, Store, StoreError, open_store, sqlite
from copyproof.live.verification import verify
from tests.postgres import Server

ARMS = [("annabel", "secret-arm"), ("bob", "b"), ("annabel", "another-arm"), ("cid", "secret-arm")]


def played(store: Store) -> Principal:
    principal = Principal("h-ucb", store, market="m", config=MarketConfig(seed=3))
    principal.register_arms(ARMS, key="all of them")
    principal.snapshot()
    for n in range(30):
        eligible = [None, ["annabel", "bob"], {"annabel": ["secret-arm"], "cid": ["secret-arm"]}]
        asked = principal.ask(2, eligible=eligible[n % 3], key=f"ask {n}")
        principal.tell_many([(each.id, n % 4 / 3) for each in asked])
    principal.suspend_arm("annabel", "another-arm", key="withhold")
    principal.snapshot()
    principal.ask(3, segment="de")
    for agent in ("annabel", "bob"):
        store.put_key({"id": f"of {agent}", "agent": agent, "markets": ["m"]})
    return principal


def forgotten(store: Store) -> Principal:
    before = played(store)
    last, revenue = before.last, before.statistics().revenue
    exported = list(audit_lines(store, "m"))
    token, events = forget(store, "m", "annabel")
    assert token.startswith("~")
    assert events == 23  # the agent, its arms, twice ten lists of what is eligible, a suspension
    assert [one["id"] for one in list(store.keys())] == ["of bob"]
    check_store(store, replay=True)
    # The chain goes on from where it was, by an event that says that something was forgotten.
    again = list(audit_lines(store, "m"))
    assert again[:-2] == exported[:-1]
    assert (again[-2]["kind"], store.last("m")) == ("kept", last + 1)
    assert verify(exported).holds
    assert verify(again).holds
    # Who has the market in memory cannot bring the name back.
    with pytest.raises(Conflict):
        before.retire_arm("annabel", "secret-arm")
    with pytest.raises(Unknown):
        before.retire_arm("annabel", "secret-arm")
    after = Principal(store=store, market="m")
    assert after.digest() == before.digest()
    # What was asked before is answered as before, also if it named the agent.
    assert after.register_arms(ARMS, key="all of them") == len(ARMS)
    with pytest.raises(KeyReused):
        after.register_arms(ARMS[:1], key="all of them")
    assert after.statistics().revenue == revenue
    assert [one.agent for one in after.statistics().agents] == [token, "bob", "cid"]
    assert [d.agent for d in after.ask(20)].count(token) > 0
    assert after.register_arms(ARMS[1:2]) == 0
    for wrong in ("annabel", "~" + "0" * 40):
        with pytest.raises(ValueError, match="was forgotten"):
            after.register_agent(wrong)
        with pytest.raises(ValueError, match=r"arms\[0\].agent = .* was forgotten"):
            after.register_arms([(wrong, "x")])
    with pytest.raises(ValueError, match=r"arms\[1\].arm = .*was forgotten"):
        after.register_arms([("bob", "x"), ("bob", "~" + "0" * 40)])
    # It is the name of an agent that was forgotten: an arm may have it.
    assert after.register_arms([("cid", "annabel"), (token, "new")]) == 2
    assert after.retire_arm("cid", "annabel")
    with pytest.raises(Unknown):
        forget(store, "m", "nobody")
    assert forget(store, "m", "annabel") == (token, 0)
    check_store(store, replay=True)
    return after


def check_files(paths: Iterable[Path]) -> None:
    """No file holds a name that was forgotten; and a name that was not is found in some."""
    contents = [path.read_bytes() for path in paths if path.is_file()]
    for name in (b"annabel", b"another-arm"):
        assert not any(name in content for content in contents)
    assert any(b"secret-arm" in content for content in contents)


def test_in_sqlite_nothing_is_left_in_the_file(tmp_path: Path) -> None:
    with open_store(f"sqlite:{tmp_path}/live.db") as store:
        played(store)
        forget(store, "m", "annabel")
        check_files(tmp_path.iterdir())  # also while it is open
        store.backup(tmp_path / "backup.db")
        check_files(tmp_path.iterdir())
    check_files(tmp_path.iterdir())


def test_in_sqlite(tmp_path: Path) -> None:
    with open_store(f"sqlite:{tmp_path}/live.db") as store:
        forgotten(store)


@pytest.mark.parametrize("damaged", [False, True])
def test_nothing_is_left_after_compaction_either(tmp_path: Path, damaged: bool) -> None:
    path = tmp_path / "live.db"
    with open_store(f"sqlite:{path}") as store:
        principal = played(store)
        first = principal.ask(2, key="ask 0")  # the same once more
        principal.compact()
        asked = principal.ask(4, key="later")
        principal.snapshot()
        if damaged:  # the older of the two, which nothing needs
            with contextlib.closing(sqlite3.connect(path)) as raw:
                raw.execute("UPDATE snapshots SET sum = 'x' WHERE number < ?", (principal.last,))
                raw.commit()
        forget(store, "m", "annabel")
        check_files(tmp_path.iterdir())
        check_store(store, replay=not damaged)
        after = Principal(store=store, market="m")
        # Requests of which no event is left are known still, whether or not they named the agent.
        assert after.register_arms(ARMS, key="all of them") == len(ARMS)
        assert [one.id for one in after.ask(2, key="ask 0")] == [one.id for one in first]
        assert len(after.ask(4, key="later")) == len(asked)


def test_who_reads_the_file_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.1)
    path = tmp_path / "live.db"
    with open_store(f"sqlite:{path}") as store:
        played(store)
        with contextlib.closing(sqlite3.connect(path)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM events").fetchone()
            with pytest.raises(StoreError, match="do it again when they are done"):
                forget(store, "m", "annabel")
        assert forget(store, "m", "annabel")[1] == 0
        check_files(tmp_path.iterdir())


def test_in_memory() -> None:
    with open_store("memory:") as store:
        forgotten(store)


def test_in_postgres(postgres: Server) -> None:
    with open_store(postgres.new_url()) as store:
        forgotten(store)


def test_in_postgres_nothing_is_left_in_the_tables(postgres: Server) -> None:
    url = postgres.new_url()
    with open_store(url) as store:
        played(store)
        with psycopg.connect(postgres.url(), autocommit=True) as raw:
            [(folder,)] = raw.execute("SHOW data_directory").fetchall()

            def files() -> list[Path]:
                raw.execute("CHECKPOINT")
                found = raw.execute(
                    "SELECT pg_relation_filepath(oid) FROM pg_class WHERE relnamespace = "
                    "%s::regnamespace AND relkind IN ('r', 'i')",
                    (url.rpartition("=")[2],),
                )
                return [Path(folder) / path for (path,) in found.fetchall()]

            before = files()
            with pytest.raises(AssertionError):
                check_files(before)
            forget(store, "m", "annabel")
            check_files([*before, *files()])


def test_not_while_it_is_served(tmp_path: Path) -> None:
    with open_store(f"sqlite:{tmp_path}/live.db") as store:
        played(store)
        token = store.acquire("m", "a service", 60.0)
        with pytest.raises(
            LeaseLost,
            match=r"is being served: use DELETE /v1/markets/\w+/agents/AGENT\?forget=true, or stop",
        ):
            forget(store, "m", "annabel")
        assert token is not None
        store.release("m", "a service", token)
        forget(store, "m", "annabel")


def named_in_texts(store: Store) -> Principal:
    """A market whose operator wrote the name of an agent into other texts."""
    principal = Principal("h-ucb", store, market="m", config=MarketConfig(seed=3))
    principal.register_arms([("annabel", "a"), ("bob", "b"), ("cid", "c"), ("dan", "d")])
    principal.bind(["annabel", "bob"], "annabel")
    principal.bind(["cid"], "Annabel & sons", key="bind")
    principal.register_agent("eve", group="annabel")
    principal.bind(["dan"], "annabelle")
    principal.ask(20)
    principal.pause("annabel has cheated", key="pause")
    store.put_action(
        {
            **{"id": "1", "at": 0.5, "key": "k", "role": "operator", "status": 200},
            **{"market": "m", "agent": None, "what": "POST /v1/markets/m/pause"},
            "said": {"reason": "annabel has cheated"},
        }
    )
    principal.snapshot()
    return principal


def test_it_is_forgotten_in_groups_and_reasons(tmp_path: Path) -> None:
    with open_store(f"sqlite:{tmp_path}/live.db") as store:
        before = named_in_texts(store)
        exported = list(audit_lines(store, "m"))
        assert "annabel" not in str(exported).lower()
        assert verify(exported).holds
        groups = [one.group for one in before.statistics().agents]
        forget(store, "m", "annabel")
        check_store(store, replay=True)
        after = Principal(store=store, market="m")
        first, second, *others = dict.fromkeys(one.group for one in after.statistics().agents)
        tokens = {"annabel": first, "Annabel & sons": second, "annabelle": "annabelle"}
        assert [tokens[group or ""] for group in groups] == [
            one.group for one in after.statistics().agents
        ]
        assert others == ["annabelle"]  # it is another name
        for token in (first, second, after.paused):
            assert token is not None
            assert token.startswith("~")
        assert after.bind(["cid"], "Annabel & sons", key="bind")  # the answer of before
        after.resume()
        after.ask(20)
        again = list(audit_lines(store, "m"))
        assert again[: len(exported) - 1] == exported[:-1]
        assert verify(again).holds
        check_store(store, replay=True)
        assert forget(store, "m", "annabel")[1] == 0
    for path in tmp_path.iterdir():
        left = path.read_bytes().lower().replace(b"annabelle", b"")
        assert b"annabel" not in left


def test_a_lease_is_short_and_renewed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert forgetting._SECONDS <= 15.0  # what a crash in between costs the market
    monkeypatch.setattr(forgetting, "_SECONDS", 0.3)
    with open_store("memory:") as store:
        played(store)
        rewrite, taken = store.rewrite, []

        def slowly(*given: Any, **named: Any) -> None:
            end = time.monotonic() + 0.9
            while time.monotonic() < end:
                taken.append(store.acquire("m", "a service", 60.0))
                time.sleep(0.05)
            rewrite(*given, **named)

        monkeypatch.setattr(store, "rewrite", slowly)
        forget(store, "m", "annabel")
        assert set(taken) == {None}
        assert store.acquire("m", "a service", 60.0) is not None  # it was given back


def test_only_tables_that_held_the_name_are_written_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store("memory:") as store:
        played(store)
        scrubbed: list[Any] = []
        monkeypatch.setattr(store, "scrub", scrubbed.append)
        forget(store, "m", "annabel")
        forget(store, "m", "cid")
        forget(store, "m", "cid")
    journal = {"events", "snapshots", "parts"}
    assert scrubbed == [journal | {"keys"}, journal, None]
