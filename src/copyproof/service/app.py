"""The service as an ASGI application: FastAPI behind the door.

``create_app`` puts the parts together. The markets come to life when the server starts, and when it
stops every request that was taken is still answered, a snapshot is taken and all leases are given
back.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from copyproof.live.stores import Store
from copyproof.service.door import Door
from copyproof.service.errors import Refusal
from copyproof.service.keys import Keyring
from copyproof.service.limits import Limits
from copyproof.service.messages import AskIn, DecisionsOut, ErrorOut, RewardIn, RewardsIn, ToldOut
from copyproof.service.metrics import Metrics
from copyproof.service.office import LEASE, Office
from copyproof.service.routes import agents, keys, markets, service

__all__ = ["create_app", "document"]

_ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorOut, "description": "The body is not JSON"},
    401: {"model": ErrorOut, "description": "No valid key"},
    403: {"model": ErrorOut, "description": "The role may not do this"},
    404: {"model": ErrorOut, "description": "Unknown, or somebody else's"},
    409: {"model": ErrorOut, "description": "Not in this state of the market"},
    413: {"model": ErrorOut, "description": "The body is too large"},
    415: {"model": ErrorOut, "description": "The body is not declared as JSON"},
    422: {"model": ErrorOut, "description": "A field is not what is accepted"},
    429: {"model": ErrorOut, "description": "Too many requests with this key"},
    503: {"model": ErrorOut, "description": "Not now: try again"},
}


def create_app(
    store: Store,
    *,
    owner: str,
    limits: Limits | None = None,
    lease: float = LEASE,
    clock: Callable[[], float] = time.time,
) -> Door:
    """Return the service for a store.

    Parameters
    ----------
    store : Store
        Where everything is kept; it is not closed here.
    owner : str
        The name under which this process holds leases (``office.owner_of``).
    limits : Limits, optional
        What one caller may ask for.
    lease : float
        Seconds that a lease lasts.
    clock : callable
        Seconds since 1970, for events and keys.

    Returns
    -------
    Door
        An ASGI application.

    Examples
    --------
    >>> from copyproof.live.stores import open_store
    >>> app = create_app(open_store("memory:"), owner="here")
    >>> len(document()["paths"])
    21
    """
    limits = limits or Limits()
    metrics = Metrics()
    keyring = Keyring(store, clock)
    made: list[Office] = []

    @asynccontextmanager
    async def lifetime(_: FastAPI) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        office = Office(store, keyring, loop, owner=owner, lease=lease, limits=limits, clock=clock)
        made.append(office)
        await run_in_threadpool(office.start)
        try:
            yield
        finally:
            await run_in_threadpool(office.stop)

    app = _bare(lifetime)
    app.state.office = lambda: made[-1]
    app.state.metrics = metrics
    return Door(app, lambda: made[-1], limits, metrics)


def document() -> dict[str, Any]:
    """Return the OpenAPI document.

    Examples
    --------
    >>> document()["openapi"][:2]
    '3.'
    """
    return _bare(None).openapi()


class _Service(FastAPI):
    """FastAPI with the whole document: what the door serves by itself is in it, too."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            self.openapi_schema = _described(self)
        return self.openapi_schema


def _bare(lifetime: Any) -> FastAPI:
    app = _Service(
        title="copyproof",
        summary="Which submission do we show now? Decisions that copies cannot buy.",
        version="1",
        lifespan=lifetime,
        redoc_url=None,
        redirect_slashes=False,
        responses=_ERRORS,
    )
    for router in (markets.router, agents.router, keys.router, service.router):
        app.include_router(router)

    async def refused(_: Request, error: Exception) -> JSONResponse:
        refusal = _refusal(error)
        return JSONResponse(refusal.content, refusal.status, headers=refusal.headers)

    for kind in (Refusal, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, refused)

    return app


def _refusal(error: Exception) -> Refusal:
    """Return the refusal for what FastAPI itself refuses."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        place = list(first["loc"])
        if len(place) > 1 or place[0] == "body":
            place = place[1:]
        field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
        field = field.lstrip(".") or "body"
        return Refusal(422, field[:200], f"{field[:200]}: {first['msg']}")
    if isinstance(error, HTTPException):
        field = "method" if error.status_code == 405 else "path"
        return Refusal(error.status_code, field, f"{field} is not known")
    raise error


# --- the document ---------------------------------------------------------------------------------

_hot = APIRouter(tags=["decisions"], prefix="/v1/markets/{market}", responses=_ERRORS)
"""The requests that the door serves by itself: here they are only described."""


@_hot.post("/decisions")
async def ask(market: str, body: AskIn | None = None) -> DecisionsOut:
    """Decide what to show, once or ``count`` times; durable before it is answered."""
    raise NotImplementedError


@_hot.post("/rewards")
async def tell(market: str, body: RewardIn | RewardsIn) -> ToldOut:
    """Tell what decisions were worth."""
    raise NotImplementedError


def _described(app: FastAPI) -> dict[str, Any]:
    found = get_openapi(
        title=app.title,
        version=app.version,
        summary=app.summary,
        routes=[*app.routes, *_hot.routes],
    )
    found["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
    retry = {
        "name": "Idempotency-Key",
        "in": "header",
        "required": False,
        "description": "The same key gives the same answer, and nothing is done twice.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 150, "pattern": "^[!-~]+$"},
    }
    for path, operations in found["paths"].items():
        for method, operation in operations.items():
            if path in ("/healthz", "/readyz"):
                answers = operation["responses"]
                operation["responses"] = {"200": answers["200"]}
                if path == "/readyz":
                    operation["responses"]["503"] = answers["503"]
            else:
                operation["security"] = [{"key": []}]
            if method != "get":
                operation.setdefault("parameters", []).append(retry)
    return found
