"""Paired paths for the pathwise theorem: the best arm alone against a deviation, with equal luck.

A ``Case`` is a market, an agent and its deviation (copy counts, and a schedule of its own), a
policy, a horizon, a seed and, on wish, tapes. Sums, means and indices never fall where a reward
grows, rounded as they are: "at least as much" needs no tolerance where nothing is discounted, with
multiples of 1/8 as with rewards that differ in their last bit.
"""

import itertools
import math
import random
from dataclasses import dataclass, replace

import numpy as np

from copyproof import (
    Admit,
    Agent,
    Bernoulli,
    Empirical,
    Explicit,
    Geometric,
    Market,
    Policy,
    Renew,
    Retire,
    Schedule,
    simulate,
)
from copyproof.engine.lower import lower
from copyproof.game import NO_DISCOUNT, Discount, Reward
from copyproof.policy import (
    KLUCB,
    UCB,
    AllArms,
    EpsilonDecreasing,
    EpsilonGreedy,
    ExploreThenCommit,
    FixedSample,
    GrowingSample,
    Restart,
    Rule,
    SampledKLUCB,
    Sampling,
    Season,
    Thompson,
    Trial,
    TrialArms,
    Uniform,
    why_not_covered,
)
from copyproof.simulation.threads import fill, new_record
from tests.reference import REWARD, Stream

AGENT_RULES: list[Rule] = [
    *(UCB(clock=clock) for clock in ("round", "horizon")),
    *(UCB(a, b, clock="horizon") for a, b in ((0.1, 0), (1, 0.5), (0, 0))),
    *(KLUCB(scale, clock) for scale in (0.3, 1.0) for clock in ("round", "horizon")),
    EpsilonGreedy(),
    EpsilonDecreasing(),
    Thompson(),
    Uniform(),
    Trial(c=0.3, lost=0.3),
    Trial(c=0.5, lost=0.01),
    Trial(c=0.5, lost=0.5, memory=6),
    SampledKLUCB(),
]
ARM_RULES: list[Rule] = [
    *(UCB(clock=clock) for clock in ("round", "plays", "horizon")),
    UCB(0.1, 0.5, clock="plays"),
    *(KLUCB(clock=clock) for clock in ("round", "plays", "horizon")),
    EpsilonGreedy(0.3),
    *(EpsilonDecreasing(3, clock=clock) for clock in ("round", "plays", "horizon")),
    Thompson(),
    Uniform(),
    TrialArms(),
    ExploreThenCommit(plays=2),
]
SAMPLINGS: list[Sampling] = [
    AllArms(),
    FixedSample(0.3),
    FixedSample(1),
    GrowingSample(0.5, 1, "own"),
    GrowingSample(1, 2, "own"),
    GrowingSample(0.5, 1, "game"),
    GrowingSample(1, 2, "game"),
]
RESTARTS = [None, None, Restart(5, 2, 1), Restart(3, 1, 1.5), Season(7)]


def fit(agent: Rule, arm: Rule, sampling: Sampling) -> bool:
    """Whether two rules and a sampling rule make a policy."""
    if arm.traits.brings_fresh_arms and sampling != AllArms():
        return False
    if isinstance(arm, TrialArms) and not isinstance(agent, Trial):
        return False
    return isinstance(sampling, FixedSample) or not isinstance(agent, SampledKLUCB)


ALL = [
    Policy(agent, arm, sampling, "priority", restart)
    for agent, arm, sampling, restart in itertools.product(
        AGENT_RULES, ARM_RULES, SAMPLINGS, RESTARTS
    )
    if fit(agent, arm, sampling)
]
COVERED = [policy for policy in ALL if why_not_covered(policy) is None]
SEES_T_INSIDE = [
    policy
    for policy in ALL
    if why_not_covered(policy) is not None
    and isinstance(policy.agent, UCB | KLUCB)
    and policy.restart is None
    and why_not_covered(replace(policy, sampling=AllArms())) is None
]
"""Free of t but for one thing: an agent's sample grows with the round of the game."""
INDEX_SEES_T = [
    policy
    for policy in ALL
    if isinstance(policy.agent, UCB | KLUCB)
    and policy.agent.clock == "round"
    and policy.restart is None
    and why_not_covered(replace(policy, agent=replace(policy.agent, clock="horizon"))) is None
]
"""Free of t but for the agents' indices: with two agents that changes nothing."""


