"""Markets: create, list, change the policy; statistics and the journal."""

from collections.abc import Callable, Iterator
from typing import Annotated, Literal

import orjson
from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from copyproof.live import MarketConfig, Principal, Statistics
from copyproof.live.market import plan_of
from copyproof.policy import parse_policy
from copyproof.service.errors import Refusal
from copyproof.service.messages import MarketIn, MarketOut, PolicyChanged, PolicyIn, path_name
from copyproof.service.routes.call import Call, allowed_to
from copyproof.service.writer import ServedMarket, find

router = APIRouter(prefix="/v1/markets", tags=["markets"])

_ReadMarkets = Annotated[Call, Depends(allowed_to("read markets"))]
_WriteMarkets = Annotated[Call, Depends(allowed_to("write markets"))]
_ReadStatistics = Annotated[Call, Depends(allowed_to("read market statistics"))]
_ReadJournal = Annotated[Call, Depends(allowed_to("read journal"))]

_LINES = 500  # events of the journal that are sent at once
_EXPORTS = 4  # journals that are read at the same time: each takes a connection to the database


def _shown(served: ServedMarket) -> MarketOut:
    return MarketOut(market=served.name, config=served.config, served_here=served.is_led)


@router.get("")
async def list_markets(call: _ReadMarkets) -> dict[Literal["markets"], list[MarketOut]]:
    """List all markets."""
    return {"markets": [_shown(served) for served in call.leadership.all()]}


@router.get("/{market}")
async def read_market(market: str, call: _ReadMarkets) -> MarketOut:
    """Show how a market was created, and whether this process serves it."""
    return _shown(find(call.leadership.markets, market))


@router.put("/{market}")
async def create_market(market: str, body: MarketIn, call: _WriteMarkets) -> MarketOut:
    """Create a market. Once more with the same body changes nothing, with another is refused."""

    def create() -> ServedMarket:
        path_name("market", market)
        config = MarketConfig(**body.model_dump())
        plan_of(parse_policy(config.policy), config)
        return call.leadership.create(market, config)

    return _shown(await call.on_thread(create, "policy"))


@router.put("/{market}/policy")
async def change_policy(market: str, body: PolicyIn, call: _WriteMarkets) -> PolicyChanged:
    """Go on with another policy, keeping all statistics."""
    changed = await call.change(market, Principal.set_policy, body.policy, field="policy")
    return PolicyChanged(str(parse_policy(body.policy)), changed)


@router.get("/{market}/statistics", response_model=Statistics)
async def read_statistics(market: str, call: _ReadStatistics) -> Response:
    """Plays, revenue and shares of all agents, and arms that look like copies."""
    view = await call.on_writer(market, lambda principal: principal.view())
    found = await call.on_thread(lambda: orjson.dumps(view.statistics()))
    return Response(found, media_type="application/json")


@router.get(
    "/{market}/journal",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}},
)
async def export_journal(
    market: str, call: _ReadJournal, after: Annotated[int, Query(ge=0, lt=2**63)] = 0
) -> StreamingResponse:
    """Everything that happened after event number ``after``, a JSON object on each line."""
    leadership = call.leadership
    events = leadership.store.events(find(leadership.markets, market).name, after)
    if leadership.exports >= _EXPORTS:
        raise Refusal(503, "journal", f"{_EXPORTS} journals are being read, try again", 1)
    leadership.exports += 1
    try:
        first = await call.on_thread(lambda: next(events, None), "after")
    except BaseException:
        leadership.exports -= 1
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
        leadership.exports -= 1

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
