"""Policies of a study: known by what they are, and not by where they lie."""

from pathlib import Path

import pytest

from copyproof import ExternalPolicy, Study, function_policy, river_policy
from copyproof.external import policy_from_dict, policy_to_dict
from copyproof.studies.policies import OtherCode, StudyPolicy, study_policy

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


def test_one_that_has_a_text_is_taken_by_it() -> None:
    assert study_policy(river_policy("UCB", delta=1)) == study_policy("river:UCB(delta=1)")
    stored = policy_from_dict(policy_to_dict(river_policy("UCB", delta=1)))
    assert isinstance(stored, ExternalPolicy)
    with pytest.raises(ValueError, match="was read from a file, without its code: give its text"):
        study_policy(stored)


def best_of(folder: Path, text: str = "mine.py:Rule") -> float:
    """The mean regret of a policy in a folder that plays one arm for ever."""
    (folder / "study.toml").write_text(
        f'policies = ["{text}"]\nmarkets = ["paper:1a"]\nhorizons = 10\nrepetitions = 1\nseed = 1\n'
    )
    study = Study.read(folder / "study.toml").run()
    assert not study.failures
    return round(float(study.frame()["regret_mean"].iloc[0]), 9)


def test_a_file_that_is_edited_is_loaded_again(tmp_path: Path) -> None:
    """As in a notebook, whose kernel lives on while one works at a rule."""
    (tmp_path / "mine.py").write_text(RULE)
    before = study_policy("mine.py:Rule", tmp_path)
    assert best_of(tmp_path) == 4.0  # the worst agent's arm is the first
    (tmp_path / "mine.py").write_text(RULE.replace("arms[0]", "arms[-1]"))
    assert best_of(tmp_path) == 0.0
    assert study_policy("mine.py:Rule", tmp_path).identity != before.identity
    made = before.policy  # a study that was made before plays what it was made with
    assert isinstance(made, ExternalPolicy)
    learner = made.factory(["a", "b"], owners={"a": "x", "b": "y"}, horizon=1, seed=1)
    assert learner.choose() == "a"


def test_a_module_that_is_edited_is_loaded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "a_module_of_mine.py"
    module.write_text(RULE)
    assert best_of(tmp_path, "a_module_of_mine:Rule") == 4.0
    module.write_text(RULE.replace("arms[0]", "arms[-1]"))
    assert best_of(tmp_path, "a_module_of_mine:Rule") == 0.0


def test_a_process_with_other_code_refuses(tmp_path: Path) -> None:
    """As a worker does whose file is another one, or is missing."""
    file = tmp_path / "mine.py"
    file.write_text(RULE)
    sent = study_policy("mine.py:Rule", tmp_path)
    elsewhere = StudyPolicy(sent.text, sent.loads, "sha256:another")
    with pytest.raises(
        OtherCode, match=r"^policy 'mine.py:Rule' is not the code .*\(sha256:.{8}, "
    ):
        _ = elsewhere.policy
    file.unlink()
    with pytest.raises(OtherCode, match=r"^policy 'mine.py:Rule' is not on this machine \(the"):
        _ = elsewhere.policy


def test_a_record_of_ours_in_a_file_goes_as_its_text(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from copyproof import parse_policy\n\nMINE = parse_policy('rh-ucb(L=3)')\n"
    )
    found = study_policy("mine.py:MINE", tmp_path)
    assert (found.text, found.loads, found.is_ours) == ("mine.py:MINE", "rh-ucb(L=3)", True)
    assert found.identity == study_policy("rh-ucb(L=3)").identity
