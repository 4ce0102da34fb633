"""``--every``: fixed distances, failures told, turns that are over left out."""

import pytest

from copyproof.cli.schedule import repeat


class Time:
    def __init__(self, takes: list[float]) -> None:
        self.now = 0.0
        self.begun: list[float] = []
        self._takes = iter(takes)

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def do(self) -> None:
        self.begun.append(self.now)
        self.now += next(self._takes)


@pytest.mark.parametrize(
    ("takes", "begun"),
    [
        ([1.0, 1.0, 1.0], [0.0, 10.0, 20.0]),
        ([13.0, 1.0, 1.0], [0.0, 13.0, 20.0]),
        ([35.0, 1.0, 1.0], [0.0, 35.0, 40.0]),
    ],
)
def test_turns(takes: list[float], begun: list[float]) -> None:
    time = Time(takes)
    repeat(10.0, time.do, (), clock=lambda: time.now, sleep=time.sleep, times=3)
    assert time.begun == begun


def test_a_failure_is_told_and_the_next_turn_comes(capsys: pytest.CaptureFixture[str]) -> None:
    turns = iter([ValueError("the disk is full"), None, KeyError("unforeseen")])

    def do() -> None:
        error = next(turns)
        if error is not None:
            raise error

    with pytest.raises(KeyError):
        repeat(0.001, do, (ValueError,))
    assert capsys.readouterr().err == "copyproof: the disk is full\n"
