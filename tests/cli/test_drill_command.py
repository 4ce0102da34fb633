"""``copyproof drill`` from end to end."""

import json

import pytest

from copyproof.drills import drill
from tests.cli.conftest import Run

ASK = ("drill", "--policy", "h-ucb", "--scenario", "slates", "--games", "1", "--workers", "1")


def test_the_library_finds_the_same(run: Run) -> None:
    done = run(*ASK, "--seed", "3", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    [told] = json.loads(done.stdout)["policies"]
    same = drill("h-ucb", scenarios=["slates"], games=1, seed=3, workers=1).to_dict()
    assert told | {"seconds": 0} == json.loads(json.dumps(same)) | {"seconds": 0}
    assert told["gains"][0]["with"]["revenue"] > 2 * told["gains"][0]["without"]["revenue"]


def test_table(run: Run) -> None:
    done = run(*ASK)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("1 pair of games for each setting, seed 0")
    assert "no limit" in done.stdout
    assert "unchanged" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--scenario", "slate"), "scenario = 'slate' is not one of"),
        (("--policy", "h-ucbb"), "h-ucbb"),
        (("--games", "0"), "games = 0 is not a whole number"),
    ],
)
def test_bad_input(run: Run, arguments: tuple[str, ...], expected: str) -> None:
    done = run(*ASK, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert expected in done.stderr
    assert done.stderr.count("\n") == 1
