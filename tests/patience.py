"""How long tests wait for what takes a moment on a quiet machine: long enough for a loaded one."""

import time
from collections.abc import Callable

PATIENCE = 120.0  # seconds


def wait_until(holds: Callable[[], object], pause: float = 0.02) -> None:
    """Wait until something holds, and fail when patience ends."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(pause)
