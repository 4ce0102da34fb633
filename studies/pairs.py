"""Pairs of strategies on the same luck: does any strategy ever beat "best arm only"?

    python studies/pairs.py [--pairs 1000000] [--seed 1] [POLICY ...]

A pair is one game of an agent that registers its best arm alone, and the same game in which it does
something else: copies, arms hidden or added, arms withdrawn and submitted again. Market, policy,
horizon and random numbers are the same. The pathwise theorem says that the first never earns less.
Revenues are compared to the last bit: an index that is monotone in exact arithmetic, but not in
floating point, would be found here.

There are four kinds of rewards, in each of which an agent's best arm dominates its others:
Bernoulli arms; *constant* ones, which always pay the same; *empirical* ones, lists of arbitrary
numbers; and Beta distributions. ``h-thompson``, which no such theorem covers, is played for
comparison: where the pairs find nothing in it, they would not find much.

Writes ``results/pairs.json``.
"""

import argparse
import json
import math
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np

from copyproof import Admit, Agent, Bernoulli, Beta, Empirical, Market, Renew, Retire, Schedule
from copyproof.game import Reward
from copyproof.simulation.run import play

RESULTS = Path(__file__).resolve().parent / "results"
POLICIES = (
    "trial",
    "rh-kl-ucb",
    "rh-kl-ucb(L=3, power=0)",
    "trial-anytime(first=30, power=1.5)",
    "trial-anytime",
    "h-thompson",
)
GAMES = 10  # pairs of one market and strategy
LONGEST = 1000


def bernoulli(rng: random.Random) -> list[Reward]:
    """One to three arms; some of them certain, or alike."""
    means = [0.0, 1.0, 0.5, rng.random(), rng.random()]
    return [Bernoulli(rng.choice(means)) for _ in range(rng.randint(1, 3))]


def constant(rng: random.Random) -> list[Reward]:
    """Arms that always pay the same; an agent's arms and its rivals may be neighbouring floats."""
    best = rng.choice([rng.random(), 0.3, 0.5, 0.7]) * (1 - rng.randint(0, 3) * 2**-53)
    others = [math.nextafter(best, 0), best * rng.random()]
    return [Empirical([value]) for value in [best, *others][: rng.randint(1, 3)]]


def empirical(rng: random.Random) -> list[Reward]:
    """Lists of numbers in [0, 1]; each entry of the others is below the best one's."""
    best = sorted(rng.random() for _ in range(rng.randint(2, 6)))
    others = [[top * rng.choice([1.0, rng.random()]) for top in best] for _ in range(2)]
    return [Empirical(values) for values in [best, *others][: rng.randint(1, 3)]]


def beta(rng: random.Random) -> list[Reward]:
    """A smaller α and a larger β make a distribution that is dominated."""
    a, b = math.exp(rng.uniform(-1, 3)), math.exp(rng.uniform(-1, 3))
    arms: list[Reward] = [Beta(a, b)]
    for _ in range(rng.randint(0, 2)):
        arms.append(Beta(a * rng.uniform(0.2, 0.9), b * rng.uniform(1.1, 5)))
    return arms


KINDS: dict[str, Callable[[random.Random], list[Reward]]] = {
    "bernoulli": bernoulli,
    "constant": constant,
    "empirical": empirical,
    "beta": beta,
}


def random_schedule(rng: random.Random, agent: Agent, horizon: int) -> Schedule:
    """Arms of one agent that go and come during the game."""
    changes: list[Retire | Admit] = []
    here = list(agent.copies)
    for when in sorted(rng.randint(1, horizon) for _ in range(rng.randint(0, 6))):
        arm = rng.randrange(len(here))
        if here[arm] > 0 and rng.random() < 0.5:
            count = rng.randint(1, here[arm])
            changes.append(Retire(when, agent.name, arm, count))
            here[arm] -= count
        else:
            count = rng.randint(1, 3)
            changes.append(Admit(when, agent.name, arm, count, True))
            here[arm] += count
    again = [Renew(agent.name, after=rng.randint(1, 20))] if rng.random() < 0.3 else []
    return Schedule(changes, again)


def failing_pairs(rng: random.Random, policy: str, kind: str, pairs: int) -> int:
    """Play pairs in which an agent deviates; count those in which it earns more by that.

    Examples
    --------
    >>> failing_pairs(random.Random(1), "h-ucb-t-free", "bernoulli", 1000)
    0
    """
    failing = 0
    for _ in range(-(-pairs // GAMES)):
        horizon = int(math.exp(rng.uniform(math.log(2), math.log(LONGEST))))
        agents = []
        for number in range(rng.randint(2, 6)):
            arms = KINDS[kind](rng)
            copies = [rng.choice([1, 1, 1, 2, 30]) for _ in arms]
            agents.append(Agent(f"agent {number}", arms, copies))
        place = rng.randrange(len(agents))
        name = agents[place].name
        agents[place] = agents[place].with_copies(
            [rng.choice([0, 1, 2, 5, 30]) for _ in agents[place].arms]
        )
        market = Market(agents)
        some = random_schedule(rng, agents[place], horizon) if rng.random() < 0.4 else None
        seed = rng.getrandbits(64)
        best, other = (
            play(
                strategy, policy, 0, GAMES, horizon=horizon, seed=seed, checkpoints=1, workers=1,
                schedule=schedule,
            ).revenue[:, place]
            for strategy, schedule in ((market.best_arm_only(name), None), (market, some))
        )  # fmt: skip
        failing += int(np.sum(other > best))
    return failing


def main() -> None:
    """Play the pairs of every policy and kind of reward, print a table and keep the numbers."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("policies", nargs="*", default=POLICIES)
    parser.add_argument("--pairs", type=int, default=1_000_000, help="of each policy")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    each = -(-asked.pairs // len(KINDS) // GAMES) * GAMES
    rows = []
    print(f"| policy | pairs | {' | '.join(KINDS)} |\n|---|---|{'---|' * len(KINDS)}")
    for policy in asked.policies:
        found = {
            kind: failing_pairs(random.Random(f"{asked.seed} {policy} {kind}"), policy, kind, each)
            for kind in KINDS
        }
        rows.append({"policy": policy, "pairs": each * len(KINDS), "failing": found})
        counts = " | ".join(str(found[kind]) for kind in KINDS)
        print(f"| {policy} | {each * len(KINDS):,} | {counts} |", flush=True)
    text = json.dumps({"seed": asked.seed, "rows": rows}, indent=1) + "\n"
    (RESULTS / "pairs.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
