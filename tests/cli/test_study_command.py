"""``copyproof study`` end to end: killed and resumed, refused, failed, reported."""

import json
import random
import signal
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from copyproof.studies.status import status_of
from tests.browser import check_report
from tests.cli.conftest import Run, Start
from tests.patience import PATIENCE
from tests.studies.studies import study_file, table_digest


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return study_file(tmp_path_factory.mktemp("study"), count=8, repetitions=40)


@pytest.fixture(scope="module")
def whole(file: Path, run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole")
    done = run("study", "run", file, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["cells"], answer["done"], answer["failed"]) == (24, 24, 0)
    assert answer["played"] == 24
    return out


def wait_for(folder: Path, cells: int) -> None:
    """Until so many cells are done."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            if status_of(folder)[0].done >= cells:
                return
        except ValueError:  # there is no folder yet
            pass
        time.sleep(0.02)
    raise AssertionError("the study does not go on")


def test_killed_twice_it_gives_the_same_bytes(
    file: Path, whole: Path, tmp_path: Path, run: Run, start: Start
) -> None:
    moments = random.Random(7)
    out = tmp_path / "out"
    for cells in (1, 12):
        running = start("study", "run", file, "--out", out, "--workers", "2")
        wait_for(out, cells)
        time.sleep(moments.random() * 0.4)
        running.send_signal(signal.SIGKILL)
        running.communicate()
    assert not (out / "results.parquet").exists()
    done = run("study", "run", file, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    assert 0 < json.loads(done.stdout)["played"] < 24
    assert table_digest(out) == table_digest(whole)


def test_an_interrupt_leaves_a_folder_that_goes_on(
    file: Path, whole: Path, tmp_path: Path, run: Run, start: Start
) -> None:
    out = tmp_path / "out"
    running = start("study", "run", file, "--out", out)
    wait_for(out, 3)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert said == "interrupted\n"
    assert run("study", "run", file, "--out", out).returncode == 0
    assert table_digest(out) == table_digest(whole)


def test_two_at_once_are_refused(file: Path, tmp_path: Path, run: Run, start: Start) -> None:
    out = tmp_path / "out"
    running = start("study", "run", file, "--out", out)
    wait_for(out, 1)
    running.send_signal(signal.SIGSTOP)  # so that it is not done before the others have asked
    second = run("study", "run", file, "--out", out)
    status = json.loads(run("study", "status", out, "--json").stdout)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    assert (second.returncode, second.stderr) == (2, f"error: {out} is in use by another process\n")
    assert status["running"]
    assert status["cells"] == 24
    assert not json.loads(run("study", "status", out, "--json").stdout)["running"]


def test_status_and_report(whole: Path, run: Run) -> None:
    status = run("study", "status", whole)
    assert status.stdout == "24 cells: 24 done, 0 failed, 0 open\n"
    told = run("study", "report", whole)
    assert told.returncode == 0, told.stderr
    assert "least in" in told.stdout
    assert "\nLeast in: the number of cells in which it is 1.\n" in told.stdout
    assert told.stdout.rstrip().endswith(f"{whole}/report.html")
    page = (whole / "report.html").read_text()
    assert "Performance profile" in page or "data:image/svg+xml" in page
    answer = json.loads(run("study", "report", whole, "--json").stdout)
    assert [row["policy"] for row in answer["tables"][0]["rows"]] == ["ucb1", "h-ucb", "trial"]
    assert (whole / "report.html").read_text() == page
    assert "geometric mean over markets. Least in: " in page


def test_the_report_in_a_browser(whole: Path, run: Run, browser: Browser) -> None:
    assert run("study", "report", whole).returncode == 0
    check_report(browser, whole / "report.html", "report-study")


def test_failures_are_listed_and_the_status_is_1(tmp_path: Path, run: Run) -> None:
    (tmp_path / "mine.py").write_text("def rule(arms, *, owners, horizon, seed):\n    1 / 0\n")
    path = tmp_path / "study.toml"
    path.write_text(
        'policies = ["mine.py:rule", "h-ucb"]\nmarkets = ["paper:1a"]\nhorizons = 50\n'
        "repetitions = 2\nseed = 1\n"
    )
    done = run("study", "run", path, "--out", tmp_path / "out")
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("failed: mine.py:rule on paper:1a, T = 50: ")
    assert "ZeroDivisionError" in line
    answer = json.loads(run("study", "status", tmp_path / "out", "--json").stdout)
    assert (answer["done"], answer["failed"]) == (1, 1)
    assert answer["failures"][0]["policy"] == "mine.py:rule"
    report = run("study", "report", tmp_path / "out")
    assert report.returncode == 0, report.stderr


def test_another_study_in_a_folder_is_said(tmp_path: Path, run: Run) -> None:
    text = 'markets = ["paper:1a"]\nhorizons = 50\nrepetitions = 2\nseed = 1\n'
    path, out = tmp_path / "study.toml", tmp_path / "out"
    path.write_text(f'policies = ["ucb1", "h-ucb"]\n{text}')
    assert run("study", "run", path, "--out", out).stderr == ""
    path.write_text(f'policies = ["trial"]\n{text}')
    done = run("study", "run", path, "--out", out)
    assert done.returncode == 0
    assert done.stderr == "2 cells kept in the folder are not in this study\n"
    assert json.loads(run("study", "run", path, "--out", out, "--json").stdout)["others"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "none.toml", "--out", "OUT"], "none.toml cannot be read: No such file"),
        (["run", "FILE", "--out", "OUT", "--workers", "0"], "workers = 0 is not a whole number"),
        (["run", "FILE", "--out", "OUT", "--cluster", "mars"], "cluster = 'mars'"),
        (["status", "OUT"], "is not the folder of a study"),
        (["report", "OUT"], "is not the folder of a study"),
        (["run", "FILE"], "Missing option '--out'"),
    ],
)
def test_bad_input(
    arguments: list[str], message: str, file: Path, tmp_path: Path, run: Run
) -> None:
    places = {"FILE": str(file), "OUT": str(tmp_path / "out")}
    done = run("study", *(places.get(one, one) for one in arguments))
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
