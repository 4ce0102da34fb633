"""Nothing lost: kill -9 under load from 8 clients, again and again.

A few kills run always, all of them (200 with SQLite, 50 with PostgreSQL, its server killed in
between) in the slow tests.
"""

import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from copyproof.live.stores import open_store
from tests.patience import PATIENCE
from tests.postgres import Server
from tests.service.conftest import filled
from tests.service.crowd import MARKET, Crowd, check
from tests.service.serving import Program


def _bind(program: Program, key: str, number: int) -> None:
    """Bind and free names while everybody asks: statistics change hands."""
    agent, group = ("ann", "bob")[number % 2], ("x", "x", None)[number % 3]
    request = Request(
        f"{program.url}/v1/markets/{MARKET}/agents/{agent}/group",
        json.dumps({"group": group}).encode(),
        {"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
        method="PUT",
    )
    with urlopen(request, timeout=PATIENCE) as answer:
        assert json.load(answer)["group"] == group


def _kill_again_and_again(
    url: str, kills: int, seed: int, between: Callable[[int], None] = lambda number: None
) -> None:
    luck = random.Random(seed)
    with open_store(url) as store:
        key = filled(store)["operator"]
    program = Program(url)
    try:
        program.start()
        with Crowd(program.url, key) as crowd:
            for number in range(kills):
                time.sleep(luck.uniform(0.05, 0.4))
                _bind(program, key, number)
                time.sleep(luck.uniform(0.0, 0.4))
                program.kill()
                between(number)
                program.start()
            time.sleep(0.3)
        status, said = program.stop()
        assert status == 0, said
        assert "Traceback" not in said
    finally:
        program.end()
    with open_store(url) as store:
        check(store, crowd)
        assert any(event["kind"] == "group" for _, event in store.events(MARKET))
    assert len(crowd.decisions) > 10 * kills  # there was something to lose


def test_a_few_kills_with_sqlite(tmp_path: Path) -> None:
    _kill_again_and_again(f"sqlite:{tmp_path / 'live.db'}", 2, seed=1)


@pytest.mark.slow
def test_two_hundred_kills_with_sqlite(tmp_path: Path) -> None:
    _kill_again_and_again(f"sqlite:{tmp_path / 'live.db'}", 200, seed=2)


def _and_the_server(server: Server) -> Callable[[int], None]:
    def between(number: int) -> None:
        if number % 2 == 0:
            server.kill()
            server.start()

    return between


def test_a_kill_with_postgresql_and_of_its_server(postgres: Server) -> None:
    _kill_again_and_again(postgres.new_url(), 1, 3, _and_the_server(postgres))


@pytest.mark.slow
def test_fifty_kills_with_postgresql_and_of_its_server(postgres: Server) -> None:
    _kill_again_and_again(postgres.new_url(), 50, 4, _and_the_server(postgres))
