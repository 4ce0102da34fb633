"""The service as an ASGI application: FastAPI behind the gateway.

``create_app`` puts the parts together. The markets come to life when the server starts, and when it
stops every request that was taken is still answered, a snapshot is taken and all leases are given
back. ``document`` describes all requests: FastAPI's from its routes, the gateway's from its table.
"""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.routing import Route, compile_path

from copyproof.defaults import CLOCK_JUMP_SECONDS, LEASE_SECONDS
from copyproof.live.heads import SigningKey
from copyproof.live.stores import Store
from copyproof.service.access import Limits
from copyproof.service.audits import Audits
from copyproof.service.errors import ErrorAnswer, Refusal, refusal_of_body
from copyproof.service.exposition import Exposition
from copyproof.service.feed import Feed
from copyproof.service.gateway import FAST, Gateway, path_of
from copyproof.service.leadership import Leadership
from copyproof.service.metrics import RequestMetrics
from copyproof.service.neighbours import Neighbours
from copyproof.service.observation import Observer
from copyproof.service.reference import DescribedPages
from copyproof.service.routes import (
    actions,
    agents,
    audits,
    backups,
    console,
    events,
    history,
    identities,
    journals,
    keys,
    markets,
    service,
    switch,
)

if TYPE_CHECKING:
    from copyproof.service.tracing import Tracing

_PARTS = (
    *(markets, history, switch, audits, agents, identities, journals),
    *(keys, actions, events, backups, service, console),
)
_ROUTERS = tuple(part.router for part in _PARTS)
_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorAnswer, "description": about}
    for status, about in (
        (307, "Another process serves the market: the same request, at Location"),
        (400, "The body is not JSON"),
        (401, "No valid key"),
        (403, "The role may not do this"),
        (404, "Unknown, or somebody else's"),
        (409, "Not in this state of the market"),
        (413, "The body is too large"),
        (415, "The body is not declared as JSON"),
        (422, "A field is not what is accepted"),
        (429, "Too many requests with this key"),
        (503, "Not now: try again"),
    )
}


def create_app(
    store: Store,
    *,
    owner: str,
    limits: Limits | None = None,
    lease: float = LEASE_SECONDS,
    clock: Callable[[], float] = time.time,
    signing_key: SigningKey | None = None,
    jump: float = CLOCK_JUMP_SECONDS,
    address: str = "",
    log_requests: bool = False,
    tracing: "Tracing | None" = None,
    backups_to: Path | None = None,
) -> Gateway:
    """Return the service for a store.

    Parameters
    ----------
    store : Store
        Where everything is kept; it is not closed here.
    owner : str
        The name under which this process holds leases (``run.owner_of``).
    limits : Limits, optional
        What one caller may ask for.
    lease : float
        Seconds that a lease lasts.
    clock : callable
        Seconds since 1970, for events and keys.
    signing_key : SigningKey, optional
        What heads are signed with; without one they are not.
    jump : float
        Seconds by which the clock may leap and still be followed by markets.
    address : str
        Where other processes that serve the store send requests for the markets of this one.
    log_requests : bool
        Whether every request gets a line in the log.
    tracing : Tracing, optional
        Where traces go; without it there are none.
    backups_to : Path, optional
        The folder for backups that operators ask for; without it they are refused.

    Returns
    -------
    Gateway
        An ASGI application.

    Examples
    --------
    >>> from copyproof.live.stores import open_store
    >>> create_app(open_store("memory:"), owner="here").leadership.markets
    {}
    """
    limits = limits or Limits()
    leadership = Leadership(
        *(store, Neighbours(store, owner, address, lease)),
        owner=owner,
        lease=lease,
        waiting=limits.waiting,
        most_pending=limits.most_pending,
        clock=clock,
        jump=jump,
    )

    @asynccontextmanager
    async def lifetime(_: FastAPI) -> AsyncIterator[None]:
        await run_in_threadpool(leadership.start, asyncio.get_running_loop())
        try:
            yield
        finally:
            await run_in_threadpool(app.state.audits.close)
            await run_in_threadpool(leadership.stop)

    app = _routed(lifetime)
    app.state.leadership = leadership
    app.state.signing_key = signing_key
    app.state.feed = Feed(leadership)
    app.state.described = DescribedPages(app.openapi)
    app.state.audits = Audits(clock)
    app.state.backups = backups_to
    requests = RequestMetrics()
    app.state.exposition = Exposition(leadership, requests)
    observer = Observer(requests, _paths(app), log_requests=log_requests, tracing=tracing)
    return Gateway(app, leadership, limits, observer)


def _paths(app: FastAPI) -> list[tuple[re.Pattern[str], str]]:
    """Return what the paths of all routes look like, and how they are called."""
    names = [fast.route for fast in FAST.values()]
    tables = (app.routes, *(router.routes for router in _ROUTERS))
    names += [route.path for table in tables for route in table if isinstance(route, Route)]
    return [(compile_path(name)[0], name) for name in dict.fromkeys(names)]


