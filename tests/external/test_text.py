"""Policies by text: every form, and every way to get it wrong."""

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from copyproof import ExternalPolicy, Policy, paper_market, parse_policy
from copyproof.external import ExternalError, named_policy
from copyproof.simulation import play
from copyproof.validation import FieldError

FILE = str(Path(__file__).with_name("learners.py"))
HOW: dict[str, Any] = {"horizon": 30, "seed": 5, "first": 0, "count": 1, "workers": 1}


def plays(text: str) -> list[int]:
    policy = named_policy(text)
    assert isinstance(policy, ExternalPolicy)
    assert policy.name == text
    games = play(paper_market("1a", copies=2), policy, **HOW)
    found: list[int] = games.plays[0].tolist()
    return found


def test_the_catalogue() -> None:
    assert named_policy("rh-ucb(L=3)") == parse_policy("rh-ucb(L=3)")
    with pytest.raises(ValueError, match="'h-ucv' is not known"):
        named_policy("h-ucv")


@pytest.mark.parametrize("text", ["river:UCB(delta=1)", "mabwiser:UCB1(alpha = 0.5)"])
def test_libraries(text: str) -> None:
    assert sum(plays(text)) == 30


def test_files_and_modules() -> None:
    expected = [10, 5, 5, 5, 5]
    assert plays(f"{FILE}:Scripted") == expected
    assert plays(f"{FILE}:Scripted(step=6)") == [30, 0, 0, 0, 0]
    assert plays(f"{FILE}:made") == expected
    assert plays("tests.external.learners:Scripted") == expected
    assert isinstance(named_policy(f"{FILE}:ours"), Policy)


def test_another_interpreter(tmp_path: Path) -> None:
    source = Path(FILE).read_text(encoding="utf-8").partition("made = ")[0]
    file = tmp_path / "a (b)" / "mine.py"
    file.parent.mkdir()
    file.write_text(source.replace("from copyproof import ExternalPolicy, parse_policy", ""))
    assert plays(f"{file}:Scripted(step=6, python={sys.executable!r})") == [30, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rivr:UCB", "policy = 'rivr:UCB': there is no module rivr; accepted are NAME(KEY=VALUE"),
        ("river:", "policy = 'river:' cannot be read; accepted are"),
        ("river:UCB(delta=1", "policy = 'river:UCB(delta=1' cannot be read; accepted are"),
        ("river:UCB(1)", "policy = 'river:UCB(1)': 1 needs a name, as in KEY=VALUE"),
        ("river:UCB(**a)", "**a needs a name, as in KEY=VALUE"),
        ("river:UCB(delta=1)(2)", "cannot be read at '('; write NAME or NAME(KEY=VALUE, ...)"),
        ("river:UCB(delta=1, delta=2)", "delta is given twice"),
        ("river:UCB(delta=f(1))", "delta = f(1) is not a literal such as 1, 0.5, 'word'"),
        ("river:UCV(delta=1)", "UCV is not one of the classes of river.bandit"),
        ("river:ucb(delta=1)", "; did you mean 'UCB'?"),
        ("rivr:UCB", "; did you mean 'river'?"),
        ("nowhere.py:name", "policy = 'nowhere.py:name': there is no file nowhere.py; accepted"),
        ("copyproof.nothing:name", "there is no module copyproof.nothing"),
        (f"{FILE}:nothing", "there is no nothing in "),
        (f"{FILE}:number", "number is a int, not a Policy, an ExternalPolicy or a function make"),
        (f"{FILE}:made(step=2)", "made is made already and takes no parameters"),
        (f"{FILE}:Scripted(python='nowhere')", "python = 'nowhere' cannot be started: No such"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        named_policy(text)
    assert isinstance(caught.value, FieldError | ExternalError)
    assert "\n" not in str(caught.value)


def test_a_file_that_fails_is_named(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    for source, message in [("1/0", "ZeroDivisionError"), ("def", "SyntaxError")]:
        file.write_text(source)
        with pytest.raises(ValueError, match=message) as caught:
            named_policy(f"{file}:name")
        assert caught.value.__cause__ is not None


def test_a_file_that_changes_within_a_second_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    file = tmp_path / "mine.py"
    source = (
        "from copyproof import function_policy as made\nname = made(lambda tally: '0.{}-agent/1')"
    )
    for best, expected in [("5", [30, 0, 0, 0, 0]), ("6", [0, 30, 0, 0, 0])]:
        file.write_text(source.format(best))
        os.utime(file, (1.7e9, 1.7e9))
        assert plays(f"{file}:name") == expected


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "river.py"  # and it does not stand in for the package
    source = "from copyproof import function_policy\nname = function_policy(lambda tally: '{}')\n"
    for arm, expected in [("0.5-agent/1", [30, 0, 0, 0, 0]), ("0.6-agent/1", [0, 30, 0, 0, 0])]:
        file.write_text(source.format(arm) + "#" * len(arm) * expected[0])
        assert plays(f"{file}:name") == expected
    assert sum(plays("river:UCB(delta=1)")) == 30
