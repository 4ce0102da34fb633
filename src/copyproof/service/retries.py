"""Operators' requests with an Idempotency-Key: carried out once, answered as often as they come.

Of requests for decisions and rewards, and of those of agents, a market's journal has the answers
(``live.idempotency``). Operators do more: they delete markets, make keys and backups. So each of
their requests with a key is noted in the store before it is carried out, and its answer after
that, for a day. The note and the answer are sealed with the caller's secret, which the store does
not have: a key that was made, or a name that was forgotten since, cannot be read from them.

If the service ends in between, the note has no answer, and the request is carried out when it
comes again. The note of a market that is to be deleted says which one was meant: another one that
has got its name stays.
"""

import hashlib
import hmac
import os
from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import Any

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from copyproof.live.idempotency import KEY_SECONDS
from copyproof.live.stores import Store, StoreError
from copyproof.service.errors import Refusal, refusal_of

_NONCE = 12  # bytes
_DELETED = "deleted"  # the field of a note that says which market is meant
_HEADERS = (b"content-type", b"retry-after")  # of an answer, what is kept


@dataclass(frozen=True, slots=True)
class Retry:
    """An operator's request with an Idempotency-Key.

    Attributes
    ----------
    key : str
        The idempotency key, unique to the caller.
    secret : bytes
        The text of the caller's API key.
    request : bytes
        Method, path, query and body.
    market : str or None
        The market, if it is to be deleted.
    """

    key: str
    secret: bytes
    request: bytes
    market: str | None = None

    @property
    def id(self) -> str:
        """What it is stored under."""
        return f"request {hashlib.sha256(self.key.encode()).hexdigest()[:40]}"

    @property
    def digest(self) -> str:
        """What tells it from another request with the same key."""
        return hmac.digest(self.secret, b"request:" + self.request, "sha256").hex()[:40]

    def sealed(self, answer: dict[str, Any]) -> str:
        """Return an answer as it is stored."""
        nonce = os.urandom(_NONCE)
        return b64encode(nonce + self._cipher.encrypt(nonce, orjson.dumps(answer), None)).decode()

    def opened(self, text: str) -> dict[str, Any]:
        """Return an answer as it was sent.

        Raises
        ------
        InvalidTag
            If it was sealed with another secret.
        """
        data = b64decode(text)
        found: dict[str, Any] = orjson.loads(
            self._cipher.decrypt(data[:_NONCE], data[_NONCE:], None)
        )
        return found

    @property
    def _cipher(self) -> AESGCM:
        return AESGCM(hmac.digest(self.secret, f"answer:{self.key}".encode(), "sha256"))


class Retries:
    """What was answered to operators, and what is being done for them.

    Parameters
    ----------
    store : Store
        Where answers are kept.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._open: set[str] = set()  # in this process

    async def serve(
        self, retry: Retry, now: float, app: ASGIApp, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Carry a request out, or answer as before.

        Raises
        ------
        Refusal
            422 if the key came with another request, 503 while the first one is carried out.
        """
        if retry.id in self._open:
            message = "the request with this Idempotency-Key is being carried out, try again"
            raise Refusal(503, "Idempotency-Key", message, 1)
        self._open.add(retry.id)
        try:
            try:
                answer = await run_in_threadpool(self._begin, retry, now)
            except StoreError as error:
                raise refusal_of(error, "store") from None
            if answer is None:
                await self._carry_out(retry, now, app, scope, receive, send)
            else:
                await _send(answer, send)
        finally:
            self._open.discard(retry.id)

    def _begin(self, retry: Retry, now: float) -> dict[str, Any] | None:
        """Return what was answered before, or note that it is carried out."""
        found = self._store.answer(retry.id)
        if found is not None and found["until"] >= now:
            if found["request"] != retry.digest:
                message = "Idempotency-Key came with another request before"
                raise Refusal(422, "Idempotency-Key", message)
            if found["answer"] is not None:
                try:
                    return retry.opened(found["answer"])
                except InvalidTag:
                    message = "Idempotency-Key came with another secret before"
                    raise Refusal(422, "Idempotency-Key", message) from None
            if retry.market is not None and found[_DELETED] != self._identity(retry.market):
                body = {"market": retry.market, "agent": None, "deleted": True}
                return _answer(200, [(b"content-type", b"application/json")], orjson.dumps(body))
        elif retry.market is not None:
            self._note(retry, now, None, self._identity(retry.market))
        else:
            self._note(retry, now, None)
        return None

    def _identity(self, market: str) -> str | None:
        """Return the identity of a market's chain; None if there is no such market."""
        if self._store.config(market) is None:
            return None
        return self._store.chain(market).identity

    def _note(
        self, retry: Retry, now: float, answer: dict[str, Any] | None, deleted: str | None = None
    ) -> None:
        until = now + KEY_SECONDS
        sealed = None if answer is None else retry.sealed(answer)
        note = {"request": retry.digest, "answer": sealed, "until": until, _DELETED: deleted}
        self._store.put_answer(retry.id, note, now, until)

    async def _carry_out(
        self, retry: Retry, now: float, app: ASGIApp, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Carry it out, and keep the answer before it is sent, if it is a success."""
        messages: list[Message] = []

        async def keeping(message: Message) -> None:
            messages.append(message)

        await app(scope, receive, keeping)
        start, *parts = messages
        body = b"".join(part.get("body", b"") for part in parts)
        answer = _answer(start["status"], start["headers"], body)
        try:
            if 200 <= start["status"] < 300:
                await run_in_threadpool(self._note, retry, now, answer)
            else:
                await run_in_threadpool(self._store.drop_answer, retry.id)
        except StoreError as error:
            raise refusal_of(error, "store") from None
        for message in messages:
            await send(message)


def _answer(status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> dict[str, Any]:
    kept = [[name.decode(), value.decode()] for name, value in headers if name in _HEADERS]
    return {"status": status, "headers": kept, "body": body.decode()}


async def _send(answer: dict[str, Any], send: Send) -> None:
    body = answer["body"].encode()
    headers = [(name.encode(), value.encode()) for name, value in answer["headers"]]
    headers.append((b"content-length", str(len(body)).encode()))
    start = {"type": "http.response.start", "status": answer["status"], "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": body})
