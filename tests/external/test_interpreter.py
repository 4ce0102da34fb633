"""A policy in another interpreter: the same games, errors that come across, ends that are seen."""

import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from copyproof import Agent, ExternalPolicy, Market, paper_market, smpybandits_policy
from copyproof.external import ExternalError, interpreter_policy
from copyproof.external.interpreter import Interpreter
from copyproof.simulation import play

SOURCE = """
import os, random

print("this must not reach the answers")

class Mine:
    def __init__(self, arms, *, owners, horizon, seed, odd=None):
        self.arms, self.odd, self.rng, self.t = arms, odd, random.Random(seed), 0
        assert list(owners) == list(arms) and horizon == 50

    def choose(self):
        print("nor this")
        self.t += 1
        if self.t == 9 and self.odd == "raises":
            raise KeyError("no")
        if self.t == 9 and self.odd == "dies":
            os._exit(3)
        if self.t == 9 and self.odd == "number":
            return 4
        return self.rng.choice(self.arms)

    def learn(self, arm, reward):
        if self.t == 9 and self.odd == "learns":
            raise ValueError(f"{arm} paid {reward}")
"""
MARKET = Market([Agent("a", [1.0], copies=[3]), Agent("b", [1.0])])
HOW: dict[str, Any] = {"horizon": 50, "seed": 5, "first": 0, "count": 4}


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "mine.py"
    path.write_text(SOURCE.replace("horizon == 50", "horizon in (2, 50)"))
    return str(path)


def test_the_same_games_as_in_this_interpreter(file: str) -> None:
    space: dict[str, Any] = {"__name__": "mine"}
    exec(Path(file).read_text(), space)
    here: ExternalPolicy = ExternalPolicy("here", space["Mine"])
    there = interpreter_policy(file, "Mine", python=sys.executable)
    expected = play(MARKET, here, workers=1, **HOW)
    for workers in (1, 2):
        games = play(MARKET, there, workers=workers, **HOW)
        assert np.array_equal(games.revenue, expected.revenue)


@pytest.mark.parametrize(
    ("odd", "message"),
    [
        ("raises", "choose() raised InterpreterError: KeyError: 'no' (in "),
        ("learns", "learn() raised InterpreterError: ValueError: "),
        ("number", "choose() returned 4 (int), which is not one of the 4 arms"),
        ("dies", "choose() raised InterpreterError: the interpreter "),
    ],
)
def test_errors_come_across(file: str, odd: str, message: str) -> None:
    policy = interpreter_policy(file, "Mine", python=sys.executable, odd=odd)
    where = re.escape(f": round 9 of repetition 0: {message}")
    for _ in range(2):  # an interpreter that ended is started again
        with pytest.raises(ExternalError, match=where):
            play(MARKET, policy, workers=1, **HOW)


def test_it_ends_with_the_policy(file: str) -> None:
    policy = interpreter_policy(file, "Mine", python=sys.executable)
    assert isinstance(policy.factory, Interpreter)
    process = policy.factory._process
    assert process is not None
    assert process.poll() is None
    del policy
    assert process.returncode == 0


def test_one_game_at_a_time(file: str) -> None:
    policy = interpreter_policy(file, "Mine", python=sys.executable)
    how: dict[str, Any] = {"owners": {"a/1": "a"}, "horizon": 50, "seed": 1}
    first = policy.factory(["a/1"], **how)
    assert first.choose() == "a/1"
    assert policy.factory(["a/1"], **how).choose() == "a/1"
    with pytest.raises(RuntimeError, match="another game has begun"):
        first.choose()


def test_what_is_not_there_is_named(file: str) -> None:
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("Nothing", {}, "mine.py' has no attribute 'Nothing'"),
        ("Mine", {"better": 1}, "unexpected keyword argument 'better'"),
        ("Mine", {"odd": object()}, "Object of type object is not JSON serializable"),
    ]
    for name, parameters, message in cases:
        with pytest.raises(ExternalError, match=re.escape(message)):
            interpreter_policy(file, name, python=sys.executable, **parameters)


def test_a_missing_smpybandits_says_what_to_install() -> None:
    with pytest.raises(ExternalError) as caught:
        smpybandits_policy("UCB")
    assert "does not have SMPyBandits; install SMPyBandits, numpy==1.26.4" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.slow  # makes SMPyBandits' environment if it is missing
@pytest.mark.skipif(sys.version_info >= (3, 13), reason="its NumPy has no wheels for this Python")
def test_smpybandits() -> None:
    from benchmarks.environments import interpreter

    python = os.fspath(interpreter("smpybandits"))
    ucb = smpybandits_policy("UCB", python=python)
    how: dict[str, Any] = {"horizon": 400, "seed": 1, "first": 0, "count": 4}
    one = play(paper_market("1a", copies=1), ucb, **how)
    many = play(paper_market("1a", copies=30), ucb, **how)
    assert (many.revenue - one.revenue)[:, 0].min() > 40
    again = play(paper_market("1a", copies=30), ucb, workers=1, **how)
    assert np.array_equal(many.revenue, again.revenue)
    needs_horizon = smpybandits_policy("MOSSH", python=python)
    games = play(paper_market("1a"), needs_horizon, **how)
    assert games.plays.sum(axis=1).tolist() == [400] * 4
    with pytest.raises(ExternalError, match="UCV is not a class of SMPyBandits"):
        smpybandits_policy("UCV", python=python)
