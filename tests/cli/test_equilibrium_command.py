"""``copyproof equilibrium`` and ``copyproof attacks`` from end to end."""

from pathlib import Path

import pytest

from copyproof import attacks, equilibrium
from copyproof.game.files import read_market
from tests.cli.conftest import Run
from tests.cli.test_simulate_command import strict

AGENTS = """
[[agents]]
name = "ann"
arms = [{ mean = 0.5 }]
[[agents]]
name = "bob"
arms = [{ mean = 0.8 }]
"""
HOW = ("--policy", "ucb1", "--policy", "h-ucb", "--horizon", "300", "--seed", "3")


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pair") / "pair.toml"
    path.write_text(AGENTS)
    return path


def test_equilibria_as_json(run: Run, pair: Path) -> None:
    done = run("equilibrium", pair, *HOW, "--cap", "3", "--start", "truthful", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    first, second = strict(done.stdout)["policies"]
    expected = equilibrium(
        read_market(pair), "ucb1", horizon=300, seed=3, cap=3, starts=["truthful"]
    )
    assert first | {"seconds": 0} == expected.to_dict() | {"seconds": 0}
    assert first["truthful_is_equilibrium"] is False
    assert first["paths"][0]["profile"] == [[3], [3]]
    assert second["truthful_is_equilibrium"] is True


def test_equilibria_as_a_table(run: Run, pair: Path) -> None:
    done = run("equilibrium", pair, *HOW, "--cap", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert "3 | 3" in done.stdout
    assert done.stdout.count("capped") == 2
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_attacks_as_json(run: Run, pair: Path) -> None:
    done = run("attacks", pair, *HOW, "--agent", "ann", "--identities", "3", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    first, second = strict(done.stdout)["policies"]
    expected = attacks(read_market(pair), "ucb1", agent="ann", horizon=300, seed=3, identities=[3])
    assert first | {"seconds": 0} == expected.to_dict() | {"seconds": 0}
    assert (first["renewals_verdict"], second["renewals_verdict"]) == ("prone", "no-gain")


def test_attacks_as_a_table(run: Run, pair: Path) -> None:
    done = run("attacks", pair, *HOW, "--agent", "ann")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("new after every play") == 2
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("attacks", "--agent", "zoe"), "agent = 'zoe' is not one of 'ann', 'bob'"),
        (("attacks", "--agent", "ann", "--identities", "1"), "identities[0] = 1 is not a whole"),
        (("equilibrium", "--cap", "1"), "cap = 1 is not a whole number from 2 to 10000"),
        (("equilibrium", "--epsilon", "0"), "epsilon = 0.0 is not a number > 0"),
        (("equilibrium", "--start", "drunk"), "start = 'drunk' is not one of truthful"),
        (("equilibrium", "--budget", "0"), "budget = 0 is not a whole number from 1"),
    ],
)
def test_bad_input_is_one_line(
    run: Run, pair: Path, arguments: tuple[str, ...], message: str
) -> None:
    command, *options = arguments
    done = run(command, pair, *HOW, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
