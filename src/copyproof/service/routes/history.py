"""Who was shown, over time."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from copyproof.service.history import History, Reading, some
from copyproof.service.routes.call import ApiCall, allowed_to

router = APIRouter(prefix="/v1/markets/{market}", tags=["markets"])


@router.get("/history")
async def read_history(
    market: str,
    call: Annotated[ApiCall, Depends(allowed_to("read market statistics"))],
    events: Annotated[int, Query(ge=1, le=100_000, description="How many events back.")] = 20_000,
    spans: Annotated[int, Query(ge=1, le=200, description="Spans of time.")] = 60,
) -> History:
    """Decisions and rewards over time, and agents registered lately, from the last events."""
    store, name = call.leadership.store, (await call.leadership.find(market)).name
    last = await call.reading(lambda: store.last(name), "market")
    dropped = await call.reading(lambda: store.compacted(name), "market")
    first = max(last - events, dropped)
    reading = Reading(first)
    while reading.after < last:
        before = reading.after
        await call.reading(lambda: reading.add(some(store, name, reading.after, last)), "events")
        if reading.after == before:  # it was compacted meanwhile
            break
    arms = reading.every_arm()
    owners = await call.on_writer(name, lambda principal: principal.owners(arms), "market")
    return await call.reading(lambda: reading.summed(name, first + 1, spans, owners), "events")
