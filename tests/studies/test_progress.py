"""The bar: how far, how long still, and a line of its own when it is done."""

import time

import pytest

from copyproof.studies import progress
from copyproof.studies.run import Progress


@pytest.mark.parametrize(
    ("rounds", "seconds", "words"),
    [
        (0, 1.0, "0 % of 8 cells"),
        (500, 10.0, "25 % of 8 cells, about 30 s left"),
        (500, 100.0, "25 % of 8 cells, about 5 min left"),
        (500, 4000.0, "25 % of 8 cells, about 3.3 h left"),
        (2000, 10.0, "100 % of 8 cells"),
    ],
)
def test_words(rounds: int, seconds: float, words: str) -> None:
    assert progress.words(Progress(rounds, 2000, 8), seconds) == words


def test_a_bar_in_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)
    show = progress.progress_bar()
    show(Progress(500, 2000, 8))
    assert capsys.readouterr().err == ""  # it has just begun
    now += 10.0
    show(Progress(1000, 2000, 8))
    told = capsys.readouterr().err
    assert told.startswith("\r[###############               ] 50 % of 8 cells, about 10 s left")
    assert "\n" not in told
    show(Progress(2000, 2000, 8))
    assert capsys.readouterr().err.endswith("\n")
