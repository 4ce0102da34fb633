"""``copyproof exact`` from end to end."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from copyproof import Agent, Market, exact
from copyproof.game.files import write_market
from tests.cli.conftest import Run


@pytest.fixture(scope="module")
def duel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("duel") / "duel.toml"
    agents = [Agent("first", [0.75, 0.25], copies=[2, 1]), Agent("second", [0.5])]
    write_market(Market([*agents, Agent("absent", [0.9], copies=[0])]), path)
    return path


@pytest.fixture(scope="module", autouse=True)
def compiled_too(run: Run, duel: Path) -> None:
    """Have these kernels compiled, too: the tests expect silence."""
    for form in ([], ["--fractions"]):
        assert run("exact", duel, "--policy", "h-ucb", "--horizon", "2", *form).returncode == 0


def found(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert (done.returncode, done.stderr) == (0, "")

    def refuse(word: str) -> None:
        raise ValueError(word)

    read: dict[str, Any] = json.loads(done.stdout, parse_constant=refuse)
    return read


def test_json_in_floating_point(run: Run, duel: Path) -> None:
    policies = ("--policy", "h-ucb", "--policy", "rh-ucb")
    answer = found(run("exact", duel, *policies, "--horizon", "8", "--json"))
    assert [one["policy"] for one in answer["policies"]] == ["h-ucb", "rh-ucb"]
    assert [one["resolved_policy"] for one in answer["policies"]] == ["h-ucb", "rh-ucb(L=2)"]
    first, second, absent = answer["policies"][0]["agents"]
    assert (first["name"], second["name"], absent["name"]) == ("first", "second", "absent")
    assert first["revenue"] == pytest.approx(86619 / 32768, abs=1e-12)
    assert first["plays"] + second["plays"] == pytest.approx(8, abs=1e-12)
    assert absent["revenue"] == absent["plays"] == 0
    assert len(first["distribution"]) == 9
    assert answer["policies"][0]["states"] <= answer["policies"][0]["states_bound"]
    market = Market([Agent("first", [0.75, 0.25], copies=[2, 1]), Agent("second", [0.5])])
    market = Market([*market.agents, Agent("absent", [0.9], copies=[0])])
    assert answer["policies"][1]["regret"] == exact(market, "rh-ucb", horizon=8).regret


def test_json_in_fractions(run: Run, duel: Path) -> None:
    options = ("--policy", "h-ucb", "--horizon", "8", "--fractions", "--json")
    (policy,) = found(run("exact", duel, *options))["policies"]
    assert policy["agents"][0]["revenue"] == policy["agents"][0]["utility"] == "86619/32768"
    assert policy["agents"][0]["distribution"][7:] == ["0", "0"]
    assert policy["agents"][2]["plays"] == "0"


@pytest.mark.parametrize("form", [[], ["--fractions"]])
def test_table(run: Run, duel: Path, form: list[str]) -> None:
    policies = ("--policy", "h-ucb", "--policy", "h-ucb-t-free", "--policy", "prh-ucb")
    done = run("exact", duel, *policies, "--horizon", "8", *form)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "3 agents, 4 registered arms; 8 rounds"
    assert ("86619/32768" if form else "2.64340209961") in done.stdout
    assert "2 games" in done.stdout


def test_what_takes_long_is_said_beforehand(run: Run, duel: Path) -> None:
    done = run("exact", duel, "--policy", "prh-ucb", "--horizon", "24", "--json")
    assert done.returncode == 0
    assert done.stderr.startswith("prh-ucb: up to ")
    assert done.stderr.count("\n") == 1
    assert "states" in done.stderr


ASK = ("--policy", "h-ucb", "--horizon", "8")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("paper:1a",), "--policy"),
        (("paper:1a", "--policy", "h-ucb"), "--horizon"),
        (("missing.toml", *ASK), "missing.toml: cannot be read"),
        (("paper:1a", "--policy", "thompson", "--horizon", "8"), "posterior draws are continuous"),
        (("paper:1a", *ASK, "--horizon", "0"), "horizon = 0 is not a whole number"),
        (("paper:1a", *ASK, "--horizon", "1.5"), "'1.5' is not a whole number"),
        (("paper:1a", *ASK, "--horizon", "2001"), "horizon = 2001 is not a whole number from 1 to"),
        (("paper:1a", *ASK, "--limit", "0"), "limit = 0 is not a whole number >= 1"),
        (("paper:1a", *ASK, "--limit", "10"), "and the limit is 10 ("),
        (("paper:1a", "--policy", "h-ucb", "--horizon", "500"), "would help"),
        (("paper:2c", "--policy", "s-ucb", "--horizon", "10"), "samples and orders of agents"),
    ],
)
def test_bad_input(run: Run, arguments: tuple[str, ...], expected: str) -> None:
    done = run("exact", *arguments)
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert expected in done.stderr
    assert done.returncode == 2
