"""Property tests draw the same examples in every run, and are never judged by the clock."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from tests.postgres import Server

settings.register_profile("copyproof", deadline=None, derandomize=True)
settings.load_profile("copyproof")


@pytest.fixture(scope="session")
def postgres() -> "Iterator[Server]":
    """A PostgreSQL server, started when a test first asks for it; ``new_url()`` for each."""
    from tests.postgres import running

    yield from running()
