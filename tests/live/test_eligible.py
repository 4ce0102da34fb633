"""Visitors who may see different agents: where worthless arms pay, and where they never do."""

import itertools
import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from copyproof.drills.live_game import LiveGame, Play
from copyproof.live import MarketConfig
from copyproof.live.guarantee import guarantee
from copyproof.policy import parse_policy, why_not_covered

COVERED = "hierarchical(ucb(a=0.1, clock=horizon), etc(plays=1), ties=priority)"
# Agent 0 has an arm of 0.6. Each of the others has one of 1, among arms that pay nothing.
BLOCKS = [((0, 1), 90), ((0,), 150), ((1, 2), 60), ((0, 2), 1200)]
RIVALS = {"two": [(1.0, 1), (0.0, 36)], "three": [(1.0, 1), (0.0, 12)]}
NAMES = ["one", *RIVALS]


class SetGame(LiveGame):
    """A game in which the k-th play of an agent in a segment meets a uniform number of its own."""

    def __init__(self, policy: str, seed: int, horizon: int, extra: Sequence[Any] = ()) -> None:
        config = {"most_segments": 10}
        super().__init__(policy, seed, attacks=False, horizon=horizon, config=config)
        self.salt = seed
        self.segment: str | None = None
        self.streams: dict[tuple[str, str | None], random.Random] = {}
        for name, arms in RIVALS.items():
            for mean, count in arms:
                self.register(name, mean, copies=count)
        for mean, count in [(0.6, 1), *extra]:
            self.register("one", mean, copies=count)

    def uniform(self, who: str) -> float:
        key = (who, self.segment)
        if key not in self.streams:
            self.streams[key] = random.Random(f"{self.salt} {key}")
        return self.streams[key].random()

    def visit(self, agents: Sequence[str], *, own_game: bool) -> None:
        self.segment = "+".join(sorted(agents)) if own_game else None
        self.show(eligible=list(agents), segment=self.segment)

    def earned(self) -> list[float]:
        rewards = zip(self.path, self.rewards, strict=True)
        return list(itertools.accumulate(reward * (who == "one") for who, reward in rewards))


def revenue(visitors: Sequence[Sequence[str]], extra: Sequence[Any], **how: Any) -> list[float]:
    game = SetGame(how["policy"], how["seed"], len(visitors), extra)
    for agents in visitors:
        game.visit(agents, own_game=how["own_game"])
    return game.earned()


def blocks(share: int = 1) -> list[list[str]]:
    names = [([NAMES[n] for n in agents], length // share) for agents, length in BLOCKS]
    return [agents for agents, length in names for _ in range(length)]


class TapeGame(LiveGame):
    """A game in which the rewards of an agent's plays are given."""

    def __init__(self, seed: int, tapes: dict[str, list[float]]) -> None:
        policy = f"hierarchical(ucb(a={0.5 / math.log(7)}, clock=horizon), ucb, ties=priority)"
        super().__init__(policy, seed, attacks=False, horizon=7, config={})
        self.tapes = tapes
        for name in tapes:
            self.register(name, 1.0)

    def _play(self, arm: int) -> Play:
        [name, _] = self.state.registry.name_of(arm)
        reward = self.tapes[name][self.plays[name]]
        self.plays[name] += 1
        self.rewards.append(reward * (name == "one"))
        self.path.append(name)
        return Play(len(self.path), name, "0", reward)


def test_in_seven_rounds_a_weaker_play_can_pay() -> None:
    """The same game as in ``tests/policy/test_eligible_sets.py``, over the live code paths."""
    visitors = [["one", "two"]] * 3 + [["two", "three"]] * 2 + [["one", "two"]] * 2
    rivals = {"two": [0.45, 1.0, 0.0, 0.0, 0.0], "three": [0.45, 0.0]}
    gains = []
    for seed in range(60):
        earned = []
        for first in (0.5, 0.4):
            game = TapeGame(seed, {"one": [first, *[0.5] * 6], **rivals})
            for agents in visitors:
                game.show(eligible=agents)
            earned.append(sum(game.rewards))
        gains.append(round(earned[1] - earned[0], 9))
    assert max(gains) == 0.4  # on a path, and on average over the orders of priority
    assert sum(gains) > 0.0


@pytest.mark.slow
def test_worthless_arms_can_pay_where_visitors_see_different_agents() -> None:
    assert why_not_covered(parse_policy(COVERED)) is None
    best, with_worthless = (
        [
            revenue(blocks(), extra, policy=COVERED, seed=seed, own_game=False)[-1]
            for seed in range(24)
        ]
        for extra in ([], [(0.0, 40)])
    )
    gains = np.subtract(with_worthless, best)
    assert gains.mean() > 3 * gains.std(ddof=1) / len(gains) ** 0.5
    assert np.mean(with_worthless) > 2 * np.mean(best)


@pytest.mark.parametrize("policy", [COVERED, "trial(c=1/3)", "rh-kl-ucb"])
def test_no_path_pays_where_each_set_is_a_segment(policy: str) -> None:
    rng = random.Random(5)
    everyone = [list(some) for size in (1, 2, 3) for some in itertools.combinations(NAMES, size)]
    for seed in range(2):
        visitors = [rng.choice(everyone) for _ in range(120)]
        extra = [(0.0, rng.choice([3, 40])), (0.6, rng.choice([1, 9])), (0.3, rng.randint(1, 5))]
        best, other = (
            revenue(visitors, arms, policy=policy, seed=seed, own_game=True)
            for arms in ([], rng.sample(extra, rng.randint(1, 3)))
        )
        assert all(less <= more for less, more in zip(other, best, strict=True))


def test_agents_that_come_and_go_are_sets_that_differ() -> None:
    """A market decides the same where absent agents have retired their arms."""
    for extra in ([], [(0.0, 40)]):
        game = SetGame(COVERED, 3, len(blocks(15)), extra)
        arms = {"one": 1 + sum(count for _, count in extra), "two": 37, "three": 13}
        here = set(NAMES)
        for agents in blocks(15):
            for name in sorted(here.symmetric_difference(agents)):
                change = game.retire if name in here else game.bring_back
                for arm in range(arms[name]):
                    change(name, str(arm))
            here = set(agents)
            game.show()
        listed = revenue(blocks(15), extra, policy=COVERED, seed=3, own_game=False)
        assert game.earned() == listed


def test_the_guarantee_says_where_worthless_arms_can_pay() -> None:
    said = guarantee(parse_policy("trial-anytime"), MarketConfig())
    proven, _, pays = said.partition("pays: ")
    assert "every visitor may see the same agents" in proven
    assert "each set of eligible agents is a segment" in proven
    assert "worthless arms, where visitors may see different agents" in pays
