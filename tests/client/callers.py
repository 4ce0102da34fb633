"""Both clients for one test, and a server that does as it is told."""

import asyncio
import contextlib
import inspect
import re
import socket
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeAlias, TypeVar, cast

from copyproof.client import AsyncClient, Client

Item = TypeVar("Item")
Caller: TypeAlias = Callable[..., Client]

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n" + b'{"at": 1.5}'


class Waiting:
    """An ``AsyncClient`` whose methods wait for their answers, as those of ``Client`` do."""

    def __init__(self, url: str, key: str, **settings: Any) -> None:
        self._runner = asyncio.Runner()
        self._client = AsyncClient(url, key, **settings)

    def __enter__(self) -> "Waiting":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._runner.close()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        return self._waiting(found) if callable(found) else found

    def _waiting(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            made = method(*arguments, **options)
            return self._runner.run(made if inspect.iscoroutine(made) else _all(made))

        return call


async def _all(items: AsyncIterator[Item]) -> list[Item]:
    return [item async for item in items]


CALLERS: dict[str, Caller] = {"blocking": Client, "async": cast(Caller, Waiting)}


class Scripted:
    """A server whose answers are bytes of a list, in turn; None closes the connection instead.

    ``seen`` is what was asked: the number of the connection, and the request's bytes. After an
    answer that ends with ``Scripted.END`` the connection is closed.
    """

    END = b"<end>"

    def __init__(self, *answers: bytes | None) -> None:
        self._answers = list(answers)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.seen: list[tuple[int, bytes]] = []
        self.closed = threading.Event()  # a connection was closed by this end
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def connections(self) -> list[int]:
        return [number for number, _ in self.seen]

    @property
    def paths(self) -> list[str]:
        return [request.split(b" ", 2)[1].decode() for _, request in self.seen]

    def add(self, *answers: bytes | None) -> None:
        self._answers += answers

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(near)
            number = len(self._open)
            threading.Thread(target=self._serve, args=(near, number), daemon=True).start()

    def _serve(self, near: socket.socket, number: int) -> None:
        with near:
            while request := _request(near):
                self.seen.append((number, request))
                answer = self._answers.pop(0)
                if answer is None:
                    break
                near.sendall(answer.removesuffix(self.END))
                if answer.endswith(self.END):
                    break
        self.closed.set()

    def close(self) -> None:
        """Take no connection any more, and end those that are open."""
        with contextlib.suppress(OSError):  # of macOS, where closing it is enough
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for each in self._open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> "Scripted":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _request(near: socket.socket) -> bytes:
    found = b""
    while not _is_whole(found):
        try:
            more = near.recv(1 << 16)
        except OSError:
            return b""
        if not more:
            return b""
        found += more
    return found


def _is_whole(request: bytes) -> bool:
    head, gap, body = request.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    return bool(gap) and len(body) == (int(length.group(1)) if length else 0)
