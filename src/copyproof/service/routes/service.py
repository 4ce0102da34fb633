"""The service itself: is it alive, is it ready, what did it count."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, PlainTextResponse

from copyproof.service.errors import STORE_AWAY, ErrorAnswer, Refusal
from copyproof.service.metrics import histograms, numbers
from copyproof.service.reference import reference_page
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
    if leadership.trouble is not None or leadership.loading:
        message = "markets are being loaded" if leadership.trouble is None else STORE_AWAY
        raise Refusal(503, "store", message, 1)
    return {"ready": True}


@router.get("/docs", response_class=HTMLResponse, include_in_schema=False)
async def docs(request: Request) -> HTMLResponse:
    """Every request, described for people; needs no key and no network."""
    return HTMLResponse(reference_page(request.app.openapi()))


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(
    request: Request, call: Annotated[ApiCall, Depends(allowed_to("read metrics"))]
) -> PlainTextResponse:
    """Counts and times, in the text format of Prometheus."""
    served = [(f'market="{_escaped(each.name)}"', each) for each in call.leadership.all()]
    led = [(label, each.writer) for label, each in served if each.writer is not None]
    decisions = [(label, each.answered["decisions"]) for label, each in served]
    rewards = [(label, each.answered["rewards"]) for label, each in served]
    is_led = [(label, int(each.is_led)) for label, each in served]
    waiting = [(label, writer.waiting) for label, writer in led]
    failures = [(label, writer.metrics.failures) for label, writer in led]
    groups = [(label, writer.metrics.group) for label, writer in led]
    commits = [(label, writer.metrics.commit) for label, writer in led]
    lags = [(label, each.clock.lag) for label, each in served if each.clock and each.is_led]
    lag = "Seconds by which the market's clock is behind the machine's."
    failed = "Groups of requests that could not be stored."
    lines = [
        *request.app.state.metrics.lines(),
        *numbers("copyproof_decisions_total", "Decisions made.", decisions),
        *numbers("copyproof_rewards_total", "Rewards taken.", rewards),
        *numbers("copyproof_market_served", "Whether this process serves the market.", is_led),
        *numbers("copyproof_waiting_requests", "Requests that wait for the writer.", waiting),
        *numbers("copyproof_clock_lag_seconds", lag, lags),
        *numbers("copyproof_store_failures_total", failed, failures),
        *histograms("copyproof_group_requests", "Requests that shared one sync.", groups),
        *histograms("copyproof_commit_seconds", "Seconds for a group, with its sync.", commits),
    ]
    return PlainTextResponse("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
