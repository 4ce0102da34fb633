"""How the service says no: one status, one field, one sentence.

Every refusal has the same body, ``{"error": {"field": ..., "message": ...}}``. The field is the
name of what is wrong: a part of the body such as ``rewards[3].reward``, of the path such as
``market``, or a header such as ``Authorization``. Errors of the principal become refusals here, so
that nothing else of the service knows both.
"""

import re
from typing import Any

import orjson

from copyproof.live.records import KeyReused, NoArm
from copyproof.live.stores import LeaseLost, StoreError

__all__ = ["Refusal", "refusal_of", "unknown"]

AWAY = "the store cannot be used now; try again, with the same Idempotency-Key"
"""What is wrong in detail is for the operator's log: it names files and hosts."""

_NAMED = re.compile(r"^([A-Za-z_][\w.\[\]]*) (?:=|has|is|holds|names|needs) ")
"""Messages of the library open with the field: ``count = 0 is not ...``."""


class Refusal(Exception):
    """A request that is not served.

    Parameters
    ----------
    status : int
        The HTTP status.
    field : str
        The name of what is wrong.
    message : str
        One sentence.
    retry : int or None
        Seconds after which the same request may succeed.
    """

    def __init__(self, status: int, field: str, message: str, retry: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.field = field
        self.message = message
        self.retry = retry

    @property
    def content(self) -> dict[str, Any]:
        """The body as an object."""
        return {"error": {"field": self.field, "message": self.message}}

    @property
    def body(self) -> bytes:
        """The body as JSON."""
        return orjson.dumps(self.content)

    @property
    def headers(self) -> dict[str, str]:
        """Headers beyond the usual ones."""
        found = {} if self.retry is None else {"Retry-After": str(self.retry)}
        if self.status == 401:
            found["WWW-Authenticate"] = "Bearer"
        return found


def unknown(field: str) -> Refusal:
    """Return what is said of things that do not exist, and of things that belong to others.

    Examples
    --------
    >>> unknown("market").status
    404
    """
    return Refusal(404, field, f"{field} is not known")


def refusal_of(error: Exception, field: str) -> Refusal:
    """Return the refusal for an error of the principal or of its store.

    Parameters
    ----------
    error : Exception
        What was raised.
    field : str
        What to blame if the error does not name a field itself.

    Examples
    --------
    >>> refused = refusal_of(ValueError("count = 0 is not a whole number from 1"), "body")
    >>> refused.field, refused.status
    ('count', 422)
    """
    if isinstance(error, Refusal):
        return error
    if isinstance(error, LeaseLost):
        return Refusal(503, "market", "another process serves this market", 1)
    if isinstance(error, StoreError):
        return Refusal(503, "store", AWAY, 1)
    if isinstance(error, LookupError):
        found = getattr(error, "field", None)
        return unknown(found if isinstance(found, str) else field)
    text = _line(error)
    if isinstance(error, KeyReused):
        return Refusal(422, "Idempotency-Key", "Idempotency-Key came with another request before")
    if isinstance(error, NoArm):
        return Refusal(409, field, text)
    named = _NAMED.match(text)
    return Refusal(422, named.group(1) if named else field, text)


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
