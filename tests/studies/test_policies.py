"""Policies of a study: known by what they are, and not by where they lie."""

from pathlib import Path

import pytest

from copyproof import function_policy
from copyproof.studies.policies import study_policy

RULE = """
class Rule:
    def __init__(self, arms, *, owners, horizon, seed):
        self.arm = arms[0]

    def choose(self):
        return self.arm

    def learn(self, arm, reward):
        pass
"""


def test_a_file_is_known_by_its_bytes(tmp_path: Path) -> None:
    found = []
    for name, text in (("a", RULE), ("b", RULE), ("c", RULE + "# changed\n")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "mine.py").write_text(text)
        found.append(study_policy("mine.py:Rule", folder))
    assert {one.text for one in found} == {"mine.py:Rule"}
    assert found[0].identity == found[1].identity != found[2].identity
    assert not any(one.is_ours for one in found)
    assert str(tmp_path) not in str(found[0].identity)


def test_ours_are_known_by_their_record() -> None:
    assert study_policy("rh-ucb(L=3)").identity == study_policy("rh-ucb(L=3.0)").identity
    assert study_policy("rh-ucb(L=3)").identity != study_policy("rh-ucb(L=4)").identity


def test_one_that_only_this_process_knows_is_refused() -> None:
    alone = function_policy(lambda tally: tally.arms[0], name="first")
    with pytest.raises(ValueError, match="by which every process can find it"):
        study_policy(alone)
    with pytest.raises(ValueError, match="is not known"):
        study_policy("ucb7")
