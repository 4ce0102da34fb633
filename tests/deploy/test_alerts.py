"""Every alert rule is right PromQL, names what there is, and has a case in which it fires."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.expressions import wrong
from tests.programs import DEPLOY, checked, program

RULES: list[dict[str, Any]] = yaml.safe_load((DEPLOY / "alerts.yml").read_text())["groups"][0][
    "rules"
]
NAMES = [rule["alert"] for rule in RULES]


def _promtool(*arguments: str, folder: Path = DEPLOY) -> tuple[int, str]:
    done = checked(program("promtool", "prometheus"), *arguments, folder=folder)
    return done.returncode, done.stdout + done.stderr


def test_promtool_accepts_the_rules() -> None:
    status, said = _promtool("check", "rules", "alerts.yml")
    assert status == 0, said
    assert f"{len(RULES)} rules found" in said


def test_promtool_accepts_the_cases() -> None:
    status, said = _promtool("test", "rules", "alerts-test.yml")
    assert status == 0, said


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_that_never_fires_fails_its_case(name: str, tmp_path: Path) -> None:
    rules = yaml.safe_load((DEPLOY / "alerts.yml").read_text())
    [rule] = [each for each in rules["groups"][0]["rules"] if each["alert"] == name]
    rule["expr"] = "vector(0) > 1"
    (tmp_path / "alerts.yml").write_text(yaml.safe_dump(rules))
    (tmp_path / "alerts-test.yml").write_text((DEPLOY / "alerts-test.yml").read_text())
    status, said = _promtool("test", "rules", "alerts-test.yml", folder=tmp_path)
    assert status != 0
    assert f"alertname: {name}" in said


@pytest.mark.parametrize("rule", RULES, ids=NAMES)
def test_a_rule_asks_for_what_there_is_and_says_what_to_do(rule: dict[str, Any]) -> None:
    assert wrong(rule["expr"]) == []
    assert rule["labels"]["severity"] in ("page", "ticket")
    assert set(rule["annotations"]) == {"summary", "action"}


def test_every_rule_has_a_case_that_fires_and_one_that_does_not() -> None:
    cases = yaml.safe_load((DEPLOY / "alerts-test.yml").read_text())["tests"]
    tried = [each for case in cases for each in case["alert_rule_test"]]
    for name in NAMES:
        fires = [bool(each["exp_alerts"]) for each in tried if each["alertname"] == name]
        assert sorted(fires) == [False, True]
