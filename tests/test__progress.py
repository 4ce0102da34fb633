"""Progress: a bar on standard error where it is asked for, and silence where it is not."""

from typing import Any

import pytest

from copyproof import paper_market, simulate
from copyproof._progress import progress_bar, shown
from copyproof.validation import FieldError

GAME: dict[str, Any] = {"horizon": 50, "repetitions": 2, "seed": 1, "workers": 1}


def test_a_bar_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    simulate(paper_market("1a"), ["ucb1", "river:UCB(delta=1)"], progress=True, **GAME)
    out, err = capsys.readouterr()
    assert out == ""
    assert "playing" in err
    assert "100%" in err


@pytest.mark.parametrize("progress", [None, False])
def test_silence(progress: bool | None, capsys: pytest.CaptureFixture[str]) -> None:
    simulate(paper_market("1a"), "ucb1", progress=progress, **GAME)
    assert capsys.readouterr() == ("", "")


def test_a_function_is_told_the_rounds_of_all_policies() -> None:
    told: list[int] = []
    simulate(paper_market("1a"), ["ucb1", "river:UCB(delta=1)"], progress=told.append, **GAME)
    assert told == sorted(told)
    assert told[-1] == 2 * 2 * 50


def test_anything_else_is_refused() -> None:
    wrong: Any = "yes"
    with pytest.raises(FieldError, match="progress = 'yes' is not True, for a bar, or a function"):
        simulate(paper_market("1a"), "ucb1", progress=wrong, **GAME)


def test_a_bar_that_breaks_off_is_taken_away(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> None:
        with progress_bar(10, transient=True) as tell:
            tell(5)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with shown(None, 10) as nothing:
        assert nothing is None
    assert "100%" not in capsys.readouterr().err
