"""Tiny games in which visitors may see different agents, and ways to share what is learnt.

Three agents; agent 0 registers its best arm, or something that pays less. An index sees own plays
and rewards only. A visitor's set is a bit mask of the agents that it may see. Nothing here uses the
package: what is proven or refuted is so of the idea.
"""

import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

# The reward of an agent's play, by agent, stream and number; a stream is a set, or ONE for all.
Stream = Callable[[int, int, int], float]
ONE = 0
ORDERS = tuple(itertools.permutations(range(3)))


@dataclass(frozen=True)
class Sharing:
    """What the games of different sets share.

    ``index`` is "one" for all sets, "own" of each set, the "largest" of all sets' indices, or that
    of the set "raised" by the others' lower bounds. It is a mean and √(``doubt``/N).
    ``arms`` says whether arms are chosen by all plays of the agent, or by those in the set.
    ``trial`` is the number of first plays of each agent that all sets see.
    """

    index: str = "own"
    arms: str = "own"
    trial: int = 0
    doubt: float = 0.5


@dataclass
class Record:
    """Plays and rewards of an agent, by set."""

    plays: dict[int, int] = field(default_factory=dict)
    earned: dict[int, float] = field(default_factory=dict)

    def add(self, of: int, reward: float) -> None:
        self.plays[of] = self.plays.get(of, 0) + 1
        self.earned[of] = self.earned.get(of, 0.0) + reward

    def bound(self, sets: Sequence[int], doubt: float, side: float = 1.0) -> float:
        plays = sum(self.plays.get(of, 0) for of in sets)
        if plays == 0:
            return math.inf
        mean = sum(self.earned.get(of, 0.0) for of in sets) / plays
        return mean + side * math.sqrt(doubt / plays)


TRIAL = -1  # in place of a set: plays of the common trial


def _index(record: Record, visitor: int, sharing: Sharing) -> float:
    own, others = record.bound([TRIAL, visitor], sharing.doubt), set(record.plays) - {visitor}
    if sharing.index == "one":
        return record.bound(list(record.plays), sharing.doubt)
    if sharing.index == "largest":
        return max([own, *(record.bound([of], sharing.doubt) for of in others)])
    if sharing.index == "raised":
        return max([own, *(record.bound([of], sharing.doubt, -0.05) for of in others)])
    return own


def play(
    visitors: Sequence[int], rewards: Stream, order: Sequence[int], sharing: Sharing
) -> list[tuple[int, float]]:
    """The agent and the reward of each round; ties go to the first of an order."""
    records = [Record() for _ in order]
    path = []
    for visitor in visitors:
        here = [agent for agent in order if visitor >> agent & 1]
        tried = [records[agent].plays.get(TRIAL, 0) for agent in here]
        if min(tried) < sharing.trial:
            agent, of = here[tried.index(min(tried))], TRIAL
        else:
            agent = max(here, key=lambda one: _index(records[one], visitor, sharing))
            of = visitor
        plays = records[agent].plays
        k = sum(plays.values()) if sharing.arms == "one" else plays.get(of, 0)
        reward = rewards(agent, ONE if sharing.arms == "one" else of, k)
        records[agent].add(of, reward)
        path.append((agent, reward))
    return path


def earned(path: Sequence[tuple[int, float]]) -> list[float]:
    """What agent 0 has earned, after each round."""
    return list(itertools.accumulate(reward * (agent == 0) for agent, reward in path))


def pairs(seed: int, family: Sequence[int]) -> Iterator[tuple[list[int], Stream, Stream]]:
    """Random rounds over a family of sets, and two games' rewards: 0's are less in the second."""
    rng = random.Random(seed)
    while True:
        visitors: list[int] = []
        while len(visitors) < 14:
            visitors += [rng.choice(family)] * rng.randint(1, 4)
        salt = rng.random()

        def best(agent: int, of: int, k: int, salt: float = salt) -> float:
            draw = random.Random(f"{salt} {agent} {of} {k}").random()
            return 0.5 if agent == 0 else (0.0, 0.45, 1.0)[int(3 * draw)]

        def less(agent: int, of: int, k: int, salt: float = salt) -> float:
            draw = random.Random(f"{salt} {agent} {of} {k}").random()
            return 0.4 if agent == 0 and draw < 0.4 else best(agent, of, k, salt)

        yield visitors, best, less
