"""Markets by name: files, the paper's, and what is neither."""

import re
from pathlib import Path
from typing import Any

import pytest

from copyproof import Agent, Market, paper_market, write_market
from copyproof.game import as_market
from copyproof.validation import FieldError

MARKET = Market([Agent("ann", [0.5], copies=[7]), Agent("bob", [0.9])])


def test_a_market_is_taken_as_it_is() -> None:
    assert as_market(MARKET) is MARKET


def test_a_file_by_its_path(tmp_path: Path) -> None:
    for name in ("market.toml", "market.json"):
        write_market(MARKET, tmp_path / name)
        assert as_market(tmp_path / name) == as_market(str(tmp_path / name)) == MARKET


def test_a_market_of_the_paper() -> None:
    assert as_market("paper:2a") == paper_market("2a")
    assert as_market("paper:1a:100") == paper_market("1a", copies=100)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (5, "market = 5 is not a Market, the path of a market file, or paper:FIGURE"),
        (None, "market = None is not a Market, the path"),
        (b"market.toml", "market = b'market.toml' is not a Market, the path"),
        ([Agent("ann", [0.5])], "market = [Agent("),
        ("paper:9z", "figure = '9z' is not one of 1a, 1b, 2a, 2b, 2c"),
        ("paper:1a:many", "paper:1a:many: copies = 'many' is not a whole number"),
        ("missing.toml", "missing.toml: cannot be read: No such file or directory"),
        (Path("paper:2a"), "paper:2a: cannot be read: No such file or directory"),
    ],
)
def test_anything_else_is_refused(given: Any, message: str) -> None:
    with pytest.raises(FieldError, match=re.escape(message)):
        as_market(given)
