"""Backups into the folder that the service was started with; for operators of all markets."""

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Request

from copyproof.live.checks import check_states
from copyproof.live.stores import Damaged
from copyproof.live.stores.backups import backup_name, backups_in, made_at
from copyproof.service.errors import Refusal
from copyproof.service.routes.call import ApiCall, allowed_to

router = APIRouter(prefix="/v1/backups", tags=["service"])

_Call = Annotated[ApiCall, Depends(allowed_to("back up"))]
# One at a time: each reads all that there is. So does who has a name forgotten in backups, and one
# that was made meanwhile could still hold it.
working = threading.Lock()


@dataclass(frozen=True)
class BackupOut:
    """A backup: the name of its file, its size, and when it was made."""

    name: str
    bytes: int
    at: float


@dataclass(frozen=True)
class BackupsOut:
    """The backups of the folder, the newest first; ``enabled`` says whether there is a folder."""

    enabled: bool
    backups: list[BackupOut]


@router.get("")
async def list_backups(request: Request, call: _Call) -> BackupsOut:
    """List the backups in the folder that the setting ``backups`` names."""
    folder: Path | None = request.app.state.backups

    def listed() -> list[BackupOut]:
        return [] if folder is None else [_shown(one) for one in reversed(backups_in(folder))]

    return BackupsOut(folder is not None, await call.on_thread(listed, "backups"))


@router.post("")
async def back_up(request: Request, call: _Call) -> BackupOut:
    """Write everything, as of one moment, into a new file; it is checked before it is named.

    The answer comes when that is done. Other requests go on meanwhile.
    """
    folder: Path | None = request.app.state.backups
    if folder is None:
        message = "backups: the service was started without a folder for them (--backups DIR)"
        raise Refusal(409, "backups", message)
    if not working.acquire(blocking=False):
        raise Refusal(409, "backups", "a backup is being made just now, or changed")
    path = folder / backup_name(call.leadership.keyring.clock())

    def make() -> BackupOut:
        try:
            call.leadership.store.backup(path, check_states)
        except Damaged:
            message = "the store is damaged, and no backup was made: run `copyproof store check`"
            raise Refusal(409, "backups", f"backups: {message}") from None
        return _shown(path)

    try:
        return await call.on_thread(make, "backups")
    except OSError:
        raise Refusal(503, "backups", "the folder for backups cannot be written to", 60) from None
    finally:
        working.release()


def _shown(path: Path) -> BackupOut:
    return BackupOut(path.name, path.stat().st_size, made_at(path))
