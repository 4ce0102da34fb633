"""Requests about who stands behind the names of a market: groups, and the review of suspicions.

Made of ``async_identities.py`` by ``make clients``; change that.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from .protocol import part
from .records import ArmName, IdentitySuspicion


class Identities:
    """The part of the client that is about identities."""

    def bind_agent(
        self, market: str, agent: str, group: str | None, *, retry_key: str | None = None
    ) -> bool:
        """Bind an agent to a group of names of one principal, or free it; whether it is new."""
        path = f"/agents/{part(agent)}/group"
        found = self._send("PUT", market, path, {"group": group}, retry_key)
        return bool(found["changed"])

    def suspicions(self, market: str) -> list[IdentitySuspicion]:
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
            for page in pages
            for one in page["suspicions"]
        ]

    def confirm_suspicion(
        self,
        market: str,
        suspicion: str,
        *,
        group: str | None = None,
        retry_key: str | None = None,
    ) -> bool:
        """Bind the agents of a suspicion to one group; whether that is a change."""
        path = f"/suspicions/{part(suspicion)}/confirm"
        found = self._send("POST", market, path, {"group": group}, retry_key)
        return bool(found["changed"])

    def dismiss_suspicion(
        self, market: str, suspicion: str, *, retry_key: str | None = None
    ) -> bool:
        """Let nothing follow from a suspicion; whether that is a change."""
        path = f"/suspicions/{part(suspicion)}/dismiss"
        found = self._send("POST", market, path, None, retry_key)
        return bool(found["changed"])

    def _send(self, method: str, market: str, path: str, body: Any, retry_key: str | None) -> Any:
        raise NotImplementedError

    def _pages(self, path: str, asked: Mapping[str, str] | None = None) -> Iterator[Any]:
        raise NotImplementedError
