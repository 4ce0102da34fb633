"""Agents and their arms: register, suspend, retire; what an agent earned."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import orjson
from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from copyproof.live import Principal
from copyproof.live.forgetting import check_backups, forget_in_backups
from copyproof.live.identities import checked_fingerprint
from copyproof.live.stores import StoreError
from copyproof.live.stores.backups import copies_in
from copyproof.service.bodies import read_agents
from copyproof.service.errors import Refusal, refusal_of
from copyproof.service.messages import (
    AgentIn,
    AgentRegistration,
    AgentReport,
    ArmIn,
    ArmsIn,
    ArmsRegistration,
    BulkRegistration,
    Deletion,
    Retirement,
    Suspension,
    path_name,
)
from copyproof.service.routes.backups import working
from copyproof.service.routes.call import ON_PAGE, After, ApiCall, Limit, Segment, allowed_to
from copyproof.validation import FieldError, shown

router = APIRouter(prefix="/v1/markets/{market}/agents", tags=["agents"])

_WriteAgents = Annotated[ApiCall, Depends(allowed_to("write agents"))]
_WriteArms = Annotated[ApiCall, Depends(allowed_to("write arms"))]
_ReadAgent = Annotated[ApiCall, Depends(allowed_to("read agent statistics"))]


@router.post("")
async def register_agent(market: str, body: AgentIn, call: _WriteAgents) -> AgentRegistration:
    """Register an agent; one that is there already stays as it is."""

    def register(principal: Principal) -> bool:
        return principal.register_agent(body.agent, group=body.group, key=call.retry)

    changed = await call.on_writer(market, register, "agent")
    return AgentRegistration(body.agent, registered=True, changed=changed)


@router.put(
    "",
    openapi_extra={
        "requestBody": {
            "content": {"application/x-ndjson": {"schema": {"type": "string"}}},
            "required": True,
        }
    },
)
async def register_agents(market: str, request: Request, call: _WriteAgents) -> BulkRegistration:
    """Register many agents with their arms at once: a JSON object on each line.

    ``{"agent": "ann", "arms": ["a", "b"]}``, maybe with a ``group``, and with ``content`` by arm.
    Nobody who is not named is touched, and sent again it changes nothing. If a line is refused,
    nothing is done. The market waits meanwhile, the others do not.
    """
    body = await request.body()
    lines = await call.on_thread(lambda: read_agents(body), "body")
    arms = [
        (line.agent, arm, line.content[arm]) if arm in line.content else (line.agent, arm)
        for line in lines
        for arm in line.arms
    ]

    def register(principal: Principal) -> BulkRegistration:
        with principal.group():
            new = len({line.agent for line in lines if not principal.knows(line.agent)})
            for line in lines:
                if line.group is not None or not line.arms:
                    principal.register_agent(line.agent, group=line.group)
            return BulkRegistration(len(lines), new, principal.register_arms(arms))

    return await call.on_writer(market, register, "arms")


@router.delete("/{agent}")
async def remove_agent(
    market: str, agent: str, call: _WriteAgents, request: Request, forget: bool = False
) -> Deletion:
    """Retire all arms of an agent, suspend it, and revoke its keys.

    What it has played and earned stays: shares of the others are held against it. With ``forget``
    its name and those of its arms do not: a token takes their place in all that is stored, and in
    the backups in the service's folder for them, which are checked before. That takes as long as
    it takes to read the market's journal, and all backups. The market is not served meanwhile. At
    the end the store writes anew the tables that held the name (SQLite: its whole file), and
    **no market of the store is written to until that is done**.
    """
    folder: Path | None = request.app.state.backups if forget else None
    is_known = await call.on_writer(market, lambda principal: principal.knows(agent))
    if folder is None:
        await _remove(call, market, agent, is_known=is_known, forget=forget)
        return Deletion(market, agent, deleted=True)
    if not working.acquire(blocking=False):
        raise Refusal(409, "backups", "a backup is being made just now, or changed")
    store = call.leadership.store
    try:
        await call.on_thread(lambda: _check(copies_in(folder, store)), "backups")
        await _remove(call, market, agent, is_known=is_known, forget=True)
        # Looked for again: another program may have made one meanwhile.
        await call.on_thread(
            lambda: forget_in_backups(copies_in(folder, store), market, agent), "backups"
        )
    finally:
        working.release()
    return Deletion(market, agent, deleted=True)


async def _remove(call: ApiCall, market: str, agent: str, *, is_known: bool, forget: bool) -> None:
    leadership = call.leadership
    if is_known or not forget:  # else it may have been forgotten before, but not to the end
        await call.change(market, Principal.remove_agent, agent, field="agent")
        await call.on_thread(lambda: leadership.keyring.revoke_market(market, agent))
    if forget:
        await call.on_thread(lambda: leadership.forget(market, agent), "agent")


def _check(backups: list[Path]) -> None:
    """Refuse to forget where a backup cannot be read."""
    for path in backups:
        try:
            check_backups([path])
        except StoreError:
            message = f"{path.name} is damaged, or no backup; nothing was forgotten anywhere"
            raise Refusal(409, "backups", f"backups: {message}") from None


@router.post("/{agent}/suspend")
async def suspend_agent(market: str, agent: str, call: _WriteAgents) -> Suspension:
    """Show no arm of an agent until it is resumed."""
    changed = await call.change(market, Principal.suspend_agent, agent, field="agent")
    return Suspension(agent, None, suspended=True, changed=changed)


@router.post("/{agent}/resume")
async def resume_agent(market: str, agent: str, call: _WriteAgents) -> Suspension:
    """End the suspension of an agent."""
    changed = await call.change(market, Principal.resume_agent, agent, field="agent")
    return Suspension(agent, None, suspended=False, changed=changed)


@router.post("/{agent}/arms")
async def register_arms(
    market: str, agent: str, body: ArmsIn, call: _WriteArms
) -> ArmsRegistration:
    """Register arms of an agent. A retired one comes back with its statistics.

    What arms are (``content`` and ``fingerprints``) is the operator's to say: an agent would call
    its copies different.
    """
    try:
        path_name("agent", agent)
    except FieldError as error:  # it may have got its name before names were checked
        found = await call.on_writer(market, lambda principal: principal.knows(agent))
        if not found:
            raise refusal_of(error, "agent") from None
    for field, given in (("content", body.content), ("fingerprints", body.fingerprints)):
        if given and call.key.role == "agent":
            raise Refusal(403, field, f"{field} is not for agents to say")
        if strangers := given.keys() - set(body.arms):
            raise Refusal(422, field, f"{field}: {shown(min(strangers))} is not one of these arms")
    arms = [
        (agent, arm, body.content[arm]) if arm in body.content else (agent, arm)
        for arm in body.arms
    ]

    def checked() -> dict[tuple[str, str], str]:
        said = body.fingerprints.items()
        return {
            (agent, arm): checked_fingerprint(f"fingerprints[{shown(arm)}]", one)
            for arm, one in said
        }

    prints = await call.on_thread(checked)

    def register(principal: Principal) -> int:
        with principal.group():
            # What an arm has stays: that is refused before anything is done.
            there = {one: text for one, text in prints.items() if principal.knows(*one)}
            principal.set_fingerprints(there)
            count = principal.register_arms(arms, key=call.retry)
            principal.set_fingerprints(prints)
        return count

    return ArmsRegistration(await call.on_writer(market, register, "arms"))


@router.post("/{agent}/arms/retire")
async def retire_arm(market: str, agent: str, body: ArmIn, call: _WriteArms) -> Retirement:
    """Retire an arm of an agent; its statistics, and the agent's, are kept."""
    changed = await call.change(market, Principal.retire_arm, agent, body.arm, field="arm")
    return Retirement(agent, body.arm, retired=True, changed=changed)


