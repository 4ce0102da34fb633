"""API keys over HTTP: make, list, rotate, revoke; for operators only.

With an Idempotency-Key the new secret is a function of it and of the caller's own secret, so that a
retried request gets the same answer although no secret is ever stored.
"""

import hmac
from typing import Annotated

from fastapi import APIRouter, Depends

from copyproof.service.errors import unknown
from copyproof.service.keys import Key
from copyproof.service.messages import KeyIn, KeyOut, KeysOut, NewKeyOut, RotateIn
from copyproof.service.routes.calls import Call, may

__all__ = ["router"]

router = APIRouter(prefix="/v1/keys", tags=["keys"])

_Call = Annotated[Call, Depends(may("keys"))]


def _seed(call: Call, purpose: str) -> bytes | None:
    if call.retry is None:
        return None
    return hmac.digest(call.secret, f"{purpose}:{call.retry}".encode(), "sha256")


def _known(call: Call, name: str) -> Key:
    key = call.office.keyring.get(name)
    if key is None or key.revoked is not None:
        raise unknown("key")
    return key


@router.get("")
async def list_keys(call: _Call) -> KeysOut:
    """List all keys, revoked ones too; secrets are not known to the service."""
    return KeysOut(keys=[KeyOut(**key.shown()) for key in call.office.keyring.all()])


@router.post("")
async def make_key(body: KeyIn, call: _Call) -> NewKeyOut:
    """Make a key. Its text is in this answer and nowhere else."""

    def make() -> NewKeyOut:
        key, text = call.office.keyring.add(
            body.role,
            markets=tuple(body.markets),
            agent=body.agent,
            note=body.note,
            seed=_seed(call, "make"),
        )
        return NewKeyOut(key=text, **key.shown())

    return await call.aside(make, "role")


@router.post("/{key}/rotate")
async def rotate_key(key: str, call: _Call, body: RotateIn | None = None) -> NewKeyOut:
    """Give a key a new secret; the old one works for ``overlap`` seconds more."""
    _known(call, key)
    overlap = float((body or RotateIn()).overlap)

    def rotate() -> NewKeyOut:
        seed = _seed(call, f"rotate {key}")
        text = call.office.keyring.rotate(key, overlap=overlap, seed=seed)
        return NewKeyOut(key=text, **_known(call, key).shown())

    return await call.aside(rotate, "key")


@router.delete("/{key}")
async def revoke_key(key: str, call: _Call) -> KeyOut:
    """Refuse a key from now on."""
    found = await call.aside(lambda: call.office.keyring.revoke(key), "key")
    return KeyOut(**found.shown())
