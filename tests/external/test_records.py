"""ExternalPolicy: what it is made of, and what it refuses."""

import dataclasses
import re
from typing import Any

import pytest

from copyproof import ExternalPolicy
from copyproof.external.records import one_line
from tests.external.learners import Scripted


def test_it_is_its_name() -> None:
    policy = ExternalPolicy("mine", Scripted)
    assert str(policy) == policy.name == "mine"
    with pytest.raises(dataclasses.FrozenInstanceError):
        policy.name = "other"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "factory", "message"),
    [
        ("", dict, "name = '' is not one line of visible text"),
        ("a\nb", dict, "is not one line of visible text"),
        ("mine", 5, "factory = 5 is not a function make(arms, *, owners, horizon, seed)"),
    ],
)
def test_bad_fields_are_named(name: str, factory: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        ExternalPolicy(name, factory)


def test_exceptions_fit_on_one_line() -> None:
    assert one_line(ValueError("two\n  lines")) == "ValueError: two lines"
    assert one_line(ValueError()) == "ValueError"
    assert len(one_line(ValueError("x" * 10_000))) < 330
