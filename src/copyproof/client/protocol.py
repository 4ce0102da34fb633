"""What is sent, what an answer means, and when to try again: everything but the transport.

Every write carries an Idempotency-Key, the same one in every attempt, so that a request whose
answer was lost is safe to send again. Attempts end after ``patience`` seconds; pauses between them
grow, with chance in them, and are never shorter than the service asks for.

A process that does not lead a market may answer where the one is that does (307 or 421, with a
Location). The request then goes there, and so do later ones about this market, until that process
fails or sends them elsewhere.
"""

import http.client
import json
import os
import random
import re
import ssl
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.message import Message
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urljoin, urlsplit

from .records import ApiError, Unavailable

BROKEN = (OSError, http.client.HTTPException)
"""What a transport raises if no answer came."""

LONGEST_IDLE = 60.0  # seconds; the service closes after 75, and what lies between may do so earlier
PART = 2**16  # bytes of a long answer that are handed on at once
_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 2.0
_AGAIN = (429, 502, 503, 504)
_ELSEWHERE = (307, 421)


class Address(NamedTuple):
    """Where a service is; ``prefix`` is what stands before its own paths."""

    tls: bool
    host: str
    port: int
    prefix: str = ""

    @classmethod
    def of(cls, url: str) -> "Address":
        """Read an address.

        Examples
        --------
        >>> Address.of("https://example.org/copyproof/")
        Address(tls=True, host='example.org', port=443, prefix='/copyproof')
        """
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and parts.hostname is not None
        if not known or re.search(r"[\x00-\x20\x7f]", url):
            raise ValueError(f"url = {url!r} is not http://HOST:PORT or https://HOST:PORT")
        assert parts.hostname is not None
        tls = parts.scheme == "https"
        port = parts.port if parts.port is not None else (443 if tls else 80)
        return cls(tls, parts.hostname, port, parts.path.rstrip("/"))

    @property
    def server(self) -> tuple[bool, str, int]:
        """What a connection leads to."""
        return self[:3]

    @property
    def authority(self) -> str:
        """The host and its port, as the header Host has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host.encode("idna").decode()
        return host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The address as a text."""
        return f"{'https' if self.tls else 'http'}://{self.authority}{self.prefix}"


@dataclass(frozen=True, slots=True)
class Request:
    """A request, wherever it is sent to."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes | None

    @classmethod
    def of(
        cls, method: str, path: str, body: Any = None, *, key: str, retry_key: str | None = None
    ) -> "Request":
        """Write a request; without a ``retry_key`` a write gets one of its own."""
        headers = {"Accept-Encoding": "identity", "Authorization": f"Bearer {key}"}
        is_text = isinstance(body, str)  # an object on each line, written already
        data = None if body is None else (body if is_text else _written(body)).encode()
        if data is not None:
            headers["Content-Type"] = f"application/{'x-ndjson' if is_text else 'json'}"
        if method != "GET":
            headers["Idempotency-Key"] = retry_key or uuid.uuid4().hex
        for name, text in (("key", key), ("retry_key", retry_key or "")):
            if re.search(r"[\x00-\x1f\x7f]", text):
                raise ValueError(f"{name} = {text!r} holds characters that no header can carry")
        return cls(method, path, headers, data)

    @property
    def market(self) -> str:
        """The part of the path that names a market, if there is one."""
        found = re.match(r"/v1/markets/([^/?]+)", self.path)
        return found.group(1) if found else ""


class Answer(NamedTuple):
    """An answer, whichever way it came."""

    status: int
    headers: Message
    body: bytes

    @property
    def json(self) -> Any:
        """The body, which is JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            raise ApiError(200, "url", f"the answer is not JSON: {self._shown!r}") from None

    @property
    def error(self) -> ApiError:
        """What the service refused, if it is a refusal."""
        kind = Unavailable if self.status in (*_AGAIN, *_ELSEWHERE) else ApiError
        try:
            wrong = json.loads(self.body)["error"]
            return kind(self.status, str(wrong["field"]), str(wrong["message"]))
        except (ValueError, KeyError, TypeError):
            return kind(self.status, "", self._shown)

    @property
    def _shown(self) -> str:
        return self.body[:200].decode("utf-8", "replace")


