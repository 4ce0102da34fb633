"""The gateway: what every request passes before anything is done for it.

The way of a request is the list of steps in ``Gateway._serve``: key (401), its rate (429), the size
and type of the body (413, 415), the idempotency key (422). A request for decisions or rewards goes
on right here: role (403, 404), parsing (400, 422), market (404), writer (409, 503), answer.
Everything else goes on to FastAPI (``routes``). The gateway is plain ASGI, as it is passed
thousands of times a second; ``FAST`` is the table of what it serves by itself, and the OpenAPI
document describes the two requests from it.
"""

import asyncio
import contextlib
import logging
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import unquote_to_bytes

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from copyproof.live import Principal
from copyproof.live.journaled import Later
from copyproof.live.stores import StoreError
from copyproof.service.access import Key, Limits, TokenBuckets, authenticate, authorize
from copyproof.service.actions import READING, action_of, on_record
from copyproof.service.admission import Admission
from copyproof.service.bodies import DEEPEST, NDJSON, read_ask, read_json, read_rewards
from copyproof.service.errors import STORE_AWAY, Refusal, refusal_of
from copyproof.service.leadership import Leadership
from copyproof.service.messages import AskIn, Decisions, RewardsTold, TellIn
from copyproof.service.observation import Observer, RequestNote
from copyproof.service.open_pages import Pace
from copyproof.service.protocol import CYCLE, write_answer
from copyproof.service.retries import Retries, Retry
from copyproof.service.routes.call import CALL, ApiCall
from copyproof.validation import shown

_log = logging.getLogger("copyproof.service")

# What needs no key: it says nothing about any market.
_PROBES = frozenset(("/healthz", "/readyz"))
_PAGES = frozenset(("/openapi.json", "/docs", "/console"))
_CONSOLE = "/console/"
_METRICS = "/metrics"  # which say nothing about any market's past, and are wanted in trouble
_MARKETS = "/v1/markets/"
# The one request whose body is lines of JSON, and how many times the size of others it may have.
_BULK, _BULK_BODIES = re.compile(r"/v1/markets/[^/]+/agents"), 16
_JSON = (b"content-type", b"application/json")
# What reads like a key, and how often a second such a one that is not known is looked for.
_KEY = re.compile(rb"(?i:bearer) +cp_[0-9a-f]{12}_[A-Za-z0-9_-]{43} *")
_LOOKS, _LOOKS_AT_ONCE = 1.0, 20


# --- the two requests that come all the time ------------------------------------------------------


def _ask(principal: Principal, request: dict[str, Any], key: str | None) -> Later:
    """Decide what to show, once or ``count`` times; durable before it is answered."""
    return principal.ask_rows(**request, key=key)


def _tell(principal: Principal, request: TellIn, key: str | None) -> Later:
    """Tell what decisions were worth."""
    if "rewards" in request:
        pairs = [(each["decision"], each["reward"]) for each in request["rewards"]]
        return principal.tell_rows(pairs, key=key)
    return principal.tell_row(request["decision"], request["reward"], key=key)


def _plays(request: AskIn) -> int:
    """Return how many decisions are asked for."""
    return request.get("count", 1)


def _rewards(request: TellIn) -> int:
    """Return how many rewards there are."""
    return len(request["rewards"]) if "rewards" in request else 1


@dataclass(frozen=True, slots=True)
class FastRequest:
    """A request about a market that the gateway serves by itself.

    Attributes
    ----------
    route : str
        The path, with a name in place of the market's.
    action : str
        What a caller must be allowed to do.
    body : object
        The type of the body.
    read : callable
        Reads the body.
    weight : callable
        Says of what was read for how many requests it counts.
    perform : callable
        Done by the market's writer: with the principal, what was read, and the idempotency key. It
        gives a row for each in the list, later.
    answer : type
        The record of the answer; its first field is a list.
    listed : str
        That field.
    fields : tuple of str
        What each in the list says.
    blamed : str
        The field to blame if an error names none.
    """

    route: str
    action: str
    body: Any
    read: Callable[[bytes], Any]
    weight: Callable[[Any], int]
    perform: Callable[[Principal, Any, str | None], Any]
    answer: type[Decisions] | type[RewardsTold]
    listed: str
    fields: tuple[str, ...]
    blamed: str


# By the last part of their paths, which is also what is counted.
FAST = {
    "decisions": FastRequest(
        *(
            f"{_MARKETS}{{market}}/decisions",
            "ask",
            AskIn | None,
            read_ask,
            _plays,
            _ask,
            Decisions,
        ),
        *("decisions", ("id", "agent", "arm", "round"), "eligible"),
    ),
    "rewards": FastRequest(
        *(
            f"{_MARKETS}{{market}}/rewards",
            "tell",
            TellIn,
            read_rewards,
            _rewards,
            _tell,
            RewardsTold,
        ),
        *("told", ("decision", "status", "reward"), "decision"),
    ),
}


# --- the way of a request -------------------------------------------------------------------------


class _Gone(Exception):
    """The caller hung up before its request was complete."""


