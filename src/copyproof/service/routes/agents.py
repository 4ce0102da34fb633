"""Agents and their arms: register, suspend, retire; what an agent earned."""

from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Depends
from fastapi.responses import Response

from copyproof.service.messages import AgentIn, AgentStatisticsOut, ArmIn, ArmsIn, StateOut
from copyproof.service.routes.calls import Call, may

__all__ = ["router"]

router = APIRouter(prefix="/v1/markets/{market}/agents", tags=["agents"])

_WriteAgents = Annotated[Call, Depends(may("write agents"))]
_WriteArms = Annotated[Call, Depends(may("write arms"))]


@router.post("")
async def register_agent(market: str, body: AgentIn, call: _WriteAgents) -> StateOut:
    """Register an agent; one that is there already stays as it is."""
    await call.write(
        market, lambda principal: principal.register_agent(body.agent, key=call.retry), "agent"
    )
    return StateOut(done=f"{body.agent} is registered")


@router.post("/{agent}/suspend")
async def suspend_agent(market: str, agent: str, call: _WriteAgents) -> StateOut:
    """Show no arm of an agent until it is resumed."""
    await call.write(
        market, lambda principal: principal.suspend_agent(agent, key=call.retry), "agent"
    )
    return StateOut(done=f"{agent} is suspended")


@router.post("/{agent}/resume")
async def resume_agent(market: str, agent: str, call: _WriteAgents) -> StateOut:
    """End the suspension of an agent."""
    await call.write(
        market, lambda principal: principal.resume_agent(agent, key=call.retry), "agent"
    )
    return StateOut(done=f"{agent} is resumed")


@router.post("/{agent}/arms")
async def register_arms(market: str, agent: str, body: ArmsIn, call: _WriteArms) -> StateOut:
    """Register arms of an agent. A retired one comes back with its statistics."""
    pairs = [(agent, arm) for arm in body.arms]
    await call.write(
        market, lambda principal: principal.register_arms(pairs, key=call.retry), "arms"
    )
    return StateOut(done=f"{len(pairs)} arms are registered")


@router.post("/{agent}/arms/retire")
async def retire_arm(market: str, agent: str, body: ArmIn, call: _WriteArms) -> StateOut:
    """Retire an arm of an agent; its statistics, and the agent's, are kept."""
    await call.write(
        market, lambda principal: principal.retire_arm(agent, body.arm, key=call.retry), "arm"
    )
    return StateOut(done=f"{body.arm} is retired")


@router.post("/{agent}/arms/suspend")
async def suspend_arm(market: str, agent: str, body: ArmIn, call: _WriteAgents) -> StateOut:
    """Show an arm no more until it is resumed, whatever its agent does."""
    await call.write(
        market, lambda principal: principal.suspend_arm(agent, body.arm, key=call.retry), "arm"
    )
    return StateOut(done=f"{body.arm} is suspended")


@router.post("/{agent}/arms/resume")
async def resume_arm(market: str, agent: str, body: ArmIn, call: _WriteAgents) -> StateOut:
    """End the suspension of an arm; it is shown again if it is registered."""
    await call.write(
        market, lambda principal: principal.resume_arm(agent, body.arm, key=call.retry), "arm"
    )
    return StateOut(done=f"{body.arm} is resumed")


@router.get("/{agent}/statistics", response_model=AgentStatisticsOut)
async def read_agent_statistics(
    market: str, agent: str, call: Annotated[Call, Depends(may("read agent statistics"))]
) -> Response:
    """Plays and revenue of one agent and of each of its arms.

    Shares are left out for the agent itself: they tell what the others have.
    """
    view = await call.write(market, lambda principal: principal.view(agent), "agent")
    statistics = await call.aside(view.statistics, "agent")
    (one,) = statistics.agents
    kept = ("agent", "suspended", "plays", "answered", "pending", "revenue")
    found: dict[str, Any] = {name: getattr(one, name) for name in kept}
    shares = call.key.role != "agent"
    found["play_share"] = one.play_share if shares else None
    found["revenue_share"] = one.revenue_share if shares else None
    found["arms"] = statistics.arms
    return Response(orjson.dumps(found), media_type="application/json")
