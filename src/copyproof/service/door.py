"""The door: what every request passes before anything is done for it.

In this order: the key (401), its rate (429), the size of the body (413), its content type (415),
and that it is JSON (400). Requests for decisions and rewards are then served right here; everything
else goes on to FastAPI. The door is plain ASGI, as it is passed thousands of times a second.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

import orjson

from copyproof.service.errors import AWAY, Refusal, refusal_of
from copyproof.service.hot import Hot, read_ask, read_json, read_tell
from copyproof.service.keys import Key
from copyproof.service.limits import Buckets, Limits
from copyproof.service.metrics import Metrics
from copyproof.service.office import Office
from copyproof.service.roles import ACTIONS, Action, authorize

__all__ = ["KEY", "RETRY", "SECRET", "Door"]

_log = logging.getLogger("copyproof.service")

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

KEY = "copyproof.key"
"""Where FastAPI's part finds the caller's key."""
RETRY = "copyproof.retry"
"""Where it finds the idempotency key, made unique to the caller."""
SECRET = "copyproof.secret"
"""Where it finds the text of the caller's key."""

_OPEN = frozenset(("/healthz", "/readyz", "/openapi.json", "/docs", "/docs/oauth2-redirect"))
"""What needs no key: it says nothing about any market."""
_MARKETS = "/v1/markets/"
_HOT: dict[str, tuple[Action, Callable[[bytes, str | None, Limits], Hot], str]] = {
    "decisions": (ACTIONS["ask"], read_ask, "decisions"),
    "rewards": (ACTIONS["tell"], read_tell, "told"),
}
_JSON = (b"content-type", b"application/json")


class _Gone(Exception):
    """The caller hung up before its request was complete."""


class Door:
    """The service as an ASGI application.

    Parameters
    ----------
    app : ASGI application
        Everything but the two hot requests.
    office : callable
        Returns the markets; they come to life with the event loop.
    limits : Limits
        What one caller may ask for.
    metrics : Metrics
        Where requests are counted.
    """

    def __init__(
        self, app: App, office: Callable[[], Office], limits: Limits, metrics: Metrics
    ) -> None:
        self._app = app
        self._made = office
        self._limits = limits
        self._metrics = metrics
        self._buckets = Buckets(limits.rate, limits.burst, time.monotonic)

    @property
    def office(self) -> Office:
        """The markets."""
        return self._made()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or one lifetime of the server."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 500
        started = False

        async def noting(message: Message) -> None:
            nonlocal status, started
            if message["type"] == "http.response.start":
                status, started = message["status"], True
            await send(message)

        try:
            status = await self._serve(scope, receive, send, noting) or status
        except Refusal as refusal:
            status = refusal.status
            await _answer(send, status, refusal.body, refusal.headers)
        except _Gone:
            status = 499
        except asyncio.CancelledError:  # the server stops, and has waited long enough
            if started:
                raise
            status = 503
            stopping = Refusal(503, "store", AWAY, 1)
            await _answer(send, status, stopping.body, stopping.headers)
        except Exception:
            _log.exception("%s %s failed", scope["method"], scope["path"])
            if not started:
                await _answer(send, 500, Refusal(500, "", "internal error").body, {})
        finally:
            self._metrics.request(scope["method"], status, time.perf_counter() - began)

    async def _serve(self, scope: Scope, receive: Receive, send: Send, noting: Send) -> int | None:
        path: str = scope["path"]
        if path in _OPEN:
            await self._app(scope, receive, noting)
            return None
        headers: dict[bytes, bytes] = dict(scope["headers"])
        office = self.office
        key, text = _caller(office, headers)
        self._buckets.take(key.id)
        body = await self._body(receive, headers)
        retry = _retry(key, headers)
        if scope["method"] == "POST" and path.startswith(_MARKETS):
            market, _, rest = path[len(_MARKETS) :].partition("/")
            if rest in _HOT:
                return await self._hot(office, key, market, rest, body, retry, send)
        if body:
            read_json(body)
        scope[KEY] = key
        scope[RETRY] = retry
        scope[SECRET] = text
        await self._app(scope, _replay(body, receive), noting)
        return None

    async def _hot(
        self,
        office: Office,
        key: Key,
        market: str,
        kind: str,
        body: bytes,
        retry: str | None,
        send: Send,
    ) -> int:
        action, read, name = _HOT[kind]
        authorize(key, action, market)
        call = read(body, retry, self._limits)
        served = office.find(market)
        try:
            answer = await served.submit(call)
        except (ValueError, LookupError) as error:
            raise refusal_of(error, "eligible" if kind == "decisions" else "decision") from None
        if kind == "decisions":
            served.decisions += len(answer)
        else:
            served.rewards += len(answer)
        await _answer(send, 200, orjson.dumps({name: answer}), {})
        return 200

    async def _body(self, receive: Receive, headers: dict[bytes, bytes]) -> bytes:
        """Read the whole body, if it is small enough and says that it is JSON."""
        most = self._limits.body
        announced = headers.get(b"content-length", b"0")
        if not announced.isdigit() or int(announced) > most:
            raise Refusal(413, "body", f"body is larger than {most} bytes")
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _Gone
            part = message.get("body", b"")
            size += len(part)
            if size > most:
                raise Refusal(413, "body", f"body is larger than {most} bytes")
            parts.append(part)
            if not message.get("more_body", False):
                break
        body = parts[0] if len(parts) == 1 else b"".join(parts)
        if body:
            kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
            if kind != b"application/json":
                raise Refusal(415, "Content-Type", "Content-Type is not application/json")
        return body


def _caller(office: Office, headers: dict[bytes, bytes]) -> tuple[Key, bytes]:
    """Return the caller's key, and its text."""
    scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
    text = given.strip()
    key = office.keyring.check(text.decode("latin-1"))
    if key is None or scheme.lower() != b"bearer":
        raise Refusal(401, "Authorization", "Authorization is not 'Bearer' and a valid key")
    return key, text


def _retry(key: Key, headers: dict[bytes, bytes]) -> str | None:
    """Return the idempotency key; two callers may choose the same one without harm."""
    given = headers.get(b"idempotency-key")
    if given is None:
        return None
    text = given.decode("latin-1")
    if not 1 <= len(text) <= 150 or not text.isprintable() or not text.isascii():
        accepted = "a text of 1 to 150 printable ASCII characters"
        raise Refusal(422, "Idempotency-Key", f"Idempotency-Key is not {accepted}")
    return f"{key.id}:{text}"


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return what gives the body that was read already, and then waits for the end."""
    given = False

    async def again() -> Message:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return again


async def _answer(send: Send, status: int, body: bytes, headers: dict[str, str]) -> None:
    found = [_JSON, (b"content-length", str(len(body)).encode())]
    found += [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": found})
    await send({"type": "http.response.body", "body": body})
