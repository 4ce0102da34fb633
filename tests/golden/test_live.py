"""Live decisions have not moved: a session of every kind of request stores what it stored."""

from pathlib import Path

import pytest

from copyproof.live.stores import open_store
from tests.golden.live.generate import MARKETS, Session, lines_of

FOLDER = Path(__file__).parent / "live"


@pytest.mark.parametrize("market", MARKETS)
def test_the_same_requests_store_the_same_journal(market: str) -> None:
    """If decisions have to move, renew the files (``generate``) and say so in the changelog."""
    with open_store("memory:") as store:
        Session(store, market).play()
        assert lines_of(store, market) == (FOLDER / f"{market}.ndjson").read_bytes()
