"""Where settings come from: a flag, else the environment, else a file, else the default.

``resolve`` gives the settings and, of each, the place that it comes from. What is wrong is told
with that place: the flag, the variable, or the file and the line.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copyproof.cli.settings import (
    PREFIX,
    Number,
    Settings,
    Value,
    flag,
    shown,
    table,
    variable,
)
from copyproof.validation import FieldError, did_you_mean

FILE_FLAG = "--settings"
FILE_VARIABLE = f"{PREFIX}SETTINGS"
# Variables of ours that are no settings.
_OTHERS = {FILE_VARIABLE, f"{PREFIX}DEBUG"}


@dataclass(frozen=True, slots=True)
class Resolved:
    """The settings, and where each comes from.

    Attributes
    ----------
    settings : Settings
        The values.
    places : dict
        By the name of a setting: ``default``, ``live.toml:3``, ``COPYPROOF_PORT`` or ``--port``.
    """

    settings: Settings
    places: dict[str, str]

    def rows(self) -> list[tuple[str, str, str]]:
        """Return name, value and place of every setting; secrets are hidden."""
        return [
            (name, shown(name, getattr(self.settings, name)), place)
            for name, place in self.places.items()
        ]


def resolve(
    flags: Mapping[str, str | bool | None],
    file: str | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Resolved:
    """Return the settings of a process.

    Parameters
    ----------
    flags : mapping
        What the command line says, by the name of a setting; None if it says nothing.
    file : str, optional
        The settings file; ``COPYPROOF_SETTINGS`` names it if this does not.
    environment : mapping
        The variables of the process.

    Raises
    ------
    FieldError
        For the first value that is not accepted, and for what is no setting.

    Examples
    --------
    >>> found = resolve(
    ...     {"port": "80"}, environment={"COPYPROOF_PORT": "81", "COPYPROOF_BURST": "9"}
    ... )
    >>> found.settings.port, found.places["port"], found.places["burst"], found.places["rate"]
    (80, '--port', 'COPYPROOF_BURST', 'default')
    >>> resolve({}, environment={"COPYPROOF_PROT": "81"})
    Traceback (most recent call last):
    copyproof.validation.FieldError: COPYPROOF_PROT is not a setting; did you mean 'COPYPROOF_PORT'?
    """
    defaults = Settings()
    values: dict[str, Value] = {name: getattr(defaults, name) for name in table()}
    places = dict.fromkeys(values, "default")
    found = {
        **_from_file(file or environment.get(FILE_VARIABLE) or None),
        **_from_environment(environment),
        **_from_flags(flags),
    }
    for name, (value, place) in found.items():
        values[name], places[name] = value, place
    made: Any = values
    return Resolved(Settings(**made), places)


_Found = dict[str, tuple[Value, str]]


def _from_flags(flags: Mapping[str, str | bool | None]) -> _Found:
    found: _Found = {}
    for name, given in flags.items():
        if given is not None:
            value = given if isinstance(given, bool) else _parsed(name, given)
            kind, place = table()[name].kind, flag(name)
            if not kind.holds(value):
                raise FieldError(place, given, kind.accepted, f"{given} is not {kind.accepted}")
            found[name] = value, place
    return found


def _from_environment(environment: Mapping[str, str]) -> _Found:
    found: _Found = {}
    for place in sorted(environment):
        if not place.startswith(PREFIX) or place in _OTHERS:
            continue
        name, given = place.removeprefix(PREFIX).lower(), environment[place]
        if name in table() and place == variable(name):
            kind, value = table()[name].kind, _parsed(name, given)
            if not kind.holds(value):
                raise FieldError(place, given, kind.accepted)
            found[name] = value, place
        # What is near a setting is a slip; the rest is somebody else's, such as an orchestrator's
        # that names its variables after the service.
        elif did_you_mean(name, table()):
            hint = did_you_mean(place, map(variable, table()))
            raise FieldError(place, given, "a setting", f"is not a setting{hint}")
    return found


def _parsed(name: str, text: str) -> Value:
    """Return the value that a text stands for, or None."""
    try:
        return table()[name].kind.parsed(text)
    except (ValueError, KeyError):
        return None


def _from_file(file: str | None) -> _Found:
    if file is None:
        return {}
    accepted = "a settings file in TOML"
    try:
        text = Path(file).read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except OSError as error:
        raise FieldError(file, file, accepted, f"cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FieldError(file, file, accepted, f"is not TOML: {error}") from None
    found: _Found = {}
    for name, value in data.items():
        place = f"{file}:{_line(name, text)}"
        if name not in table():
            hint = did_you_mean(name, table())
            raise FieldError(name, value, "a setting", f"is not a setting{hint}", place)
        row = table()[name]
        if not row.kind.holds(value):
            said = None if row.shown is None else f"is not {row.kind.accepted}"
            raise FieldError(name, value, row.kind.accepted, said, place)
        found[name] = float(value) if isinstance(row.kind, Number) else value, place
    return found


def _line(name: str, text: str) -> int:
    """Return the number of the line that sets a key, or opens a table of that name."""
    for number, line in enumerate(text.splitlines(), 1):
        key = line.partition("=")[0].strip().strip("[]").strip().strip("\"'")
        if key == name or key.startswith(f"{name}."):
            return number
    return 1