class Refused(Exception):
    """A stream did not begin: this is the answer instead."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer


class Retries:
    """The attempts at one request: where each one goes, and how long to wait before it.

    Parameters
    ----------
    request : Request
        What is asked for.
    home : Address
        Where requests go unless something else is known.
    leaders : dict of str to Address
        Where markets are led, as far as answers said so; it is kept up to date.
    patience : float
        Seconds after which no new attempt is made.
    """

    def __init__(
        self, request: Request, home: Address, leaders: dict[str, Address], patience: float
    ) -> None:
        self._request = request
        self._home = home
        self._leaders = leaders
        self._until = time.monotonic() + patience
        self._pause = _FIRST_PAUSE
        self._followed = False
        self._tried = home

    def address(self) -> Address:
        """Where the next attempt goes."""
        self._tried = self._leaders.get(self._request.market, self._home)
        return self._tried

    def pause(self, outcome: Answer | Exception) -> float:
        """Return the seconds to wait before the next attempt.

        A hint where to go is followed at once, but not two in a row: processes that point at each
        other are asked again after a pause, from the first address on.

        Raises
        ------
        ApiError
            If there is no next attempt.
        """
        asked = 0.0
        if isinstance(outcome, Answer):
            elsewhere = self._elsewhere(outcome)
            if elsewhere is not None and not self._followed:
                self._followed = True
                self._leaders[self._request.market] = elsewhere
                return 0.0
            error = outcome.error
            if elsewhere is None and outcome.status not in _AGAIN:
                raise error
            retry_after = outcome.headers.get("Retry-After", "")
            asked = float(retry_after) if retry_after.isdigit() else 0.0
        else:
            error = Unavailable(0, "url", f"no answer: {outcome!r}")
            if isinstance(outcome, ssl.SSLCertVerificationError):
                raise error
        self._followed = False
        self._leaders.pop(self._request.market, None)
        wait = max(asked, self._pause * random.uniform(0.5, 1.0))
        if time.monotonic() + wait > self._until:
            raise error
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        return wait

    def _elsewhere(self, answer: Answer) -> Address | None:
        """Return where the answer says the request should go, if that is the same path elsewhere.

        The API key goes there, too: never from an encrypted connection to one that is not.
        """
        location = answer.headers.get("Location")
        if answer.status not in _ELSEWHERE or location is None:
            return None
        url = urljoin(self._tried.url + self._request.path, location)
        if not url.endswith(self._request.path):
            return None
        try:
            found = Address.of(url.removesuffix(self._request.path))
        except ValueError:
            return None
        return None if found == self._tried or (self._tried.tls and not found.tls) else found


def listed(name: str, texts: Sequence[str]) -> list[str]:
    """Return a list; a text is a sequence of texts, too, but never the one that was meant."""
    if isinstance(texts, str):
        raise ValueError(f"{name} = {texts!r} is not a list: write [{texts!r}]")
    return list(texts)


def dictionaries(name: str, given: Any) -> list[dict[str, Any]]:
    """Return a list of dictionaries, and refuse anything else."""
    is_list = isinstance(given, Sequence) and not isinstance(given, str)
    if not is_list or not all(isinstance(one, Mapping) for one in given):
        raise ValueError(f"{name} = {given!r} is not a list of dictionaries")
    return [dict(one) for one in given]


def lines(name: str, given: Any) -> str:
    r"""Return dictionaries as JSON, each on a line.

    Examples
    --------
    >>> lines("agents", [{"agent": "ann"}, {"agent": "bob", "arms": ["b"]}])
    '{"agent": "ann"}\n{"agent": "bob", "arms": ["b"]}\n'
    """
    written = (_written(row, f"{name}[{n}]") for n, row in enumerate(dictionaries(name, given)))
    return "".join(f"{line}\n" for line in written)


def _written(value: Any, place: str = "") -> str:
    """Return JSON, or say which part of it cannot be written."""
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        if isinstance(value, dict):
            for name, each in value.items():
                _written(each, f"{place}.{name}".lstrip("."))
        elif isinstance(value, list | tuple):
            for n, each in enumerate(value):
                _written(each, f"{place}[{n}]")
        accepted = "a finite number" if isinstance(value, float) else f"JSON: {error}"
        raise ValueError(f"{place or 'body'} = {value!r} is not {accepted}") from None


def query(path: str, asked: Mapping[str, str]) -> str:
    """Return a path with what is asked of it."""
    return f"{path}?{urlencode(asked)}" if asked else path


def private(path: str, flags: int) -> int:
    """Open a file that only its owner may read, if it is new."""
    return os.open(path, flags, 0o600)


def part(text: str) -> str:
    """Return a name as one part of a path."""
    return quote(text, safe="")
