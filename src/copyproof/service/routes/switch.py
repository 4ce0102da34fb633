"""Who decides in a market, and whether: its policy, a candidate, guard rails, pauses."""

from typing import Annotated

from fastapi import APIRouter, Depends

from copyproof.live import Principal
from copyproof.policy import parse_policy
from copyproof.service.policy_messages import (
    MarketChange,
    Pause,
    PauseIn,
    PolicyChange,
    PolicyIn,
    RailsIn,
)
from copyproof.service.routes.call import ApiCall, allowed_to

router = APIRouter(prefix="/v1/markets/{market}", tags=["policies"])

_WriteMarkets = Annotated[ApiCall, Depends(allowed_to("write markets"))]


@router.put("/policy")
async def change_policy(market: str, body: PolicyIn, call: _WriteMarkets) -> PolicyChange:
    """Go on with another policy, keeping all statistics; at once, or with a share of the decisions.

    With ``share`` it becomes the candidate beside the first policy: 0 is a shadow whose decisions
    are not shown, 1 lets it decide everything, with the first one as its shadow. Sent again with
    another share it goes on, or back. Without ``share`` it becomes the first policy: the candidate
    takes over with all that it has learnt, and another candidate is dropped.
    """

    def change(principal: Principal) -> bool:
        return principal.set_policy(body.policy, share=body.share, key=call.retry)

    changed = await call.on_writer(market, change, "policy")
    return PolicyChange(str(parse_policy(body.policy)), changed, body.share)


@router.delete("/candidate")
async def drop_candidate(market: str, call: _WriteMarkets) -> MarketChange:
    """Let the first policy decide alone."""
    changed = await call.change(market, Principal.drop_candidate, field="market")
    return MarketChange(market, changed)


@router.put("/rails")
async def set_rails(market: str, body: RailsIn, call: _WriteMarkets) -> MarketChange:
    """Set guard rails, in place of those before; an empty list ends them.

    When an agent's share of the last decisions, or the mean reward of the last plays, leaves its
    limits, the market pauses, or falls back: the candidate's share becomes 0, or, where it has
    none, the policy ``fallback`` takes over. Where they stand is in the statistics.
    """
    rails = [one.model_dump(exclude_none=True) for one in body.rails]

    def change(principal: Principal) -> bool:
        return principal.set_rails(rails, fallback=body.fallback, key=call.retry)

    return MarketChange(market, await call.on_writer(market, change, "rails"))


@router.post("/pause")
async def pause(market: str, body: PauseIn, call: _WriteMarkets) -> Pause:
    """Refuse requests for decisions, with this reason, until the market is resumed."""
    changed = await call.change(market, Principal.pause, body.reason, field="reason")
    return Pause(market, paused=True, changed=changed)


@router.post("/resume")
async def resume(market: str, call: _WriteMarkets) -> Pause:
    """Decide again after a pause."""
    changed = await call.change(market, Principal.resume, field="market")
    return Pause(market, paused=False, changed=changed)
