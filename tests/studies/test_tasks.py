"""Tasks: their outcome is a function of cell and slice, and a failure is an outcome, too."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from copyproof import paper_market
from copyproof.studies import tasks
from copyproof.studies.cells import Cell, Terms
from copyproof.studies.tasks import EXTRAS, Player, Task, play_batch, tasks_of
from tests.studies.studies import point_of


def cell(policy: str = "h-ucb", **changes: Any) -> Cell:
    given: dict[str, Any] = {"horizon": 200_000, "repetitions": 12, "seed": 1}
    terms = changes.pop("terms", Terms(("regret", "shares")))
    return point_of(paper_market("1a"), policy, **(given | changes), terms=terms).cell


def test_a_slice_is_the_same_wherever_and_after_whatever_it_is_played() -> None:
    one, other = cell(), cell("ucb1")
    assert one.slices == 3
    here = Player()
    alone = here.play(Task(one, 2))
    assert alone is not None
    mixed = play_batch([Task(one, 0), Task(other, 1), Task(one, 2)])
    assert mixed[2].found == alone.found
    sent = pickle.loads(pickle.dumps(Task(one, 2)))
    there = Player().play(sent)
    assert there is not None
    assert there.found == alone.found
    assert pickle.loads(pickle.dumps(alone)).found == alone.found


def test_work_adds_up_to_the_cell() -> None:
    every = [("regret",), ("regret", "audit"), ("audit",), ("audit", "exact")]
    for measure in every:
        one = cell(terms=Terms(measure), horizon=99_999, repetitions=11)
        assert sum(task.work for task in tasks_of(one)) == one.work
    numbers = [task.number for task in tasks_of(cell(terms=Terms(("regret", "exact"))), {0, 2})]
    assert numbers == [1, EXTRAS["exact"]]


def test_a_wish_to_stop_is_no_outcome() -> None:
    control = np.zeros(2, np.int64)
    control[0] = 1
    assert Player(control).play(Task(cell(horizon=10**8, repetitions=1), 0)) is None
    assert Player(control).play(Task(cell("river:UCB(delta=1)", horizon=10**6), 0)) is None


def test_what_goes_wrong_with_a_cell_is_its_outcome() -> None:
    terms = Terms(("exact",))
    found = Player().play(Task(cell("river:UCB(delta=1)", terms=terms), EXTRAS["exact"]))
    assert found is not None
    assert (found.found, found.work) == (None, 200_000 * 12)
    assert found.failure == (
        "policy 'river:UCB(delta=1)' is not ours: exact values cannot be computed"
    )
    drawn = Player().play(Task(cell("thompson", terms=terms, horizon=4), EXTRAS["exact"]))
    assert drawn is not None
    assert "posterior draws are continuous" in str(drawn.failure)


@pytest.mark.parametrize("terms", [Terms(("exact",)), Terms(("audit",), audit={"method": "exact"})])
def test_no_limit_is_advised_where_none_can_be_given(terms: Terms) -> None:
    large = cell("ucb1", terms=terms, horizon=2000)
    found = Player().play(Task(large, EXTRAS[terms.measure[0]]))
    assert found is not None
    assert found.failure is not None
    assert "needs up to" in found.failure
    assert found.failure.endswith(": a shorter horizon or fewer different arms would help")


def test_a_machine_at_fault_is_no_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tasks, "SlicedGame", full)
    with pytest.raises(OSError, match="No space left"):
        Player().play(Task(cell(), 0))

    def starved(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(tasks, "SlicedGame", starved)
    found = Player().play(Task(cell(), 0))
    assert found is not None
    assert found.failure == "not enough memory"


def test_arrays_travel_with_the_outcome(tmp_path: Path) -> None:
    found = Player().play(Task(cell(terms=Terms(("regret",), arrays=True)), 1))
    assert found is not None
    assert found.arrays is not None
    assert len(found.arrays) > 1000
