"""The service itself: is it alive, is it ready, what did it count."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse, Response

from copyproof.service.errors import STORE_AWAY, ErrorAnswer, Refusal
from copyproof.service.open_pages import sent
from copyproof.service.reference import DescribedPages
from copyproof.service.routes.call import ApiCall, allowed_to

router = APIRouter(tags=["service"])


@router.get("/healthz")
async def health() -> dict[Literal["alive"], bool]:
    """Whether the process is alive; needs no key, and says nothing else."""
    return {"alive": True}


@router.get("/readyz", responses={503: {"model": ErrorAnswer}})
async def ready(request: Request) -> dict[Literal["ready"], bool]:
    """Whether the store answers and every market of this process is loaded; needs no key."""
    leadership = request.app.state.leadership
    is_away = leadership.trouble is not None or not leadership.is_current
    if is_away or leadership.loading:
        message = STORE_AWAY if is_away else "markets are being loaded"
        raise Refusal(503, "store", message, 1)
    return {"ready": True}


@router.get("/docs", include_in_schema=False)
async def docs(request: Request) -> Response:
    """Every request, described for people; needs no key and no network."""
    pages: DescribedPages = request.app.state.described
    return sent(request, (await pages.written()).for_people, {})


@router.get("/openapi.json", include_in_schema=False)
async def openapi(request: Request) -> Response:
    """Every request, described for tools; needs no key."""
    pages: DescribedPages = request.app.state.described
    return sent(request, (await pages.written()).for_tools, {})


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(
    request: Request, call: Annotated[ApiCall, Depends(allowed_to("read metrics"))]
) -> PlainTextResponse:
    """Counts and times, in the text format of Prometheus, or as OpenMetrics if asked for."""
    exposition, accept = request.app.state.exposition, request.headers.get("accept", "")
    # Not behind other readers: it must be told how many of those wait.
    text, kind = await call.on_thread(lambda: exposition.text(accept))
    return PlainTextResponse(text, media_type=kind)
