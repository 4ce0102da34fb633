"""A plugin of pytest for ``make quick``: tests that have not begun in time are left out, aloud."""

import os
import time

import pytest

from tools.quick import LIMIT, UNTIL


def pytest_runtest_setup() -> None:
    """Skip what comes too late; the end of the run says how many tests that were."""
    if time.time() > float(os.environ[UNTIL]):
        pytest.skip(f"UNCHECKED: not begun within {LIMIT:g} s; make test runs everything")
