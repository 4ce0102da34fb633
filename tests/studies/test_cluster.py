"""Dask: the same bytes as on threads, whatever dies, and nothing that hangs."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import distributed
import pytest

from copyproof import Study
from copyproof.devices.gpus import is_there
from copyproof.studies import assembly, cluster
from copyproof.studies.run import Progress
from copyproof.studies.status import status_of
from copyproof.validation import FieldError
from tests.studies.studies import small_study, table_digest


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with cluster.open_cluster("local", 2) as found:
        yield found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    small_study().run(folder)
    return folder


def test_a_client_gives_the_same_bytes(client: Any, whole: Path, tmp_path: Path) -> None:
    told: list[Progress] = []
    study = small_study().run(tmp_path, cluster=client, progress=told.append)
    assert study.summary.played == 18
    assert table_digest(tmp_path) == table_digest(whole)
    assert told[-1].rounds == told[-1].total
    assert client.status == "running"  # it is the caller's


def test_workers_decide_what_they_play_on(client: Any, whole: Path, tmp_path: Path) -> None:
    small_study().run(tmp_path, cluster=client, device="auto")
    assert table_digest(tmp_path) == table_digest(whole)


@pytest.mark.skipif(is_there(), reason="this machine has a GPU")
def test_a_worker_without_a_gpu_says_so(client: Any, tmp_path: Path) -> None:
    with pytest.raises(FieldError, match="device = 'cuda', but "):
        small_study(horizons=[100]).run(tmp_path, cluster=client, device="cuda")


def test_of_a_mixed_cluster_workers_with_a_gpu_are_given_work() -> None:
    with (
        distributed.LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=1, processes=False, resources={"GPU": 1}, dashboard_address=None
        ) as mixed,
        distributed.Client(mixed) as client,  # type: ignore[no-untyped-call]
    ):
        assert cluster.needed(client, "cuda") == {"GPU": 1}
        assert cluster.needed(client, "auto") is None


def test_an_address_and_arrays(client: Any, tmp_path: Path) -> None:
    address = client.scheduler.address
    here, there = tmp_path / "here", tmp_path / "there"
    small_study(arrays=True).run(here)
    small_study(arrays=True).run(there, cluster=address)
    assert table_digest(there) == table_digest(here)
    assert len(list((there / "arrays").iterdir())) == 18


def test_a_worker_killed_again_and_again_changes_nothing(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_BATCH_ROUNDS", 300_000)
    monkeypatch.setattr(assembly, "EVERY", 0.0)
    killed: list[int] = []
    with cluster.open_cluster("local", 2) as client:
        ended = threading.Event()

        def kill() -> None:
            while not ended.wait(0.7) and len(killed) < 2:
                for worker in list(client.cluster.workers.values())[:1]:
                    process = worker.process
                    if process is not None and process.pid is not None:
                        os.kill(process.pid, signal.SIGKILL)
                        killed.append(process.pid)

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            small_study().run(tmp_path, cluster=client)
        finally:
            ended.set()
            killer.join()
    assert killed
    assert table_digest(tmp_path) == table_digest(whole)


def test_a_cell_that_kills_its_workers_fails_alone(tmp_path: Path) -> None:
    (tmp_path / "deadly.py").write_text(
        "import os\n\n\ndef rule(arms, *, owners, horizon, seed):\n    os._exit(1)\n"
    )
    (tmp_path / "study.toml").write_text(
        'policies = ["deadly.py:rule", "h-ucb"]\nmarkets = ["paper:1a", "paper:2a"]\n'
        "horizons = 50\nrepetitions = 2\nseed = 1\n"
    )
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        study = Study.read(tmp_path / "study.toml").run(
            tmp_path / "out", cluster="local", workers=1
        )
    assert (study.status.done, study.status.failed) == (2, 2)
    assert "the workers that played it died, again and again" in study.failures[0]


def test_an_interrupt_leaves_a_folder_that_goes_on(
    client: Any, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_BATCH_ROUNDS", 300_000)

    def interrupt(now: Progress) -> None:
        if now.rounds > now.total // 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        small_study().run(tmp_path, cluster=client, progress=interrupt)
    before = status_of(tmp_path)[0]
    assert 0 < before.open < 18
    assert small_study().run(tmp_path).summary.played == 18 - before.done
    assert table_digest(tmp_path) == table_digest(whole)


def test_a_worker_of_another_version_is_said(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "engine_digest", lambda: "another")
    with pytest.raises(RuntimeError, match="a worker of the cluster has another version"):
        small_study(horizons=[100]).run(tmp_path, cluster=client)


RULE = """
class Rule:
    def __init__(self, arms, *, owners, horizon, seed):
        self.arm = arms[{place}]

    def choose(self):
        return self.arm

    def learn(self, arm, reward):
        pass
