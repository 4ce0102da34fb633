"""The log: lines for people in a terminal, a JSON object on each line for machines.

Both say when, how grave and what; and of the request that is being served its id, the id of the
caller's key, and the market. Names of agents and arms are not written, as they may have to be
forgotten.
"""

import json
import logging
import sys
import time
from typing import Any, TextIO

from copyproof.service.observation import CURRENT, REQUEST_LOG

# What a record may carry beyond its message, in the order of a line.
_FIELDS = ("request", "market", "key", "trace", "method", "route", "status", "seconds")


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    note = CURRENT.get()
    found = {**({} if note is None else note.fields()), **record.__dict__}
    return {name: found[name] for name in _FIELDS if name in found}


class JsonLines(logging.Formatter):
    """A JSON object for each record.

    Examples
    --------
    >>> record = logging.makeLogRecord({"msg": "it is full", "levelname": "ERROR", "created": 0.5})
    >>> record.market = "site"
    >>> print(JsonLines().format(record))
    {"time": "1970-01-01T00:00:00.500Z", "level": "error", "logger": null,
     "message": "it is full", "market": "site"}
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        second = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        found = {
            "time": f"{second}.{int(record.created % 1 * 1000):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_fields(record),
        }
        if record.exc_info:
            found["exception"] = self.formatException(record.exc_info)
        return json.dumps(found, default=str)


class TextLines(logging.Formatter):
    """A line for people for each record.

    Examples
    --------
    >>> record = logging.makeLogRecord(
    ...     {"msg": "it is full", "levelname": "ERROR", "market": "site"}
    ... )
    >>> TextLines().format(record).partition(" ERROR ")[2]
    'it is full (market site)'
    """

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging's own name)
        """Return the line, before a traceback if there is one."""
        unsaid = ("method", "route", "status")  # they are the message
        said = [f"{name} {value}" for name, value in _fields(record).items() if name not in unsaid]
        return super().formatMessage(record) + (f" ({', '.join(said)})" if said else "")


def set_up(form: str = "auto", level: str = "warning", stream: TextIO | None = None) -> bool:
    """Send all logs of the process to one stream; return whether its lines are for people.

    Parameters
    ----------
    form : str
        ``text``, ``json``, or ``auto``: text if the stream is a terminal.
    level : str
        The least grave that is written. Lines about requests are asked for on their own.
    stream : file, optional
        Standard error unless given.
    """
    to = sys.stderr if stream is None else stream
    handler = logging.StreamHandler(to)
    is_text = form == "text" or (form == "auto" and to.isatty())
    handler.setFormatter(TextLines() if is_text else JsonLines())
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    logging.getLogger(REQUEST_LOG).setLevel(logging.INFO)
    return is_text