class Gateway:
    """The service as an ASGI application.

    Parameters
    ----------
    app : ASGI application
        Everything but the fast requests.
    leadership : Leadership
        The markets, and the keys.
    limits : Limits
        What one caller may ask for.
    observer : Observer
        Where requests are noted.
    """

    def __init__(
        self, app: ASGIApp, leadership: Leadership, limits: Limits, observer: Observer
    ) -> None:
        self.leadership = leadership
        self._app = app
        self._keyring = leadership.keyring
        self._observer = observer
        self._limits = limits
        self._rates = TokenBuckets(time.monotonic)
        self._looks = TokenBuckets(time.monotonic)
        self._retries = Retries(leadership.store)
        self._admission = Admission()
        # Those without a key: each kind waits for its like, and for nobody else.
        self._pages, self._probes, self._strangers = Pace(), Pace(longest=1.0), Pace(longest=1.0)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or one lifetime of the server."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers: dict[bytes, bytes] = dict(scope["headers"])
        note = self._observer.begin(scope["method"], headers)
        status = 0  # until an answer is begun

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], note.header]
            await send(message)

        try:
            status = await self._serve(scope, headers, note, receive, send, noting) or status
        except Refusal as refusal:
            status = await _refuse(scope, send, refusal, note, path_of(scope))
        except StoreError as error:
            status = await _refuse(scope, send, refusal_of(error, "store"), note)
        except _Gone:
            status = 499
        except asyncio.CancelledError:  # the server stops, and has waited long enough
            if not status:
                status = await _refuse(scope, send, Refusal(503, "store", STORE_AWAY, 1), note)
            else:
                await _hang_up(scope)
        except Exception:
            _log.exception("%s %s failed", note.method, self._observer.route(note, scope["path"]))
            if not status:
                status = await _refuse(scope, send, Refusal(500, "", "internal error"), note)
            else:
                await _hang_up(scope)
        finally:
            self._observer.end(note, scope["path"], status or 500)

    async def _serve(
        self,
        scope: Scope,
        headers: dict[bytes, bytes],
        note: RequestNote,
        receive: Receive,
        send: Send,
        noting: Send,
    ) -> int | None:
        """Take all steps; the status, if the answer was not sent through ``noting``."""
        path: str = scope["path"]
        is_probe = path in _PROBES
        if is_probe or path in _PAGES or path.startswith(_CONSOLE):
            await (self._probes if is_probe else self._pages).turn(refuses=not is_probe)
            await self._app(scope, receive, noting)
            return None
        if not self.leadership.is_current and path != _METRICS:
            raise Refusal(503, "store", STORE_AWAY, 1)
        key, secret = self._caller(headers) or await self._new_caller(headers)
        note.key = key.id
        if "\ufffd" in path:
            _check_utf8(scope)
        self._rates.take(key.id, *self._limits.of(key))
        is_bulk = scope["method"] == "PUT" and _BULK.fullmatch(path) is not None
        body = await self._body(receive, headers, is_bulk=is_bulk)
        retry = _idempotency_key(key, headers)
        market, _, name = path.removeprefix(_MARKETS).partition("/")
        fast = FAST.get(name) if path.startswith(_MARKETS) else None
        if fast is None or scope["method"] != "POST":
            if body and not is_bulk:
                read_json(body, DEEPEST)
            scope[CALL] = ApiCall(key, retry, self.leadership, secret)
            if (
                not body and not is_bulk and scope["method"] in ("POST", "PUT")
            ):  # every field has its default
                scope["headers"] = [*{**headers, _JSON[0]: _JSON[1]}.items()]
                replayed = _replay(b"{}", receive)
            else:
                replayed = _replay(body, receive)
            if key.role == "operator" and scope["method"] not in READING:
                await self._operate(key, secret, retry, body, scope, replayed, noting)
            else:
                await self._app(scope, replayed, noting)
            return None
        note.route = fast.route
        authorize(key, fast.action, market)
        known = self.leadership.markets.get(market)
        if known is None or not known.is_led:
            return await self._decide(scope, send, note, key, retry, fast, name, market, body)
        await self._admission.enter(known.door)
        try:
            return await self._decide(scope, send, note, key, retry, fast, name, market, body)
        finally:
            self._admission.leave(known.door)

    async def _decide(
        self,
        scope: Scope,
        send: Send,
        note: RequestNote,
        key: Key,
        retry: str | None,
        fast: FastRequest,
        name: str,
        market: str,
        body: bytes,
    ) -> int:
        """Serve a request for decisions or rewards; the status."""
        request = fast.read(body)
        if (weight := fast.weight(request)) > 1:
            self._rates.charge(key.id, weight - 1)
        unknown: dict[str, Any] = {}
        if name == "decisions" and not request.pop("strict", False):
            request["unknown"] = unknown
        served = self.leadership.markets.get(market) or await self.leadership.find(market)
        note.market = market
        perform = fast.perform
        try:
            waiting = self.leadership.submit(
                served, lambda principal: perform(principal, request, retry), brief=True
            )
            found = await (waiting if note.trace is None else note.trace.written(waiting))
        except (ValueError, LookupError) as error:
            raise refusal_of(error, fast.blamed) from None
        served.answered[name] += len(found)
        # Dictionaries, which orjson writes ten times as fast as records.
        fields = fast.fields
        listed = [dict(zip(fields, row, strict=True)) for row in found]
        answer: dict[str, Any] = {fast.listed: listed}
        if name == "decisions":
            answer["missing"] = request.get("count", 1) - len(found)
            if unknown:
                answer["unknown"] = unknown
            served.seconds.add(time.perf_counter() - note.began)
        await _answer(scope, send, 200, orjson.dumps(answer), {}, note)
        return 200

    async def _operate(
        self,
        key: Key,
        secret: bytes,
        retry: str | None,
        body: bytes,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Do what an operator asks for: on record, and once for each idempotency key."""
        method, now = scope["method"], self._keyring.clock()
        action = action_of(now, key, method, scope["path"], body)
        app = partial(on_record, self.leadership.store, action, self._app)
        if retry is None:
            await app(scope, receive, send)
            return
        request = b"\n".join((f"{method} {path_of(scope)}".encode("latin-1"), body))
        is_end = method == "DELETE" and scope["path"].count("/") == _MARKETS.count("/")
        market = action["market"] if is_end else None
        one = Retry(retry, secret, request, market)
        await self._retries.serve(one, now, app, scope, receive, send)

    def _caller(self, headers: dict[bytes, bytes]) -> tuple[Key, bytes] | None:
        """Return the caller's key, and its text; None if it is not known."""
        scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
        text = given.strip()
        key = authenticate(text.decode("latin-1"), self._keyring.held, self._keyring.clock)
        return None if key is None or scheme.lower() != b"bearer" else (key, text)

    async def _new_caller(self, headers: dict[bytes, bytes]) -> tuple[Key, bytes]:
        """Look whether another process has just made the caller's key, or given it a new secret.

        Only so often: whoever has no key cannot keep the store busy.
        """
        found = None
        if _KEY.fullmatch(headers.get(b"authorization", b"")):
            with contextlib.suppress(Refusal):
                self._looks.take("", _LOOKS, _LOOKS_AT_ONCE)
                await run_in_threadpool(self._keyring.refresh)
                found = self._caller(headers)
        if found is None:
            await self._strangers.turn(refuses=False)
            raise Refusal(401, "Authorization", "Authorization is not 'Bearer' and a valid key")
        return found

    async def _body(
        self, receive: Receive, headers: dict[bytes, bytes], *, is_bulk: bool = False
    ) -> bytes:
        """Read the whole body, if it is small enough and says that it is JSON, or lines of it."""
        most = self._limits.body * (_BULK_BODIES if is_bulk else 1)
        kind_of_body = NDJSON if is_bulk else _JSON[1]
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
            if kind != kind_of_body:
                accepted = kind_of_body.decode()
                raise Refusal(415, "Content-Type", f"Content-Type is not {accepted}")
        return body


def _check_utf8(scope: Scope) -> None:
    """Refuse a path of which some bytes are no text: all such names would be one."""
    try:
        unquote_to_bytes(scope.get("raw_path") or scope["path"]).decode()
    except UnicodeDecodeError:
        raise Refusal(422, "path", f"path = {shown(path_of(scope))} is not UTF-8") from None


def _idempotency_key(key: Key, headers: dict[bytes, bytes]) -> str | None:
    """Return the idempotency key; two callers may choose the same one without harm."""
    given = headers.get(b"idempotency-key")
    if given is None:
        return None
    text = given.decode("latin-1")
    if not 1 <= len(text) <= 150 or not text.isprintable() or not text.isascii():
        accepted = "a text of 1 to 150 printable ASCII characters"
        raise Refusal(422, "Idempotency-Key", f"Idempotency-Key is not {accepted}")
    return f"{key.id}:{text}"


def path_of(scope: Scope) -> str:
    """Return what a request is about, as it was sent: path and query."""
    query = scope["query_string"]
    path: bytes = scope.get("raw_path") or scope["path"].encode()
    return (path + (b"?" + query if query else b"")).decode("latin-1")


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return what gives the body that was read already, and then waits for the end."""
    first = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def again() -> Message:
        return next(first, None) or await receive()

    return again


async def _hang_up(scope: Scope) -> None:
    """Break off an answer that cannot be finished: its reader must not take it for the whole."""
    scope[CYCLE].transport.abort()
    await asyncio.sleep(0)  # until the connection is lost


async def _refuse(
    scope: Scope, send: Send, refusal: Refusal, note: RequestNote, path: str = ""
) -> int:
    """Answer with a refusal; its status."""
    await _answer(scope, send, refusal.status, refusal.body, refusal.headers(path), note)
    return refusal.status


async def _answer(
    scope: Scope, send: Send, status: int, body: bytes, headers: dict[str, str], note: RequestNote
) -> None:
    found = [_JSON, (b"content-length", str(len(body)).encode()), note.header]
    found += [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    cycle = scope.get(CYCLE)  # another server has none
    if cycle is not None and write_answer(cycle, status, found, body):
        return
    await send({"type": "http.response.start", "status": status, "headers": found})
    await send({"type": "http.response.body", "body": body})
