"""Open Bandit's logs: their rows, and the items of a page as a market.

In a log of the uniformly random policy every item was shown about as often, to whoever came: how
often it was clicked estimates its mean. An item is an arm and its own owner, and a click pays 1.
"""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof.game import Agent, Market
from copyproof.real_data.posteriors import posteriors


@dataclass(frozen=True, slots=True)
class ClickLog:
    """One file: the item that was shown, whether it was clicked, and with which probability."""

    items: NDArray[np.int64]
    clicks: NDArray[np.float64]
    propensities: NDArray[np.float64]

    @property
    def rows_by_item(self) -> list[int]:
        """In how many rows each item was shown, by its number."""
        return [int(count) for count in np.bincount(self.items)]

    @property
    def clicks_by_item(self) -> list[float]:
        """In how many rows each item was clicked, by its number."""
        return [float(count) for count in np.bincount(self.items, weights=self.clicks)]


def read_clicks(folder: Path, policy: str, page: str) -> ClickLog:
    """The rows of a log, in their order."""
    with (folder / f"{policy}-{page}.csv").open(encoding="utf-8", newline="") as file:
        rows = [
            (int(row["item_id"]), float(row["click"]), float(row["propensity_score"]))
            for row in csv.DictReader(file)
        ]
    items, clicks, propensities = zip(*rows, strict=True)
    return ClickLog(np.array(items), np.array(clicks), np.array(propensities))


def chance_if_alike(log: ClickLog, *, draws: int = 10_000, seed: int = 1) -> float:
    """How likely clicks as uneven as these are, were all items of a log clicked alike.

    Unevenness is Pearson's χ², Σ (clicks − expected)² / expected; the answer is the share of logs
    drawn with as many clicks that have at least as much of it.

    Examples
    --------
    >>> two = np.repeat([0, 1], 100)
    >>> chance_if_alike(ClickLog(two, 1.0 - two, np.full(200, 0.5)))
    0.0
    """
    shown, clicked = np.array(log.rows_by_item), np.array(log.clicks_by_item)
    weights = shown / shown.sum()
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(int(clicked.sum()), weights, size=draws)
    expected = clicked.sum() * weights

    def uneven(counts: NDArray[Any]) -> Any:
        return ((counts - expected)[..., shown > 0] ** 2 / expected[shown > 0]).sum(axis=-1)

    return float(np.mean(uneven(drawn) >= uneven(clicked) - 1e-9))


def item_name(number: int) -> str:
    """What an item is called as an arm."""
    return f"item {number}"


def items_market(log: ClickLog) -> Market:
    """The items of a uniformly random log as a market: click rates are known as posteriors.

    Examples
    --------
    >>> log = ClickLog(np.array([0, 1, 1]), np.array([1.0, 0.0, 0.0]), np.full(3, 0.5))
    >>> [agent.name for agent in items_market(log).agents]
    ['item 0', 'item 1']
    """
    known = posteriors(log.clicks_by_item, log.rows_by_item)
    return Market([Agent(item_name(k), [arm]) for k, arm in enumerate(known)])
