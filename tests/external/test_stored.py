"""Policies in files: ours whole, others by name and text."""

import json
import re
from typing import Any

import pytest

from copyproof import ExternalPolicy, paper_market, parse_policy, river_policy, simulate
from copyproof.external import ExternalError, policy_from_dict, policy_to_dict
from copyproof.policy import to_dict
from copyproof.validation import FieldError
from tests.external.learners import Scripted

GAME: dict[str, Any] = {"horizon": 5, "repetitions": 1, "seed": 1, "workers": 1}


def test_ours_come_back_whole() -> None:
    ours = parse_policy("rh-ucb(L=3)")
    assert policy_to_dict(ours) == to_dict(ours)
    assert policy_from_dict(policy_to_dict(ours)) == ours


@pytest.mark.parametrize("policy", [river_policy("UCB", delta=1), ExternalPolicy("mine", Scripted)])
def test_others_come_back_by_name_and_refuse_to_be_played(policy: ExternalPolicy) -> None:
    found = policy_from_dict(json.loads(json.dumps(policy_to_dict(policy))))
    assert isinstance(found, ExternalPolicy)
    assert (str(found), found.text) == (str(policy), policy.text)
    give = "'river:UCB(delta=1)', its text" if policy.text else "the policy itself"
    message = f"it was read from a file, which does not hold its code: give {give}"
    with pytest.raises(ExternalError, match=re.escape(message)):
        simulate(paper_market("1a"), found, **GAME)
    if found.text:
        assert simulate(paper_market("1a"), found.text, **GAME).plays.sum() == 5


@pytest.mark.parametrize(
    "data", [{"external": "a"}, {"external": 5, "text": None}, {"external": "a", "text": ""}, 5]
)
def test_what_is_not_a_policy_is_refused(data: Any) -> None:
    with pytest.raises(FieldError):
        policy_from_dict(data)
