"""Which GPU a worker takes: one that no other process has."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from types import SimpleNamespace

import pytest

from copyproof.devices import gpus
from copyproof.devices.gpus import claim

CODE = """
import sys
from copyproof.devices.gpus import claim
print(claim(sys.argv[1:]), flush=True)
sys.stdin.read()
"""


def worker(*places: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", CODE, *places],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def taken(process: "subprocess.Popen[str]") -> int:
    assert process.stdout is not None
    return int(process.stdout.readline())


def test_every_process_has_a_gpu_of_its_own_until_it_ends() -> None:
    places = ["test:one", "test:two"]
    workers = [worker(*places) for _ in places]
    try:
        numbers = [taken(one) for one in workers]
        assert sorted(numbers) == [0, 1]
        assert claim(places) in (0, 1)  # both are taken: one of them is shared
        gone = numbers.index(1)
        workers[gone].communicate("")
        assert claim(["test:two"]) == 0
    finally:
        for one in workers:
            one.communicate("") if one.poll() is None else None


def test_threads_of_one_process_take_one_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """All ask at once: with two claims, the process would have two GPUs."""
    asked, both = [], Barrier(2)

    def slow_claim(places: list[str]) -> int:
        asked.append(places)
        return len(asked) - 1

    def bus_id(number: int) -> SimpleNamespace:
        return SimpleNamespace(pci_bus_id=f"test:{number}")

    cuda = SimpleNamespace(Device=bus_id)
    monkeypatch.setattr(gpus, "load_cupy", lambda: SimpleNamespace(cuda=cuda))
    monkeypatch.setattr(gpus, "count", lambda: 2)
    monkeypatch.setattr(gpus, "claim", slow_claim)
    monkeypatch.setattr(gpus, "_TAKEN", [])

    def ask(_: int) -> int:
        both.wait()
        return gpus._claimed()

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(ask, range(2))) == [0, 0]
    assert asked == [["test:0", "test:1"]]