"""


def test_a_rule_that_was_edited_is_played_as_it_is_now(client: Any, tmp_path: Path) -> None:
    """Workers live longer than a version of somebody's rule."""
    (tmp_path / "study.toml").write_text(
        'policies = ["mine.py:Rule"]\nmarkets = ["paper:1a"]\n'
        "horizons = 10\nrepetitions = 4\nseed = 1\n"
    )
    for place, regret in ((0, 4.0), (-1, 0.0)):  # the worst agent is the first, the best the last
        (tmp_path / "mine.py").write_text(RULE.format(place=place))
        study = Study.read(tmp_path / "study.toml").run(tmp_path / "out", cluster=client)
        assert study.summary.played == 1
        assert study.frame()["regret_mean"].round(9).tolist() == [regret]


def test_a_worker_with_another_rule_refuses(client: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(RULE.format(place=0))
    study = Study([f"{tmp_path}/mine.py:Rule"], ["paper:1a"], horizons=10, repetitions=4, seed=1)
    (tmp_path / "mine.py").write_text(RULE.format(place=-1))
    with pytest.raises(
        RuntimeError, match=r"^a worker of the cluster refuses: policy '.*Rule' is "
    ):
        study.run(tmp_path / "out", cluster=client)


def test_nobody_answers(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no scheduler answers there"):
        small_study().run(tmp_path, cluster="tcp://127.0.0.1:1")
    with pytest.raises(ValueError, match="cluster = 3 is not local, an address"):
        small_study().run(tmp_path, cluster=3)  # type: ignore[arg-type]


def test_a_cluster_without_workers_says_so_and_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(cluster, "_LOOK", 0.2)
    monkeypatch.setattr(cluster, "_SAY_AGAIN", 0.5)
    dask_distributed: Any = distributed  # it has no types
    empty = dask_distributed.LocalCluster(
        n_workers=0, threads_per_worker=1, dashboard_address="127.0.0.1:0"
    )
    with empty, dask_distributed.Client(empty) as client:
        workers = threading.Timer(2.0, empty.scale, [1])
        workers.start()
        study = small_study(horizons=[100]).run(tmp_path, cluster=client)
        workers.join()
    assert study.status.done == 9
    lines = [one.getMessage() for one in caplog.records if one.name == "copyproof.studies"]
    assert lines[0] == f"the cluster at {empty.scheduler_address} has no workers: waiting"
    assert lines[1].startswith(f"{lines[0]}, for ")
    assert "workers have come to the cluster: going on" in lines


@pytest.mark.slow
def test_workers_of_one_machine_compile_once(tmp_path: Path) -> None:
    """Two processes that start together with an empty cache: one compiles, one waits."""
    code = (
        "import time\n"
        "from copyproof.simulation.slices import compile_once\n"
        "from copyproof.engine.play import play\n"
        "compile_once()\n"
        "print(sum(play.stats.cache_misses.values()))\n"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    begun = [
        subprocess.Popen(
            [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    misses = sorted(process.communicate(timeout=600)[0].strip() for process in begun)
    assert misses == ["0", "1"]


@pytest.mark.slow
def test_memory_of_the_driver_does_not_grow_with_repetitions(tmp_path: Path) -> None:
    """Ten times the repetitions: what the driver holds at its peak is the same."""

    def peak(repetitions: int) -> float:
        code = (
            "import resource\n"
            "from copyproof import RandomMarkets, Study\n"
            "from copyproof.studies import cells\n"
            "cells._SLICE_ROUNDS = 2_000\n"
            "study = Study(['h-ucb'], [RandomMarkets(count=1)], horizons=100, seed=1,\n"
            f"    repetitions={repetitions}, measure=['regret', 'revenue', 'shares'])\n"
            f"study.run({str(tmp_path / str(repetitions))!r}, workers=2)\n"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return float(done.stdout)

    few, many = peak(4_000), peak(80_000)
    assert many < few + 12  # MB; the sums of 3,800 more slices alone would be 20
