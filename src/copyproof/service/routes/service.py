"""The service itself: is it alive, is it ready, what did it count."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from copyproof.service.errors import AWAY, Refusal
from copyproof.service.messages import ErrorOut, StateOut
from copyproof.service.metrics import counter
from copyproof.service.routes.calls import Call, may

__all__ = ["router"]

router = APIRouter(tags=["service"])


@router.get("/healthz")
async def health() -> StateOut:
    """Whether the process is alive; needs no key, and says nothing else."""
    return StateOut(done="alive")


@router.get("/readyz", response_model=StateOut, responses={503: {"model": ErrorOut}})
async def ready(request: Request) -> Response:
    """Whether the store answers and every market of this process is loaded; needs no key."""
    office = request.app.state.office()
    if office.trouble is not None or office.loading:
        message = AWAY if office.trouble is not None else "markets are being loaded"
        refusal = Refusal(503, "store", message, 1)
        return JSONResponse(refusal.content, 503, headers=refusal.headers)
    return JSONResponse({"done": "ready"})


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(
    request: Request, call: Annotated[Call, Depends(may("read metrics"))]
) -> PlainTextResponse:
    """Counts and times, in the text format of Prometheus."""
    lines = request.app.state.metrics.lines()
    served = [(f'market="{_escaped(each.name)}"', each) for each in call.office.all()]
    led = [(label, each.writer) for label, each in served if each.writer is not None]
    lines += counter(
        "copyproof_decisions_total", "Decisions made.", ((at, one.decisions) for at, one in served)
    )
    lines += counter(
        "copyproof_rewards_total", "Rewards taken.", ((at, one.rewards) for at, one in served)
    )
    lines += counter(
        "copyproof_market_served",
        "Whether this process serves the market.",
        ((at, int(one.leads)) for at, one in served),
        "gauge",
    )
    lines += counter(
        "copyproof_waiting_requests",
        "Requests that wait for the writer.",
        ((at, writer.waiting) for at, writer in led),
        "gauge",
    )
    lines += counter(
        "copyproof_store_failures_total",
        "Groups of requests that could not be stored.",
        ((at, writer.metrics.failures) for at, writer in led),
    )
    for name, about in (
        ("group", "Requests that shared one sync."),
        ("commit", "Seconds for a group, with its sync."),
    ):
        title = {"group": "copyproof_group_requests", "commit": "copyproof_commit_seconds"}[name]
        lines += [f"# HELP {title} {about}", f"# TYPE {title} histogram"]
        for at, writer in led:
            lines += getattr(writer.metrics, name).lines(title, at)
    return PlainTextResponse("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
