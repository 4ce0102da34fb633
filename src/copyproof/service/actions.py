"""What operators did: who, when, what, and with which answer.

A record is stored before a request is carried out, and completed with the status of the answer. So
nothing is done that is not on record, and a record without a status is of a request that was broken
off. Requests for decisions and rewards are not operators' work: the journal has them.
"""

import json
import secrets
from contextlib import suppress
from typing import Any
from urllib.parse import unquote

from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from copyproof.live.stores import Store, StoreError
from copyproof.service.access import Key
from copyproof.service.errors import refusal_of

READING = ("GET", "HEAD", "OPTIONS")
COMMAND_LINE = "command line"
_LONGEST = 2000  # bytes of a body that is kept


def new_action(
    at: float,
    what: str,
    *,
    key: str = "",
    role: str = COMMAND_LINE,
    market: str | None = None,
    agent: str | None = None,
    said: Any = None,
) -> dict[str, Any]:
    """Return the record of something that is about to be done.

    Examples
    --------
    >>> action = new_action(1.5, "keys revoke", said={"id": "0123"})
    >>> action["id"][:17], action["status"]
    ('0000000001500000-', None)
    """
    return {
        "id": f"{int(at * 1e6):016d}-{secrets.token_hex(4)}",
        "at": at,
        "key": key,
        "role": role,
        "what": what,
        "market": market,
        "agent": agent,
        "said": said,
        "status": None,
    }


def action_of(at: float, key: Key, method: str, path: str, body: bytes) -> dict[str, Any]:
    """Return the record of a request of an operator.

    Of requests about agents' arms the body is left out: it may be long, and it is in the
    journal.
    """
    parts = [unquote(part) for part in path.split("/")]
    named = parts[3:] if parts[1:3] == ["v1", "markets"] else []
    market = named[0] if named else None
    agent = named[2] if len(named) > 2 and named[1] == "agents" else None
    said = None
    if method == "PUT" and named[1:] == ["agents"]:
        said = {"lines": len(body.splitlines())}
    elif body and "arms" not in named[3:] and len(body) <= _LONGEST:
        said = json.loads(body)
    return new_action(
        at, f"{method} {path}", key=key.id, role=key.role, market=market, agent=agent, said=said
    )


async def on_record(
    store: Store, action: dict[str, Any], app: ASGIApp, scope: Scope, receive: Receive, send: Send
) -> None:
    """Do what an operator asks for, between two records of it; who has the answer finds both."""

    async def noting(message: Message) -> None:
        if message["type"] == "http.response.start":
            with suppress(StoreError):  # the first record stays, and says that it was broken off
                await run_in_threadpool(store.end_action, action["id"], message["status"])
        await send(message)

    try:
        await run_in_threadpool(store.put_action, action)
    except StoreError as error:
        raise refusal_of(error, "store") from None
    await app(scope, receive, noting)
