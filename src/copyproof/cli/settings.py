"""The settings of ``copyproof serve``: one record, from which everything else about them follows.

A field of ``Settings`` has a name, a type, a range, a default and a sentence. The flag
``--agent-rate``, the variable ``COPYPROOF_AGENT_RATE``, the key ``agent_rate`` of a settings file,
the help of the command and the reference are all made from it; ``setting_sources`` finds out which
of them a value comes from.
"""

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from copyproof.cli import options
from copyproof.defaults import (
    AGENT_BURST,
    AGENT_RATE,
    CLOCK_JUMP_SECONDS,
    LEASE_SECONDS,
    MOST_PENDING,
    REQUEST_BURST,
    REQUEST_BYTES,
    REQUEST_RATE,
    WAITING_REQUESTS,
)
from copyproof.validation import one_of

PREFIX: Final = "COPYPROOF_"

Value = str | int | float | bool | None

# --- kinds of values ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Text:
    """Any text."""

    metavar: str = "TEXT"
    accepted: str = "a text that is not empty"

    def parsed(self, text: str) -> Value:
        """Return the value that a flag or a variable holds as text."""
        return text

    def holds(self, value: object) -> bool:
        """Whether a value is accepted."""
        return isinstance(value, str) and bool(value.strip())


@dataclass(frozen=True, slots=True)
class Origin:
    """The beginning of a URL, up to where its path begins."""

    metavar: str = "URL"
    accepted: str = "a URL such as http://10.0.0.7:8000"

    def parsed(self, text: str) -> Value:
        """Return the value that a flag or a variable holds as text."""
        return text

    def holds(self, value: object) -> bool:
        """Whether a value is accepted; it becomes part of a header."""
        if not isinstance(value, str) or not value.isascii() or not value.isprintable():
            return False
        try:
            parts = urlsplit(value)
            is_reached = bool(parts.hostname) and parts.port != 0
        except ValueError:  # no number of a port, or brackets that do not close
            return False
        is_alone = not (parts.path.strip("/") or "?" in value or "#" in value or " " in value)
        return parts.scheme in ("http", "https") and is_reached and is_alone


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number within limits."""

    least: int
    most: int
    metavar: str = "N"

    @property
    def accepted(self) -> str:
        """What is accepted, as it stands after "is not"."""
        return f"a whole number from {self.least} to {self.most}"

    def parsed(self, text: str) -> Value:
        """Return the value that a flag or a variable holds as text."""
        return int(text)

    def holds(self, value: object) -> bool:
        """Whether a value is accepted."""
        if not isinstance(value, int) or isinstance(value, bool):
            return False
        return self.least <= value <= self.most


@dataclass(frozen=True, slots=True)
class Number:
    """A number within limits."""

    least: float
    most: float
    metavar: str = "X"
    unit: str = ""

    @property
    def accepted(self) -> str:
        """What is accepted, as it stands after "is not"."""
        return f"a number{self.unit} from {self.least:g} to {self.most:g}"

    def parsed(self, text: str) -> Value:
        """Return the value that a flag or a variable holds as text."""
        return float(text)

    def holds(self, value: object) -> bool:
        """Whether a value is accepted."""
        if not isinstance(value, int | float) or isinstance(value, bool):
            return False
        return math.isfinite(value) and self.least <= value <= self.most


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words."""

    words: tuple[str, ...]

    @property
    def metavar(self) -> str:
        """What stands for a value in the help."""
        return "|".join(self.words)

    @property
    def accepted(self) -> str:
        """What is accepted, as it stands after "is not"."""
        return one_of(self.words)

    def parsed(self, text: str) -> Value:
        """Return the value that a flag or a variable holds as text."""
        return text

    def holds(self, value: object) -> bool:
        """Whether a value is accepted."""
        return value in self.words


@dataclass(frozen=True, slots=True)
class Switch:
    """Yes or no."""

    metavar: str = ""
    accepted: str = "true or false"

    def parsed(self, text: str) -> Value:
        """Return the value that a flag or a variable holds as text."""
        return {"true": True, "false": False}[text.strip().lower()]

    def holds(self, value: object) -> bool:
        """Whether a value is accepted."""
        return isinstance(value, bool)


Kind = Text | Origin | Whole | Number | Choice | Switch


# --- the record -----------------------------------------------------------------------------------


def without_password(store: str) -> str:
    """Return a store's URL as it may be shown: passwords may be before the @, or after the ?.

    Examples
    --------
    >>> without_password("postgresql://me:secret@db/markets")
    'postgresql://...@db/markets'
    """
    scheme, separator, rest = store.partition("://")
    if not separator:
        return store
    before, at, after = rest.rpartition("@")
    shown = "" if "?" in before else after.partition("?")[0]
    return f"{scheme}://{'...@' if at else ''}{shown}"


