"""What the studies here play: a market, with a horizon T and a number of games.

The seed of a *case* comes from its name. Each study names the kinds of its markets.
"""

import hashlib
import json
import zlib
from dataclasses import dataclass

from copyproof import Agent, Market

BEST = (0.5, 0.6, 0.7, 0.8, 0.9)
"""The best means of the paper's five agents."""


@dataclass(frozen=True)
class Case:
    """A market, how long it is played and how often."""

    name: str
    kind: str
    market: Market
    horizon: int
    repetitions: int

    @property
    def seed(self) -> int:
        """From the name, so that no case depends on which others there are."""
        return zlib.crc32(self.name.encode())

    @property
    def digest(self) -> str:
        """Of the market itself: results of another market of the same name are not taken."""
        arms = [[[arm.mean for arm in one.arms], one.copies] for one in self.market.agents]
        return hashlib.sha256(json.dumps(arms).encode()).hexdigest()[:12]


def agents(rows: list[tuple[list[float], list[int]]]) -> Market:
    """A market of Bernoulli arms from (means, copies) of its agents."""
    return Market([Agent(f"agent {k + 1}", m, copies=c) for k, (m, c) in enumerate(rows)])


def three_armed(copies: list[int]) -> Market:
    """The paper's five agents with arms (best, 0.2, 0.1) and the same copies each."""
    return agents([([best, 0.2, 0.1], copies) for best in BEST])
