"""The server: what is said when it is away, what a lost answer means, and who may write."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from copyproof.live.stores import LeaseLost, StoreError, Uncertain, open_store
from copyproof.live.stores.appends import Append
from copyproof.live.stores.errors import Locked
from copyproof.live.stores.postgres import _SETTINGS, PostgresStore
from tests.postgres import Server, packaged_programs


@pytest.fixture
def store(postgres: Server) -> Iterator[PostgresStore]:
    with PostgresStore(postgres.new_url()) as opened:
        opened.create_market("m", {})
        opened.append("m", 1, [{"n": 1}])
        yield opened


def one_line(error: pytest.ExceptionInfo[Exception], *words: str) -> None:
    message = str(error.value)
    assert "\n" not in message
    assert all(word in message for word in words), message


def setting(store: PostgresStore, name: str) -> str:
    with store._lock:
        raw = store._connection()
        row = raw.execute(f"SHOW {name}").fetchone()
        raw.rollback()
    assert row is not None
    return str(row[0])


def test_commits_wait_for_the_disk(postgres: Server) -> None:
    with psycopg.connect(postgres.url(), autocommit=True) as admin:
        admin.execute("ALTER ROLE postgres SET synchronous_commit = off")
        try:
            url = postgres.new_url()
            with PostgresStore(url) as store:
                assert store.durable
                assert setting(store, "synchronous_commit") == "on"
            with PostgresStore(f"{url}&synchronous=off") as store:
                assert not store.durable
                assert setting(store, "synchronous_commit") == "off"
        finally:
            admin.execute("ALTER ROLE postgres RESET synchronous_commit")


def test_a_server_that_does_not_sync_is_refused(postgres: Server) -> None:
    with psycopg.connect(postgres.url(), autocommit=True) as admin:
        admin.execute("ALTER SYSTEM SET fsync = off")
        admin.execute("SELECT pg_reload_conf()")
        try:
            while admin.execute("SHOW fsync").fetchone() != ("off",):
                time.sleep(0.01)
            with pytest.raises(StoreError) as error:
                PostgresStore(postgres.new_url())
            one_line(error, "fsync is off")
        finally:
            admin.execute("ALTER SYSTEM RESET fsync")
            admin.execute("SELECT pg_reload_conf()")
            while admin.execute("SHOW fsync").fetchone() != ("on",):
                time.sleep(0.01)


def test_a_server_that_is_away_comes_back(postgres: Server, store: PostgresStore) -> None:
    postgres.stop()
    try:
        for _ in range(3):
            for call in (lambda: store.append("m", 2, [{}]), store.markets, store.keys):
                with pytest.raises(StoreError) as error:
                    call()
                one_line(error, "postgresql database 'postgres'", "away")
        with pytest.raises(StoreError):
            list(store.events("m"))
    finally:
        postgres.start()
    assert store.last("m") == 1
    store.append("m", 2, [{}])
    assert [number for number, _ in store.events("m")] == [1, 2]


def test_an_idle_connection_that_died_is_not_noticed(
    postgres: Server, store: PostgresStore
) -> None:
    postgres.stop()
    postgres.start()
    store._used = 0.0
    store._idle = [(0.0, raw) for _, raw in store._idle]
    store.append("m", 2, [{}])
    assert store.last("m") == 2


def test_a_database_that_turns_read_only(store: PostgresStore) -> None:
    with store._transaction(write=True) as database:
        database.raw.execute("SET default_transaction_read_only = on")
    with pytest.raises(StoreError) as error:
        store.append("m", 2, [{}])
    one_line(error, "the database is read-only")
    store.append("m", 2, [{}])
    assert store.last("m") == 2


class Proxy:
    """Between store and server; loses the connection at the next commit, before or after it."""

    def __init__(self, server: Path, folder: Path) -> None:
        self.lose: str | None = None
        self._server = server
        self._ends: list[socket.socket] = []
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(folder / ".s.PGSQL.5432"))
        self._socket.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(str(self._server / ".s.PGSQL.5432"))
            self._ends += [client, server]
            for ends in ((client, server, True), (server, client, False)):
                threading.Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, one: socket.socket, two: socket.socket, asking: bool) -> None:
        """Carry bytes one way until an end closes."""
        try:
            while data := one.recv(65536):
                if asking and b"COMMIT" in data and self.lose == "before":
                    self.lose = None
                    break
                if not asking and b"COMMIT" in data and self.lose == "after":
                    self.lose = None
                    break
                two.sendall(data)
        except OSError:
            pass
        for end in (one, two):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        for end in (self._socket, *self._ends):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@pytest.mark.parametrize(("lost", "stored"), [("before", 1), ("after", 2)])
def test_a_lost_answer_to_a_commit_is_uncertain(
    postgres: Server, tmp_path_factory: pytest.TempPathFactory, lost: str, stored: int
) -> None:
    folder = tmp_path_factory.mktemp("p")
    url = postgres.new_url()
    server = url.partition("host=")[2].partition("&")[0]
    proxy = Proxy(Path(server), folder)
    try:
        with open_store(url.replace(server, str(folder))) as store:
            store.create_market("m", {})
            store.append("m", 1, [{"n": 1}])
            proxy.lose = lost
            with pytest.raises(Uncertain) as error:
                store.append("m", 2, [{"n": 2}])
            one_line(error, "unknown whether it was stored")
            assert store.last("m") == stored
            store.append("m", stored + 1, [{"n": stored + 1}])
            assert [event["n"] for _, event in store.events("m")] == [*range(1, stored + 2)]
    finally:
        proxy.close()


def test_a_backend_that_is_ended_in_a_transaction_stores_nothing(
    postgres: Server, store: PostgresStore
) -> None:
    def interrupted() -> None:
        with (
            psycopg.connect(postgres.url(), autocommit=True) as admin,
            store._transaction(write=True) as database,
        ):
            database.change("UPDATE markets SET last = 7")
            [(pid,)] = database.rows("SELECT pg_backend_pid()")
            admin.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
            database.rows("SELECT 1")

    with pytest.raises(StoreError) as error:
        interrupted()
    one_line(error, "away")
    assert not isinstance(error.value, Uncertain)
    assert store.last("m") == 1


HOLDER = """
import sys, time
from copyproof.live.stores import LeaseLost, open_store
store = open_store(sys.argv[1])
token = store.acquire("m", "holder", 1.0)
store.append("m", store.last("m") + 1, [{"by": "holder"}], token=token)
print("ready", flush=True)
sys.stdin.readline()
try:
    store.append("m", store.last("m") + 1, [{"by": "holder"}], token=token)
    print("written", flush=True)
