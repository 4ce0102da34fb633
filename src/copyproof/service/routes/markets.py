"""Markets: create, list, change the policy; statistics and the journal."""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from copyproof.live import MarketConfig, Principal, Statistics
from copyproof.live.guarantee import guarantee
from copyproof.live.market import plan_of
from copyproof.policy import parse_policy
from copyproof.service.errors import Refusal
from copyproof.service.leadership import Leadership
from copyproof.service.messages import (
    MarketIn,
    MarketOut,
    MarketReport,
    PolicyChange,
    PolicyIn,
    path_name,
)
from copyproof.service.routes.call import ApiCall, allowed_to
from copyproof.service.writer import ServedMarket, find

router = APIRouter(prefix="/v1/markets", tags=["markets"])

_ReadMarkets = Annotated[ApiCall, Depends(allowed_to("read markets"))]
_WriteMarkets = Annotated[ApiCall, Depends(allowed_to("write markets"))]
_ReadStatistics = Annotated[ApiCall, Depends(allowed_to("read market statistics"))]
_ReadJournal = Annotated[ApiCall, Depends(allowed_to("read journal"))]

_LINES = 500  # events of the journal that are sent at once
_EXPORTS = 4  # journals that are read at the same time: each takes a connection to the database


def _shown(served: ServedMarket) -> MarketOut:
    return MarketOut(market=served.name, config=served.config, served_here=served.is_led)


@router.get("")
async def list_markets(call: _ReadMarkets) -> dict[Literal["markets"], list[MarketOut]]:
    """List all markets."""
    return {"markets": [_shown(served) for served in call.leadership.all()]}


@router.get("/{market}")
async def read_market(market: str, call: _ReadMarkets) -> MarketReport:
    """Show how a market was created, whether this process serves it, and what it promises."""
    served = find(call.leadership.markets, market)
    policy, promised = None, "not known here: another process serves this market"
    if served.is_led:
        policy = await call.on_writer(market, lambda principal: principal.policy)
        promised = guarantee(parse_policy(policy), MarketConfig.from_dict(served.config))
    return MarketReport(served.name, served.config, served.is_led, policy, promised)


@router.put("/{market}")
async def create_market(market: str, body: MarketIn, call: _WriteMarkets) -> MarketOut:
    """Create a market. Once more with the same body changes nothing, with another is refused."""

    def create() -> ServedMarket:
        path_name("market", market)
        config = MarketConfig(**body.model_dump(exclude_unset=True))
        plan_of(parse_policy(config.policy), config)
        return call.leadership.create(market, config)

    return _shown(await call.on_thread(create, "policy"))


@router.put("/{market}/policy")
async def change_policy(market: str, body: PolicyIn, call: _WriteMarkets) -> PolicyChange:
    """Go on with another policy, keeping all statistics."""
    changed = await call.change(market, Principal.set_policy, body.policy, field="policy")
    return PolicyChange(str(parse_policy(body.policy)), changed)


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
    return _Export(leadership, _lines(events if first is None else chain([first], events)))


class _Export(StreamingResponse):
    """A journal on its way; at its end, or when the caller hangs up, its connection is let go."""

    def __init__(self, leadership: Leadership, lines: Iterator[bytes]) -> None:
        super().__init__(lines, media_type="application/x-ndjson")
        self._leadership = leadership

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._leadership.exports -= 1


def _lines(events: Iterator[tuple[int, dict[str, Any]]]) -> Iterator[bytes]:
    """Write events as lines, many at once."""
    newline = orjson.OPT_APPEND_NEWLINE
    while some := list(islice(events, _LINES)):
        yield b"".join(orjson.dumps({"number": at, **event}, option=newline) for at, event in some)
