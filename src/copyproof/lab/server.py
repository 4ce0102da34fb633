"""``copyproof lab``: the page, and the engine behind it, for one user on this machine.

It listens on the loopback address alone. A page of another site that the same browser has open can
send requests there, too: so the name that was asked for (``Host``) must be this machine's, which a
name that another site has pointed here is not; an ``Origin`` must be the page's own; a request must
be JSON, which a form of another site cannot send; and no other site is allowed to read an answer.
Requests are small, jobs are bounded (``asked``), and one is done at a time.
"""

import base64
import hashlib
import html
import json
import threading
import traceback
from collections.abc import Callable
from functools import cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from copyproof._version import __version__
from copyproof.lab import asked, packing
from copyproof.policy import CATALOGUE
from copyproof.validation import FieldError

HOST = "127.0.0.1"
MOST_BYTES = 2_000_000
_WAIT = 120.0  # seconds for the job of another window, or for the engine to be compiled
_IDLE = 30.0  # seconds that a connection may be silent


def _games(data: object) -> dict[str, Any]:
    from copyproof.lab.answers import game_answer  # loads the engine

    return {"games": [game_answer(game) for game in asked.read_games(data)]}


def _incomes(data: object) -> dict[str, Any]:
    from copyproof.lab.answers import incomes_answer

    return incomes_answer(asked.read_incomes(data))


def _simulation(data: object) -> dict[str, Any]:
    from copyproof.lab.answers import simulation_answer

    return simulation_answer(asked.read_simulation(data))


def _audit(data: object) -> dict[str, Any]:
    from copyproof.lab.answers import audit_answer

    return audit_answer(asked.read_audit(data))


JOBS: dict[str, Callable[[object], dict[str, Any]]] = {
    "/api/games": _games,
    "/api/incomes": _incomes,
    "/api/simulate": _simulation,
    "/api/audit": _audit,
}


class LabServer(ThreadingHTTPServer):
    """The server, bound to a port of the loopback address; port 0 takes a free one.

    Examples
    --------
    >>> with LabServer(0) as server:
    ...     server.url.startswith("http://127.0.0.1:")
    True
    """

    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__((HOST, port), _Handler)
        self.job = threading.Lock()

    def warm_up(self, compiling: Callable[[], None]) -> None:
        """Load the engine in a thread of its own, so that the first game need not wait for it.

        ``compiling`` is called if it has to be compiled first.
        """

        def load() -> None:
            with self.job:
                from copyproof.simulation import is_compiled

                if not is_compiled():
                    compiling()
                agent = {"name": "one", "means": [0.5], "copies": [1]}
                game = {"policy": "h-ucb", "horizon": 1, "seed": 0, "renewals": {}}
                _games({"games": [{"agents": [agent], **game}]})

        threading.Thread(target=load, daemon=True).start()

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{HOST}:{self.server_address[1]}"

    @cached_property
    def names(self) -> frozenset[str]:
        """What a request may call this server."""
        return frozenset(f"{name}:{self.server_address[1]}" for name in (HOST, "localhost"))

    @cached_property
    def page(self) -> bytes:
        """The page, which finds in its head that there is an engine, and which policies it has."""
        known = [row.name for row in CATALOGUE]
        about = json.dumps({"policies": known, "version": __version__})
        meta = f'<meta name="copyproof-lab" content="{html.escape(about)}">\n'
        return packing.page(meta).encode()

    @cached_property
    def content_policy(self) -> str:
        """Only the page's own script and style, and no address but this one."""
        text = self.page.decode()
        sources = {
            tag: _hash(text.partition(f"<{tag}")[2].partition(">")[2].partition(f"</{tag}>")[0])
            for tag in ("script", "style")
        }
        return (
            f"default-src 'none'; script-src {sources['script']}; style-src {sources['style']}; "
            "img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'"
        )


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
    return f"'sha256-{digest}'"


class _Refused(Exception):
    """A request that is not answered: its status, and why in one line."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: LabServer
    timeout = _IDLE
    protocol_version = "HTTP/1.1"
    server_version = "copyproof"
    sys_version = ""

    def do_GET(self) -> None:
        """Give the page."""
        try:
            self._check_host()
            if self.path.partition("?")[0] != "/":
                raise _Refused(HTTPStatus.NOT_FOUND, "there is one page here: /")
        except _Refused as refused:
            self._refuse(refused)
        else:
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page)

    def do_POST(self) -> None:
        """Do a job."""
        try:
            answer = self._answer()
        except _Refused as refused:
            self._refuse(refused)
        except (FieldError, ValueError) as error:
            self._refuse(_Refused(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)))
        except Exception as error:  # a fault of ours: the page is told, and the terminal how
            traceback.print_exc()
            why = f"{type(error).__name__}: {error}"
            self._refuse(_Refused(HTTPStatus.INTERNAL_SERVER_ERROR, why))
        else:
            body = json.dumps(answer, allow_nan=False).encode()
            self._send(HTTPStatus.OK, "application/json", body)

    def _answer(self) -> dict[str, Any]:
        self._check_host()
        origin = self.headers.get("Origin")
        if origin is not None and origin.removeprefix("http://") not in self.server.names:
            raise _Refused(HTTPStatus.FORBIDDEN, "the request comes from another site")
        job = JOBS.get(self.path)
        if job is None:
            raise _Refused(HTTPStatus.NOT_FOUND, f"jobs are {', '.join(JOBS)}")
        if self.headers.get_content_type() != "application/json":
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a request is application/json")
        data = self._body()
        if not self.server.job.acquire(timeout=_WAIT):
            raise _Refused(HTTPStatus.SERVICE_UNAVAILABLE, "another job is being done")
        try:
            return job(data)
        finally:
            self.server.job.release()

    def _body(self) -> object:
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit():
            raise _Refused(HTTPStatus.LENGTH_REQUIRED, "a request says its Content-Length")
        if int(length) > MOST_BYTES:
            why = f"a request has at most {MOST_BYTES:,} bytes"
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, why)
        try:
            return json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise _Refused(HTTPStatus.BAD_REQUEST, "a request is JSON") from None

    def _check_host(self) -> None:
        if self.headers.get("Host") not in self.server.names:
            raise _Refused(HTTPStatus.MISDIRECTED_REQUEST, "this server has another name")

    def _refuse(self, refused: _Refused) -> None:
        self.close_connection = True  # what is left of the request is not read
        body = json.dumps({"error": " ".join(str(refused).split())}).encode()
        self._send(refused.status, "application/json", body)

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("Content-Security-Policy", self.server.content_policy),
            ("X-Content-Type-Options", "nosniff"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"),
        ):
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the command has said where the page is."""