except LeaseLost:
    print("lost", flush=True)
store.close()
"""


def test_a_process_that_slept_cannot_write(store: PostgresStore, postgres: Server) -> None:
    url = f"{postgres.url()}&schema={store._schema}"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ.copy(),
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline() == "ready\n"
        with pytest.raises(LeaseLost):
            store.append("m", 3, [{}])
        while (token := store.acquire("m", "other", 60.0)) is None:
            time.sleep(0.02)
        store.append("m", 3, [{"by": "other"}], token=token)
        holder.stdin.write("\n")
        holder.stdin.flush()
        assert holder.stdout.readline() == "lost\n"
    assert [event.get("by") for _, event in store.events("m")] == [None, "holder", "other"]


def hang_alone(store: PostgresStore, wait: Callable[[], None]) -> None:
    with store._market("m", write=True) as mine:
        mine.add_events(["{}"], [mine.chain.head])
        wait()


def hang_with_locks(store: PostgresStore, wait: Callable[[], None]) -> None:
    with store._joint_transaction() as database:
        store._lock_free(database, ["m"])
        wait()


def hang_before_the_commit(store: PostgresStore, wait: Callable[[], None]) -> None:
    with store._joint_transaction() as database:
        store._lock_free(database, ["m"])
        database.append([(2, "", "m")], [("m", 2, "{}", "")])
        wait()


@pytest.mark.parametrize("hang", [hang_alone, hang_with_locks, hang_before_the_commit])
def test_a_process_that_hangs_in_a_transaction_is_thrown_out(
    postgres: Server,
    monkeypatch: pytest.MonkeyPatch,
    hang: Callable[[PostgresStore, Callable[[], None]], None],
) -> None:
    # In less time than others wait for a lock; here in still less, as nobody wants to wait.
    hanging, waiting = "idle_in_transaction_session_timeout", "lock_timeout"
    assert float(_SETTINGS[hanging].rstrip("s")) < float(_SETTINGS[waiting].rstrip("s"))
    monkeypatch.setitem(_SETTINGS, hanging, "1s")
    url = postgres.new_url()
    with PostgresStore(url) as store, PostgresStore(url) as other:
        store.create_market("m", {})
        store.append("m", 1, [{"n": 1}])
        token = store.acquire("m", "hanging", 0.5)
        following: list[int | None] = []
        with pytest.raises(StoreError, match="idle-in-transaction timeout"):
            hang(store, lambda: following.append(other.acquire("m", "other", 60.0)))
        assert following[0] is not None
        assert other.last("m") == 1
        with pytest.raises(LeaseLost):
            store.append("m", 2, [{}], token=token)
        other.append("m", 2, [{}], token=following[0])


def test_many_open_a_new_schema_at_once(postgres: Server) -> None:
    url, errors = postgres.new_url(), []

    def work(who: int) -> None:
        try:
            with open_store(url) as store:
                store.create_market(f"m{who}", {})
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(who,)) for who in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with open_store(url) as store:
        assert len(store.markets()) == 6


@pytest.mark.slow
def test_the_packaged_server_works_as_well() -> None:
    server = Server(packaged_programs())
    try:
        with open_store(server.new_url()) as store:
            store.create_market("m", {})
            store.append("m", 1, [{"n": 1}])
            server.kill()
            server.start()
        with open_store(f"{server.url()}&schema=test0") as store:
            assert store.last("m") == 1
    finally:
        server.remove()


def test_a_locked_row_delays_its_own_market_only(postgres: Server) -> None:
    url = postgres.new_url()
    with PostgresStore(url) as store:
        for market in "mn":
            store.create_market(market, {})
        tokens = store.acquire_all(["m", "n"], "me", 60.0)
        schema = url.rpartition("schema=")[2]
        with psycopg.connect(postgres.url()) as other:
            other.execute(f"SELECT 1 FROM {schema}.markets WHERE name = 'm' FOR UPDATE")
            appends = [Append(market, 1, [{}], tokens[market]) for market in "mn"]
            locked, done = store.append_all(appends)
            assert isinstance(locked, Locked)
            assert done is None
            assert store.renew_all(tokens, "me", 60.0) == {"n": True}
            assert store.takeable("you") == {"m": False, "n": False}
            waiting = threading.Thread(
                target=store.append, args=appends[0][:3], kwargs={"token": 1}
            )
            waiting.start()  # which waits, on a connection of its own
            assert store.append_all([Append("n", 2, [{}], tokens["n"])]) == [None]
            assert store.last("m") == 0
        waiting.join()
        assert (store.last("m"), store.last("n")) == (1, 2)
