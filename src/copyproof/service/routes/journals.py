"""What others check: the signed head of a market's chain, and journals for auditors and agents."""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Depends, Request
from fastapi.responses import StreamingResponse

from copyproof.live.exports import agent_lines, audit_lines
from copyproof.live.heads import SignedHead, SigningKey, head_of
from copyproof.service.routes.call import ApiCall, allowed_to

router = APIRouter(prefix="/v1/markets/{market}", tags=["journals"])

_ReadHead = Annotated[ApiCall, Depends(allowed_to("read head"))]
_ReadJournal = Annotated[ApiCall, Depends(allowed_to("read journal"))]
_ReadAgent = Annotated[ApiCall, Depends(allowed_to("read agent statistics"))]
_LINES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}
}
_AT_ONCE = 500  # lines


@router.get("/head")
async def read_head(market: str, request: Request, call: _ReadHead) -> SignedHead:
    """The last event that is stored, and the head of the chain after it, signed. Keep it."""
    key: SigningKey | None = request.app.state.signing_key
    leadership = call.leadership
    name = (await leadership.find(market)).name
    at = leadership.keyring.clock()
    head = await call.on_thread(lambda: head_of(leadership.store, name, at))
    return head if key is None else key.sign(head)


@router.get("/journal/audit", response_class=StreamingResponse, responses=_LINES)
async def export_audit(market: str, call: _ReadJournal) -> StreamingResponse:
    """The whole journal, without names, as `copyproof verify` checks and replays it."""
    name = (await call.leadership.find(market)).name
    return await _export(call, audit_lines(call.leadership.store, name))


@router.get("/agents/{agent}/journal", response_class=StreamingResponse, responses=_LINES)
async def export_agent(market: str, agent: str, call: _ReadAgent) -> StreamingResponse:
    """An agent's own decisions and rewards, and digests of the rest, for `copyproof verify`."""
    name = (await call.leadership.find(market)).name
    arms = await call.on_writer(name, lambda principal: principal.arm_numbers(agent), "agent")
    return await _export(call, agent_lines(call.leadership.store, name, agent, arms))


async def _export(call: ApiCall, lines: Iterator[dict[str, Any]]) -> StreamingResponse:
    """Send lines as they are read, slice by slice."""
    return await call.export(partial(_written, lines))


def _written(lines: Iterator[dict[str, Any]]) -> bytes:
    """Write the next lines; nothing at the end."""
    newline = orjson.OPT_APPEND_NEWLINE
    return b"".join(orjson.dumps(line, option=newline) for line in islice(lines, _AT_ONCE))
