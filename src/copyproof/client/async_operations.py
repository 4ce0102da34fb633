"""What people look at, and begin, in a service that runs: history, previews, audits, backups.

The blocking twin, ``operations``, is made of this module by ``make clients``.
"""

from typing import Any

from .async_connection import AsyncConnection
from .protocol import part, query
from .records import ApiKey


class AsyncOperations:
    """Requests of those who operate a service; a part of the client."""

    connection: AsyncConnection

    async def own_key(self) -> ApiKey:
        """What the client's own key is for, and when it ends."""
        return ApiKey.from_dict(await self.connection.send("GET", "/v1/key"))

    async def history(
        self, market: str, *, events: int = 20_000, spans: int = 60
    ) -> dict[str, Any]:
        """Decisions and rewards over time, from the last events of a market's journal."""
        path = query(_path(market, "history"), {"events": str(events), "spans": str(spans)})
        return dict(await self.connection.send("GET", path))

    async def preview_policy(
        self, market: str, policy: str, *, share: float | None = None
    ) -> dict[str, Any]:
        """What a policy would promise about copies, beside what is promised now."""
        asked = {"policy": policy} if share is None else {"policy": policy, "share": repr(share)}
        return dict(
            await self.connection.send("GET", query(_path(market, "policy/preview"), asked))
        )

    async def start_audit(
        self,
        market: str,
        *,
        policy: str | None = None,
        horizon: int = 1000,
        retry_key: str | None = None,
    ) -> dict[str, Any]:
        """Begin to find out what copies would gain, on the market's present estimates."""
        body = {"policy": policy, "horizon": horizon}
        path = _path(market, "audits")
        return dict(await self.connection.send("POST", path, body, retry_key=retry_key))

    async def audits(self, market: str) -> list[dict[str, Any]]:
        """What audits have found, the newest first; those that are not done have no verdict."""
        return list((await self.connection.send("GET", _path(market, "audits")))["audits"])

    async def back_up(self) -> dict[str, Any]:
        """Have everything written into a new file, in the service's folder for backups."""
        return dict(await self.connection.send("POST", "/v1/backups"))

    async def backups(self) -> list[dict[str, Any]]:
        """List the backups in that folder, the newest first."""
        return list((await self.connection.send("GET", "/v1/backups"))["backups"])


def _path(market: str, what: str) -> str:
    return f"/v1/markets/{part(market)}/{what}"
