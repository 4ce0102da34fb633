"""The blocking client is what ``make clients`` makes of the asynchronous one."""

import pytest

from tools import clients


@pytest.mark.parametrize("source", list(clients.TWINS))
def test_the_blocking_twin_is_up_to_date(source: str) -> None:
    made = (clients.PYTHON / clients.TWINS[source]).read_text(encoding="utf-8")
    assert made == clients.blocking(clients.PYTHON / source), "run `make clients`"
