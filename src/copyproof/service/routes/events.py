"""Who is calling, and a stream of what changes: for whoever looks at the service as it works."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import StreamingResponse

from copyproof.client.records import ApiKey
from copyproof.service.access import authorize
from copyproof.service.errors import Refusal
from copyproof.service.feed import Feed, Watcher
from copyproof.service.protocol import CYCLE
from copyproof.service.routes.call import ApiCall, allowed_to
from copyproof.validation import LONGEST_NAME

router = APIRouter(prefix="/v1", tags=["service"])


@router.get("/key", response_model_exclude_defaults=True)
async def read_own_key(
    call: Annotated[ApiCall, Depends(allowed_to("read own key"))],
) -> ApiKey:
    """Show the key that the request came with: what it is for, and when it ends."""
    return ApiKey.from_dict({**call.key.shown(), "key": None})


# Not in the document: an answer that has no end is nothing that its tools understand.
@router.get("/events", include_in_schema=False)
async def watch(
    request: Request,
    call: Annotated[ApiCall, Depends(allowed_to("watch"))],
    market: Annotated[str | None, Query(max_length=LONGEST_NAME)] = None,
) -> StreamingResponse:
    """Say what changes, as server-sent events: all markets, and closely one of them.

    ``markets`` events hold a row for each market that has changed, the first one all of them; with
    ``market`` there are also ``agents`` events, with the statistics of the agents that lead it. An
    agent's key is told of this agent, and of nothing else.
    """
    feed: Feed = request.app.state.feed
    agent = call.key.agent
    if agent is not None and market is None:
        raise Refusal(422, "market", "market is left out: an agent's key watches its market")
    if market is not None:
        authorize(call.key, "watch", market, agent)
        await call.leadership.find(market)
    feed.check(call.key)
    watcher = Watcher(call.key, call.secret, market, agent)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    stream = feed.stream(watcher, request.scope.get(CYCLE))
    return StreamingResponse(stream, media_type="text/event-stream", headers=headers)
