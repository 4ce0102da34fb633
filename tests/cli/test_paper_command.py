"""``copyproof paper`` end to end: resumed after kill -9, the same bytes, refusals in one line."""

import json
import os
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Run, Start
from tests.patience import PATIENCE

SMALL = ["--horizon", "2000", "--repetitions", "5"]


def products(folder: Path) -> dict[str, bytes]:
    """Every file's bytes, but for timings: those in the page, and in the runs' manifests."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and not name.startswith(("arrays/", "study.db")):
            lines = path.read_bytes().split(b"\n")
            if name == "index.html":
                lines = [line for line in lines if b"timing" not in line]
            found[name] = b"\n".join(lines)
    return found


def finished(folder: Path) -> int:
    """How many cells a run has committed so far."""
    file = folder / "study.db"
    if not file.exists():
        return 0
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as store:
        try:
            return int(store.execute("SELECT COUNT(*) FROM cells").fetchone()[0])
        except sqlite3.OperationalError:  # its tables are to come
            return 0


@pytest.mark.slow  # the study's own test runs always
def test_killed_and_started_again_it_gives_the_same_bytes(
    tmp_path: Path, run: Run, start: Start
) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    done = run("paper", "--out", str(whole), *SMALL, "--json")
    assert done.returncode == 0, done.stderr
    first = json.loads(done.stdout)
    assert first["played"] > 100

    running = start("paper", "--out", broken, *SMALL)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and finished(broken) == 0:
        time.sleep(0.02)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    done = run("paper", "--out", str(broken), *SMALL, "--json")
    assert done.returncode == 0, done.stderr
    second = json.loads(done.stdout)
    assert 0 < second["played"] < first["played"]
    assert second["claims"] == first["claims"]
    assert products(broken) == products(whole)

    again = json.loads(run("paper", "--out", str(whole), *SMALL, "--json").stdout)
    assert again["played"] == 0
    assert products(broken) == products(whole)


def test_only_some_figures(tmp_path: Path, run: Run) -> None:
    out = tmp_path / "out"
    done = run("paper", "--out", str(out), *SMALL, "--only", "fig2a", "fig2b")
    assert done.returncode == 0, done.stderr
    assert "claim" in done.stdout
    told = " ".join(done.stdout.split())
    assert "* Not the paper's size: T = 2,000 and 5 repetitions instead of 100,000 and 100." in told
    assert {path.stem for path in (out / "figures").iterdir()} == {"fig2a", "fig2b"}
    claims = json.loads((out / "claims.json").read_text())
    assert {claim["claim"] for claim in claims} >= {"5b", "6", "8a"}
    assert set(claims[0]) >= {"claim", "text", "holds", "evidence"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "fig9"], "figure = 'fig9' is not one of fig1a, fig1b, fig2a, fig2b, fig2c"),
        (["fig1a"], "figures are given with --only"),
        (["--horizon", "5"], "horizon = 5 is not a whole number from 100"),
        (["--repetitions", "1"], "repetitions = 1 is not a whole number from 2"),
        (["--seed", "-1"], "seed = -1 is not a whole number from 0"),
        (["--horizon", "many"], "'many' is not a whole number"),
    ],
)
def test_bad_input(arguments: list[str], message: str, tmp_path: Path, run: Run) -> None:
    done = run("paper", "--out", str(tmp_path / "out"), *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


def test_a_folder_of_somebody_else(tmp_path: Path, run: Run) -> None:
    (tmp_path / "index.html").write_text("mine")
    done = run("paper", "--out", str(tmp_path), *SMALL)
    assert done.returncode == 2
    assert "holds something else (index.html)" in done.stderr
    assert (tmp_path / "index.html").read_text() == "mine"


def test_ctrl_c_is_prompt_and_leaves_no_half_file(tmp_path: Path, start: Start) -> None:
    out = tmp_path / "out"
    running = start("paper", "--out", out)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and finished(out) == 0:
        time.sleep(0.05)
    assert finished(out) > 0
    os.kill(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert "interrupted" in said
    assert list(out.rglob("*.tmp")) == []
    assert not (out / "index.html").exists()
