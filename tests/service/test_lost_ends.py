"""A service whose store has lost what it acknowledged does not start, and says what to do."""

import os
import time
from pathlib import Path

import pytest

from copyproof.live.stores import open_store
from copyproof.live.stores.known import read_known
from tests.service.conftest import filled
from tests.service.serving import Caller, Program

ASKED = 10


def test_a_service_that_was_killed_misses_its_log(tmp_path: Path) -> None:
    file = tmp_path / "live.db"
    with open_store(f"sqlite:{file}") as store:
        key, before = filled(store)["operator"], store.last("site")
    program = Program(f"sqlite:{file}")
    try:
        program.start()
        call = Caller(program.url, key)
        for _ in range(ASKED):
            assert call("POST", "/v1/markets/site/decisions").status == 200
        until = time.monotonic() + 30.0  # where journals end is noted once a second
        while read_known(file).heads["site"][0] < before + ASKED:
            assert time.monotonic() < until
            time.sleep(0.1)
        program.kill()
        log = tmp_path / "live.db-wal"
        log.rename(tmp_path / "moved")
        os.remove(tmp_path / "live.db-shm")
        with pytest.raises(AssertionError, match=rf"event {before + ASKED} was stored"):
            program.start()
        assert not log.exists()
        (tmp_path / "moved").rename(log)
        program.start()
        answer = Caller(program.url, key)("POST", "/v1/markets/site/decisions")
        assert answer.json["decisions"][0]["round"] == ASKED + 1
    finally:
        program.end()
