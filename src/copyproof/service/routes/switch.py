"""Who decides in a market, and whether: its policy, a candidate, guard rails, pauses."""

from typing import Annotated

from fastapi import APIRouter, Depends

from copyproof.live import Principal
from copyproof.service.messages import (
    CandidateOut,
    Pause,
    PauseIn,
    PolicyChange,
    PolicyIn,
    RailsChange,
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

    def change(principal: Principal) -> PolicyChange:
        changed = principal.set_policy(body.policy, share=body.share, key=call.retry)
        return _changed(principal, changed)

    return await call.on_writer(market, change, "policy")


@router.delete("/candidate")
async def drop_candidate(market: str, call: _WriteMarkets) -> PolicyChange:
    """Let the first policy decide alone."""

    def change(principal: Principal) -> PolicyChange:
        return _changed(principal, principal.drop_candidate(key=call.retry))

    return await call.on_writer(market, change, "market")


@router.put("/rails")
async def set_rails(market: str, body: RailsIn, call: _WriteMarkets) -> RailsChange:
    """Set guard rails, in place of those before; an empty list ends them.

    When an agent's share of the last decisions, or the mean reward of the last plays, leaves its
    limits, the market pauses, or falls back: the candidate's share becomes 0, or, where it has
    none, the policy ``fallback`` takes over. Where they stand is in the statistics.
    """
    rails = [one.model_dump(exclude_none=True) for one in body.rails]

    def change(principal: Principal) -> RailsChange:
        changed = principal.set_rails(rails, fallback=body.fallback, key=call.retry)
        return RailsChange(len(rails), changed)

    return await call.on_writer(market, change, "rails")


@router.post("/pause")
async def pause(market: str, body: PauseIn, call: _WriteMarkets) -> Pause:
    """Refuse requests for decisions, with this reason, until the market is resumed."""

    def change(principal: Principal) -> Pause:
        changed = principal.pause(body.reason, key=call.retry)
        return Pause(market, principal.paused, changed)

    return await call.on_writer(market, change, "reason")


@router.post("/resume")
async def resume(market: str, call: _WriteMarkets) -> Pause:
    """Decide again after a pause."""

    def change(principal: Principal) -> Pause:
        changed = principal.resume(key=call.retry)
        return Pause(market, principal.paused, changed)

    return await call.on_writer(market, change, "market")


def _changed(principal: Principal, changed: bool) -> PolicyChange:
    candidate = principal.candidate
    beside = None if candidate is None else CandidateOut(*candidate)
    return PolicyChange(principal.policy, changed, beside)
