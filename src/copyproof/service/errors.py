"""How the service says no: one status, one field, one sentence.

Every refusal has the same body, ``{"error": {"field": ..., "message": ...}}``. The field is the
name of what is wrong: a part of the body such as ``rewards[3].reward``, of the path such as
``market``, or a header such as ``Authorization``. Errors of the principal, of its store and of
pydantic become refusals here, so that nothing else of the service knows both.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from copyproof.live.records import (
    KeyReused,
    MarketPaused,
    NoArm,
    TooManyPending,
    Undone,
    Unknown,
)
from copyproof.live.stores import LeaseLost, StoreError
from copyproof.validation import FieldError, did_you_mean

# What is wrong in detail is for the operator's log: it names files and hosts.
STORE_AWAY = "the store cannot be used now; try again, with the same Idempotency-Key"
_LONGEST_FIELD = 200
_LONGEST_VALUE = 60
_LISTED = ("eligible", "seen", "rewards[")  # of what is listed, it is said which is not known
# What is accepted, by the kind of pydantic's error.
_ACCEPTED = {
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "an object"),
    "finite_number": "a finite number",
    "string_type": "a text",
    "list_type": "a list",
    "literal_error": "{expected}",
    "greater_than": "greater than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "string_too_short": "a text of {min_length} or more characters",
    "string_too_long": "a text of {max_length} or fewer characters",
    "too_short": "a list of at least {min_length}",
    "too_long": "at most {max_length} long",
}


@dataclass(frozen=True, slots=True)
class ErrorDetail:
    """What is wrong."""

    field: str
    message: str


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """The body of every answer that is not a success."""

    error: ErrorDetail


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
    elsewhere : str or None
        Where the same request would be served.
    """

    def __init__(
        self,
        status: int,
        field: str,
        message: str,
        retry: int | None = None,
        elsewhere: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.field = field
        self.message = message
        self.retry = retry
        self.elsewhere = elsewhere

    @property
    def body(self) -> bytes:
        """The body of the answer."""
        return orjson.dumps(ErrorAnswer(ErrorDetail(self.field, self.message)))

    def headers(self, path: str = "") -> dict[str, str]:
        """Return headers beyond the usual ones; ``path`` is that of the request, with its query."""
        found = {} if self.retry is None else {"Retry-After": str(self.retry)}
        if self.elsewhere is not None:
            found["Location"] = self.elsewhere + path
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
    >>> refused = refusal_of(FieldError("count", 0, "a whole number from 1 to 1000"), "body")
    >>> refused.field, refused.status
    ('count', 422)
    """
    match error:
        case Refusal():
            return error
        case LeaseLost():
            return Refusal(503, "market", "another process serves this market", 1)
        case StoreError():
            return Refusal(503, "store", STORE_AWAY, 1)
        case Unknown() if error.field.startswith(_LISTED):
            field, value = error.field[:_LONGEST_FIELD], error.args[1]
            return Refusal(404, field, f"{field} = {_shown(value)} is not known")
        case LookupError():
            return unknown(getattr(error, "field", field))
        case KeyReused():
            message = "Idempotency-Key came with another request before"
            return Refusal(422, "Idempotency-Key", message)
        case NoArm():
            return Refusal(409, error.field, _line(error))
        case MarketPaused():
            return Refusal(409, "market", _line(error))
        case TooManyPending():
            return Refusal(409, "count", _line(error))
        case Undone():
            return Refusal(409, error.field[:_LONGEST_FIELD], _line(error))
        case FieldError():
            return Refusal(422, error.field[:_LONGEST_FIELD], _line(error))
        case _:
            return Refusal(422, field, _line(error))


def refusal_of_body(errors: Sequence[Any], body: object, known: Collection[str] = ()) -> Refusal:
    """Return the refusal for a body that pydantic does not accept.

    Of several errors the one that explains most is told: a field that is missing, then one that is
    not known, then the one that lies deepest.

    Parameters
    ----------
    errors : sequence of dict
        As ``ValidationError.errors()`` and FastAPI list them.
    body : object
        The body, read. Pydantic puts names of types among the parts of a place; what is not to be
        found in the body is one of those.
    known : collection of str
        The fields that are accepted, if they are to be told and the error does not say them.

    Examples
    --------
    >>> error = {"type": "accepted", "loc": ("count",), "msg": "a whole number", "input": "1"}
    >>> refusal_of_body([error], {"count": "1"}).message
    'count = "1" is not a whole number'
    """
    first_of = {"missing": 0, "extra_forbidden": 1}
    field, error = min(
        ((_place(error, body), error) for error in errors),
        key=lambda found: (
            first_of.get(found[1]["type"], 2),
            -found[0].count(".") - found[0].count("["),
            found[1]["type"] != "accepted",
        ),
    )
    field = field[:_LONGEST_FIELD] or "body"
    inner = error.get("ctx", {}).get("error")
    if isinstance(inner, FieldError):
        return Refusal(422, field, _line(inner.renamed(field)))
    match error["type"]:
        case "accepted":
            message = f"{field} = {_shown(error['input'])} is not {error['msg']}"
        case "missing":
            message = f"{field} is missing"
        case "extra_forbidden":
            known = error.get("known", known)
            hint = did_you_mean(field.rpartition(".")[2], known)
            message = f"only {', '.join(sorted(known))} are known{hint}"
        case kind if kind in _ACCEPTED:
            accepted = _ACCEPTED[kind].format(**error.get("ctx", {}))
            message = f"{field} = {_shown(error['input'])} is not {accepted}"
        case _:
            message = f"{field}: {error['msg']}"
    return Refusal(422, field, message)


def _place(error: Any, body: object) -> str:
    """Return where an error lies, as ``rewards[3].reward``."""
    place = ""
    *_, last = error["loc"] or ("",)
    for part in error["loc"]:
        if isinstance(body, list) and isinstance(part, int):
            place, body = f"{place}[{part}]", body[part]
        elif isinstance(body, dict) and part in body:
            place, body = f"{place}.{part[:_LONGEST_FIELD]}", body[part]
        elif part is last and error["type"] == "missing":
            place = f"{place}.{part}"
    return place.lstrip(".")


def _shown(value: object) -> str:
    """Return a value as its sender wrote it, if it is short."""
    try:
        shown = orjson.dumps(value).decode()
    except TypeError:  # it reads deeper nests than it writes, and FastAPI larger numbers
        shown = str(value) if isinstance(value, int) else "a deep nest"
    return shown if len(shown) <= _LONGEST_VALUE else f"{shown[: _LONGEST_VALUE - 3]}..."


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
