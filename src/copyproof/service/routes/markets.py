"""Markets: create, list, delete; statistics and the journal."""

from functools import partial
from itertools import islice
from operator import attrgetter
from typing import Annotated

import orjson
from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response, StreamingResponse

from copyproof.live import MarketConfig, Principal, Statistics
from copyproof.live.guarantee import guarantee
from copyproof.live.stores import Store
from copyproof.live.terms import plan_of
from copyproof.policy import parse_policy
from copyproof.service.errors import refusal_of
from copyproof.service.messages import (
    CandidateOut,
    ClockIn,
    ClockSetting,
    Deletion,
    MarketIn,
    MarketOut,
    MarketReport,
    MarketsPage,
    path_name,
)
from copyproof.service.routes.call import (
    ON_PAGE,
    After,
    ApiCall,
    Limit,
    Segment,
    allowed_to,
    page_of,
)
from copyproof.service.writer import ServedMarket
from copyproof.validation import require

router = APIRouter(prefix="/v1/markets", tags=["markets"])

_ReadMarkets = Annotated[ApiCall, Depends(allowed_to("read markets"))]
_WriteMarkets = Annotated[ApiCall, Depends(allowed_to("write markets"))]
_ReadStatistics = Annotated[ApiCall, Depends(allowed_to("read market statistics"))]
_ReadJournal = Annotated[ApiCall, Depends(allowed_to("read journal"))]

_LINES = 1000  # events of the journal that are read at once


def _shown(served: ServedMarket) -> MarketOut:
    config = MarketConfig.from_dict(served.config).to_dict()
    return MarketOut(market=served.name, config=config, served_here=served.is_led)


@router.get("")
async def list_markets(
    call: _ReadMarkets, limit: Limit = ON_PAGE, after: After = None
) -> MarketsPage:
    """List the markets that the key is for, in order of their names, in pages."""
    own = call.key.markets
    every = [each for each in call.leadership.all() if not own or each.name in own]
    try:
        found, following = page_of(every, attrgetter("name"), after, limit)
    except ValueError as error:
        raise refusal_of(error, "after") from None
    return MarketsPage([_shown(served) for served in found], following)


@router.get("/{market}")
async def read_market(market: str, call: _ReadMarkets) -> MarketReport:
    """Show how a market was created, the policy that it runs, and what that promises.

    Only the process that serves the market knows its policy; another one says where that is, as
    for decisions. The list of markets has what each was created with, wherever it is served.
    """
    served = await call.leadership.find(market)
    policy, candidate, paused = await call.on_writer(market, _deciding)
    config = MarketConfig.from_dict(served.config)
    beside = None if candidate is None else (parse_policy(candidate[0]), candidate[1])
    return MarketReport(
        served.name,
        config.to_dict(),
        served_here=True,
        policy=policy,
        guarantee=guarantee(parse_policy(policy), config, beside),
        candidate=None if candidate is None else CandidateOut(*candidate),
        paused=paused,
    )


def _deciding(principal: Principal) -> tuple[str, tuple[str, float] | None, str | None]:
    """Return who decides, and why nobody does."""
    return principal.policy, principal.candidate, principal.paused


@router.put("/{market}")
async def create_market(market: str, body: MarketIn, call: _WriteMarkets) -> MarketOut:
    """Create a market. Once more with the same body changes nothing, with another is refused.

    ``per_agent``, how many arms of one agent a slate may hold, pays for copies if it is not 1.
    ``unanswered`` says what a play counts for until its reward comes: "estimated", unless some
    agents' rewards take much longer than all others', and these cannot delay them ("patient").
    """

    def create() -> ServedMarket:
        said = body.model_dump(exclude_unset=True)
        config = MarketConfig(**{"most_arms": body.most_arms, **said})
        if market not in call.leadership.markets:
            path_name("market", market)
            waits = config.reward_window > 0 or config.late == "correct"
            accepted = "above 0: with late 'refuse' every reward would come too late"
            require(waits, "reward_window", config.reward_window, accepted)
        plan_of(parse_policy(config.policy), config)
        # Markets that the library makes have none unless it is told.
        return call.leadership.create(market, config, {"most_arms"} - said.keys())

    return _shown(await call.on_thread(create, "policy"))


@router.delete("/{market}")
async def delete_market(market: str, call: _WriteMarkets) -> Deletion:
    """Delete a market and its journal for good; keys that have no other market are revoked.

    Export the journal, or take a backup, before.
    """
    await call.on_thread(lambda: call.leadership.delete(market), "market")
    return Deletion(market, None, deleted=True)


@router.put("/{market}/clock")
async def set_clock(market: str, call: _WriteMarkets, body: ClockIn | None = None) -> ClockSetting:
    """Set a market's clock, forward or back, after the machine's went wrong and is right again.

    Decisions whose time lies after it count as made now.
    """
    at = (body or ClockIn()).at
    served = await call.leadership.find(market)
    found = await call.on_writer(market, lambda to: served.set_clock(to, at, call.retry), "at")
    return ClockSetting(market, found)


@router.get("/{market}/statistics", response_model=Statistics)
async def read_statistics(
    market: str,
    call: _ReadStatistics,
    limit: Limit = ON_PAGE,
    after: After = None,
    segment: Segment = None,
) -> Response:
    """Plays, revenue and shares of the agents, in pages, and arms that look like copies.

    Over all segments, or in one of them.
    """
    view = await call.on_writer(market, lambda to: to.view(None, after, limit, segment), "after")
    found = await call.reading(lambda: orjson.dumps(view.statistics()))
    return Response(found, media_type="application/json")


@router.get(
    "/{market}/journal",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}},
)
async def export_journal(
    market: str,
    call: _ReadJournal,
    after: Annotated[int, Query(ge=0, lt=2**63)] = 0,
    limit: Annotated[int | None, Query(ge=1, lt=2**63)] = None,
) -> Response:
    """Everything that happened after event number ``after``, a JSON object on each line.

    Up to the last event when it was asked for, or to ``limit`` events. Nothing is held for a reader
    that takes its time, but one who takes nothing for long is cut off.
    """
    store, name = call.leadership.store, (await call.leadership.find(market)).name
    last = await call.reading(lambda: store.last(name), "market")
    if limit is not None:
        last = min(last, after + limit)
    if limit is not None and limit <= _LINES:  # one slice
        lines, _ = await call.reading(partial(_lines, store, name, after, last), "after")
        return Response(lines, media_type="application/x-ndjson")
    number = after

    def read() -> bytes:
        nonlocal number
        part, number = _lines(store, name, number, last)
        return part

    return await call.export(read)


def _lines(store: Store, market: str, after: int, last: int) -> tuple[bytes, int]:
    """Read some events as lines, and the number of the last of them; nothing at the end."""
    newline = orjson.OPT_APPEND_NEWLINE
    events = store.events(market, after)
    some = list(islice(events, max(0, min(_LINES, last - after))))
    del events  # which lets its connection go
    lines = [orjson.dumps({"number": at, **event}, option=newline) for at, event in some]
    return b"".join(lines), after + len(some)
