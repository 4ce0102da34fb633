"""Markets and runs that several tests share."""

import random

import numpy as np

from copyproof import Admit, Agent, Market, Renew, Retire, Schedule, parse_policy
from copyproof.engine.drawn_means import drawn_means
from copyproof.engine.lower import lower
from copyproof.engine.lower_rewards import lower_priors
from copyproof.engine.play import Record
from copyproof.simulation.threads import fill, new_record


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


def random_schedule(rng: random.Random, market: Market, horizon: int) -> Schedule:
    """Arms that go, come, and come back, one by one and all together; and some renewals."""
    here = {
        (agent.name, original): copies
        for agent in market.agents
        for original, copies in enumerate(agent.copies)
    }
    gone = dict.fromkeys(here, 0)
    changes: list[Retire | Admit] = []

    def retire(round_: int, key: tuple[str, int], count: int) -> None:
        if count > 0 and count < sum(here.values()):
            changes.append(Retire(round_, *key, count))
            here[key] -= count
            gone[key] += count

    def admit(round_: int, key: tuple[str, int], count: int, new: bool) -> None:
        if count > 0:
            changes.append(Admit(round_, *key, count, new))
            here[key] += count
            gone[key] -= 0 if new else count

    for round_ in sorted(rng.randint(1, horizon) for _ in range(rng.randint(1, 25))):
        name, original = rng.choice(list(here))
        key = name, original
        match rng.choice(["retire", "return", "new", "swap", "leave", "come back"]):
            case "retire":
                retire(round_, key, rng.randint(0, here[key]))
            case "return":
                admit(round_, key, rng.randint(0, gone[key]), new=False)
            case "new":
                admit(round_, key, rng.randint(1, 3), new=True)
            case "swap":
                count = here[key]
                admit(round_, key, count, new=True)
                retire(round_, key, count)
            case "leave":
                for other in [one for one in here if one[0] == name]:
                    retire(round_, other, here[other])
            case "come back":
                for other in [one for one in here if one[0] == name]:
                    admit(round_, other, gone[other], new=False)
            case other_kind:
                raise AssertionError(other_kind)
    renewals = [
        rng.choice([Renew(name, after=rng.randint(1, 9)), Renew(name, below=rng.random())])
        for name in market.names
        if rng.random() < 0.3
    ]
    return Schedule(changes, renewals)


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
    schedule: Schedule | None = None,
) -> Record:
    """Everything the engine leaves behind, the choices of every round included."""
    lowered = lower(
        market, parse_policy(policy), horizon=horizon, seed=seed, scan=scan, schedule=schedule
    )
    record = new_record(lowered, 1, repetitions, trace=True)
    means = None
    if market.has_priors:
        means = drawn_means(lower_priors(market), seed=seed, first=0, repetitions=repetitions)
    fill(lowered, np.array([horizon]), record, workers=workers, batch=batch, means=means)
    return record
