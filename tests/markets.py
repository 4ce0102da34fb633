"""Markets and runs that several tests share."""

import random

import numpy as np

from copyproof import Agent, Market, parse_policy
from copyproof.engine.lower import lower
from copyproof.engine.play import Record
from copyproof.simulation.run import checkpoint_rounds, new_record, run


def random_market(rng: random.Random) -> Market:
    """Up to six agents: copies, hidden arms, one-armed and absent agents, ties, means 0 and 1."""
    agents = []
    for number in range(rng.randint(1, 6)):
        arms = rng.randint(1, 3)
        means = [rng.choice([0, 1, 0.5, 0.5, rng.random(), rng.random()]) for _ in range(arms)]
        copies = [rng.choice([0, 1, 1, 2, 5, 20]) for _ in range(arms)]
        agents.append(Agent(f"agent {number}", means, copies=copies))
    if not any(agent.registered for agent in agents):
        return random_market(rng)
    return Market(agents)


def record_of(
    market: Market,
    policy: str,
    *,
    horizon: int,
    repetitions: int = 1,
    seed: int = 0,
    workers: int = 1,
    batch: int | None = None,
    scan: bool = False,
) -> Record:
    """Everything the engine leaves behind, the choices of every round included."""
    lowered = lower(market, parse_policy(policy), horizon=horizon, seed=seed, scan=scan)
    record = new_record(lowered, 1, repetitions, trace=True)
    run(lowered, checkpoint_rounds(1, horizon), record, workers=workers, batch=batch)
    return record


def choices_of(market: Market, policy: str, **how: int | bool | None) -> np.ndarray:
    """The arm of every round, a row per repetition."""
    return np.asarray(record_of(market, policy, **how).choices)
