"""Lateness and absence never pay on a path, if the agent has an arm as every epoch begins.

All other agents have their arms from the start on, and are told at once. The condition cannot be
dropped: an agent that comes later changes the n of all others for the rest of the epoch.
"""

import itertools

import numpy as np
import pytest

from copyproof.drills.live_game import Play
from copyproof.policy import parse_policy
from tests.drills.epoch_game import EpochGame

ROUNDS = 1500
POLICIES = [
    "trial",
    "trial(c=0.3, season=250)",
    "trial(c=0.5, lost=0.1, memory=100)",
    "trial-anytime(first=300)",
    "h-ucb-t-free",
]


class Deviation:
    """Agent i in one game: what it registers, when it is away, and when it tells its rewards."""

    def __init__(self, game: EpochGame, mean: float, chance: np.random.Generator) -> None:
        self.game, self.mean, self.chance = game, mean, chance
        self.here: list[str] = []
        self.gone: list[str] = []
        self.leaves, self.returns = chance.uniform(0, 0.1), chance.uniform(0, 0.2)
        self.never, self.longest = chance.uniform(0, 0.6), int(chance.integers(1, ROUNDS // 2))
        self.waiting: list[tuple[int, Play]] = []
        self.submit(int(chance.integers(1, 4)))

    def submit(self, count: int) -> None:
        """Register arms: copies of the best one, or weaker ones."""
        for _ in range(count):
            number = len(self.here) + len(self.gone)
            weaker = self.chance.random() if self.chance.random() < 0.5 else 1.0
            self.game.register("i", self.mean * weaker)
            self.here.append(str(number))

    def before(self, *, must_be_there: bool) -> None:
        """Leave with all arms, or return with old ones or a new one."""
        if self.here and not must_be_there and self.chance.random() < self.leaves:
            for arm in self.here:
                self.game.retire("i", arm)
            self.gone, self.here = self.gone + self.here, []
        elif not self.here and (must_be_there or self.chance.random() < self.returns):
            if self.chance.random() < 0.5:
                self.submit(1)
            else:
                self.here = [self.gone.pop(int(self.chance.integers(len(self.gone))))]
                self.game.bring_back("i", self.here[0])

    def after(self, visitor: int, play: Play) -> None:
        """Tell nobody yet, or never, and tell what has waited long enough."""
        if play.agent == "i" and self.chance.random() > self.never:
            self.waiting.append((visitor + int(self.chance.integers(self.longest)), play))
        told = [play for when, play in self.waiting if when <= visitor]
        self.waiting = [one for one in self.waiting if one[0] > visitor]
        if told:
            self.game.tell(told)


def starts_of(policy: str) -> set[int]:
    """The decisions, from 0, with which an epoch begins."""
    restart = parse_policy(policy).restart
    horizons = () if restart is None else restart.horizons(ROUNDS)
    return {0, *itertools.accumulate(horizons)}


def paths(policy: str, seed: int) -> tuple[list[float], list[float]]:
    """What i has earned after each decision: by its best arm alone, and by a deviation."""
    chance = np.random.default_rng([seed, 5])
    means = chance.uniform(0.05, 0.95, int(chance.integers(2, 5)))
    place = int(chance.integers(len(means)))
    starts, found = starts_of(policy), []
    for attacks in (False, True):
        game = EpochGame(policy, seed, attacks=attacks, horizon=ROUNDS)
        deviation = None
        for number, mean in enumerate(means):
            if number == place and attacks:
                deviation = Deviation(game, mean, chance)
            else:
                game.register("i" if number == place else f"other {number}", mean)
        for visitor in range(ROUNDS):
            if deviation is not None:
                deviation.before(must_be_there=visitor in starts)
            [play] = game.decide()
            if deviation is None or play.agent != "i":
                game.tell([play])
            if deviation is not None:
                deviation.after(visitor, play)
        found.append(earned(game))
    return found[0], found[1]


def earned(game: EpochGame) -> list[float]:
    """What i has earned after each decision."""
    of_agent = [who == "i" for who in game.path]
    return np.cumsum(np.array(game.rewards) * of_agent).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("policy", POLICIES)
def test_who_has_an_arm_as_every_epoch_begins_is_never_ahead(policy: str) -> None:
    changed = 0
    for seed in range(10):
        alone, deviating = paths(policy, seed)
        assert all(one >= other for one, other in zip(alone, deviating, strict=True)), seed
        changed += alone != deviating
    assert changed > 4


def paths_away(policy: str, seed: int, away: range) -> tuple[list[float], list[float]]:
    """What i earns by its only arm, and if that arm is not there for some visitors."""
    chance = np.random.default_rng([seed, 77])
    means, found = chance.uniform(0.1, 0.9, 4), []
    for gone in (range(0), away):
        game = EpochGame(policy, seed, attacks=bool(gone), horizon=ROUNDS)
        for number, mean in enumerate(means[:-1]):
            game.register(f"other {number}", mean)
        is_known = is_there = False
        for visitor in range(ROUNDS):
            if is_there and visitor in gone:
                game.retire("i", "0")
            elif not is_there and visitor not in gone:
                if is_known:
                    game.bring_back("i", "0")
                else:
                    game.register("i", means[-1])
                is_known = True
            is_there = visitor not in gone
            game.show()
        found.append(earned(game))
    return found[0], found[1]


def is_ahead(alone: list[float], deviating: list[float]) -> bool:
    """Whether the deviation has earned more at some time."""
    return any(one < other for one, other in zip(alone, deviating, strict=True))


SEASONS = "trial(c=0.3, season=250)"


@pytest.mark.parametrize(
    ("policy", "away", "seed"),
    [("trial", range(5), 4), (SEASONS, range(250, 255), 15), (SEASONS, range(249, 255), 15)],
    ids=["name-registers-late", "away-as-an-epoch-begins", "goes-before-it-begins"],
)
def test_the_condition_cannot_be_dropped(policy: str, away: range, seed: int) -> None:
    """Without i's arm n is smaller for all others, and on this path i is ahead for a time."""
    assert is_ahead(*paths_away(policy, seed, away))


@pytest.mark.parametrize(
    ("policy", "away"), [("trial", range(1, 300)), (SEASONS, range(251, 260))], ids=str
)
def test_an_absence_within_an_epoch_is_never_ahead(policy: str, away: range) -> None:
    assert not any(is_ahead(*paths_away(policy, seed, away)) for seed in range(12))
