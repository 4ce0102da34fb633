"""Nothing that was acknowledged is lost, and nothing is there twice, when processes are killed.

A process appends numbered events and prints each number that the store took; it is killed with
SIGKILL at random moments, and so is the database server. What is printed must be in the journal.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from copyproof.live.stores import open_store
from tests.live.stores.appender import MARKET
from tests.patience import PATIENCE
from tests.postgres import Server


class Appender:
    """The process under test, and what it said so far."""

    def __init__(self, url: str, said: Path) -> None:
        self._said = said
        root = Path(__file__).parents[3]
        path = os.pathsep.join([str(root), *filter(None, [os.environ.get("PYTHONPATH")])])
        with open(said, "wb") as out, open(f"{said}.errors", "wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.live.stores.appender", url],
                stdout=out,
                stderr=errors,
                env={**os.environ, "PYTHONPATH": path},
            )

    def acknowledged(self) -> int:
        """The last number that was acknowledged; a line that was cut off does not count."""
        lines = self._said.read_bytes().split(b"\n")[:-1]
        numbers = [int(line) for line in lines]
        assert numbers == sorted(set(numbers))
        return numbers[-1] if numbers else 0

    def wait_beyond(self, number: int) -> None:
        """Wait until something larger is acknowledged."""
        end = time.monotonic() + PATIENCE
        while self.acknowledged() <= number:
            assert self.process.poll() is None, self.errors()
            assert time.monotonic() < end, self.errors()
            time.sleep(0.002)

    def errors(self) -> str:
        return Path(f"{self._said}.errors").read_text()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def appending(url: str, said: Path) -> Iterator[Appender]:
    appender = Appender(url, said)
    try:
        yield appender
    finally:
        appender.kill()


def check(url: str, acknowledged: int) -> int:
    """The journal is whole and reaches as far as was acknowledged; its last number."""
    with open_store(url) as store:
        if MARKET not in store.markets():
            assert acknowledged == 0
            return 0
        store.check()
        after = store.compacted(MARKET)
        found = [(number, event["item"]) for number, event in store.events(MARKET, after)]
        last = store.last(MARKET)
        assert found == [(number, number) for number in range(after + 1, last + 1)]
        assert last >= acknowledged
        newest = store.snapshot(MARKET)
        if after:
            assert newest is not None
            assert newest[0] >= after
        if newest is not None:
            assert newest[1] == str(newest[0]).encode() * 1000
        return last


def kill_often(url: str, folder: Path, times: int, seed: int) -> int:
    """Start and kill ``times`` times, one in five while starting; how far the journal got."""
    moments = random.Random(seed)
    last = 0
    for turn in range(times):
        with appending(url, folder / "said") as appender:
            if turn % 5 == 4:
                time.sleep(moments.uniform(0.3, 0.9))
            else:
                appender.wait_beyond(0)
                time.sleep(moments.uniform(0.0, 0.2))
            appender.kill()
            last = check(url, max(last, appender.acknowledged()))
    return last


def kill_the_server(server: Server, folder: Path, times: int, seed: int) -> None:
    """Kill the server under the process, which must find back by itself; then kill the process."""
    moments = random.Random(seed)
    url = server.new_url()
    last = 0
    for turn in range(times):
        with appending(url, folder / "said") as appender:
            appender.wait_beyond(0)
            time.sleep(moments.uniform(0.0, 0.2))
            server.kill()
            before = appender.acknowledged()
            server.start()
            if turn % 2:
                appender.wait_beyond(before)
                assert "postgresql" in appender.errors()
            time.sleep(moments.uniform(0.0, 0.1))
            appender.kill()
            last = check(url, max(last, before, appender.acknowledged()))


def test_sqlite_loses_nothing(tmp_path: Path) -> None:
    assert kill_often(f"sqlite:{tmp_path}/live.db", tmp_path, 4, seed=1) > 10


def test_postgres_loses_nothing(tmp_path: Path, postgres: Server) -> None:
    assert kill_often(postgres.new_url(), tmp_path, 1, seed=2) > 0
    kill_the_server(postgres, tmp_path, 2, seed=3)


@pytest.mark.slow
def test_sqlite_loses_nothing_in_200_kills(tmp_path: Path) -> None:
    assert kill_often(f"sqlite:{tmp_path}/live.db", tmp_path, 200, seed=4) > 2000


@pytest.mark.slow
def test_postgres_loses_nothing_in_50_kills(tmp_path: Path, postgres: Server) -> None:
    assert kill_often(postgres.new_url(), tmp_path, 25, seed=5) > 200
    kill_the_server(postgres, tmp_path, 25, seed=6)
