"""The service itself: is it alive, is it ready, what did it count."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse

from copyproof.service.errors import STORE_AWAY, ErrorAnswer, Refusal
from copyproof.service.metrics import counter
from copyproof.service.routes.authorized import AuthorizedCall, allowed_to

__all__ = ["router"]

router = APIRouter(tags=["service"])


@router.get("/healthz")
async def health() -> dict[Literal["alive"], bool]:
    """Whether the process is alive; needs no key, and says nothing else."""
    return {"alive": True}


@router.get("/readyz", responses={503: {"model": ErrorAnswer}})
async def ready(request: Request) -> dict[Literal["ready"], bool]:
    """Whether the store answers and every market of this process is loaded; needs no key."""
    leadership = request.app.state.leadership
    if leadership.trouble is not None or leadership.loading:
        message = "markets are being loaded" if leadership.trouble is None else STORE_AWAY
        raise Refusal(503, "store", message, 1)
    return {"ready": True}


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(
    request: Request, call: Annotated[AuthorizedCall, Depends(allowed_to("read metrics"))]
) -> PlainTextResponse:
    """Counts and times, in the text format of Prometheus."""
    lines = request.app.state.metrics.lines()
    served = [(f'market="{_escaped(each.name)}"', each) for each in call.leadership.all()]
    led = [(label, each.writer) for label, each in served if each.writer is not None]
    for name, about in (("decisions", "Decisions made."), ("rewards", "Rewards taken.")):
        counts = ((at, one.answered[name]) for at, one in served)
        lines += counter(f"copyproof_{name}_total", about, counts)
    lines += counter(
        "copyproof_market_served",
        "Whether this process serves the market.",
        ((at, int(one.is_led)) for at, one in served),
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
