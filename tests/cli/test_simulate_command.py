"""``copyproof simulate`` from end to end."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from copyproof import Renew, Result, Schedule, paper_market, simulate
from copyproof.policy import PAPER_POLICIES
from tests.cli.conftest import Run, Start

SMALL = ("--horizon", "500", "--repetitions", "5", "--seed", "3")
ESTIMATE = {"mean", "std", "stderr"}


def strict(text: str) -> dict[str, Any]:
    """The one JSON object of a text; NaN and its like are refused."""

    def refuse(word: str) -> None:
        raise ValueError(word)

    assert text.endswith("}\n")
    found: dict[str, Any] = json.loads(text, parse_constant=refuse)
    return found


@pytest.fixture(scope="module")
def found(run_process: Run, market: Path) -> dict[str, Any]:
    """Two policies as JSON."""
    policies = ("--policy", "ucb1", "--policy", "rh-ucb(L=3)")
    done = run_process("simulate", market, *policies, *SMALL, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return strict(done.stdout)


def test_json_has_the_promised_fields(found: dict[str, Any]) -> None:
    assert set(found) == {"policies"}
    assert [one["policy"] for one in found["policies"]] == ["ucb1", "rh-ucb(L=3)"]
    for one in found["policies"]:
        promised = {"policy", "regret", "agents", "curve", "seconds", "rounds_per_second"}
        assert set(one) - promised == {
            "resolved_policy", "horizon", "repetitions", "seed", "numerics", "lost"
        }  # fmt: skip
        assert promised < set(one)
        assert set(one["regret"]) == ESTIMATE
        assert set(one["curve"]) == {"round", "regret_mean", "regret_std", "regret_stderr"}
        assert len({len(values) for values in one["curve"].values()}) == 1
        assert all(type(value) is int for value in one["curve"]["round"])
        assert one["curve"]["round"][-1] == 500
        assert one["curve"]["regret_mean"][-1] == pytest.approx(one["regret"]["mean"])
        assert one["curve"]["regret_std"][-1] == pytest.approx(one["regret"]["std"])
        assert one["regret"]["stderr"] == pytest.approx(one["regret"]["std"] / math.sqrt(5))
        assert one["lost"]["share"] == one["lost"]["count"] / one["lost"]["games"]
        assert one["lost"]["games"] == 5
        assert one["seconds"] > 0
        assert one["rounds_per_second"] == pytest.approx(2500 / one["seconds"])


def test_json_has_every_agent_and_zeros_for_who_registers_nothing(found: dict[str, Any]) -> None:
    for one in found["policies"]:
        assert [agent["name"] for agent in one["agents"]] == ["ann", "bob", "hidden"]
        for agent in one["agents"]:
            assert set(agent) - {"name", "revenue", "plays"} == {"utility"}
            assert set(agent["revenue"]) == set(agent["plays"]) == ESTIMATE
        hidden = one["agents"][2]
        assert hidden["revenue"] == hidden["plays"] == dict.fromkeys(ESTIMATE, 0.0)
        assert sum(agent["plays"]["mean"] for agent in one["agents"]) == pytest.approx(500)


def test_json_of_one_repetition_has_null_for_errors(run: Run, market: Path) -> None:
    done = run("simulate", market, "--policy", "h-ucb", "--repetitions", "1", "--json")
    one = strict(done.stdout)["policies"][0]
    assert one["regret"]["std"] is one["regret"]["stderr"] is None
    assert one["agents"][0]["plays"]["std"] is None
    assert set(one["curve"]["regret_std"]) == {None}


def test_the_library_finds_the_same(run: Run) -> None:
    done = run("simulate", "paper:1a:20", "--policy", "h-ucb", *SMALL, "--workers", "1", "--json")
    market = paper_market("1a", copies=20)
    result = simulate(market, "h-ucb", horizon=500, repetitions=5, seed=3).to_dict()
    one = strict(done.stdout)["policies"][0]
    timing = dict.fromkeys(["seconds", "rounds_per_second"])
    assert one | timing == result | timing


def test_the_six_of_the_paper_are_the_default_and_fit_80_columns(run: Run, market: Path) -> None:
    done = run("simulate", market, *SMALL)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "seed 3" in lines[0]
    regrets = lines[4:10]
    assert [line.split("(")[0].split()[0] for line in regrets] == [
        policy.partition("(")[0] for policy in PAPER_POLICIES
    ]
    assert "s-ucb(l=5)" in done.stdout
    assert "share of plays, %" in done.stdout
    assert "revenue" in done.stdout
    assert sum(line.startswith("hidden") for line in lines) == 2


def test_tables_of_one_repetition_say_that_errors_are_not_known(run: Run, market: Path) -> None:
    done = run("simulate", market, "--policy", "h-ucb", "--repetitions", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[4].split()[2] == "-"
    assert "nan" not in done.stdout


def test_names_are_shown_as_they_are_and_many_agents_are_cut(run: Run, tmp_path: Path) -> None:
    agents = [{"name": f"[red]{i}[/] :smile:", "arms": [{"mean": 0.5}]} for i in range(50)]
    path = tmp_path / "market.json"
    path.write_text(json.dumps({"agents": agents}))
    done = run("simulate", path, "--policy", "h-ucb", *SMALL)
    assert "[red]19[/] :smile:" in done.stdout
    assert "[red]20[/]" not in done.stdout
    assert done.stdout.splitlines()[-1] == "30 more agents left out here; --json has all of them"


def test_long_policies_are_called_by_number(run: Run, market: Path) -> None:
    long = "hierarchical(ucb(a=0.5), thompson, sample=fixed(factor=3, power=2))"
    done = run("simulate", market, "--policy", "h-ucb", "--policy", long, *SMALL)
    assert "#2 hierarchical(" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize("suffix", ["png", "svg", "PDF"])
def test_plot(run: Run, market: Path, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"regret.{suffix}"
    done = run("simulate", market, "--policy", "ucb1", "--policy", "h-ucb", *SMALL, "--plot", path)
    assert (done.returncode, done.stderr) == (0, "")
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    if suffix == "png":
        with Image.open(path) as image:
            assert np.asarray(image.convert("L")).std() > 10
    else:
        assert path.read_bytes().startswith(b"<?xml" if suffix == "svg" else b"%PDF-")


def test_save(run: Run, market: Path, tmp_path: Path) -> None:
    path = tmp_path / "runs.npz"
    done = run("simulate", market, "--policy", "h-ucb", *SMALL, "--json", "--save", path)
    one = strict(done.stdout)["policies"][0]
    assert Result.load(path).to_dict() == one


def test_two_runs_at_once_agree_and_leave_one_whole_file(
    start: Start, market: Path, tmp_path: Path
) -> None:
    path = tmp_path / "runs.npz"
    asked = ("simulate", market, "--policy", "prh-ucb", *SMALL, "--json", "--save", path)
    both = [start(*asked), start(*asked)]
    answers = [strict(process.communicate(timeout=120)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    first, second = (answer["policies"][0] for answer in answers)
    assert first["curve"] == second["curve"]
    assert [file.name for file in tmp_path.iterdir()] == ["runs.npz"]
    assert Result.load(path).horizon == 500


def test_progress_is_silent_where_nobody_watches(run: Run, market: Path) -> None:
    done = run("simulate", market, "--policy", "ucb1", "--horizon", "300000", "--json")
    assert done.stderr == ""


def test_means_with_a_prior_are_drawn(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "drawn.toml"
    file.write_text(
        'agents = [{ name = "ann", arms = [{ prior = { beta = [2, 5] } }] }, '
        '{ name = "bob", arms = [{ prior = { uniform = [0.2, 0.6] }, copies = 3 }] }]'
    )
    game = ("--policy", "h-ucb", "--horizon", "50", "--repetitions", "8", "--seed", "1")
    done = run("simulate", file, *game)
    assert (done.returncode, done.stderr) == (0, "")
    assert "expected best mean, over the draws of the means: 0." in done.stdout
    (found,) = strict(run("simulate", file, *game, "--json").stdout)["policies"]
    assert set(found["best_mean"]) == {"mean", "std", "stderr"}
    for command in ("exact", "bounds", "equilibrium"):
        refused = run(command, file, "--policy", "h-ucb", "--horizon", "5")
        said = f"error: agents[0].arms[0] has a prior: {command} takes known means only\n"
        assert (refused.returncode, refused.stdout, refused.stderr) == (2, "", said)


def test_a_comparison_is_printed_and_in_the_json(run: Run) -> None:
    asked = ("simulate", "paper:1a:20", "--policy", "ucb1", "--policy", "h-ucb", "--compare")
    size = ("--horizon", "500", "--repetitions", "100", "--seed", "3")
    done = run(*asked, *size)
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 80
    tail = done.stdout.partition("regret on paper:1a:20: T = 500, 100 games, seed 3")[2]
    assert "h-ucb    better than   ucb1" in tail
    assert "Limits hold with 95 %" in tail
    found = strict(run(*asked, *size, "--json").stdout)
    assert set(found) == {"policies", "comparison"}
    (one,) = found["comparison"]["differences"]
    assert (one["policy"], one["against"], one["verdict"]) == ("h-ucb", "ucb1", "better")
    regret = {one["policy"]: one["regret"]["mean"] for one in found["policies"]}
    assert one["by"] == pytest.approx(regret["ucb1"] - regret["h-ucb"])
    assert one["low"] < one["by"] < one["high"]


def test_what_cannot_be_compared_is_refused_before_it_is_played(run: Run) -> None:
    endless = ("--horizon", "100000000000", "--compare")
    done = run("simulate", "paper:1a", "--policy", "ucb1", *endless)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--compare takes two policies or more" in done.stderr
    done = run("simulate", "paper:1a", "--policy", "ucb1", "--policy", "ucb1", *endless)
    assert done.returncode == 2
    assert "--policy = ucb1 is given twice" in done.stderr


MINE = """
class Rule:
    def __init__(self, arms, *, owners, horizon, seed, place=0):
        self.arm = arms[place]

    def choose(self):
        return self.arm

    def learn(self, arm, reward):
        pass
