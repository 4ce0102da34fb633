"""The requests that are read by hand accept exactly what their records accept."""

import json
import random
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from copyproof.service import Limits
from copyproof.service.errors import Refusal
from copyproof.service.hot import read_ask, read_tell
from copyproof.service.messages import AskIn, RewardIn, RewardsIn
from tests.service.fuzz import ask_bodies, tell_bodies

ASK = TypeAdapter(AskIn | None)
TELL = TypeAdapter(RewardIn | RewardsIn)


def _by_record(adapter: TypeAdapter[Any], data: Any) -> bool:
    try:
        adapter.validate_python(data)
    except ValidationError:
        return False
    return True


def _by_hand(read: Any, data: Any) -> bool:
    try:
        read(json.dumps(data).encode(), None, Limits())
    except Refusal:
        return False
    return True


@pytest.mark.parametrize(
    ("read", "adapter", "bodies"),
    [(read_ask, ASK, ask_bodies), (read_tell, TELL, tell_bodies)],
)
def test_hand_and_record_agree(read: Any, adapter: TypeAdapter[Any], bodies: Any) -> None:
    luck = random.Random(1)
    verdicts = []
    for _ in range(3000):
        data = bodies(luck)
        verdict = _by_hand(read, data)
        assert verdict == _by_record(adapter, data), data
        verdicts.append(verdict)
    assert 300 < sum(verdicts) < 2700  # both kinds were there
