"""A snapshot of an earlier format is brought up to date; one of another version is refused."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from copyproof.live import Principal, snapshots, upgrades
from copyproof.live.snapshots import from_bytes, to_bytes
from copyproof.validation import FieldError


def changed(data: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """A snapshot whose words were changed."""
    words, arrays = snapshots._unpacked(data)
    change(words)
    return snapshots._packed(json.loads(json.dumps(words)), arrays)


def test_a_toy_format_is_brought_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two formats that only this test knows: the time was called "now", and before that "then"."""

    def age(words: dict[str, Any]) -> None:
        words["then"] = words.pop("at")
        words["format"] = -1

    def rename(old: str, new: str) -> upgrades.Step:
        def step(words: dict[str, Any], _: dict[str, Any]) -> None:
            words[new] = words.pop(old)

        return step

    principal = Principal("h-ucb")
    principal.register_arms([("ann", "a"), ("bob", "b")])
    principal.ask(20)
    old = changed(to_bytes(principal._current()), age)
    with pytest.raises(FieldError, match=r"snapshot\.format = -1 is not 1, the only version"):
        from_bytes(old)
    steps = {-1: rename("then", "now"), 0: rename("now", "at")}
    monkeypatch.setattr(upgrades, "STEPS", steps)
    state = from_bytes(old)
    assert state is not None
    assert state.digest() == principal.digest()


@pytest.mark.parametrize("version", ["numerics", "rules"])
def test_a_snapshot_of_another_version_is_refused_in_one_line(version: str) -> None:
    principal = Principal("h-ucb")
    principal.register_arm("ann", "a")
    principal.ask()

    def change(words: dict[str, Any]) -> None:
        words["config"][version] = 7

    data = changed(to_bytes(principal._current()), change)
    with pytest.raises(FieldError, match=rf"^snapshot\.{version} = 7 is not 1, .*$") as caught:
        from_bytes(data)
    assert "\n" not in str(caught.value)
    principal.store.save_snapshot("default", principal.last, data)
    with pytest.raises(FieldError, match=rf"snapshot\.{version} = 7"):
        Principal(store=principal.store)


def test_what_is_no_snapshot_is_none() -> None:
    assert from_bytes(b"no state") is None