"""


def test_external_policies_beside_ours(run: Run, market: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    mine, saved = f"{tmp_path}/mine.py:Rule(place=1)", tmp_path / "x.npz"
    asked = ("--policy", "river:UCB(delta=1)", "--policy", "ucb1", "--policy", mine)
    done = run("simulate", market, *asked, *SMALL, "--json", "--plot", tmp_path / "x.svg")
    assert (done.returncode, done.stderr) == (0, "")
    theirs, ours, one = strict(done.stdout)["policies"]
    assert [theirs["policy"], ours["policy"], one["policy"]] == list(asked[1::2])
    assert set(theirs) == set(ours) == set(one)
    assert theirs["curve"]["round"] == ours["curve"]["round"]
    assert one["agents"][0]["plays"]["mean"] == 500
    alone = run("simulate", market, "--policy", mine, *SMALL, "--json", "--save", saved)
    again = Result.load(saved).to_dict()
    for found in (strict(alone.stdout)["policies"][0], again):
        different = {name for name in one if found[name] != one[name]}
        assert different <= {"seconds", "rounds_per_second"}
    table = run("simulate", market, "--policy", "river:UCB(delta=1)", *SMALL).stdout
    assert "river:UCB(delta=1)" in table


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("river:UCV", "policy = 'river:UCV': UCV is not one of the classes of river.bandit"),
        ("missing.py:Rule", "policy = 'missing.py:Rule': there is no file missing.py"),
    ],
)
def test_an_external_policy_that_is_not_there(
    run: Run, market: Path, policy: str, message: str
) -> None:
    done = run("simulate", market, "--policy", "ucb1", "--policy", policy, *SMALL)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_renewals_are_those_of_a_schedule(run: Run, market: Path) -> None:
    rules = ("--renew", "ann after=1", "--renew", "bob below=0.5")
    done = run("simulate", market, "--policy", "ucb1", *SMALL, *rules, "--json")
    assert done.returncode == 0, done.stderr
    [one] = strict(done.stdout)["policies"]
    schedule = Schedule(renewals=[Renew("ann", after=1), Renew("bob", below=0.5)])
    how: dict[str, Any] = {"horizon": 500, "repetitions": 5, "seed": 3}
    expected = simulate(market, "ucb1", schedule=schedule, **how)
    assert one["agents"] == [agent.to_dict() for agent in expected.agents]
    assert one["regret"] != simulate(market, "ucb1", **how).regret.to_dict()


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("ann", "is not 'AGENT after=PLAYS' or 'AGENT below=MEAN'"),
        ("ann often=1", "is not 'AGENT after=PLAYS' or 'AGENT below=MEAN'"),
        ("ann after=1.5", "1.5 is not whole"),
        ("ann after=0", "after = 0"),
        ("amy after=1", "'amy' is not one of 'ann', 'bob', 'hidden'"),
    ],
)
def test_a_wrong_renewal_is_one_line(run: Run, market: Path, rule: str, said: str) -> None:
    done = run("simulate", market, "--policy", "ucb1", *SMALL, "--renew", rule)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_game_is_stopped(run: Run) -> None:
    asked = ("simulate", "paper:1a:5", "--policy", "trial", *SMALL, "--stop", "100")
    done = run(*asked, "--json")
    [found] = strict(done.stdout)["policies"]
    result = simulate("paper:1a:5", "trial", horizon=500, repetitions=5, seed=3, stop=100)
    assert (found["horizon"], found["stop"], found["lost"]) == (500, 100, None)
    assert found["regret"]["mean"] == result.regret.mean
    assert sum(agent["plays"]["mean"] for agent in found["agents"]) == pytest.approx(100)
    assert "500 rounds, stopped after 100, 5 repetitions" in run(*asked).stdout
    refused = run(*asked, "--policy", "ucb1", "--compare")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.count("\n") == 1
    assert "--stop = 100 is not for whole games" in refused.stderr
