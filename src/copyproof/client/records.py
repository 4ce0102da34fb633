"""What the client returns: plain records."""

from dataclasses import dataclass, fields
from typing import Any, TypeVar

__all__ = ["ApiError", "ApiKey", "Decision", "Told", "Unavailable", "read"]

Record = TypeVar("Record", "Decision", "Told", "ApiKey")


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision: show this arm of this agent."""

    id: str
    agent: str
    arm: str
    round: int


@dataclass(frozen=True, slots=True)
class Told:
    """What became of a reward, and what the play is worth now."""

    decision: str
    status: str
    reward: float | None


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key; its ``key`` is there only when it was just made or rotated."""

    id: str
    role: str
    markets: tuple[str, ...]
    agent: str | None
    note: str
    created: float
    revoked: float | None
    key: str | None = None

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "ApiKey":
        """Read a key from an answer."""
        return read(cls, {**data, "markets": tuple(data["markets"])})


def read(kind: type[Record], data: dict[str, Any]) -> Record:
    """Read a record; what a later version of the service says beyond it is left out.

    Examples
    --------
    >>> read(Told, {"decision": "m-1-0", "status": "counted", "reward": 0.5, "new": 1}).reward
    0.5
    """
    known = {field.name for field in fields(kind)}
    return kind(**{name: value for name, value in data.items() if name in known})


class ApiError(Exception):
    """The service refused a request: its status, the field, and what is wrong with it.

    Examples
    --------
    >>> ApiError(422, "count", "count = 0 is not a whole number from 1 to 1000").status
    422
    """

    def __init__(self, status: int, field: str, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.field = field
        self.message = message


class Unavailable(ApiError):
    """The service could not be reached, or could not serve, in all attempts."""
