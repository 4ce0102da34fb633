"""``copyproof inspect`` as people and scripts meet it."""

import json
from pathlib import Path

import pytest

from copyproof import read_market
from tests.cli.conftest import Run
from tests.inspect.logs import copied_rows, write


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("log") / "log.parquet", copied_rows(plays=60))


def test_json(run: Run, log: Path, tmp_path: Path) -> None:
    done = run(
        "inspect", log, "--agent", "agent", "--arm", "arm", "--reward", "reward", "--time", "time",
        "--content", "text", "--policy", "ucb1", "--repetitions", "39", "--json",
        "--report", tmp_path / "page.html", "--market", tmp_path / "market.toml",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert {"rows", "agents", "groups", "market", "answers"} <= set(found)
    assert found["rows"] == 60 * 22
    assert {one["name"]: one["copies"] for one in found["agents"]} == {"ann": 9, "bob": 0, "cid": 0}
    assert read_market(tmp_path / "market.toml").agent("ann").registered == 20
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    command = (
        "copyproof inspect log.parquet --agent agent --arm arm --reward reward --time time "
        "--content text --policy ucb1 --repetitions 39"
    )
    assert command in page


def test_table(run: Run, log: Path) -> None:
    done = run("inspect", log, "--content", "text", "--repetitions", "0")
    assert done.returncode == 0
    assert "1 agent holds 9 copies" in done.stdout
    assert "rewards agree with one mean" in done.stdout
    stricter = run("inspect", log, "--content", "text", "--repetitions", "0", "--similar", "1")
    assert "no copies found" in stricter.stdout


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--reward", "rewards"], "--reward = 'rewards' is not a column of"),
        (["--content", "title"], "agent, arm, reward, time, text: say --content COL"),
        (["--range", "1,-1"], "--range = '1,-1' is not two numbers LOW,HIGH with LOW < HIGH"),
        (["--report", "page.txt"], "does not end in .html"),
        (["--market", "market.txt"], "ends neither in .toml nor in .json"),
        (["--similar", "2"], "--similar = 2.0 is not in (0, 1]"),
        (["--policy", "ucb7"], "ucb7"),
    ],
)
def test_bad_input(run: Run, log: Path, more: list[str], said: str) -> None:
    done = run("inspect", log, *more)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_range_is_part_of_the_command(run: Run, log: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = run("inspect", log, "--range", "-1,2", "--repetitions", "0", "--report", page)
    assert done.returncode == 0
    assert "Rewards lie from -1 to 2" in " ".join(done.stdout.split())
    assert "--range -1,2" in page.read_text(encoding="utf-8")


def test_the_log_is_not_overwritten(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "log.html"
    path.write_text("agent,arm,reward\nann,a,1\n")
    done = run("inspect", path, "--report", path)
    assert done.returncode == 2
    assert "would overwrite the log" in done.stderr
