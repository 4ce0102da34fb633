"""One connection to the service, with retries that change nothing.

Every write carries an Idempotency-Key, the same one in every attempt, so that a request whose
answer was lost is safe to send again. Attempts end after ``patience`` seconds; pauses between them
grow, with chance in them, and are never shorter than the service asks for.
"""

import http.client
import json
import random
import threading
import time
import uuid
from collections.abc import Iterator
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from copyproof_client.records import ApiError, Unavailable

_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 2.0
_PART = 2**16  # bytes of a long answer that are handed on at once
_AGAIN = (429, 502, 503, 504)


class Connection:
    """A connection that is kept open, and opened again when it breaks.

    It carries one request at a time: threads that share it wait for each other.

    Parameters
    ----------
    url : str
        Such as ``http://127.0.0.1:8000``.
    key : str
        The API key.
    timeout : float
        Seconds to wait for one answer.
    patience : float
        Seconds after which no new attempt is made.

    Attributes
    ----------
    attempts : int
        How many requests were sent, retries included.

    Examples
    --------
    >>> Connection("http://127.0.0.1:8000", "cp_0_0").attempts
    0
    """

    def __init__(
        self, url: str, key: str, *, timeout: float = 10.0, patience: float = 30.0
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise ValueError(f"url = {url!r} is not http://HOST:PORT or https://HOST:PORT")
        kind = http.client.HTTPConnection if parts.scheme == "http" else http.client.HTTPSConnection
        self._connect = partial(kind, parts.hostname, parts.port, timeout=timeout)
        self._connection = self._connect()
        self._prefix = parts.path.rstrip("/")
        self._authorization = f"Bearer {key}"
        self._patience = patience
        self._lock = threading.Lock()
        self.attempts = 0

    def close(self) -> None:
        """Close the connection; it opens again by itself."""
        self._connection.close()

    def send(
        self, method: str, path: str, body: Any = None, *, retry_key: str | None = None
    ) -> Any:
        """Send a request until it is answered, and return the answer's JSON.

        Raises
        ------
        ApiError
            If the service refuses the request.
        Unavailable
            If patience ends before the service could serve it.
        """
        content = self._answer(method, path, body, retry_key)
        try:
            return json.loads(content)
        except ValueError:
            shown = content[:200].decode("utf-8", "replace")
            raise ApiError(200, "url", f"the answer is not JSON: {shown!r}") from None

    def lines(self, path: str) -> Iterator[Any]:
        """Return the JSON objects of an answer that has one on each line."""
        for line in self._answer("GET", path, None, None).splitlines():
            yield json.loads(line)

    def stream(self, path: str) -> Iterator[bytes]:
        """Return a long answer in parts, on a connection of its own; it is asked for once.

        Raises
        ------
        ApiError
            If the service refuses the request.
        Unavailable
            If the service cannot be reached, or the answer is broken off.
        """
        connection = self._connect()
        try:
            headers = {"Authorization": self._authorization}
            connection.request("GET", self._prefix + path, headers=headers)
            answer = connection.getresponse()
            if answer.status >= 300:
                raise _error(answer.status, answer.read())
            while part := answer.read(_PART):
                yield part
        except (OSError, http.client.HTTPException) as broken:
            raise Unavailable(0, "url", f"no answer: {broken!r}") from None
        finally:
            connection.close()

    def _exchange(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str]
    ) -> tuple[http.client.HTTPResponse, bytes]:
        """Send a request once; whatever breaks it off, its answer is nobody else's."""
        with self._lock:
            self.attempts += 1
            try:
                self._connection.request(method, self._prefix + path, data, headers)
                answer = self._connection.getresponse()
                return answer, answer.read()
            except BaseException:
                self._connection.close()
                raise

    def _answer(self, method: str, path: str, body: Any, retry_key: str | None) -> bytes:
        headers = {"Authorization": self._authorization}
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        if data is not None:
            headers["Content-Type"] = "application/json"
        if method != "GET":
            headers["Idempotency-Key"] = retry_key or uuid.uuid4().hex
        until = time.monotonic() + self._patience
        pause = _FIRST_PAUSE
        while True:
            asked = 0.0
            try:
                answer, content = self._exchange(method, path, data, headers)
            except (OSError, http.client.HTTPException) as broken:
                error: ApiError = Unavailable(0, "url", f"no answer: {broken!r}")
            else:
                if answer.status < 300:
                    return content
                error = _error(answer.status, content)
                if answer.status not in _AGAIN:
                    raise error
                retry_after = answer.getheader("Retry-After", "")
                asked = float(retry_after) if retry_after.isdigit() else 0.0
            wait = max(asked, pause * random.uniform(0.5, 1.0))
            if time.monotonic() + wait > until:
                raise error
            time.sleep(wait)
            pause = min(2 * pause, _LONGEST_PAUSE)


def _error(status: int, content: bytes) -> ApiError:
    kind = Unavailable if status in _AGAIN else ApiError
    try:
        wrong = json.loads(content)["error"]
        return kind(status, str(wrong["field"]), str(wrong["message"]))
    except (ValueError, KeyError, TypeError):
        return kind(status, "", content[:200].decode("utf-8", "replace"))