def document() -> dict[str, Any]:
    """Return the OpenAPI document.

    Examples
    --------
    >>> sorted(document()["paths"])[0]
    '/healthz'
    """
    return _routed(None).openapi()


def _routed(lifetime: Any) -> FastAPI:
    app = _Service(
        title="copyproof service",  # not that of a package: tools name the clients they make by it
        summary="Which submission do we show now? Decisions that copies cannot buy.",
        version="1",
        lifespan=lifetime,
        openapi_url=None,  # ``routes.service`` has both; FastAPI's own page loads from elsewhere
        redirect_slashes=False,
        generate_unique_id_function=_operation_id,
        responses=_ERRORS,
    )
    for router in _ROUTERS:
        app.include_router(router)
    for kind in (Refusal, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _refused)
    return app


def _operation_id(route: APIRoute) -> str:
    """Return what clients call an operation: ``suspendArm``."""
    first, *rest = route.name.split("_")
    return first + "".join(word.capitalize() for word in rest)


async def _refused(request: Request, error: Exception) -> Response:
    """Answer with a refusal, also where FastAPI itself refuses."""
    match error:
        case Refusal():
            refusal = error
        case RequestValidationError():
            field = request.scope["route"].body_field
            kind = None if field is None else field.field_info.annotation
            found = [
                {**each, "loc": each["loc"][1:], "known": _fields_at(kind, each["loc"][1:-1])}
                for each in error.errors()
            ]
            in_body = error.errors()[0]["loc"][0] == "body"
            given = error.body if in_body else dict.fromkeys(each["loc"][0] for each in found)
            refusal = refusal_of_body(found, given)
        case HTTPException(status_code=400):
            refusal = Refusal(400, "body", "body cannot be read")
        case HTTPException():
            field = "method" if error.status_code == 405 else "path"
            refusal = Refusal(error.status_code, field, f"{field} is not known")
        case _:
            raise error
    headers = refusal.headers(path_of(request.scope))
    return Response(refusal.body, refusal.status, headers, "application/json")


def _fields_at(kind: Any, place: Sequence[Any]) -> Collection[str]:
    """Return the fields of the model at a place of a body."""
    model = next((each for each in (kind, *get_args(kind)) if hasattr(each, "model_fields")), None)
    if model is None or not place:
        return () if model is None else model.model_fields
    inner = model.model_fields.get(place[0])
    return () if inner is None else _fields_at(inner.annotation, place[2:])


# --- the document ---------------------------------------------------------------------------------

_RETRY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The same key gives the same answer, and nothing is done twice.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 150, "pattern": "^[!-~]+$"},
}
_PROBES = {"/healthz": ("200",), "/readyz": ("200", "503")}  # they need no key; their answers


class _Service(FastAPI):
    """FastAPI with the whole document: what the gateway serves by itself is in it, too."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is not None:
            return self.openapi_schema
        found = super().openapi()
        _describe_fast_requests(found)
        found["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        for path, operations in found["paths"].items():
            for method, operation in operations.items():
                if path in _PROBES:
                    answers = operation["responses"]
                    operation["responses"] = {status: answers[status] for status in _PROBES[path]}
                else:
                    operation["security"] = [{"key": []}]
                _simplify_body(operation.get("requestBody"))
                if method != "get":
                    operation.setdefault("parameters", []).append(_RETRY)
        return found


def _simplify_body(body: dict[str, Any] | None) -> None:
    """Say of a body that may be left out no more than that: for tools null is one body more."""
    if body is None or body.get("required", False):
        return
    for media in body["content"].values():
        several = [each for each in media["schema"].get("anyOf", ()) if each != {"type": "null"}]
        if len(several) == 1:
            media["schema"] = several[0]


def _describe_fast_requests(found: dict[str, Any]) -> None:
    """Add to the document what the gateway serves by itself."""
    adapters: list[tuple[str, Any, TypeAdapter[Any]]] = []
    for name, fast in FAST.items():
        adapters.append((name, "validation", TypeAdapter(fast.body)))
        adapters.append((name, "serialization", TypeAdapter(fast.answer)))
    schemas, shared = TypeAdapter.json_schemas(
        adapters, ref_template="#/components/schemas/{model}"
    )
    found["components"]["schemas"].update(shared["$defs"])
    answers = found["paths"]["/v1/markets"]["get"]["responses"]  # the refusals are the same
    market = {"name": "market", "in": "path", "required": True, "schema": {"type": "string"}}
    for name, fast in FAST.items():
        required = type(None) not in get_args(fast.body)
        operation = {
            "tags": ["decisions"],
            "summary": fast.action.capitalize(),
            "description": fast.perform.__doc__,
            "operationId": fast.action,
            "parameters": [market],
            "requestBody": {**_json("", schemas[name, "validation"]), "required": required},
            "responses": {**answers, "200": _json("Done", schemas[name, "serialization"])},
        }
        found["paths"][f"/v1/markets/{{market}}/{name}"] = {"post": operation}


def _json(about: str, schema: object) -> dict[str, Any]:
    return {"description": about, "content": {"application/json": {"schema": schema}}}
