"""Services for tests: one in a thread of this process, one in a process of its own."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import uvicorn

from copyproof.live.stores import Store
from copyproof.service import bind, create_app
from copyproof.service.gateway import Gateway
from copyproof.service.protocol import TimedProtocol
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def field(self) -> str:
        return str(self.json["error"]["field"])


class Caller:
    """Requests as they are, without the client's help; the connection is kept."""

    def __init__(self, url: str, key: str | None = None) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        self._connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=PATIENCE)
        self.key = key

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        raw: bytes | Iterator[bytes] | None = None,
        key: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        sent = {"Authorization": f"Bearer {key or self.key}"} if key or self.key else {}
        data = raw
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
        if data is not None:
            is_lines = isinstance(body, bytes)
            sent["Content-Type"] = "application/x-ndjson" if is_lines else "application/json"
        try:
            self._connection.request(method, path, data, {**sent, **(headers or {})})
            answer = self._connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException):
            self._connection.close()
            raise
        found = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, found, content)

    def close(self) -> None:
        self._connection.close()

    def __del__(self) -> None:
        self.close()


class Running:
    """A service in a thread of this process."""

    def __init__(self, app: Gateway, bound: socket.socket) -> None:
        self.app = app
        self.url = "http://{}:{}".format(*bound.getsockname()[:2])
        self._bound = bound
        config = uvicorn.Config(
            app, http=TimedProtocol, ws="none", lifespan="on", log_config=None, access_log=False
        )
        self.server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self.server.run, args=([bound],), daemon=True)

    def begin(self) -> None:
        """Take requests, whether they can be served or not."""
        self._thread.start()
        until = time.monotonic() + PATIENCE
        while not self.server.started:
            assert time.monotonic() < until
            assert self._thread.is_alive()
            time.sleep(0.01)

    def start(self) -> None:
        """Begin, and wait for the markets."""
        self.begin()
        self.app.leadership.wait(10 * PATIENCE)

    def stop(self) -> None:
        """Stop it gracefully; once is enough."""
        self.server.should_exit = True
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        self._bound.close()


@contextlib.contextmanager
def serving(store: Store, owner: str = "test", **settings: Any) -> Iterator[Running]:
    running = Running(create_app(store, owner=owner, **settings), bind("127.0.0.1", 0))
    running.start()
    try:
        yield running
    finally:
        running.stop()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment() -> dict[str, str]:
    drop = ("COLUMNS", "FORCE_COLOR", "COPYPROOF_DEBUG", "COPYPROOF_STORE")
    kept = {name: value for name, value in os.environ.items() if name not in drop}
    return {**kept, "PYTHONUTF8": "1"}


class Program:
    """``copyproof serve`` in a process of its own, which can be killed and started again."""

    def __init__(
        self,
        store: str,
        *options: str,
        port: int | None = None,
        variables: dict[str, str] | None = None,
    ) -> None:
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[str] | None = None
        self.said: dict[str, Any] = {}
        self._environment = {**environment(), **(variables or {})}
        self._arguments = ["serve", "--store", store, "--create", "--port", str(self.port)]
        self._arguments += ["--json", *options]

    def start(self, seconds: float = 10 * PATIENCE) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "copyproof", *self._arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self._environment,
        )
        killer = threading.Timer(seconds, self.process.kill)
        killer.start()
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        killer.cancel()
        if not line:
            raise AssertionError(self.process.communicate()[1])
        self.said = json.loads(line)

    def kill(self) -> None:
        """Kill -9."""
        assert self.process is not None
        self.process.kill()
        self.process.communicate()

    def stop(self) -> tuple[int, str]:
        """Ask it to end; its status, and what it said on standard error."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        _, said = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, said

    def end(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.kill()
