"""What copies would gain in a market, and what another policy would promise."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from pydantic import Field

from copyproof.live import MarketConfig, Principal
from copyproof.live.estimates import Estimates
from copyproof.live.guarantee import guarantee
from copyproof.live.terms import plan_of
from copyproof.policy import parse_policy
from copyproof.service.audits import MOST_AGENTS, MOST_ARMS, AuditReport, Audits
from copyproof.service.messages import In, PolicyText
from copyproof.service.routes.call import ApiCall, allowed_to

router = APIRouter(prefix="/v1/markets/{market}", tags=["policies"])

_ReadMarkets = Annotated[ApiCall, Depends(allowed_to("read markets"))]
_WriteMarkets = Annotated[ApiCall, Depends(allowed_to("write markets"))]


class AuditIn(In):
    """An audit to begin: of the policy that is run, unless another is named."""

    policy: PolicyText | None = None
    horizon: Annotated[int, Field(strict=True, ge=10, le=10_000)] = 1000


@dataclass(frozen=True)
class AuditsOut:
    """The audits of a market since the process began, the newest first."""

    audits: list[AuditReport]


@dataclass(frozen=True)
class PolicyPreview:
    """What a policy would promise, with a share or alone, beside what is promised now."""

    policy: str
    share: float | None
    guarantee: str
    policy_now: str
    guarantee_now: str


@router.get("/audits")
async def list_audits(market: str, request: Request, call: _ReadMarkets) -> AuditsOut:
    """What copies would gain, as audits of this process have found."""
    audits: Audits = request.app.state.audits
    return AuditsOut(audits.of((await call.leadership.find(market)).name))


@router.post("/audits")
async def start_audit(
    market: str, request: Request, call: _WriteMarkets, body: AuditIn | None = None
) -> AuditReport:
    """Find out what copies would gain on the market's present estimates, in the background.

    The answer comes at once; what was found is listed when it is done. The market goes on.
    """
    wanted = body or AuditIn()
    audits: Audits = request.app.state.audits

    def take(principal: Principal) -> tuple[str, Estimates]:
        return principal.policy, principal.estimates(MOST_AGENTS, MOST_ARMS)

    policy, found = await call.on_writer(market, take)
    if wanted.policy is not None:
        policy = str(await call.on_thread(lambda: parse_policy(str(wanted.policy)), "policy"))
    return audits.start(market, policy, wanted.horizon, found)


@router.get("/policy/preview")
async def preview_policy(
    market: str,
    call: _ReadMarkets,
    policy: Annotated[str, Query(min_length=1, max_length=1000)],
    share: Annotated[float | None, Query(ge=0, le=1, description="As a candidate's.")] = None,
) -> PolicyPreview:
    """What a policy would promise about copies in this market; nothing is changed."""
    served = await call.leadership.find(market)
    config = MarketConfig.from_dict(served.config)

    def deciding(principal: Principal) -> tuple[str, tuple[str, float] | None]:
        return principal.policy, principal.candidate

    def preview() -> PolicyPreview:
        wanted, first = parse_policy(policy), parse_policy(now)
        plan_of(wanted, config)
        then = (
            guarantee(wanted, config)
            if share is None
            else guarantee(first, config, (wanted, share))
        )
        beside = None if candidate is None else (parse_policy(candidate[0]), candidate[1])
        return PolicyPreview(str(wanted), share, then, now, guarantee(first, config, beside))

    now, candidate = await call.on_writer(market, deciding)
    return await call.on_thread(preview, "policy")
