"""Events are what the journal says, and nothing else; ids name decisions of their own market."""

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from copyproof.live import Diverged
from copyproof.live.events import (
    Asked,
    Bound,
    ClockSet,
    Fingerprinted,
    IdempotencyKey,
    MarketEvent,
    Reviewed,
    Rewarded,
    Suspended,
    SwitchEvent,
    Unchanged,
    decode,
    encode,
    kind_of,
)

JOURNALS = sorted((Path(__file__).parents[1] / "golden" / "live").glob("*.ndjson"))


@pytest.mark.parametrize("journal", JOURNALS, ids=lambda path: path.stem)
def test_a_journal_is_written_as_it_was_read(journal: Path) -> None:
    kinds = set()
    for line in journal.read_text("utf-8").splitlines():
        data = json.loads(line)
        del data["number"]
        kinds.add(data["kind"])
        assert json.dumps(encode(decode(data))) == json.dumps(data)  # the order counts, too
    others = (ClockSet, Fingerprinted, Bound, Reviewed, Unchanged, *get_args(SwitchEvent))
    absent = {kind_of(one) for one in others}  # from these journals
    assert kinds == {kind_of(record) for record in get_args(MarketEvent)} - absent


def test_fields_are_written_in_their_order_and_only_if_there_is_something() -> None:
    asked = Asked(
        round=3, eligible={"ann": []}, slate=True, at=1.5, key=IdempotencyKey("k", "9f"), arms=[7]
    )
    assert list(encode(asked)) == [
        *("kind", "round", "eligible", "slate", "at", "key", "request", "arms")
    ]
    assert list(encode(Asked(round=3, at=1.5, arms=[7]))) == ["kind", "round", "at", "arms"]
    refused = Suspended(agent="ann", at=1.0, key=IdempotencyKey("k", "9f", False))
    assert encode(refused)["answer"] is False
    assert decode(encode(refused)) == refused


def test_an_event_cannot_be_changed() -> None:
    told = Rewarded(rounds=[1], rewards=[1.0], at=0.0)
    with pytest.raises(AttributeError):
        told.at = 1.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "an event of kind '', which is not known"),
        ({"kind": "sold", "at": 1.0}, "an event of kind 'sold', which is not known"),
        ({"kind": "agent", "agent": "ann", "at": 1.0, "age": 3}, "fields agent, at, age; known"),
        ({"kind": "told", "rounds": [1], "at": 1.0}, "of kind 'told' with the fields rounds, at;"),
        (
            {"kind": "agent", "agent": "ann", "at": 1.0, "key": "k"},
            "with the fields agent, at, key;",
        ),
        ({"kind": "agent", "agent": "ann", "at": 1.0, "answer": 1}, "fields agent, at, answer"),
        (
            {"kind": "clock", "to": 1.0},
            r"with the fields to; known are at, key \(with a key also request",
        ),
    ],
)
def test_what_is_not_known_is_refused(data: dict[str, Any], message: str) -> None:
    with pytest.raises(Diverged, match=message):
        decode(data)
