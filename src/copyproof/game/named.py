"""How a text names a market: by its file, or as one of the paper's."""

from copyproof.game.market import Market
from copyproof.game.paper import paper_market
from copyproof.validation import FieldError


def named_market(name: str) -> Market:
    """Return the market of a file, or of the paper: ``paper:FIGURE[:COPIES]``.

    Examples
    --------
    >>> named_market("paper:1a:100").registered
    104
    """
    if not name.startswith("paper:"):
        from copyproof.game.files import read_market

        return read_market(name)
    _, figure, *copies = name.split(":", 2)
    if not copies:
        return paper_market(figure)
    if not copies[0].isdecimal():
        raise FieldError(f"{name}: copies", copies[0], "a whole number")
    return paper_market(figure, int(copies[0]))
