"""``trial`` decides as its second implementation does, which was written from the page alone."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from copyproof import Agent, Bernoulli, Empirical, Market, parse_policy
from copyproof.engine.lower import lower
from copyproof.game import Reward
from copyproof.simulation.threads import fill, new_record
from tests.second_trial import game, uniform


@dataclass(frozen=True)
class Case:
    market: Market
    policy: str
    horizons: list[int]
    rounds: int
    seed: int
    how: dict[str, float]
    tape: list[list[float]] | None

    def engine(self) -> list[int]:
        policy = parse_policy(self.policy)
        lowered = lower(self.market, policy, horizon=self.rounds, seed=self.seed, tape=self.tape)
        record = new_record(lowered, 1, 1, trace=True)
        fill(lowered, np.array([self.rounds]), record, workers=1)
        return [int(arm) for arm in record.choices[0]]

    def second(self) -> list[int]:
        originals = [
            np.repeat(np.array(agent.arms, dtype=object), agent.copies).tolist()
            for agent in self.market.agents
        ]

        def reward(agent: int, arm: int, k: int, epoch: int) -> float:
            if self.tape is not None:
                return self.tape[agent][k]
            return quantile(originals[agent][arm], uniform(self.seed, agent + 1, epoch, k, 0))

        return game(
            [len(arms) for arms in originals], reward,
            horizons=self.horizons, rounds=self.rounds, seed=self.seed, **self.how,
        )  # fmt: skip


def quantile(arm: Reward, u: float) -> float:
    if isinstance(arm, Bernoulli):
        return float(u >= 1 - arm.mean)
    assert isinstance(arm, Empirical)
    return sorted(arm.rewards)[math.ceil(u * len(arm.rewards)) - 1]


def random_arm(rng: random.Random) -> Reward:
    arms: list[Callable[[], Reward]] = [
        lambda: Bernoulli(rng.choice([0, 1, 0.5, 0.9, 0.05, rng.random()])),
        lambda: Empirical([rng.choice([0.1, 0.3, 0.5, 0.51, 1.0, 0.9, rng.random()])]),
        lambda: Empirical([rng.random() for _ in range(rng.randint(2, 5))]),
        lambda: Empirical([rng.choice([0.0, 0.25, 0.5, 0.75, 1.0]) for _ in range(3)]),
    ]
    return rng.choice(arms)()


def random_tape(rng: random.Random, length: int) -> list[float]:
    a, b = rng.choice([0.2, 1, 5, 20]), rng.choice([0.2, 1, 5])
    draw: Callable[[], float] = rng.choice([
        lambda: rng.betavariate(a, b),
        lambda: rng.choice([0.1, 0.3, math.nextafter(0.3, 1), math.nextafter(0.1, 0)]),
        lambda: rng.choice([0.0, 0.5, 1.0, 1.0]),
        lambda: float(rng.random() < a / (a + b)),
    ])  # fmt: skip
    return [min(1.0, max(0.0, draw())) for _ in range(length)]


def random_market(rng: random.Random) -> Market:
    agents: list[Agent] = []
    for i in range(rng.randint(1, 5)):
        if i > 0 and rng.random() < 0.15:
            agents.append(Agent(f"agent {i}", agents[-1].arms, copies=agents[-1].copies))
            continue
        arms = [random_arm(rng) for _ in range(rng.choice([1, 1, 2, 3, 12]))]
        copies = [rng.choice([0, 1, 1, 2, 20]) for _ in arms]
        copies[rng.randrange(len(arms))] = rng.choice([1, 1, 3, 61])
        agents.append(Agent(f"agent {i}", arms, copies=copies))
    return Market(agents)


def random_case(rng: random.Random, longest: int) -> Case:
    market = random_market(rng)
    rounds = rng.choice([rng.randint(1, 60), rng.randint(1, longest), longest])
    how: dict[str, float] = {}
    match rng.choice(["trial", "trial", "c", "anytime", "season"]):
        case "trial":
            policy, horizons = "trial", [rounds]
        case "c":
            how = {
                "c": rng.choice([1 / 3, 0.1, 0.5, 1 / 101, 0.9]),
                "lost": rng.choice([0.01, 0.1, 0.5]),
            }
            policy, horizons = f"trial(c={how['c']!r}, lost={how['lost']!r})", [rounds]
        case "anytime":
            policy, horizons = "trial-anytime", [500, 500**3]
        case _:
            season = rng.randint(1, rounds)
            policy, horizons = f"trial(season={season})", [season] * -(-rounds // season)
    seed = rng.getrandbits(64)
    taped = rng.random() < 0.4
    tape = [random_tape(rng, rounds) for _ in market.agents] if taped else None
    return Case(market, policy, horizons, rounds, seed, how, tape)


def compare(number: int, longest: int) -> None:
    case = random_case(random.Random(number), longest)
    differing = np.flatnonzero(np.array(case.engine()) != np.array(case.second()))
    assert len(differing) == 0, f"case {number}: round {differing[0] + 1} of {case}"


@pytest.mark.parametrize("number", range(12))
def test_every_decision_is_that_of_the_second_implementation(number: int) -> None:
    compare(number, 1500)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1000, 1200))
def test_every_decision_on_two_hundred_markets(number: int) -> None:
    compare(number, 5000)
