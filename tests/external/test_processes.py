"""Processes: no effect on results, prompt ends, deaths noticed."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from copyproof import ExternalPolicy, function_policy, paper_market, simulate
from copyproof.external import ExternalError, named_policy, processes
from copyproof.simulation import Repetitions, play
from tests.external.learners import Dies
from tests.patience import PATIENCE, wait_until

MARKET = paper_market("1a", copies=3)
HOW: dict[str, Any] = {"horizon": 150, "seed": 5, "first": 10, "count": 11}
FILE = f"{Path(__file__).with_name('learners.py')}:Scripted(step=2)"


def same(one: Repetitions, other: Repetitions) -> bool:
    names = ("revenue", "plays", "original_plays", "regret_curves")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


@pytest.mark.parametrize("workers", [2, 3, 20])
def test_the_number_of_processes_changes_nothing(workers: int) -> None:
    simulate(MARKET, "ucb1", horizon=100, repetitions=4, seed=1)  # threads, before forks
    policy = function_policy(lambda tally: tally.rng.choice(tally.arms), name="random")
    told: list[int] = []
    alone = play(MARKET, policy, workers=1, **HOW)
    assert same(alone, play(MARKET, policy, workers=workers, progress=told.append, **HOW))
    assert told == sorted(told)
    assert told[-1] == 150 * 11
    part = play(MARKET, policy, workers=workers, **(HOW | {"first": 14, "count": 3}))
    assert np.array_equal(part.revenue, alone.revenue[4:7])


def test_spawned_processes_make_the_policy_from_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = named_policy(FILE)
    assert isinstance(policy, ExternalPolicy)
    alone = play(MARKET, policy, workers=1, **HOW)
    monkeypatch.setattr(processes, "start_method", lambda: "spawn")
    assert same(alone, play(MARKET, policy, workers=2, **HOW))


def test_what_cannot_be_sent_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "start_method", lambda: "spawn")
    policy = function_policy(lambda tally: tally.arms[0], name="mine")
    message = "workers = 2: policy 'mine' cannot be sent to another process ("
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        play(MARKET, policy, workers=2, **HOW)
    assert "give workers = 1" in str(caught.value)
    assert play(MARKET, policy, workers=1, **HOW).plays[:, 0].min() == 150


def test_a_process_that_dies_is_noticed() -> None:
    # Both processes die; which of them is noticed first is theirs.
    message = (
        r"policy 'dies': repetitions (1\d) to \1: the process that played them ended with exit c"
    )
    with pytest.raises(ExternalError, match=message) as caught:
        play(MARKET, ExternalPolicy("dies", Dies), workers=2, **HOW)
    assert str(caught.value).endswith("code 7")


SLOW = """
import os, sys, time
from copyproof import function_policy, paper_market
from copyproof.simulation import play

def choose(tally):
    if tally.round == 1:
        open(os.path.join(sys.argv[1], str(os.getpid())), "w").close()
    time.sleep(float(sys.argv[2]))
    return tally.arms[0]

how = {"horizon": 10**6, "seed": 1, "first": 0, "count": 8, "workers": 2}
try:
    play(paper_market("1a"), function_policy(choose), **how)
except KeyboardInterrupt:
    print("interrupted")
"""


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has waited for does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
@pytest.mark.parametrize("seconds", ["0.005", "1000"])  # slow, and one that never answers
@pytest.mark.parametrize("how", ["group", "parent", "kill"])
def test_ctrl_c_ends_all_processes(tmp_path: Path, how: str, seconds: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, str(tmp_path), seconds],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + PATIENCE
    while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    workers = [int(path.name) for path in tmp_path.iterdir()]
    assert len(workers) == 2
    if how == "group":  # what a terminal does
        os.killpg(process.pid, signal.SIGINT)
    else:
        process.send_signal(signal.SIGINT if how == "parent" else signal.SIGKILL)
    out, _ = process.communicate(timeout=PATIENCE)  # the workers hold its standard output, too
    assert out == ("" if how == "kill" else "interrupted\n")
    wait_until(lambda: not any(alive(pid) for pid in workers))
