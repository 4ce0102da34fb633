"""What is told to whoever watches: the markets, and the agents of one of them, as they change.

A stream of server-sent events for each watcher. What is said is worked out and written **once**
for all who are told the same, again and again, and only while somebody watches: one row for each
market, and of a market that is watched closely the agents that lead it (``live.leading``), which
its writer reads between two groups of requests. All of it is spread over the time from one update
to the next, a market at a time, so that no request waits for more than one of them. A watcher who
takes nothing misses updates, and then gets all of them at once: nothing is queued for anybody.

A stream ends when its key does, or when the service stops.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import orjson

from copyproof.live import Principal
from copyproof.service.access import Key, authenticate
from copyproof.service.errors import Refusal, unknown
from copyproof.service.leadership import Leadership
from copyproof.service.rates import Rates
from copyproof.service.writer import ServedMarket

EVERY = 0.7  # seconds between two updates
_WINDOW = 10.0  # seconds over which rates are taken
_LEADING = 12  # agents of a market
_AT_ONCE, _PAUSE = 8, 0.005  # streams that are sent to without a pause, and its seconds
MOST = 1000  # streams of a process
_RESERVED = 4  # one in so many is for operators and auditors only
MOST_OF_KEY = {"agent": 10}
_OTHERWISE = 100


@dataclass(eq=False)
class Watcher:
    """Somebody who watches: with which key, and which market closely, if any.

    Attributes
    ----------
    key, secret : Key, bytes
        The caller's.
    market : str or None
        The market whose agents are told of.
    agent : str or None
        The only agent that is told of, if the key is an agent's.
    """

    key: Key
    secret: bytes
    market: str | None = None
    agent: str | None = None
    parts: dict[str, bytes] = field(default_factory=dict)
    is_behind: bool = True
    seen: int = -1  # the last event of the market that it was told of
    is_over: bool = False
    told: asyncio.Event = field(default_factory=asyncio.Event)

    def put(self, name: str, data: bytes) -> None:
        """Have an event sent with the next that are, in place of one of this name before."""
        self.parts[name] = b"event: %b\ndata: %b\n\n" % (name.encode(), data)

    def send(self) -> None:
        """Send what there is, in one piece."""
        if self.parts:
            self.told.set()

    def end(self) -> None:
        """Send no more."""
        self.is_over = True
        self.told.set()


class Feed:
    """The streams of one process.

    Parameters
    ----------
    leadership : Leadership
        The markets, and the keys.
    """

    def __init__(self, leadership: Leadership) -> None:
        self._leadership = leadership
        self._watchers: dict[Watcher, None] = {}
        self._task: asyncio.Task[None] | None = None
        self._rates: dict[str, Rates] = {}
        # What was told last to those who watch one market closely, and to those who watch all.
        self._rows: dict[str | None, dict[str, dict[str, Any]]] = {}
        self._before: dict[str, Any] = {}
        self._looking: dict[str | None, asyncio.Task[None]] = {}
        self._sending: set[asyncio.Task[None]] = set()

    def check(self, key: Key) -> None:
        """Refuse one stream too many.

        Raises
        ------
        Refusal
            429 if the key has too many already, 503 if there are too many.
        """
        own = sum(each.key.id == key.id for each in self._watchers)
        if own >= (most := MOST_OF_KEY.get(key.role, _OTHERWISE)):
            message = f"{most} streams with this key are open, close some"
            raise Refusal(429, "Authorization", message, 5)
        if len(self._watchers) >= (MOST - MOST // _RESERVED if key.role == "agent" else MOST):
            raise Refusal(503, "events", "too many streams are open, close some", 5)

    async def stream(self, watcher: Watcher, connection: Any) -> AsyncIterator[bytes]:
        """Give what is to be sent, until the end; ``connection`` says when the server stops."""
        is_kept = getattr(connection, "keep_alive", False)
        self._watchers[watcher] = None
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
        try:
            yield b"retry: 2000\n\n"
            while not watcher.is_over:
                await watcher.told.wait()
                watcher.told.clear()
                if is_kept and not connection.keep_alive:  # the server stops
                    return
                parts, watcher.parts = watcher.parts, {}
                if parts:
                    yield b"".join(parts.values())
        finally:
            self._watchers.pop(watcher, None)

    async def _run(self) -> None:
        """Tell everybody, again and again, for as long as there is anybody."""
        while self._watchers:
            began = time.monotonic()
            self._end_keys()
            markets = self._leadership.markets
            self._rates = {name: one for name, one in self._rates.items() if name in markets}
            watched: dict[str | None, list[Watcher]] = {}
            for each in self._watchers:
                watched.setdefault(each.market, []).append(each)
            self._rows = {each: rows for each, rows in self._rows.items() if each in watched}
            for market, watchers in watched.items():
                await self._tell_markets(market, watchers)
                if market is None or market in self._looking:  # the look before goes on
                    sending = asyncio.create_task(_send(watchers))
                    self._sending.add(sending)
                    sending.add_done_callback(self._sending.discard)
                else:
                    task = asyncio.create_task(self._tell_agents(market, watchers))
                    self._looking[market] = task
                    task.add_done_callback(partial(self._looked, market))
                # One after another: decisions do not wait for all of them at once.
                await asyncio.sleep(0.9 * EVERY / len(watched))
            await asyncio.sleep(max(0.01, began + EVERY - time.monotonic()))
        self._rates.clear()
        self._rows.clear()
        self._before.clear()

    def _looked(self, market: str, _: object) -> None:
        self._looking.pop(market, None)

    def _end_keys(self) -> None:
        """End the streams whose key was revoked, is over, or has another secret by now."""
        keyring = self._leadership.keyring
        by_secret: dict[bytes, list[Watcher]] = {}
        for each in self._watchers:
            by_secret.setdefault(each.secret, []).append(each)
        for secret, watchers in by_secret.items():
            if authenticate(secret.decode("latin-1"), keyring.held, keyring.clock) is None:
                for each in watchers:
                    each.end()

    # --- all markets ------------------------------------------------------------------------------

    async def _tell_markets(self, market: str | None, watchers: list[Watcher]) -> None:
        """Tell what has changed about one market, or about all; all to who missed something."""
        markets = self._leadership.markets
        rows = {}
        for number, name in enumerate(list(markets) if market is None else [market], 1):
            served = markets.get(name)
            if served is not None:
                rows[name] = self._row(served, time.monotonic())
            if number % _AT_ONCE == 0:
                await asyncio.sleep(0)  # requests come first
        before = self._rows.get(market, {})
        changed = {name: row for name, row in rows.items() if row != before.get(name)}
        gone = before.keys() - rows.keys()
        self._rows[market] = rows
        made: dict[tuple[bool, tuple[str, ...]], bytes] = {}
        for each in watchers:
            if each.agent is not None:
                each.put("time", b'{"at":%.3f}' % self._leadership.keyring.clock())
                continue
            is_whole = each.is_behind or "markets" in each.parts
            kind = is_whole, each.key.markets if market is None else ()
            if kind not in made:
                made[kind] = self._markets(rows if is_whole else changed, gone, *kind)
            each.is_behind = False
            each.put("markets", made[kind])

    def _markets(
        self,
        rows: dict[str, dict[str, Any]],
        gone: set[str],
        is_whole: bool,
        own: tuple[str, ...],
    ) -> bytes:
        leadership = self._leadership
        names = sorted(rows.keys() & set(own) if own else rows)
        said = {
            "at": leadership.keyring.clock(),
            "whole": is_whole,
            "trouble": leadership.trouble,
            "markets": [rows[name] for name in names],
            "gone": [] if is_whole else sorted(gone & set(own) if own else gone),
        }
        return orjson.dumps(said)

    def _row(self, served: ServedMarket, now: float) -> dict[str, Any]:
        """What is said of one market."""
        writer = served.writer
        found: dict[str, Any] = {
            "market": served.name,
            "served_here": served.is_led,
            "state": _state(served),
            "leader": served.leader,
            "decisions": served.answered["decisions"],
            "rewards": served.answered["rewards"],
            "failures": self._leadership.groups.failures[served.name],
        }
        rates = self._rates.setdefault(served.name, Rates(_WINDOW))
        found |= rates.look(served, now)
        if writer is not None and served.is_led:
            sizes = writer.sizes
            found |= {
                "waiting": writer.waiting,
                "pending": sizes.pending,
                "share": sizes.share,
                "unsaved": sizes.unsaved,
                "clock_lag": 0 if served.clock is None else round(served.clock.lag),
            }
        return found

    # --- one market -------------------------------------------------------------------------------

    async def _tell_agents(self, market: str, watchers: list[Watcher]) -> None:
        """Have a market's writer say who leads, and tell those who watch it."""
        try:
            last = await self._look(market, watchers)
        except (Refusal, LookupError, ValueError) as error:
            said = orjson.dumps({"market": market, "error": str(error)})
            for each in watchers:
                each.put("trouble", said)
                each.seen = -1
        else:
            for each in watchers:
                each.seen = last
        await _send(watchers)

    async def _look(self, market: str, watchers: list[Watcher]) -> int:
        """Put the figures of a market, if they are others; the last event in them."""
        served = self._leadership.markets.get(market)
        if served is None:
            raise unknown("market")
        writer = served.writer
        if writer is not None and served.is_led:
            stored = writer.principal.last
            if all(each.seen == stored for each in watchers):
                return stored
        before = self._before.get(market)
        named = [each.agent for each in watchers if each.agent is not None]

        def look(principal: Principal) -> Any:
            return principal.leading(_LEADING, before=before, named=named), principal.last

        last: int
        (found, self._before[market]), last = await served.submit(look, brief=True)
        of_all = b'{"whole":true,' + orjson.dumps(found)[1:]
        for each in watchers:
            each.put("agents", of_all if each.agent is None else _own(found, each.agent))
        return last


async def _send(watchers: list[Watcher]) -> None:
    """Send to some what they are told, a few at a time."""
    for number, each in enumerate(watchers, 1):
        each.send()
        if number % _AT_ONCE == 0:
            await asyncio.sleep(_PAUSE)


def _own(found: Any, agent: str) -> bytes:
    """What an agent is told: its own figures, without its share of what the others have."""
    mine = [one for one in found.agents if one.agent == agent]
    rows = [
        {**orjson.loads(orjson.dumps(one)), "play_share": None, "revenue_share": None}
        for one in mine
    ]
    said = {"market": found.market, "whole": False, "agents": rows, "paused": None}
    return orjson.dumps({**said, "paused": found.paused is not None})


def _state(served: ServedMarket) -> str:
    """Whether a market is served, in one word."""
    if served.failure is not None:
        return "failed"
    if served.writer is None:
        return "elsewhere" if served.elsewhere or served.leader is not None else "loading"
    if not served.is_led:
        return "loading"
    return "paused" if served.writer.sizes.is_paused else "serving"
