"""What the library has a default for, the command line has the same default for."""

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from copyproof import attacks, audit, equilibrium, exact, simulate
from copyproof.cli.app import app
from copyproof.cli.keys import _overlap, rotate
from copyproof.paper import Settings
from copyproof.service.keys import Keyring

COMMANDS = {one.callback.__name__: one.callback for one in app.registered_commands if one.callback}


def defaults(function: Callable[..., Any]) -> dict[str, object]:
    parameters = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in parameters if one.default is not one.empty}


@pytest.mark.parametrize(
    ("command", "library", "shared"),
    [
        (COMMANDS["simulate"], simulate, {"checkpoints", "workers"}),
        (COMMANDS["exact"], exact, {"fractions", "limit"}),
        (
            COMMANDS["audit"],
            audit,
            {"agent", "reference", "most_copies", "tolerance", "confidence", "budget"}
            | {"method", "workers"},
        ),
        (
            COMMANDS["equilibrium"],
            equilibrium,
            {"cap", "epsilon", "confidence", "budget", "workers"},
        ),
        (
            COMMANDS["attacks"],
            attacks,
            {"reference", "split_arms", "confidence", "budget", "workers"},
        ),
    ],
)
def test_a_command_has_the_librarys_defaults(
    command: Callable[..., Any], library: Callable[..., Any], shared: set[str]
) -> None:
    here, there = defaults(command), defaults(library)
    assert {name: here[name] for name in shared} == {name: there[name] for name in shared}


def test_a_duration_is_the_librarys_seconds() -> None:
    assert _overlap(str(defaults(rotate)["overlap"])) == defaults(Keyring.rotate)["overlap"]


@pytest.mark.parametrize(
    ("command", "record", "shared"),
    [
        (COMMANDS["paper"], Settings, {"seed"}),
    ],
)
def test_a_command_has_the_records_defaults(
    command: Callable[..., Any], record: Any, shared: set[str]
) -> None:
    there = {field.name: field.default for field in dataclasses.fields(record)}
    here = defaults(command)
    assert {name: here[name] for name in shared} == {name: there[name] for name in shared}
