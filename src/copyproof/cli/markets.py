"""How a command names a market: by its file, or as one of the paper's."""

from copyproof.game.named import named_market

__all__ = ["named_market"]
