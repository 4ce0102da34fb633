"""rules_digest: of the numbers that ours are played with, and of the code of others."""

import importlib
import re
import sys
from pathlib import Path

import pytest

from copyproof import Agent, Market, function_policy, mabwiser_policy, river_policy
from copyproof.external import ExternalError
from copyproof.external import text as texts
from copyproof.policy import own_rules
from copyproof.simulation import digests, rules_digest
from copyproof.validation import FieldError

MARKET = Market([Agent("a", [0.5]), Agent("b", [0.9])])
RULE = """
class Rule:
    def __init__(self, arms, *, owners, horizon, seed, step=1):
        self.choose = lambda: arms[0]
        self.learn = lambda arm, reward: None
"""


def test_rules_digest_is_of_the_numbers_that_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    before = rules_digest(MARKET, "trial", 1000)
    assert rules_digest(MARKET, "trial(c=1/21)", 1000) == before
    assert rules_digest(MARKET, "trial(c=1/20)", 1000) != before
    assert rules_digest(MARKET, "trial-anytime", 1000) != before
    for name in ("SPARE", "TURNS", "SHARE", "GATE"):
        with monkeypatch.context() as changed:
            changed.setattr(own_rules, name, 0.5)
            assert rules_digest(MARKET, "trial", 1000) != before
    monkeypatch.setattr(digests, "NUMERICS", 99)
    assert rules_digest(MARKET, "trial", 1000) != before


def test_another_policys_digest_is_of_its_text_and_its_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = rules_digest(MARKET, "river:UCB(delta=1)", 1000)
    assert rules_digest(MARKET, river_policy("UCB", delta=1), 10) == before
    assert rules_digest(MARKET, "river:UCB(delta=2)", 1000) != before
    assert rules_digest(MARKET, mabwiser_policy("UCB1", alpha=1), 1000) != before
    monkeypatch.setattr(texts, "source", lambda where: "0.0.1")
    assert rules_digest(MARKET, "river:UCB(delta=1)", 1000) != before


@pytest.mark.parametrize("there", ["", "python={python!r}"])
def test_a_file_is_digested_byte_by_byte(tmp_path: Path, there: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(RULE)
    given = there.format(python=sys.executable)
    text = f"{file}:Rule({given})" if given else f"{file}:Rule"
    before = rules_digest(MARKET, text, 1000)
    assert rules_digest(MARKET, text, 1000) == before
    file.write_text(RULE + "# changed")
    assert rules_digest(MARKET, text, 1000) != before


def test_a_module_that_is_worked_on_is_digested_by_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rule_of_a_test.py").write_text(RULE)
    monkeypatch.syspath_prepend(tmp_path)
    before = rules_digest(MARKET, "rule_of_a_test:Rule", 1000)
    (tmp_path / "rule_of_a_test.py").write_text(RULE + "# changed")
    assert rules_digest(MARKET, "rule_of_a_test:Rule", 1000) != before


def test_an_object_of_this_program_has_no_digest() -> None:
    mine = function_policy(lambda tally: tally.arms[0], name="mine")
    message = "policy = 'mine' is an object of this program, and what it does cannot be told from"
    with pytest.raises(FieldError, match=re.escape(message)):
        rules_digest(MARKET, mine, 1000)


def test_parameters_that_a_text_cannot_say_leave_no_text() -> None:
    scaler = importlib.import_module("river.preprocessing").TargetStandardScaler(None)
    scaled = river_policy("UCB", delta=1, reward_scaler=scaler)
    assert scaled.text is None
    with pytest.raises(FieldError, match="is an object of this program"):
        rules_digest(MARKET, scaled, 1000)


def test_code_that_another_interpreter_does_not_have(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(RULE)
    policy = texts.named_policy(f"{file}:Rule(python={sys.executable!r})")
    file.unlink()
    with pytest.raises(ExternalError, match="cannot be found"):
        rules_digest(MARKET, policy, 1000)
