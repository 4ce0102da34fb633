"""Small policies for the tests; a file that is loaded by its path, too."""

import math
import os
from typing import Any

from copyproof import ExternalPolicy, parse_policy


class Scripted:
    """Plays the arms round and round, and does something odd in one round of one repetition."""

    def __init__(self, arms: Any, *, owners: Any, horizon: int, seed: int, step: int = 1) -> None:
        self.arms: list[str] = arms
        self.owners, self.horizon, self.seed = owners, horizon, seed
        self.step = step
        self.round = 0

    def choose(self) -> str:
        self.round += 1
        return self.arms[self.step * self.round % len(self.arms)]

    def learn(self, arm: str, reward: float) -> None:
        pass


class Dies(Scripted):
    """Takes its process with it."""

    def choose(self) -> str:
        os._exit(7)


class UnpicklableError(Exception):
    """Cannot be made from its message alone."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def ucb1(tally: Any) -> str:
    """UCB1; the lowest index wins ties."""
    arms: list[str] = tally.arms
    for arm in arms:
        if tally.plays[arm] == 0:
            return arm

    def index(arm: str) -> float:
        n, total = int(tally.plays[arm]), float(tally.total[arm])
        return total / n + math.sqrt(2 * math.log(tally.round) / n)

    return max(arms, key=index)


made = ExternalPolicy("made", Scripted)
ours = parse_policy("rh-ucb(L=3)")
number = 5
