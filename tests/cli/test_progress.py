"""The progress bar appears late, on a terminal only, and counts all policies."""

import io
import sys
from types import SimpleNamespace

import pytest

from copyproof.cli import progress
from copyproof.cli.progress import ProgressBar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def played(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, seconds: float) -> str:
    """What is written when two policies of 100 rounds take that long between two looks."""
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    now = iter([0.0, seconds, seconds, seconds])
    # The module's clock only: the bar has one of its own.
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(now)))
    with ProgressBar(compiles=False) as shown:
        for done in (50, 100, 150, 200):
            shown.show(done, 200)
    return stream.getvalue()


def test_a_terminal_sees_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    text = played(monkeypatch, Terminal(), 2.0)
    assert "playing" in text
    assert "100%" in text
    assert text.rstrip().endswith("\x1b[2K")  # taken away again


def test_short_work_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert played(monkeypatch, Terminal(), 0.5) == ""


def test_a_file_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert played(monkeypatch, io.StringIO(), 2.0) == ""
