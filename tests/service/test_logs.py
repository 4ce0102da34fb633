"""One stream for all logs of a process: text in a terminal, else JSON."""

import io
import json
import logging
from collections.abc import Iterator

import pytest

from copyproof.service.logs import set_up


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    yield
    root.handlers[:] = before
    root.setLevel(level)


def _written(form: str, stream: io.StringIO, level: str = "warning") -> str:
    set_up(form, level, stream)
    log = logging.getLogger("copyproof.service")
    log.info("not worth it")
    try:
        raise ValueError("two\nlines")
    except ValueError:
        log.exception("it broke", extra={"market": "site"})
    return stream.getvalue()


def test_json_is_one_line_whatever_happened() -> None:
    [line] = _written("auto", io.StringIO()).splitlines()
    found = json.loads(line)
    assert (found["level"], found["message"], found["market"]) == ("error", "it broke", "site")
    assert found["exception"].startswith("Traceback")
    assert found["exception"].endswith("ValueError: two\nlines")


def test_people_get_text() -> None:
    for written in (_written("auto", Terminal()), _written("text", io.StringIO())):
        first, second, *_ = written.splitlines()
        assert first.endswith(" ERROR it broke (market site)")
        assert second == "Traceback (most recent call last):"


def test_a_terminal_can_have_json() -> None:
    assert json.loads(_written("json", Terminal()))["message"] == "it broke"


def test_the_level_is_heard() -> None:
    assert len(_written("json", io.StringIO(), "info").splitlines()) == 2


def test_what_cannot_be_encoded_is_written_all_the_same() -> None:
    stream = io.StringIO()
    set_up("json", "warning", stream)
    logging.getLogger("copyproof").warning("a half %s", "\ud800", extra={"market": "\ud800"})
    assert json.loads(stream.getvalue())["market"] == "\ud800"
