"""Markets: create, list, change the policy; statistics and the journal."""

from collections.abc import Callable, Iterator
from typing import Annotated

import orjson
from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from copyproof.live import MarketConfig
from copyproof.live.market import plan_of
from copyproof.policy import parse_policy
from copyproof.service.errors import Refusal
from copyproof.service.messages import (
    MarketIn,
    MarketOut,
    MarketsOut,
    PolicyIn,
    StateOut,
    StatisticsOut,
    check_path_name,
)
from copyproof.service.office import Served
from copyproof.service.routes.calls import Call, may

__all__ = ["router"]

router = APIRouter(prefix="/v1/markets", tags=["markets"])

_LINES = 500
"""Events of the journal that are sent at once."""
_EXPORTS = 4
"""Journals that are read at the same time: each takes a connection to the database."""


def _shown(served: Served) -> MarketOut:
    return MarketOut(market=served.name, config=served.config, served_here=served.leads)


@router.get("")
async def list_markets(call: Annotated[Call, Depends(may("read markets"))]) -> MarketsOut:
    """List all markets."""
    return MarketsOut(markets=[_shown(served) for served in call.office.all()])


@router.get("/{market}")
async def read_market(
    market: str, call: Annotated[Call, Depends(may("read markets"))]
) -> MarketOut:
    """Show how a market was created, and whether this process serves it."""
    return _shown(call.office.find(market))


@router.put("/{market}")
async def create_market(
    market: str, body: MarketIn, call: Annotated[Call, Depends(may("write markets"))]
) -> MarketOut:
    """Create a market. Once more with the same body changes nothing, with another is refused."""

    def create() -> Served:
        if len(market) > 200:
            raise Refusal(422, "market", "market is longer than 200 characters")
        try:
            check_path_name(market)
        except ValueError as error:
            raise Refusal(422, "market", f"market {error}") from None
        config = MarketConfig(**body.model_dump())
        plan_of(parse_policy(config.policy), config)
        return call.office.create(market, config)

    return _shown(await call.aside(create, "policy"))


@router.put("/{market}/policy")
async def change_policy(
    market: str, body: PolicyIn, call: Annotated[Call, Depends(may("write markets"))]
) -> StateOut:
    """Go on with another policy, keeping all statistics."""
    await call.write(
        market, lambda principal: principal.set_policy(body.policy, key=call.retry), "policy"
    )
    return StateOut(done=f"the policy is {body.policy}")


@router.get("/{market}/statistics", response_model=StatisticsOut)
async def read_statistics(
    market: str, call: Annotated[Call, Depends(may("read market statistics"))]
) -> Response:
    """Plays, revenue and shares of all agents, and arms that look like copies."""
    view = await call.write(market, lambda principal: principal.view())
    found = await call.aside(lambda: orjson.dumps(view.statistics()))
    return Response(found, media_type="application/json")


@router.get(
    "/{market}/journal",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}},
)
async def export_journal(
    market: str,
    call: Annotated[Call, Depends(may("read journal"))],
    after: Annotated[int, Query(ge=0, lt=2**63)] = 0,
) -> StreamingResponse:
    """Everything that happened after event number ``after``, a JSON object on each line."""
    office = call.office
    events = office.store.events(office.find(market).name, after)
    if office.exports >= _EXPORTS:
        raise Refusal(503, "journal", f"{_EXPORTS} journals are being read, try again", 1)
    office.exports += 1
    try:
        first = await call.aside(lambda: next(events, None), "after")
    except BaseException:
        office.exports -= 1
        raise

    def lines() -> Iterator[bytes]:
        if first is None:
            return
        kept = [_line(*first)]
        for number, event in events:
            kept.append(_line(number, event))
            if len(kept) >= _LINES:
                yield b"".join(kept)
                kept.clear()
        yield b"".join(kept)

    def done() -> None:
        office.exports -= 1

    return _Export(lines(), done)


class _Export(StreamingResponse):
    """A journal on its way; at its end, or when the caller hangs up, its connection is let go."""

    def __init__(self, lines: Iterator[bytes], done: Callable[[], None]) -> None:
        super().__init__(lines, media_type="application/x-ndjson")
        self._done = done

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._done()


def _line(number: int, event: dict[str, object]) -> bytes:
    return orjson.dumps({"number": number, **event}, option=orjson.OPT_APPEND_NEWLINE)
