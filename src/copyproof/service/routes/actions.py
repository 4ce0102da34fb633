"""What operators did, for operators and auditors to read."""

from typing import Annotated

from fastapi import APIRouter, Depends

from copyproof.service.messages import ActionOut, ActionsPage
from copyproof.service.routes.call import ON_PAGE, After, ApiCall, Limit, allowed_to

router = APIRouter(prefix="/v1/actions", tags=["service"])


@router.get("")
async def list_actions(
    call: Annotated[ApiCall, Depends(allowed_to("read actions"))],
    limit: Limit = ON_PAGE,
    after: After = None,
) -> ActionsPage:
    """What operators did, the oldest first, in pages: in the markets that the key is for."""
    store, own = call.leadership.store, call.key.markets
    read = await call.reading(lambda: store.actions(after or "", limit))
    found = [each for each in read if not own or each["market"] in own]
    following = read[-1]["id"] if len(read) == limit else None
    return ActionsPage([ActionOut(**each) for each in found], following)
