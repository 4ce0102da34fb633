"""API keys over HTTP: make, list, rotate, revoke, delete; for operators only.

An operator of some markets only has the keys that are for some of these, and for no others.

With an Idempotency-Key the new secret is a function of it and of the caller's own secret, so that a
retried request gets the same answer although no secret is ever stored.
"""

import hmac
from functools import partial
from operator import attrgetter
from typing import Annotated

from fastapi import APIRouter, Depends

from copyproof.client.records import ApiKey
from copyproof.service.access import Key
from copyproof.service.errors import Refusal, refusal_of, unknown
from copyproof.service.messages import KeyIn, KeysPage, RotateIn
from copyproof.service.routes.call import ON_PAGE, After, ApiCall, Limit, allowed_to, page_of

router = APIRouter(prefix="/v1/keys", tags=["keys"])

_Call = Annotated[ApiCall, Depends(allowed_to("keys"))]


def _seed(call: ApiCall, purpose: str) -> bytes | None:
    if call.retry is None:
        return None
    return hmac.digest(call.secret, f"{purpose}:{call.retry}".encode(), "sha256")


def _shown(key: Key, text: str | None = None) -> ApiKey:
    return ApiKey.from_dict({**key.shown(), "key": text})


def _is_within(key: Key, call: ApiCall) -> bool:
    """Whether a key may do nothing outside of the caller's markets."""
    own = call.key.markets
    return not own or (bool(key.markets) and set(key.markets) <= set(own))


def _check_own(name: str, call: ApiCall) -> None:
    """Refuse an operator of some markets who names a key of others: it is not known to them."""
    found = call.leadership.keyring.held.get(name)
    if found is not None and not _is_within(found, call):
        raise unknown("key")


@router.get("", response_model_exclude_defaults=True)
async def list_keys(call: _Call, limit: Limit = ON_PAGE, after: After = None) -> KeysPage:
    """List keys, revoked ones too, in pages; secrets are not known to the service."""
    every = [key for key in call.leadership.keyring.all() if _is_within(key, call)]
    try:
        found, following = page_of(every, attrgetter("id"), after, limit)
    except ValueError as error:
        raise refusal_of(error, "after") from None
    return KeysPage([_shown(key) for key in found], following)


@router.post("")
async def make_key(body: KeyIn, call: _Call) -> ApiKey:
    """Make a key. Its text is in this answer and nowhere else."""
    own = call.key.markets
    if own and not (body.markets and set(body.markets) <= set(own)):
        said = f"markets = {body.markets} is not some of {list(own)}, which this key is for"
        raise Refusal(422, "markets", said)
    wanted = {**body.model_dump(), "markets": tuple(body.markets)}
    make = partial(call.leadership.keyring.add, **wanted, seed=_seed(call, "make"))
    return _shown(*await call.on_thread(make, "role"))


@router.post("/{key}/rotate")
async def rotate_key(key: str, call: _Call, body: RotateIn | None = None) -> ApiKey:
    """Give a key a new secret; the old one works for ``overlap`` seconds more."""
    _check_own(key, call)
    overlap = float((body or RotateIn()).overlap)
    seed = _seed(call, f"rotate {key}")
    rotate = partial(call.leadership.keyring.rotate, key, overlap=overlap, seed=seed)
    return _shown(*await call.on_thread(rotate, "key"))


@router.delete("/{key}", response_model_exclude_defaults=True)
async def revoke_key(key: str, call: _Call, forget: bool = False) -> ApiKey:
    """Refuse a key from now on; with ``forget`` it is not listed any more, either."""
    _check_own(key, call)
    keyring = call.leadership.keyring
    end = keyring.forget if forget else keyring.revoke
    return _shown(await call.on_thread(lambda: end(key), "key"))
