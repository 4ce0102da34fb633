"""Every request of the service as a method: paths, bodies, and what answers are read into.

The blocking twin, ``client``, is made of this module by ``make clients``.
The two differ in their transport alone.
"""

import os
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from .async_connection import AsyncConnection
from .async_identities import AsyncIdentities
from .async_operations import AsyncOperations
from .protocol import dictionaries, lines, listed, part, private, query
from .records import ApiKey, Decision, Told, read

_EVENTS = 10_000  # of a journal that are fetched at once


class AsyncClient(AsyncIdentities, AsyncOperations):
    """One caller of the service, whose connections are shared by all that use it at once.

    Every write may be given a ``retry_key``: the same key later, even from another process, gives
    the same answer and does nothing twice. Without one the client makes one up for its own retries.

    Parameters
    ----------
    url : str
        Such as ``http://127.0.0.1:8000``.
    key : str
        The API key.
    timeout : float
        Seconds to wait for one answer.
    patience : float
        Seconds after which a request is not tried again.
    connections : int
        Requests that are under way at once; more wait for their turn.
    context : ssl.SSLContext, optional
        What https trusts; the certificates of the machine if it is not given.

    Examples
    --------
    >>> AsyncClient("http://127.0.0.1:8000", "cp_0_0").connection.attempts
    0
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = 10.0,
        patience: float = 30.0,
        connections: int = 8,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self.connection = AsyncConnection(
            url,
            key,
            timeout=timeout,
            patience=patience,
            connections=connections,
            context=context,
        )

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections that are not in use."""
        await self.connection.close()

    # --- decisions and rewards -------------------------------------------------------------------

    async def ask(
        self,
        market: str,
        count: int = 1,
        *,
        eligible: Mapping[str, Sequence[str]] | Sequence[str] | None = None,
        slate: bool = False,
        seen: Mapping[str, Sequence[str]] | Sequence[str] | None = None,
        segment: str | None = None,
        strict: bool = False,
        retry_key: str | None = None,
    ) -> list[Decision]:
        """Decide what to show, ``count`` times.

        With ``slate`` the arms are different ones, at most ``per_agent`` of one agent, and fewer
        than ``count`` if nothing is left. ``seen`` is what this visitor has had, as decisions or as
        arms by agent, and is not shown again. ``segment`` is what this visitor is: each segment is
        a game of its own. What is not known of these is left out; with ``strict`` it is refused.
        """
        body: dict[str, Any] = {"count": count, "slate": slate}
        if strict:
            body["strict"] = True
        if segment is not None:
            body["segment"] = segment
        for field, named in (("eligible", eligible), ("seen", seen)):
            if isinstance(named, Mapping):
                body[field] = {
                    agent: listed(f"{field}[{agent!r}]", arms) for agent, arms in named.items()
                }
            elif named is not None:
                body[field] = listed(field, named)
        found = await self._send("POST", market, "/decisions", body, retry_key)
        return [read(Decision, each) for each in found["decisions"]]

    async def tell(
        self, market: str, decision: str, reward: float, *, retry_key: str | None = None
    ) -> Told:
        """Tell what a decision was worth, from 0 to 1."""
        body = {"decision": decision, "reward": reward}
        found = await self._send("POST", market, "/rewards", body, retry_key)
        return read(Told, found["told"][0])

    async def tell_many(
        self, market: str, rewards: Sequence[tuple[str, float]], *, retry_key: str | None = None
    ) -> list[Told]:
        """Tell what up to 1000 decisions were worth."""
        body = {"rewards": [{"decision": name, "reward": reward} for name, reward in rewards]}
        found = await self._send("POST", market, "/rewards", body, retry_key)
        return [read(Told, each) for each in found["told"]]

    # --- agents and arms -------------------------------------------------------------------------

    async def register_agent(
        self, market: str, agent: str, *, retry_key: str | None = None
    ) -> bool:
        """Register an agent; whether it is new."""
        found = await self._send("POST", market, "/agents", {"agent": agent}, retry_key)
        return bool(found["changed"])

    async def suspend_agent(self, market: str, agent: str, *, retry_key: str | None = None) -> bool:
        """Show no arm of an agent until it is resumed; whether that is a change."""
        return await self._change(market, agent, "/suspend", None, retry_key)

    async def resume_agent(self, market: str, agent: str, *, retry_key: str | None = None) -> bool:
        """End the suspension of an agent; whether that is a change."""
        return await self._change(market, agent, "/resume", None, retry_key)

    async def remove_agent(
        self, market: str, agent: str, *, forget: bool = False, retry_key: str | None = None
    ) -> None:
        """Retire all arms of an agent, suspend it, and revoke its keys; its statistics stay.

        With ``forget`` its name and those of its arms do not: tokens take their place everywhere.
        """
        path = query(f"/agents/{part(agent)}", {"forget": "true"} if forget else {})
        await self._send("DELETE", market, path, None, retry_key)

    async def register_agents(
        self, market: str, agents: Sequence[Mapping[str, Any]], *, retry_key: str | None = None
    ) -> int:
        """Register up to 10,000 agents with their arms at once, all or none; how many arms are new.

        An agent is ``{"agent": "ann", "arms": ["a", "b"]}``, maybe with a ``group``, and with
        ``content`` by arm.
        """
        body = lines("agents", agents)
        answer = await self._send("PUT", market, "/agents", body, retry_key)
        return int(answer["new_arms"])

    async def register_arms(
        self,
        market: str,
        agent: str,
        arms: Sequence[str],
        *,
        content: Mapping[str, str] | None = None,
        fingerprints: Mapping[str, Any] | None = None,
        retry_key: str | None = None,
    ) -> int:
        """Register up to 1000 arms of an agent; how many are new.

        Retired ones are, and come back with their statistics. ``content`` says what arms are, a
        hash for the name of each, equal for what a visitor would call the same; ``fingerprints``
        what they are made of: ``{"hash": …}``, ``{"hashes": […]}`` or ``{"vector": […]}`` for each.
        """
        body: dict[str, Any] = {"arms": listed("arms", arms)}
        more = {"content": content, "fingerprints": fingerprints}
        body |= {name: dict(given) for name, given in more.items() if given}
        found = await self._send("POST", market, f"/agents/{part(agent)}/arms", body, retry_key)
        return int(found["registered"])

    async def retire_arm(
        self, market: str, agent: str, arm: str, *, retry_key: str | None = None
    ) -> bool:
        """Retire an arm of an agent; whether that is a change."""
        return await self._change(market, agent, "/arms/retire", {"arm": arm}, retry_key)

    async def suspend_arm(
        self, market: str, agent: str, arm: str, *, retry_key: str | None = None
    ) -> bool:
        """Show an arm no more until it is resumed, whatever its agent does; whether that is new."""
        return await self._change(market, agent, "/arms/suspend", {"arm": arm}, retry_key)

    async def resume_arm(
        self, market: str, agent: str, arm: str, *, retry_key: str | None = None
    ) -> bool:
        """End the suspension of an arm; whether that is a change."""
        return await self._change(market, agent, "/arms/resume", {"arm": arm}, retry_key)

    # --- markets -------------------------------------------------------------------------------

    async def create_market(self, market: str, **config: Any) -> dict[str, Any]:
        """Create a market; once more with the same config changes nothing."""
        return dict(await self._send("PUT", market, "", config, None))

    async def delete_market(self, market: str) -> None:
        """Delete a market and its journal for good."""
        await self._send("DELETE", market, "", None, None)

    async def set_clock(
        self, market: str, at: float | None = None, *, retry_key: str | None = None
    ) -> float:
        """Set a market's clock, to the service's own time if none is given; what it is now."""
        found = await self._send("PUT", market, "/clock", {"at": at}, retry_key)
        return float(found["at"])

    async def market(self, market: str) -> dict[str, Any]:
        """How a market was created, the policy that it runs, and what that promises of copies."""
        return dict(await self._send("GET", market, "", None, None))

    async def markets(self) -> list[dict[str, Any]]:
        """List all markets."""
        return [each async for page in self._pages("/v1/markets") for each in page["markets"]]

    async def set_policy(
        self,
        market: str,
        policy: str,
        *,
        share: float | None = None,
        retry_key: str | None = None,
    ) -> bool:
        """Go on with another policy, keeping all statistics; whether that is a change.

        With ``share`` it is the candidate, which decides so many of the decisions: 0 is a shadow,
        whose decisions are not shown, and another share later goes on, or back. Without it, it is
        the first policy, and there is no candidate any more.
        """
        body = {"policy": policy} if share is None else {"policy": policy, "share": share}
        found = await self._send("PUT", market, "/policy", body, retry_key)
        return bool(found["changed"])

    async def drop_candidate(self, market: str, *, retry_key: str | None = None) -> bool:
        """Let the first policy decide alone; whether there was a candidate."""
        found = await self._send("DELETE", market, "/candidate", None, retry_key)
        return bool(found["changed"])

    async def set_rails(
        self,
        market: str,
        rails: Sequence[Mapping[str, Any]],
        *,
        fallback: str | None = None,
        retry_key: str | None = None,
    ) -> bool:
        """Set guard rails, in place of those before; whether that is a change.

        A rail has ``measure`` ("share" or "reward"), ``last``, ``at_most`` or ``at_least``,
        ``then`` ("pause" or "fall-back"), and ``agent`` if it is the share of a certain one.
        """
        body: dict[str, Any] = {"rails": dictionaries("rails", rails), "fallback": fallback}
        found = await self._send("PUT", market, "/rails", body, retry_key)
        return bool(found["changed"])

    async def pause(self, market: str, reason: str, *, retry_key: str | None = None) -> bool:
        """Decide nothing until the market is resumed; whether that is a change."""
        found = await self._send("POST", market, "/pause", {"reason": reason}, retry_key)
        return bool(found["changed"])

    async def resume(self, market: str, *, retry_key: str | None = None) -> bool:
        """Decide again after a pause; whether that is a change."""
        found = await self._send("POST", market, "/resume", None, retry_key)
        return bool(found["changed"])

    async def statistics(
        self, market: str, agent: str | None = None, *, segment: str | None = None
    ) -> dict[str, Any]:
        """Plays and revenue of a market, or of one agent and its arms.

        With ``segment`` they are of its visitors alone, with "" of those without a segment. A long
        list comes in pages, one after another; what is said of the whole is the first's.
        """
        rows = "agents" if agent is None else "arms"
        path = "/statistics" if agent is None else f"/agents/{part(agent)}/statistics"
        asked = {} if segment is None else {"segment": segment}
        pages = self._pages(f"/v1/markets/{part(market)}{path}", asked)
        found: dict[str, Any] = {}
        async for page in pages:
            found = found or {**page, rows: [], "next": None}
            found[rows] += page[rows]
        return found

    async def journal(self, market: str, after: int = 0) -> AsyncIterator[dict[str, Any]]:
        """Everything that happened after event number ``after``, fetched in parts."""
        path = f"/v1/markets/{part(market)}/journal?limit={_EVENTS}&after="
        count = _EVENTS
        while count >= _EVENTS:
            count = 0
            for event in await self.connection.lines(f"{path}{after}"):
                yield event
                count, after = count + 1, event["number"]

    # --- what others check ---------------------------------------------------------------------

    async def head(self, market: str) -> dict[str, Any]:
        """The last event and the head of the chain after it, signed: keep it, as JSON."""
        return dict(await self._send("GET", market, "/head", None, None))

    async def export(
        self, market: str, path: str | os.PathLike[str], *, agent: str | None = None
    ) -> None:
        """Write a market's journal, without names, into a new file for ``copyproof verify``.

        For auditors it is the whole; with ``agent`` it is what this agent may see, with digests of
        the rest. Only its owner may read the file, and if it is broken off there is none.
        """
        what = "/journal/audit" if agent is None else f"/agents/{part(agent)}/journal"
        stream = self.connection.stream(f"/v1/markets/{part(market)}{what}")
        with open(path, "xb", opener=private) as file:
            try:
                async with aclosing(stream) as parts:
                    async for some in parts:
                        file.write(some)
            except BaseException:
                os.unlink(path)
                raise

    async def actions(self) -> list[dict[str, Any]]:
        """What operators did, the oldest first."""
        return [each async for page in self._pages("/v1/actions") for each in page["actions"]]

    # --- keys ----------------------------------------------------------------------------------

    async def keys(self) -> list[ApiKey]:
        """List all API keys."""
        return [
            ApiKey.from_dict(each)
            async for page in self._pages("/v1/keys")
            for each in page["keys"]
        ]

    async def make_key(
        self,
        role: str,
        *,
        markets: Sequence[str] = (),
        agent: str | None = None,
        note: str = "",
        rate: float | None = None,
        burst: int | None = None,
        expires: float | None = None,
        retry_key: str | None = None,
    ) -> ApiKey:
        """Make an API key, with limits of its own if they are given; the answer holds its text.

        It ends by itself at ``expires``, in seconds since 1970.
        """
        body: dict[str, Any] = {"role": role, "markets": listed("markets", markets)}
        body |= {"agent": agent, "note": note}
        limits = {"rate": rate, "burst": burst, "expires": expires}
        body |= {name: each for name, each in limits.items() if each is not None}
        return ApiKey.from_dict(
            await self.connection.send("POST", "/v1/keys", body, retry_key=retry_key)
        )

    async def rotate_key(
        self, key_id: str, *, overlap: float = 300.0, retry_key: str | None = None
    ) -> ApiKey:
        """Give a key a new secret; the old one works for ``overlap`` seconds more."""
        path = f"/v1/keys/{part(key_id)}/rotate"
        body = {"overlap": overlap}
        return ApiKey.from_dict(await self.connection.send("POST", path, body, retry_key=retry_key))

    async def revoke_key(self, key_id: str) -> ApiKey:
        """Refuse a key from now on."""
        return ApiKey.from_dict(await self.connection.send("DELETE", f"/v1/keys/{part(key_id)}"))

    async def delete_key(self, key_id: str) -> ApiKey:
        """Refuse a key from now on, and list it no more."""
        path = f"/v1/keys/{part(key_id)}?forget=true"
        return ApiKey.from_dict(await self.connection.send("DELETE", path))

    async def _change(
        self, market: str, agent: str, what: str, body: Any, retry_key: str | None
    ) -> bool:
        """Change something about an agent or its arms; whether that is a change."""
        path = f"/agents/{part(agent)}{what}"
        found = await self._send("POST", market, path, body, retry_key)
        return bool(found["changed"])

    async def _pages(self, path: str, asked: Mapping[str, str] | None = None) -> AsyncIterator[Any]:
        """Return the pages of a list, one after another."""
        page = await self.connection.send("GET", query(path, asked or {}))
        yield page
        while (after := page.get("next")) is not None:
            page = await self.connection.send("GET", query(path, {**(asked or {}), "after": after}))
            yield page

    async def _send(
        self, method: str, market: str, path: str, body: Any, retry_key: str | None
    ) -> Any:
        whole = f"/v1/markets/{part(market)}{path}"
        return await self.connection.send(method, whole, body, retry_key=retry_key)