@dataclass(frozen=True)
class Case:
    """One comparison: in ``market`` the agent at a position deviates."""

    market: Market
    agent: int
    own: Schedule
    """What the deviating agent does during the game."""
    others: tuple[Renew, ...]
    """What the others do, whatever it does."""
    policy: Policy
    horizon: int
    seed: int
    tapes: tuple[list[list[float]], list[list[float]]] | None = None
    """Given rewards with the best arm alone, and with the deviation, which never pays more."""

    @property
    def best_alone(self) -> Market:
        return self.market.best_arm_only(self.market.names[self.agent])

    @property
    def schedules(self) -> tuple[Schedule, Schedule]:
        """With the best arm alone, and with the deviation."""
        together = [*self.own.renewals, *self.others]
        return Schedule(renewals=self.others), Schedule(self.own.changes, together)


def random_case(
    rng: random.Random, policies: list[Policy], *, taped: bool = False, longest: int = 60
) -> Case:
    """Two to six agents with Bernoulli arms, or tables of which the best dominates."""
    horizon = rng.randint(1, longest)
    agents = []
    for number in range(rng.randint(2, 6)):
        arms = random_arms(rng)
        copies = [rng.choice([0, 1, 1, 2, 4]) for _ in arms]
        agents.append(Agent(f"agent {number}", arms, copies))
    place = rng.randrange(len(agents))
    other = agents[place - 1]
    if not other.takes_part:
        agents[place - 1] = other.with_copies([1] * len(other.arms))
    some: list[Discount | None] = [NO_DISCOUNT, Geometric(rng.choice([0.5, 0.9, 0.99])), None]
    discount = rng.choice(some)
    if discount is None:
        weights = sorted((rng.randint(1, 8) / 8 for _ in range(horizon + 6)), reverse=True)
        rest = max(len(agents), rng.randint(1, horizon + 6))
        discount = Explicit([w if t < rest else 0.0 for t, w in enumerate(weights)])
    market = Market(agents, discount=discount)
    return Case(
        market=market,
        agent=place,
        own=own_schedule(rng, agents[place], horizon) if rng.random() < 0.5 else Schedule(),
        others=tuple(
            random_renewal(rng, agent.name)
            for agent in agents
            if agent is not agents[place] and rng.random() < 0.2
        ),
        policy=rng.choice(policies),
        horizon=horizon,
        seed=rng.getrandbits(64),
        tapes=random_tapes(rng, len(agents), place, horizon) if taped else None,
    )


def random_arms(rng: random.Random) -> list[Reward]:
    if rng.random() < 0.6:
        means = [0, 1, 0.5, rng.random(), rng.random()]
        return [Bernoulli(rng.choice(means)) for _ in range(rng.randint(1, 3))]
    best = sorted(rng.randint(0, 8) for _ in range(rng.randint(1, 5)))
    tables = [best] + [[rng.randint(0, top) for top in best] for _ in range(rng.randint(0, 2))]
    rng.shuffle(tables)
    return [Empirical([eighths / 8 for eighths in table]) for table in tables]


def random_renewal(rng: random.Random, name: str) -> Renew:
    if rng.random() < 0.5:
        return Renew(name, after=rng.randint(1, 5))
    return Renew(name, below=rng.randint(1, 8) / 8)


def own_schedule(rng: random.Random, agent: Agent, horizon: int) -> Schedule:
    """Arms of one agent go, and come new or under their old names, at any round."""
    here, gone = list(agent.copies), [0] * len(agent.copies)
    changes: list[Retire | Admit] = []
    for round_ in sorted(rng.randint(1, horizon) for _ in range(rng.randint(0, 8))):
        k = rng.randrange(len(here))
        if here[k] > 0 and rng.random() < 0.5:
            count = rng.randint(1, here[k])
            changes.append(Retire(round_, agent.name, k, count))
            here[k] -= count
            gone[k] += count
        else:
            new = gone[k] == 0 or rng.random() < 0.5
            count = rng.randint(1, 2 if new else gone[k])
            changes.append(Admit(round_, agent.name, k, count, new))
            here[k] += count
            gone[k] -= 0 if new else count
    renewals = [random_renewal(rng, agent.name)] if rng.random() < 0.5 else []
    return Schedule(changes, renewals)