@router.post("/{agent}/arms/suspend")
async def suspend_arm(market: str, agent: str, body: ArmIn, call: _WriteAgents) -> Suspension:
    """Show an arm no more until it is resumed, whatever its agent does."""
    changed = await call.change(market, Principal.suspend_arm, agent, body.arm, field="arm")
    return Suspension(agent, body.arm, suspended=True, changed=changed)


@router.post("/{agent}/arms/resume")
async def resume_arm(market: str, agent: str, body: ArmIn, call: _WriteAgents) -> Suspension:
    """End the suspension of an arm; it is shown again if it is registered."""
    changed = await call.change(market, Principal.resume_arm, agent, body.arm, field="arm")
    return Suspension(agent, body.arm, suspended=False, changed=changed)


@router.get("/{agent}/statistics", response_model=AgentReport)
async def read_agent_statistics(
    market: str,
    agent: str,
    call: _ReadAgent,
    limit: Limit = ON_PAGE,
    after: After = None,
    segment: Segment = None,
) -> Response:
    """Plays and revenue of one agent and of each of its arms, these in pages.

    Over all segments, or in one of them. Shares are left out for the agent itself: they tell what
    the others have; and its group, which tells what the operator knows.
    """
    view = await call.on_writer(market, lambda to: to.view(agent, after, limit, segment), "agent")

    def report() -> bytes:
        statistics = view.statistics()
        (one,) = statistics.agents
        found = {**asdict(one), "arms": statistics.arms, "next": statistics.next}
        if call.key.role == "agent":
            found.update(play_share=None, revenue_share=None, group=None)
        return orjson.dumps(found)

    return Response(await call.reading(report, "agent"), media_type="application/json")
