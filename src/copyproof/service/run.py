"""Running the service in a process of its own.

The address is bound first: whoever holds it may take the leases that go with it (``leadership``).
On SIGTERM or SIGINT the server gives its markets away, takes no new connections, finishes the
requests it has, and ends with status 0.
"""

import asyncio
import gc
import hashlib
import os
import secrets
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import uvicorn
from starlette.concurrency import run_in_threadpool

from copyproof.defaults import CLOCK_JUMP_SECONDS, LEASE_SECONDS
from copyproof.live.heads import SigningKey
from copyproof.live.stores import Store
from copyproof.service.access import Limits
from copyproof.service.app import create_app
from copyproof.service.neighbours import named
from copyproof.service.protocol import TimedProtocol

if TYPE_CHECKING:
    from copyproof.service.tracing import Tracing

# Seconds for requests that are under way when the server is stopped: while one drags on, nobody
# serves the markets of this process.
_STOP = 5
# Seconds for which a connection may be silent: longer than proxies keep theirs, mostly 60.
_IDLE = 75
_LOAD = 600.0  # seconds that a market may take to be loaded before the server says that it is there
# Files and connections to a database, of all that a process can have open.
_OTHER_FILES = 64
_MOST_CONNECTIONS = 10_000
# Seconds after which a thread lets another run: the writer must not wait for the event loop.
_SWITCH = 0.0005
# Almost nothing that a request makes outlives it, so that full collections, which look through
# everything that lives, come a hundred times less often than Python has them: with 64 markets they
# took a fifth of the time.
_COLLECT = (700, 10, 1000)


def bind(host: str, port: int) -> socket.socket:
    """Bind an address; port 0 takes a free one.

    Raises
    ------
    ValueError
        If it cannot be bound.

    Examples
    --------
    >>> with bind("127.0.0.1", 0) as bound:
    ...     bound.getsockname()[1] > 0
    True
    """
    if not 0 <= port <= 65535:
        raise ValueError(f"port = {port} is not a whole number from 0 to 65535")
    try:
        family, kind, *_, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(1024)  # with a listener on it no other process can bind the address
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ValueError(f"host = {host!r}, port = {port} cannot be bound: {reason}") from None
    return bound


def owner_of(address: str) -> str:
    """Return the name under which a process bound to ``address`` holds leases.

    Where the system tells neither its boot nor its network apart, the name is a random one.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        network = os.readlink("/proc/self/ns/net")
    except OSError:
        return secrets.token_hex(8)
    return hashlib.sha256(f"{boot} {network} {address}".encode()).hexdigest()[:16]


def most_connections() -> int:
    """Return how many connections the process can hold, once it is allowed all that it may be."""
    if sys.platform == "win32":
        return _MOST_CONNECTIONS
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_CONNECTIONS + _OTHER_FILES
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return max(1, min(_MOST_CONNECTIONS, allowed - _OTHER_FILES))


class _Server(uvicorn.Server):
    """uvicorn, which says when it is there and takes a signal for an order, not for an accident."""

    def __init__(
        self, config: uvicorn.Config, up: Callable[[], None], leave: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._up = up
        self._leave = leave
        self._is_leaving = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Give the markets away first: others take them over while this process still answers.

        A second signal does not wait for that.
        """
        if self._is_leaving:
            super().handle_exit(sig, frame)
            return

        def leave() -> None:
            self._leave()
            self.should_exit = True

        self._is_leaving = True
        threading.Thread(target=leave, name="leaving", daemon=True).start()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._telling = asyncio.create_task(run_in_threadpool(self._up))

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        before = {
            number: signal.signal(number, self.handle_exit)
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def run(
    store: Store,
    bound: socket.socket,
    *,
    limits: Limits | None = None,
    lease: float = LEASE_SECONDS,
    signing_key: SigningKey | None = None,
    jump: float = CLOCK_JUMP_SECONDS,
    address: str = "",
    log_requests: bool = False,
    tracing: "Tracing | None" = None,
    backups_to: Path | None = None,
    up: Callable[[str], None] = lambda url: None,
) -> None:
    """Serve a store until a signal ends it.

    Parameters
    ----------
    store : Store
        Where everything is kept.
    bound : socket
        The address, from ``bind``.
    limits : Limits, optional
        What one caller may ask for.
    lease : float
        Seconds that a lease lasts.
    signing_key : SigningKey, optional
        What heads are signed with.
    jump : float
        Seconds by which the clock may leap and still be followed by markets.
    address : str
        Where other processes that serve the store send requests for the markets of this one.
    log_requests : bool
        Whether every request gets a line in the log.
    tracing : Tracing, optional
        Where traces go; without it there are none.
    backups_to : Path, optional
        The folder for backups that operators ask for.
    up : callable
        Told the URL when the kernels are compiled and the markets are loaded.
    """
    host, port = bound.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    owner = named(owner_of(f"{host}:{port}"))
    app = create_app(
        store,
        owner=owner,
        limits=limits,
        lease=lease,
        jump=jump,
        signing_key=signing_key,
        address=address,
        log_requests=log_requests,
        tracing=tracing,
        backups_to=backups_to,
    )
    config = uvicorn.Config(
        app,
        loop="uvloop" if sys.platform != "win32" else "asyncio",
        http=TimedProtocol,
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,  # it goes where ours goes
        log_level="warning",
        server_header=False,
        date_header=False,
        proxy_headers=False,  # nobody asks who is behind a proxy
        timeout_keep_alive=_IDLE,
        timeout_graceful_shutdown=_STOP,
    )

    def loaded() -> None:
        if not app.leadership.wait(_LOAD):
            return
        # A million names are no garbage: looking through them again and again takes a second.
        gc.collect()
        gc.freeze()
        gc.set_threshold(*_COLLECT)
        up(f"http://{shown}:{port}")

    TimedProtocol.most = most_connections()
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH)
    try:
        _Server(config, loaded, app.leadership.leave).run(sockets=[bound])
    finally:
        sys.setswitchinterval(before)
        if tracing is not None:
            tracing.close()
