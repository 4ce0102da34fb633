"""Requests about who stands behind the names of a market: groups, and the review of suspicions.

The blocking twin, ``identities``, is made of this module by ``make clients``.
"""

from collections.abc import AsyncIterator, Mapping
from typing import Any

from .protocol import part
from .records import ArmName, IdentitySuspicion


class AsyncIdentities:
    """The part of the client that is about identities."""

    async def bind_agent(
        self, market: str, agent: str, group: str | None, *, retry_key: str | None = None
    ) -> bool:
        """Bind an agent to a group of names of one principal, or free it; whether it is new."""
        path = f"/agents/{part(agent)}/group"
        found = await self._send("PUT", market, path, {"group": group}, retry_key)
        return bool(found["changed"])

    async def suspicions(self, market: str) -> list[IdentitySuspicion]:
        """Arms of several agents that are alike, and what operators said of that."""
        pages = self._pages(f"/v1/markets/{part(market)}/suspicions")
        return [
            IdentitySuspicion(
                id=one["id"],
                agents=tuple(one["agents"]),
                arms=tuple(ArmName(arm["agent"], arm["arm"]) for arm in one["arms"]),
                evidence=one["evidence"],
                similarity=float(one["similarity"]),
                status=one["status"],
            )
            async for page in pages
            for one in page["suspicions"]
        ]

    async def confirm_suspicion(
        self,
        market: str,
        suspicion: str,
        *,
        group: str | None = None,
        retry_key: str | None = None,
    ) -> bool:
        """Bind the agents of a suspicion to one group; whether that is a change."""
        path = f"/suspicions/{part(suspicion)}/confirm"
        found = await self._send("POST", market, path, {"group": group}, retry_key)
        return bool(found["changed"])

    async def dismiss_suspicion(
        self, market: str, suspicion: str, *, retry_key: str | None = None
    ) -> bool:
        """Let nothing follow from a suspicion; whether that is a change."""
        path = f"/suspicions/{part(suspicion)}/dismiss"
        found = await self._send("POST", market, path, None, retry_key)
        return bool(found["changed"])

    async def _send(
        self, method: str, market: str, path: str, body: Any, retry_key: str | None
    ) -> Any:
        raise NotImplementedError

    def _pages(self, path: str, asked: Mapping[str, str] | None = None) -> AsyncIterator[Any]:
        raise NotImplementedError
