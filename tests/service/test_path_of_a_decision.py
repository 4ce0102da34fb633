"""How many of our modules one warm HTTP decision enters, and which: the fewer, the easier to read.

Every Python function that is called on any thread between the request and its answer is noted by
a profiler; a module is a file of ours.
"""

import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import copyproof
from copyproof.live.stores import open_store
from tests.service.conftest import filled
from tests.service.serving import Caller, serving

SOURCES = Path(copyproof.__file__).parent
ASK = "/v1/markets/site/decisions"
SERVICE = ["protocol", "gateway", "observation", "leases", "access", "writer", "admission"]
SERVICE += ["bodies", "leadership", "committer", "snapshots", "metrics"]
"""The service's part of the way, in order: the connection; what is noted; whether what is known
may be answered; key, rate, role; whether the market is served here, and a place among its requests;
the body, parsed; who serves the market; the committer of all markets; whether a snapshot is due;
and what is counted."""


class Profile:
    """The files of ours that were entered, in order."""

    def __init__(self) -> None:
        self.is_on = False
        self.files: dict[Path, None] = {}

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if self.is_on and event == "call":
            file = Path(frame.f_code.co_filename)
            if SOURCES in file.parents:
                self.files[file] = None


@pytest.fixture(scope="module")
def entered(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The modules that one decision enters, in order."""
    profile = Profile()
    threading.setprofile(profile)  # for threads to come: those of the service
    try:
        with open_store(f"sqlite:{tmp_path_factory.mktemp('path') / 'live.db'}") as store:
            key = filled(store)["operator"]
            with serving(store) as running:
                call = Caller(running.url, key)
                for _ in range(20):
                    call("POST", ASK, {})
                return min((_decide(call, profile) for _ in range(5)), key=len)
    finally:
        threading.setprofile(None)


def _decide(call: Caller, profile: Profile) -> list[str]:
    """Make one decision; others of the service's threads may come in between."""
    time.sleep(0.3)
    profile.files.clear()
    profile.is_on = True
    assert call("POST", ASK, {}).status == 200
    time.sleep(0.01)  # for what is counted after the answer
    profile.is_on = False
    return [_name(file) for file in profile.files]


def test_the_part_of_the_service(entered: list[str]) -> None:
    prefix = "copyproof.service."
    found = [name.removeprefix(prefix) for name in entered if name.startswith(prefix)]
    assert found == SERVICE


def test_one_decision_enters_few_modules(entered: list[str]) -> None:
    assert len(entered) <= 30, entered


def _name(file: Path) -> str:
    return ".".join(("copyproof", *file.relative_to(SOURCES).with_suffix("").parts))
