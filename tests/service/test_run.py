"""How many connections a process may hold, and what it says while it runs."""

import json
import resource
import socket
import subprocess
import sys
from pathlib import Path

from copyproof.live.stores import open_store
from tests.service.conftest import filled
from tests.service.serving import Caller, Program, environment

_SAY = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
from copyproof.service.run import most_connections
print(most_connections(), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


def _most(soft: int, hard: int) -> list[int]:
    command = [sys.executable, "-c", _SAY.format(soft=soft, hard=hard)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env=environment())
    return [int(each) for each in said.stdout.split()]


def test_all_that_the_system_allows_less_some_files() -> None:
    assert _most(128, 300) == [236, 300]
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard == resource.RLIM_INFINITY or hard > 11_000:
        assert _most(1024, 11_000) == [10_000, 10_064]


def test_all_that_a_process_logs_is_json_where_nobody_watches(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'live.db'}"
    with open_store(url) as store:
        key = filled(store)["application"]
    program = Program(url, "--log-requests")
    try:
        program.start()
        answer = Caller(program.url, key)("POST", "/v1/markets/site/decisions")
        assert answer.status == 200
        with socket.create_connection(("127.0.0.1", program.port)) as nonsense:
            nonsense.sendall(b"nonsense\r\n\r\n")
            nonsense.recv(1000)
        status, said = program.stop()
    finally:
        program.end()
    assert status == 0
    lines = [json.loads(line) for line in said.splitlines()]
    requests = [line for line in lines if line["logger"] == "copyproof.requests"]
    assert [line["request"] for line in requests] == [answer.headers["x-request-id"]]
    assert any(line["logger"].startswith("uvicorn") for line in lines)
    assert key.split("_", 2)[2] not in said