@dataclass(frozen=True, slots=True)
class Row:
    """What is said of one setting.

    Attributes
    ----------
    about : str
        A sentence for the help and the reference.
    kind : Kind
        What is accepted.
    shown : callable or None
        Returns what may be shown of a value that holds a secret.
    unset : str
        What happens if it has no value, where the default is None.
    """

    about: str
    kind: Kind
    shown: Callable[[str], str] | None = None
    unset: str = ""


def _setting(
    default: Value,
    about: str,
    kind: Kind,
    shown: Callable[[str], str] | None = None,
    unset: str = "",
) -> Any:
    return dataclasses.field(default=default, metadata={"row": Row(about, kind, shown, unset)})


_SECONDS = ("SECONDS", " of seconds")
_MOST = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings of the service, with their defaults.

    Examples
    --------
    >>> Settings().port, [name for name in table() if "agent" in name]
    (8000, ['agent_rate', 'agent_burst'])
    """

    store: str = _setting(
        options.DEFAULT_STORE,
        options.STORE_FORMS,
        Text("URL"),
        shown=without_password,
    )
    host: str = _setting(
        "127.0.0.1", "The address to bind; only this machine unless told otherwise.", Text("HOST")
    )
    port: int = _setting(8000, "The port; 0 takes a free one.", Whole(0, 65535))
    rate: float = _setting(
        REQUEST_RATE,
        "Requests, decisions or rewards a second of one key, in the long run.",
        Number(0.001, _MOST),
    )
    burst: int = _setting(
        REQUEST_BURST, "Requests, decisions or rewards of one key at once.", Whole(1, _MOST)
    )
    agent_rate: float = _setting(
        AGENT_RATE, "Requests a second of an agent's key.", Number(0.001, _MOST)
    )
    agent_burst: int = _setting(AGENT_BURST, "Requests of an agent's at once.", Whole(1, _MOST))
    body: int = _setting(REQUEST_BYTES, "Most bytes of a request.", Whole(100, _MOST, "BYTES"))
    waiting: int = _setting(
        WAITING_REQUESTS, "Requests of one market that may wait for its writer.", Whole(1, _MOST)
    )
    most_pending: int = _setting(
        MOST_PENDING, "Plays of one market that may wait for their reward.", Whole(1000, _MOST)
    )
    lease: float = _setting(
        LEASE_SECONDS, "Seconds until another process takes over.", Number(1, 3600, *_SECONDS)
    )
    jump: float = _setting(
        CLOCK_JUMP_SECONDS,
        "Markets do not follow a clock that leaps further.",
        Number(1, 1e10, *_SECONDS),
    )
    advertise: str | None = _setting(
        None,
        "Where others send requests for the markets of this process.",
        Origin(),
        unset="nowhere, they answer 503",
    )
    signing_key: str | None = _setting(
        None,
        "The key that signs heads, made if it is not there.",
        Text("FILE"),
        unset="beside an SQLite store",
    )
    backups: str | None = _setting(
        None,
        "The folder for backups that operators ask for over HTTP.",
        Text("DIR"),
        unset="none are made",
    )
    log_format: str = _setting(
        "auto",
        "Lines for people or for machines; auto is text in a terminal, else json.",
        Choice(("auto", "text", "json")),
    )
    log_level: str = _setting(
        "warning", "What is worth a line in the log.", Choice(("debug", "info", "warning", "error"))
    )
    log_requests: bool = _setting(False, "One line in the log for every request.", Switch())
    traces: bool = _setting(
        False,
        "Send OpenTelemetry traces by OTLP, as the variables OTEL_... say; needs copyproof[otel].",
        Switch(),
    )


def table() -> dict[str, Row]:
    """Return what is said of every setting, by its name."""
    return {each.name: each.metadata["row"] for each in dataclasses.fields(Settings)}


def flag(name: str) -> str:
    """Return the flag of a setting.

    >>> flag("agent_rate"), variable("agent_rate")
    ('--agent-rate', 'COPYPROOF_AGENT_RATE')
    """
    return f"--{name.replace('_', '-')}"


def variable(name: str) -> str:
    """Return the environment variable of a setting."""
    return f"{PREFIX}{name.upper()}"


def shown(name: str, value: Value) -> str:
    """Return a value as it may be shown, with no secret in it, and as a settings file has it.

    Examples
    --------
    >>> shown("log_requests", False), shown("store", "postgresql://u:p@h/d")
    ('false', '"postgresql://...@h/d"')
    """
    row = table()[name]
    match value:
        case None:
            return row.unset
        case bool():
            return str(value).lower()
        case str():
            return f'"{value if row.shown is None else row.shown(value)}"'
        case int():
            return str(value)
        case float():
            return f"{value:g}"
