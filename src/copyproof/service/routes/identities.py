"""Who stands behind the names of a market: groups, and the review of suspicions."""

from typing import Annotated

from fastapi import APIRouter, Depends

from copyproof.live import Principal
from copyproof.service.identity_messages import (
    Binding,
    ConfirmIn,
    GroupIn,
    SuspicionReview,
    Suspicions,
)
from copyproof.service.routes.call import ON_PAGE, After, ApiCall, Limit, allowed_to

router = APIRouter(prefix="/v1/markets/{market}", tags=["identities"])

_WriteAgents = Annotated[ApiCall, Depends(allowed_to("write agents"))]
_ReadStatistics = Annotated[ApiCall, Depends(allowed_to("read market statistics"))]


@router.put("/agents/{agent}/group")
async def bind_agent(market: str, agent: str, body: GroupIn, call: _WriteAgents) -> Binding:
    """Bind an agent to a group: one of the names of one principal; null frees it."""
    changed = await call.change(market, Principal.bind, [agent], body.group, field="group")
    return Binding(agent, body.group, changed)


@router.get("/suspicions")
async def read_suspicions(
    market: str, call: _ReadStatistics, limit: Limit = ON_PAGE, after: After = None
) -> Suspicions:
    """Arms of several agents whose fingerprints are alike, with what operators said, in pages.

    Nothing follows from a suspicion until it is confirmed: whoever copies a rival's item makes that
    item alike, too.
    """
    found, following = await call.on_writer(
        market, lambda principal: principal.suspicions_page(after, limit), "after"
    )
    return Suspicions(found, following)


@router.post("/suspicions/{suspicion}/confirm")
async def confirm_suspicion(
    market: str, suspicion: str, call: _WriteAgents, body: ConfirmIn | None = None
) -> SuspicionReview:
    """Say that one person stands behind the agents of a suspicion: binds them to one group."""
    group = None if body is None else body.group

    def confirm(principal: Principal) -> bool:
        return principal.review(suspicion, "confirmed", group=group, key=call.retry)

    changed = await call.on_writer(market, confirm, "suspicion")
    return SuspicionReview(suspicion, "confirmed", changed)


@router.post("/suspicions/{suspicion}/dismiss")
async def dismiss_suspicion(market: str, suspicion: str, call: _WriteAgents) -> SuspicionReview:
    """Say that nothing is to follow from a suspicion."""
    changed = await call.change(market, Principal.review, suspicion, "dismissed", field="suspicion")
    return SuspicionReview(suspicion, "dismissed", changed)
