"""Specialised functions: conditions are decided, values are not touched."""

import inspect
from types import FunctionType, SimpleNamespace
from typing import Any

from copyproof.devices.specialise import UNKNOWN, Rows, Sized, Specialiser
from copyproof.engine.distributions import BERNOULLI
from copyproof.engine.quantiles import reward
from copyproof.engine.rules import HORIZON, PLAYS, Kind, LoweredRule, Turn, read_clock


def specialised(function: Any, known: dict[str, Any]) -> tuple[Any, list[str]]:
    """The function in Python, and the names of all functions that were specialised."""
    made: list[str] = []

    def keep(python: FunctionType, _: object) -> FunctionType:
        made.append(python.__name__)
        return python

    return Specialiser(keep).specialise(function, known), made


def rule(kind: Kind, clock: int) -> LoweredRule:
    return LoweredRule(int(kind), clock, (2.0, 0.0, 1.0), 0, 0, 1, 0.0, 0)


def test_what_is_decided_is_gone_and_the_rest_computes_the_same() -> None:
    turn = Turn(t=9, plays=5, k=5, horizon=100, repetition=0)
    for kind, clock in ((Kind.UCB, PLAYS), (Kind.KL_UCB, HORIZON)):
        known = rule(kind, clock)
        function, made = specialised(read_clock, {"rule": known})
        assert function(known, turn) == read_clock(known, turn)
        assert ("power_law" in made) == (kind == Kind.UCB)
        assert "_discounted_width" not in made


def test_what_is_known_of_every_row_of_an_array() -> None:
    rows = Rows(SimpleNamespace(family=BERNOULLI, gap=0.0))
    function, made = specialised(reward, {"rewards": SimpleNamespace(originals=rows)})
    assert made == ["reward"]
    truth = SimpleNamespace(originals=[SimpleNamespace(family=BERNOULLI, first=0.25)])
    assert [function(truth, 0, u, 1) for u in (0.2, 0.25, 0.9)] == [0.0, 1.0, 1.0]


def test_nothing_is_decided_by_what_is_not_known() -> None:
    function, made = specialised(read_clock, {})
    assert set(made) >= {"power_law", "_discounted_width", "read_clock"}
    assert inspect.signature(function).parameters.keys() == {"rule", "turn"}
    assert Sized((UNKNOWN, 0)).shape[1] == 0
