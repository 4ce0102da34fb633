"""Two services, one PostgreSQL: one writer for each market, and the other takes over."""

import time
from functools import partial
from pathlib import Path

from copyproof.client import Client
from copyproof.live.stores import open_store
from copyproof.service.keys import Keyring
from tests.patience import wait_until
from tests.postgres import Server
from tests.service.conftest import filled
from tests.service.crowd import Crowd, check
from tests.service.serving import Caller, Program


def _serves(url: str, key: str) -> bool:
    """Whether a process makes a decision."""
    return Caller(url, key)("POST", "/v1/markets/site/decisions").status == 200


def _wait_until_served(url: str, key: str) -> None:
    wait_until(lambda: _serves(url, key), pause=0.1)


def _leads(one: Program, key: str) -> bool:
    """Whether a process serves ``site``."""
    answer = Caller(one.url, key)("GET", "/v1/markets")
    if answer.status == 503:  # it has just woken up
        return False
    return any(each["served_here"] for each in answer.json["markets"] if each["market"] == "site")


def _settled(one: Program, other: Program, key: str) -> tuple[Program, Program]:
    """Wait until markets are spread; who serves ``site``, and who does not."""
    time.sleep(3.0)  # they are given away in this time
    wait_until(lambda: _leads(one, key) != _leads(other, key), pause=0.1)
    return (one, other) if _leads(one, key) else (other, one)


def test_another_process_takes_over(postgres: Server) -> None:
    url = postgres.new_url()
    with open_store(url) as store:
        key = filled(store)["operator"]
    one, other = Program(url), Program(url)
    try:
        one.start()
        other.start()
        one, other = _settled(one, other, key)
        _wait_until_served(one.url, key)
        refused = Caller(other.url, key)("POST", "/v1/markets/site/decisions")
        assert (refused.status, refused.field) == (503, "market")
        assert "another process" in refused.json["error"]["message"]
        # What both may do: a market made here is known there, and so is a key.
        with Client(other.url, key) as client:
            made = client.make_key("application", markets=["site"])
        assert made.key is not None
        assert Caller(one.url, made.key)("POST", "/v1/markets/site/decisions").status == 200

        one.kill()
        _wait_until_served(other.url, key)
        rounds = [Caller(other.url, key)("POST", "/v1/markets/site/decisions").json for _ in "ab"]
        numbers = [each["decisions"][0]["round"] for each in rounds]
        assert numbers[1] == numbers[0] + 1

        one.start()  # comes back, and gets its share again
        assert _settled(one, other, key) == (one, other)
        assert Caller(other.url, key)("POST", "/v1/markets/site/decisions").status == 503
        one, other = other, one
        status, said = other.stop()  # gives its leases back: no waiting for them to run out
        assert status == 0, said
        _wait_until_served(one.url, key)
    finally:
        one.end()
        other.end()


def test_a_process_that_slept_cannot_write(postgres: Server) -> None:
    import signal

    url = postgres.new_url()
    with open_store(url) as store:
        key = filled(store)["operator"]
    one, other = Program(url, "--lease", "2"), Program(url, "--lease", "2")
    try:
        one.start()
        other.start()
        one, other = _settled(one, other, key)
        with Crowd(one.url, key, clients=2, timeout=2.0) as crowd:
            time.sleep(0.5)
        assert one.process is not None
        one.process.send_signal(signal.SIGSTOP)
        with Crowd(other.url, key, clients=2, timeout=2.0) as later:
            wait_until(lambda: len(later.decisions) > 10)
        # It wakes with the lease of before: what it wrote with that would be in the journal twice.
        with Crowd(one.url, key, clients=2, timeout=2.0) as awake:
            one.process.send_signal(signal.SIGCONT)
            time.sleep(1.0)
        later.decisions += awake.decisions
        later.told += awake.told
        crowd.decisions += later.decisions
        crowd.told += later.told
    finally:
        one.end()
        other.end()
    with open_store(url) as store:
        check(store, crowd)


def test_a_second_process_on_an_empty_file_says_so_when_it_matters(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'live.db'}"
    with open_store(url) as store:
        _, key = Keyring(store, time.time).add("operator")
    one, other = Program(url, "--lease", "3600"), Program(url, "--lease", "2")
    try:
        one.start()
        other.start()
        for n in range(2):
            assert Caller(one.url, key)("PUT", f"/v1/markets/new{n}", {}).status == 200
            ask = partial(Caller(other.url, key), "POST", f"/v1/markets/new{n}/decisions")
            wait_until(lambda ask=ask: ask().status == 503)  # type: ignore[misc]
            time.sleep(1.0)  # it looks three times in this time
        status, said = other.stop()
        assert status == 0
        assert said.count("another process serves") == 2
        assert "another process serves 1 of 1 markets of this store (new0)" in said
        assert "another process serves 2 of 2 markets of this store (new1)" in said
    finally:
        one.end()
        other.end()


def test_two_processes_on_one_file(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'live.db'}"
    with open_store(url) as store:
        key = filled(store)["operator"]
        for path in tmp_path.iterdir():  # also what SQLite writes beside it
            assert path.stat().st_mode & 0o777 == 0o600
        store.backup(tmp_path / "backup.db")
        assert (tmp_path / "backup.db").stat().st_mode & 0o777 == 0o600
    one, other = Program(url), Program(url)
    try:
        one.start()
        other.start()
        _wait_until_served(one.url, key)
        assert Caller(other.url, key)("POST", "/v1/markets/site/decisions").status == 503
        # A market made here is known there at once: 503, not 404.
        for n in range(5):
            new = f"/v1/markets/new{n}"
            assert Caller(one.url, key)("PUT", new, {}).status == 200
            assert Caller(other.url, key)("POST", f"{new}/decisions").status == 503
            assert Caller(other.url, key)("GET", new).status == 503
        assert Caller(other.url, key)("POST", "/v1/markets/none/decisions").status == 404
        # And one that is deleted here is soon unknown there.
        assert Caller(one.url, key)("DELETE", "/v1/markets/new0").status == 200
        find = partial(Caller(other.url, key), "GET", "/v1/markets/new0")
        wait_until(lambda: find().status == 404, pause=0.1)
        status, said = other.stop()
        assert status == 0
        assert "another process serves 2 of 2 markets of this store (shop, site)" in said
    finally:
        one.end()
        other.end()
