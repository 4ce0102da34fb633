"""Markets by name: what a function or a command may be given in the place of a ``Market``."""

import os
from typing import TypeAlias

from copyproof.game.files import read_market
from copyproof.game.market import Market
from copyproof.game.paper import paper_market
from copyproof.validation import FieldError

# A market, the path of its file, or the name of one of the paper's.
GivenMarket: TypeAlias = Market | str | os.PathLike[str]

_ACCEPTED = "a Market, the path of a market file, or paper:FIGURE"


def as_market(given: GivenMarket) -> Market:
    """Take a market as it is, read it from a file, or find the paper's ``paper:FIGURE[:COPIES]``.

    Parameters
    ----------
    given : Market, str or path
        A text that begins with ``paper:`` is a market of the paper, any other the path of a file.

    Raises
    ------
    ValueError
        One line, if it is none of these, or the file is not a market.

    Examples
    --------
    >>> as_market("paper:1a:100").registered
    104
    >>> as_market(5)
    Traceback (most recent call last):
    copyproof.validation.FieldError: market = 5 is not a Market, the path of a market file, or...
    """
    if isinstance(given, Market):
        return given
    if not isinstance(given, str | os.PathLike):
        raise FieldError("market", given, _ACCEPTED)
    if not isinstance(given, str) or not given.startswith("paper:"):
        return read_market(given)
    _, figure, *copies = given.split(":", 2)
    if not copies:
        return paper_market(figure)
    if not copies[0].isdecimal():
        raise FieldError(f"{given}: copies", copies[0], "a whole number")
    return paper_market(figure, int(copies[0]))