def random_tapes(
    rng: random.Random, agents: int, place: int, horizon: int
) -> tuple[list[list[float]], list[list[float]]]:
    """Rewards of all agents, and again with less for one: eighths, or constant, Beta, a table."""
    if rng.random() < 0.5:
        best = [[rng.randint(0, 8) / 8 for _ in range(horizon)] for _ in range(agents)]
        of = [r if rng.random() < 0.7 else rng.randint(0, int(8 * r)) / 8 for r in best[place]]
    else:
        best = [real_tape(rng, horizon) for _ in range(agents)]
        of = [rng.choice([r, math.nextafter(r, 0.0), r * rng.random()]) for r in best[place]]
    return best, [of if agent == place else row for agent, row in enumerate(best)]


def real_tape(rng: random.Random, length: int) -> list[float]:
    match rng.randrange(3):
        case 0:
            return [rng.random()] * length
        case 1:
            a, b = rng.uniform(0.2, 5), rng.uniform(0.2, 5)
            return [rng.betavariate(a, b) for _ in range(length)]
        case _:
            table = [rng.random() for _ in range(rng.randint(2, 5))]
            return rng.choices(table, k=length)


# --- paths ------------------------------------------------------------------------------------


def shortfall(case: Case) -> str | None:
    """Say where the deviation is ahead on the one path of a case: after some round, or in all."""
    sums, revenues = [], []
    for which, market in enumerate((case.best_alone, case.market)):
        lowered = lower(
            market,
            case.policy,
            horizon=case.horizon,
            seed=case.seed,
            schedule=case.schedules[which],
            tape=None if case.tapes is None else case.tapes[which],
        )
        record = new_record(lowered, 1, 1, trace=True)
        fill(lowered, np.array([case.horizon]), record, workers=1)
        tape = None if case.tapes is None else case.tapes[which][case.agent]
        sums.append(earned(case, lowered.counts, lowered.originals, record.choices[0], tape))
        revenues.append(record.revenue[0, case.agent])
    behind = np.flatnonzero(sums[0] < sums[1])
    if len(behind) > 0:
        return f"{sums[0][behind[0]]} < {sums[1][behind[0]]} after round {behind[0] + 1}: {case}"
    if revenues[0] < revenues[1] - 1e-9:
        return f"discounted {revenues[0]} < {revenues[1]}: {case}"
    return None


def earned(
    case: Case,
    counts: np.ndarray,
    originals: np.ndarray,
    made: np.ndarray,
    tape: list[float] | None,
) -> np.ndarray:
    """The agent's rewards so far after every round, from the choices alone."""
    arms = [arm for agent in case.market.agents for arm in agent.arms]
    owner = np.repeat(np.arange(len(counts)), counts)
    rewards = np.zeros(case.horizon)
    restart = case.policy.restart
    begin = 0
    for epoch, rounds in enumerate(
        (case.horizon,) if restart is None else restart.horizons(case.horizon)
    ):
        luck = Stream(case.seed, case.agent + 1, 0, epoch)
        mine = begin + np.flatnonzero(owner[made[begin : begin + rounds]] == case.agent)
        for k, t in enumerate(mine):
            drawn = quantile(arms[originals[made[t]]], luck.one(k, REWARD))
            rewards[t] = drawn if tape is None else tape[k]
        begin += rounds
    return np.cumsum(rewards)


def quantile(arm: Reward, u: float) -> float:
    if isinstance(arm, Bernoulli):
        return float(u >= 1 - arm.mean)
    assert isinstance(arm, Empirical)
    return sorted(arm.rewards)[int(u * len(arm.rewards))]


def violations(
    rng: random.Random, policies: list[Policy], *, cases: int, repetitions: int, longest: int = 60
) -> list[tuple[Case, int]]:
    """Play many paths of many cases; list those cases, and how many of their paths, that fail."""
    found = []
    for _ in range(cases):
        case = random_case(rng, policies, longest=longest)
        best, deviation = (
            simulate(
                market,
                case.policy,
                horizon=case.horizon,
                repetitions=repetitions,
                seed=case.seed,
                checkpoints=1,
                workers=1,
                schedule=schedule,
            ).revenue[:, case.agent]
            for market, schedule in zip((case.best_alone, case.market), case.schedules, strict=True)
        )
        margin = 0.0 if case.market.discount == NO_DISCOUNT else 1e-9
        failing = int(np.sum(best < deviation - margin))
        if failing > 0:
            found.append((case, failing))
    return found
