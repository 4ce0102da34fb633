"""Progress: one bar, in a terminal or a notebook, where it is asked for, and silence elsewhere."""

import sys
import time
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from copyproof import (
    Study,
    attacks,
    audit,
    equilibrium,
    exact,
    lost_probability,
    paper_market,
    simulate,
)
from copyproof._progress import Bar, shown, words
from copyproof.drills import drill
from copyproof.validation import FieldError

GAME: dict[str, Any] = {"horizon": 50, "repetitions": 2, "seed": 1, "workers": 1}
SMALL: dict[str, Any] = {"horizon": 20, "seed": 1, "budget": 20_000, "workers": 1}
# Everything that takes long enough for a bar.
LONG: dict[str, Callable[[Any], object]] = {
    "simulate": lambda tell: simulate(paper_market("1a"), "ucb1", progress=tell, **GAME),
    "audit": lambda tell: audit(
        paper_market("1a"), "ucb1", agent="0.5-agent", most_copies=2, progress=tell, **SMALL
    ),
    "attacks": lambda tell: attacks(
        paper_market("1a"), "ucb1", agent="0.5-agent", identities=[2], progress=tell, **SMALL
    ),
    "equilibrium": lambda tell: equilibrium(
        paper_market("1a"), "h-ucb", cap=2, starts=["truthful"], progress=tell, **SMALL
    ),
    "exact": lambda tell: exact(paper_market("1a"), "h-ucb", horizon=4, progress=tell),
    "drill": lambda tell: drill("h-ucb", scenarios=["slates"], games=1, workers=1, progress=tell),
}


@pytest.mark.parametrize("name", LONG)
def test_a_bar_on_standard_error(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    LONG[name](True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "playing" in err
    assert "100%" in err


@pytest.mark.parametrize("name", LONG)
def test_a_function_is_told_how_much_is_done(name: str) -> None:
    told: list[int] = []
    LONG[name](told.append)
    assert told == sorted(told)
    assert told[-1] > 0


@pytest.mark.parametrize("name", LONG)
def test_anything_else_is_refused(name: str) -> None:
    with pytest.raises(FieldError, match="progress = 'yes' is not True, for a bar, or a function"):
        LONG[name]("yes")


@pytest.mark.parametrize("progress", [None, False])
def test_silence(progress: bool | None, capsys: pytest.CaptureFixture[str]) -> None:
    simulate(paper_market("1a"), "ucb1", progress=progress, **GAME)
    assert capsys.readouterr() == ("", "")


def test_a_function_is_told_the_rounds_of_all_policies() -> None:
    told: list[int] = []
    simulate(paper_market("1a"), ["ucb1", "river:UCB(delta=1)"], progress=told.append, **GAME)
    assert told == sorted(told)
    assert told[-1] == 2 * 2 * 50


def test_work_that_tells_its_size_later(capsys: pytest.CaptureFixture[str]) -> None:
    game: dict[str, Any] = {"horizon": 1000, "seed": 1, "runs": 32, "workers": 1}
    lost_probability(paper_market("2c"), "trial", progress=True, **game)
    assert "100%" in capsys.readouterr().err
    study = Study(["ucb1", "h-ucb"], ["paper:1a"], horizons=50, repetitions=2, seed=1)
    study.run(progress=True)
    assert "100% of 2 cells" in capsys.readouterr().err
    with pytest.raises(FieldError, match="progress = 3 is not True, for a bar, or a function"):
        study.run(progress=3)  # type: ignore[arg-type]


def test_a_bar_that_breaks_off_is_taken_away(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> None:
        with Bar(transient=True) as bar:
            bar.show(5, 10)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with shown(None, 10) as nothing:
        assert nothing is None
    assert "100%" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("done", "seconds", "said"),
    [
        (0, 1.0, "0 % of 8 cells"),
        (500, 10.0, "25 % of 8 cells, about 30 s left"),
        (500, 100.0, "25 % of 8 cells, about 5 min left"),
        (500, 4000.0, "25 % of 8 cells, about 3.3 h left"),
        (2000, 10.0, "100 % of 8 cells"),
    ],
)
def test_words(done: int, seconds: float, said: str) -> None:
    assert words(done, 2000, "8 cells", seconds) == said


def test_a_notebook_has_a_bar_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pages: list[str] = []
    shell = type("ZMQInteractiveShell", (), {})()
    ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
    handle = SimpleNamespace(update=pages.append)
    vars(ipython).update(get_ipython=lambda: shell)
    vars(display).update(HTML=str, display=lambda *_, display_id: handle)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with Bar() as bar:
        bar.show(0, 4)
        bar.show(1, 4)  # too soon after the one before
        now += 10.0
        bar.show(2, 4, "4 cells")
        bar.show(4, 4)
    assert [page.partition("</progress> ")[2] for page in pages] == [
        "0 %",
        "50 % of 4 cells, about 10 s left",
        "100 %",
    ]
    assert 'value="0.5000"' in pages[1]
    assert capsys.readouterr() == ("", "")
