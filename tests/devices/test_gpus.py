"""Which GPU a worker takes: one that no other process has."""

import importlib.util
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from types import SimpleNamespace

import pytest

from copyproof.devices import gpus
from copyproof.devices.gpus import claim
from copyproof.validation import FieldError

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


def a_chip(monkeypatch: pytest.MonkeyPatch, major: int, minor: int) -> None:
    """CuPy on a machine with one GPU of this compute capability."""
    attributes = {"ComputeCapabilityMajor": major, "ComputeCapabilityMinor": minor}
    cuda = SimpleNamespace(
        Device=lambda: SimpleNamespace(attributes=attributes),
        runtime=SimpleNamespace(getDeviceCount=lambda: 1, CUDARuntimeError=RuntimeError),
    )
    monkeypatch.setattr(gpus, "load_cupy", lambda: SimpleNamespace(cuda=cuda))


@pytest.mark.parametrize(
    ("chip", "target"),
    [((7, 5), (7, 5)), ((8, 6), (8, 6)), ((9, 0), (9, 0)), ((10, 0), (9, 0)), ((12, 0), (9, 0))],
)
def test_kernels_are_compiled_for_the_chip_if_it_is_older(
    monkeypatch: pytest.MonkeyPatch, chip: tuple[int, int], target: tuple[int, int]
) -> None:
    a_chip(monkeypatch, *chip)
    assert gpus.why_not() is None
    assert gpus.target() == target


def test_a_chip_that_no_kernel_can_be_made_for_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    a_chip(monkeypatch, 7, 0)
    said = "this GPU has compute capability 7.0, and kernels are made for 7.5 and newer"
    assert gpus.why_not() == said
    assert not gpus.is_there()
    with pytest.raises(FieldError, match=f"^device = 'cuda', but {said}$"):
        gpus.require_device()


def test_an_older_chip_without_a_compiler_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    a_chip(monkeypatch, 8, 0)
    assert "have to be compiled here, by pip install 'copyproof[gpu]'" in str(gpus.why_not())
    a_chip(monkeypatch, 9, 0)
    assert gpus.why_not() is None  # kernels may have been brought along
