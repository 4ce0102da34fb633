"""The power fails: every decision and reward that was answered over HTTP is on the disk.

A layer between the service and the C library keeps what was synced (``shadow.c``). After many
requests from several clients the service is killed, and only that is looked at.
"""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from copyproof.client import Client
from copyproof.live import Principal
from copyproof.live.stores import open_store
from tests.service.conftest import filled
from tests.service.serving import Program

CLIENTS = 4
REQUESTS = 40


def _ask_and_tell(url: str, key: str) -> float:
    with Client(url, key) as client:
        for _ in range(REQUESTS):
            [decision] = client.ask("site")
            assert client.tell("site", decision.id, 1.0).status == "counted"
    return float(REQUESTS)


def _left(folder: Path, layer: Path, synchronous: str) -> tuple[int, float]:
    """Decisions and revenue that the disk has after a loss of power."""
    file, disk = folder / "live.db", folder / "disk"
    with open_store(f"sqlite:{file}") as store:
        key = filled(store)["operator"]
    disk.mkdir()
    shutil.copy(file, disk)
    variables = {"LD_PRELOAD": str(layer), "SHADOW": str(disk)}
    program = Program(f"sqlite:{file}?synchronous={synchronous}", variables=variables)
    try:
        program.start()
        with ThreadPoolExecutor(CLIENTS) as pool:
            told = list(pool.map(lambda _: _ask_and_tell(program.url, key), range(CLIENTS)))
        assert sum(told) == CLIENTS * REQUESTS
    finally:
        program.end()
    with open_store(f"sqlite:{disk / 'live.db'}") as store:
        store.check()
        principal = Principal(store=store, market="site")
        return principal.round, principal.statistics().revenue


def test_all_that_was_answered_survives(tmp_path: Path, layer: Path) -> None:
    assert _left(tmp_path, layer, "full") == (CLIENTS * REQUESTS, CLIENTS * REQUESTS)


def test_without_syncs_it_does_not(tmp_path: Path, layer: Path) -> None:
    decisions, revenue = _left(tmp_path, layer, "off")
    assert decisions < CLIENTS * REQUESTS
    assert revenue < CLIENTS * REQUESTS
