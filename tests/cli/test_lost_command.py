"""``copyproof lost`` from end to end."""

import json
from pathlib import Path

import pytest

from copyproof import lost_probability, read_market
from copyproof.engine.version import NUMERICS
from tests.cli.conftest import Run

MARKET = """
[[agents]]
name = "A"
arms = [{ mean = 0.9, copies = 2 }, { mean = 0.2, copies = 30 }]
[[agents]]
name = "B"
arms = [{ mean = 0.8 }]
"""
ASK = ("--policy", "trial", "--horizon", "1000", "--runs", "4")


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory, run: Run) -> Path:
    path = tmp_path_factory.mktemp("lost") / "market.toml"
    path.write_text(MARKET)
    run("lost", path, *ASK)  # compiles, where nobody did
    return path


def test_the_library_finds_the_same(run: Run, game: Path) -> None:
    done = run("lost", game, *ASK, "--seed", "3", "--rival", "0.7", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    [told] = json.loads(done.stdout)["policies"]
    same = lost_probability(
        read_market(game), "trial", horizon=1000, runs=4, seed=3, rival=0.7
    ).to_dict()
    assert told | {"seconds": 0} == same | {"seconds": 0}
    assert told["numerics"] == NUMERICS


def test_table(run: Run, game: Path) -> None:
    done = run("lost", game, *ASK, "--policy", "h-ucb-t-free", "--most-plays", "500")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "A (best mean 0.9) against an index of 0.8; 2 agents; 1,000 rounds"
    rows = [line.split()[0] for line in lines if line.startswith(("trial ", "h-ucb-t-free "))]
    assert rows == ["trial", "h-ucb-t-free"]
    assert "is undecided after 500 plays" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--policy", "h-ucb", "--horizon", "10"), "policy = 'h-ucb' has no index made of"),
        ((*ASK, "--agent", "a"), "agent = 'a' is not one of"),
        ((*ASK, "--agent", "B"), "rival = 0.9 is not below 0.8"),
        ((*ASK, "--rival", "1.5"), "rival = 1.5 is not a number in (0, 1)"),
        ((*ASK, "--horizon", "1" + 19 * "0"), "horizon"),
        (("--policy", "trial"), "--horizon"),
        (("--horizon", "10"), "--policy"),
    ],
)
def test_bad_input(run: Run, game: Path, arguments: tuple[str, ...], expected: str) -> None:
    done = run("lost", game, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert expected in done.stderr
