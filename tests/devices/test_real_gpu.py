"""The same conformance on a real GPU. Without one every test here says so.

``COPYPROOF_NEEDS_GPU=1`` makes them fail instead, on machines that are meant to have one.
"""

import os
from collections.abc import Sequence

import pytest

from copyproof import simulate
from copyproof.devices.gpus import why_not
from copyproof.devices.together import Portion, fill_together
from tests.devices.conformance import DeviceConformance


@pytest.fixture(autouse=True)
def gpu() -> None:
    reason = why_not()
    if reason is not None:
        said = f"NOTHING WAS PLAYED ON A GPU: {reason}"
        pytest.fail(said) if os.environ.get("COPYPROOF_NEEDS_GPU") else pytest.skip(said)


class TestGPU(DeviceConformance):
    def play(self, portions: Sequence[Portion]) -> list[int]:
        return fill_together(portions)[1]


def test_the_time_of_the_device_is_measured() -> None:
    found = simulate("paper:1a", "h-ucb", horizon=10_000, repetitions=1000, seed=1, device="cuda")
    assert 0 < found.seconds < 10
