"""``copyproof drill`` from end to end."""

import json

import pytest

from copyproof.cli.drill import _parts
from copyproof.cli.tables import printed
from copyproof.drills import SCENARIOS, Drill, drill
from copyproof.drills.gains import Played, gain_of
from tests.cli.conftest import Run

ASK = ("drill", "--policy", "h-ucb", "--scenario", "slates", "--games", "1", "--workers", "1")


def test_the_library_finds_the_same(run: Run) -> None:
    done = run(*ASK, "--seed", "3", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    [told] = json.loads(done.stdout)["policies"]
    same = drill("h-ucb", scenarios=["slates"], games=1, seed=3, workers=1).to_dict()
    assert told | {"seconds": 0} == json.loads(json.dumps(same)) | {"seconds": 0}
    assert told["gains"][0]["with"]["revenue"] > 2 * told["gains"][0]["without"]["revenue"]
    assert [(one["is_old"], one["pays"]) for one in told["gains"]] == [
        (True, False),
        (False, False),
    ]


def test_table(run: Run) -> None:
    done = run(*ASK)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("1 pair of games for each setting, seed 0")
    assert "no limit" in done.stdout
    assert "unchanged" in done.stdout


def test_all_scenarios_fit_a_narrow_terminal() -> None:
    one = Played(1234.0, 2345, 0.1954, 1020.0, 12345.0, 1)
    pairs = [(one, one._replace(plays=2400, regret=11111.0))] * 40
    gains = tuple(
        gain_of(scenario, setting, pairs, alpha=0.001)
        for scenario in SCENARIOS
        for setting in scenario.settings
    )
    told = printed(_parts([Drill("trial-anytime", 40, 0, 0.95, gains, 1.0)]), width=80)
    assert "…" not in told
    assert max(map(len, told.splitlines())) <= 80
    assert told.count("→ 11,111 ") == 9  # what a memory saves
    assert told.count("(pays)") == 1 + 7  # the legend, and what is marked
    assert "no memory (pays)" in told
    assert "no memory (old)" not in told


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
