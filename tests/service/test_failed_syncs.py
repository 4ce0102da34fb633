"""Syncs fail: nothing is answered that a loss of power could take back.

``shadow.c`` fails syncs while a file exists, and keeps what the disk would have: pages that a
failed sync was to write are lost, unless they are written again, however many syncs succeed later.
"""

import shutil
import time
from pathlib import Path

import pytest

from copyproof.live import Principal
from copyproof.live.stores import open_store
from tests.service.conftest import filled
from tests.service.serving import Answer, Caller, Program

ASK = "/v1/markets/site/decisions"
STATISTICS = "/v1/markets/shop/statistics"


class Disk:
    """A service on a disk whose syncs can fail."""

    def __init__(self, folder: Path, layer: Path) -> None:
        self._file, self._disk = folder / "live.db", folder / "disk"
        self._failing = folder / "failing"
        with open_store(f"sqlite:{self._file}") as store:
            self._key = filled(store)["operator"]
        self._disk.mkdir()
        shutil.copy(self._file, self._disk)
        variables = {
            "LD_PRELOAD": str(layer),
            "SHADOW": str(self._disk),
            "FAILING": str(self._failing),
        }
        self.program = Program(f"sqlite:{self._file}", variables=variables)
        self.acknowledged: set[int] = set()

    def fail(self) -> None:
        self._failing.touch()

    def mend(self) -> None:
        self._failing.unlink()

    def call(self, method: str, path: str) -> Answer:
        return Caller(self.program.url, self._key)(method, path)

    def ask(self, retry: str) -> Answer:
        call = Caller(self.program.url, self._key)
        answer = call("POST", ASK, headers={"Idempotency-Key": retry})
        if answer.status == 200:
            self.acknowledged |= {each["round"] for each in answer.json["decisions"]}
        return answer

    def ask_until_served(self, retry: str) -> None:
        until = time.monotonic() + 60.0
        while self.ask(retry).status != 200:
            assert time.monotonic() < until
            time.sleep(0.1)

    def lose_power(self) -> None:
        """End the process; what was acknowledged must be on the disk."""
        self.program.end()
        with open_store(f"sqlite:{self._disk / 'live.db'}") as store:
            store.check()
            principal = Principal(store=store, market="site")
            assert max(self.acknowledged, default=0) <= principal.round


def test_nothing_is_answered_while_syncs_fail(tmp_path: Path, layer: Path) -> None:
    disk = Disk(tmp_path, layer)
    try:
        disk.program.start()
        assert disk.ask("first").status == 200
        assert disk.call("GET", "/readyz").status == 200
        disk.fail()
        # The first is refused; its retry would be answered from what no disk has.
        assert [disk.ask("second").status for _ in range(20)] == [503] * 20
        assert disk.call("GET", "/readyz").status == 503
        assert disk.call("GET", STATISTICS).status == 503
        assert disk.call("GET", "/healthz").status == 200
        disk.mend()
        disk.ask_until_served("second")
        assert disk.ask("first").json["decisions"][0]["round"] == 1
        disk.lose_power()
    finally:
        disk.program.end()


def test_a_start_answers_only_what_is_synced(tmp_path: Path, layer: Path) -> None:
    disk = Disk(tmp_path, layer)
    try:
        disk.program.start()
        assert disk.ask("first").status == 200
        disk.fail()
        assert disk.ask("second").status == 503
        disk.program.kill()
        # What was not synced is still in the cache of the system, and would be replayed.
        with pytest.raises(AssertionError, match="cannot be opened"):
            disk.program.start()
        disk.mend()
        disk.program.start()
        disk.ask_until_served("second")
        disk.lose_power()
    finally:
        disk.program.end()
    assert disk.acknowledged == {1, 2}
