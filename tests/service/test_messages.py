"""Requests are read the same way whichever reader reads them, and names have one alphabet."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from copyproof.live.records import MOST_DECISIONS
from copyproof.service import document
from copyproof.service.errors import Refusal
from copyproof.service.gateway import FAST
from copyproof.service.messages import ArmIn, AskIn, RewardIn, RewardsIn, path_name
from copyproof.validation import FieldError, name
from tests.service.fuzz import ask_bodies, tell_bodies


@pytest.mark.parametrize(
    ("kind", "types", "bodies"),
    [
        ("decisions", (AskIn | None,), ask_bodies),
        ("rewards", (RewardIn, RewardsIn), tell_bodies),
    ],
)
def test_the_fast_reader_accepts_what_the_types_accept(
    kind: str, types: tuple[Any, ...], bodies: Callable[[random.Random], Any]
) -> None:
    luck = random.Random(1)
    adapters = [TypeAdapter(each) for each in types]
    accepted = 0
    for _ in range(3000):
        data = bodies(luck)
        found = []
        for adapter in adapters:
            try:
                found.append(adapter.validate_python(data))
            except ValidationError:
                continue
        raw = json.dumps(data).encode()
        if found:
            assert FAST[kind].read(raw) == (found[0] or {})
            accepted += 1
        else:
            with pytest.raises(Refusal) as refused:
                FAST[kind].read(raw)
            assert (refused.value.status, bool(refused.value.field)) == (422, True)
    assert 300 < accepted < 2700  # both kinds were there


TEXTS = [
    ("decisions", {"count": 0}, f"count = 0 is not a whole number from 1 to {MOST_DECISIONS}"),
    (
        "decisions",
        {"count": None},
        f"count = null is not a whole number from 1 to {MOST_DECISIONS}",
    ),
    ("decisions", {"slate": 1}, "slate = 1 is not true or false"),
    (
        "decisions",
        {"cuont": 1},
        "only count, eligible, seen, segment, slate, strict are known; did you mean 'count'?",
    ),
    ("decisions", {"eligible": {"ann": "a1"}}, 'eligible.ann = "a1" is not a list of texts'),
    (
        "decisions",
        {"eligible": "ann"},
        'eligible = "ann" is not a list of agents or an object of lists of arms',
    ),
    ("decisions", [], "body = [] is not an object"),
    ("rewards", {}, "decision is missing"),
    ("rewards", {"decision": "x", "reward": "1"}, 'reward = "1" is not a number in [0, 1]'),
    (
        "rewards",
        {"decision": "", "reward": 1},
        'decision = "" is not a text of 1 to 300 characters',
    ),
    ("rewards", {"rewards": [{"decision": "x"}]}, "rewards[0].reward is missing"),
    ("rewards", {"rewards": [], "more": 1}, "only rewards are known"),
    ("rewards", {"rewards": []}, "rewards = [] is not a list of at least 1"),
    ("rewards", {"rewards": "x"}, 'rewards = "x" is not a list'),
    (
        "rewards",
        {"rewards": [{"decision": "x", "reward": 1, "more": 1}]},
        "only decision, reward are known",
    ),
    (
        "rewards",
        {"rewards": [{"decision": "x", "reward": 2}]},
        "rewards[0].reward = 2 is not a number in [0, 1]",
    ),
    ("rewards", {"decision": "rewards", "reward": 2}, "reward = 2 is not a number in [0, 1]"),
]


@pytest.mark.parametrize(("kind", "data", "text"), TEXTS)
def test_what_is_wrong_is_said(kind: str, data: Any, text: str) -> None:
    with pytest.raises(Refusal) as refused:
        FAST[kind].read(json.dumps(data).encode())
    assert refused.value.message == text


def test_a_decision_may_be_called_rewards() -> None:
    data = {"decision": "rewards", "reward": 1.0}
    assert FAST["rewards"].read(json.dumps(data).encode()) == data


def test_the_document_has_the_limits_of_the_principal() -> None:
    schemas = document()["components"]["schemas"]
    assert schemas["AskIn"]["properties"]["count"]["maximum"] == MOST_DECISIONS
    assert schemas["RewardsIn"]["properties"]["rewards"]["maxItems"] == MOST_DECISIONS
    assert schemas["ArmsIn"]["properties"]["arms"]["maxItems"] == MOST_DECISIONS


@pytest.mark.parametrize("text", ["ann\u200b", "\u2028", " ", "x" * 201, "a\nb"])
def test_names_have_one_alphabet(text: str) -> None:
    with pytest.raises(FieldError):
        name("arm", text)
    with pytest.raises(FieldError):
        path_name("agent", text)
    with pytest.raises(ValidationError):
        ArmIn(arm=text)


@pytest.mark.parametrize("text", ["a/b", ".", "..", "a\ufffd"])
def test_some_names_cannot_be_part_of_a_path(text: str) -> None:
    assert ArmIn(arm=text).arm == text
    with pytest.raises(FieldError, match="a name without /"):
        path_name("agent", text)
