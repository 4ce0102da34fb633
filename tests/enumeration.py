"""Everything that chance may do in a short game, branch by branch, in plain Python.

Rules and policies are those of ``reference``, which shares nothing with the engine. Here every arm
keeps its own place: nothing is merged by symmetry, samples are all subsets, orders all orders. Only
histories that leave every single arm with the same plays and successes are computed once.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

from copyproof import Geometric, Market
from tests.reference import POLICIES, Candidate, Flat, Hierarchical, uniform


class Branches:
    """Takes the place of random draws: notes what would have been drawn from."""

    def __init__(self) -> None:
        self.equals: list[Candidate] = []
        self.epsilon = 0.0

    def pick(self, equals: list[Candidate]) -> Candidate:
        self.equals = equals
        return equals[0]

    def coin(self) -> "Branches":
        return self

    def __lt__(self, epsilon: float) -> bool:
        self.epsilon = epsilon
        return False


@dataclass
class Found:
    """What is to come from one state on: expected revenue, plays and regret, and all outcomes."""

    revenue: list[Any]
    plays: list[Any]
    regret: Any
    outcomes: dict[tuple[int, ...], Any] = field(default_factory=dict)


def branches(
    rule: Callable[..., Candidate],
    candidates: list[Candidate],
    clock: float,
    first_only: bool,
    number: type,
) -> Iterator[tuple[Candidate, Any]]:
    """The candidates that may be chosen, with their probabilities."""
    everyone = number(1) / len(candidates)
    if rule is uniform:
        yield from ((one, everyone) for one in candidates)
        return
    draws = Branches()
    rule(candidates, clock, draws)
    epsilon: float | Fraction = draws.epsilon
    if number is Fraction:
        epsilon = Fraction(epsilon).limit_denominator(10_000)
    equals = draws.equals[:1] if first_only else draws.equals
    for one in candidates:
        chance = epsilon * everyone
        if any(one is other for other in equals):
            chance += (1 - epsilon) * (number(1) / len(equals))
        if chance:
            yield one, chance


def enumerate_game(market: Market, policy: str, horizon: int, number: type = float) -> Found:
    """Expected values of a market of Bernoulli arms; ``number`` is float or Fraction."""
    spec = POLICIES[policy]
    flat = isinstance(spec, Flat)

    def read(value: float) -> Any:
        return Fraction(str(value)) if number is Fraction else value

    owner: list[int] = []
    means: list[Any] = []
    for i, agent in enumerate(market.agents):
        for arm, copies in zip(agent.arms, agent.copies, strict=True):
            owner += [i] * copies
            means += [read(arm.mean)] * copies
    best = read(market.best_mean)
    if isinstance(market.discount, Geometric):
        weights = [read(market.discount.factor) ** t for t in range(horizon)]
    else:
        weights = [read(market.discount.at(t)) for t in range(1, horizon + 1)]
    agents = range(len(market.agents))
    owned = [[a for a in range(len(owner)) if owner[a] == i] for i in agents]
    pools = [list(range(len(owner)))] if flat else owned
    if spec.fixed is not None:
        size = max(1, int(spec.fixed(horizon, market)))
        samples = [list(itertools.combinations(pool, min(size, len(pool)))) for pool in pools]
        drawn = list(itertools.product(*samples))
    else:
        drawn = [tuple(tuple(pool) for pool in pools)]
    orders = [tuple(i for i in agents if owned[i])]
    if isinstance(spec, Hierarchical) and spec.priority:
        orders = list(itertools.permutations(orders[0]))

    def play(in_play: tuple[tuple[int, ...], ...], order: tuple[int, ...]) -> Found:
        def choices(t: int, arms: tuple[tuple[int, int], ...]) -> Iterator[tuple[int, Any]]:
            def arm_choices(pool: int, n: int, clock: float, growth_clock: int) -> Any:
                mine = [Candidate(a, n=arms[a][0], s=arms[a][1]) for a in in_play[pool]]
                if spec.growing is not None:
                    outside = [one for one in mine if one.n == 0]
                    mine = [one for one in mine if one.n > 0]
                    if outside and len(mine) < max(1.0, spec.growing(growth_clock, market)):
                        return [(one, number(1) / len(outside)) for one in outside]
                rule = spec.rule if isinstance(spec, Flat) else spec.arm
                return branches(rule, mine, clock, False, number)

            if isinstance(spec, Flat):
                clock = horizon if spec.clock == "T" else t
                for arm, chance in arm_choices(0, t - 1, clock, t):
                    yield arm.number, chance
                return
            people = []
            for i in order:
                n, s = (sum(arms[a][k] for a in owned[i]) for k in (0, 1))
                people.append(Candidate(i, n=n, s=s))
            clock = horizon if spec.agent_clock == "T" else t
            for one, share in branches(spec.agent, people, clock, spec.priority, number):
                own = {"N": max(one.n, 1), "N + 1": one.n + 1, "T": horizon}[spec.arm_clock]
                growth_clock = one.n + 1 if spec.own_growth else t
                for arm, chance in arm_choices(one.number, one.n, own, growth_clock):
                    yield arm.number, share * chance

        @cache
        def value(t: int, arms: tuple[tuple[int, int], ...]) -> Found:
            if t > horizon:
                return Found([0 for _ in agents], [0 for _ in agents], 0, {(0,) * len(agents): 1})
            found = Found([0 for _ in agents], [0 for _ in agents], 0)
            gamma = weights[t - 1]
            for arm, chance in choices(t, arms):
                for reward, part in ((1, means[arm]), (0, 1 - means[arm])):
                    if part == 0:
                        continue
                    n, s = arms[arm]
                    changed = (*arms[:arm], (n + 1, s + reward), *arms[arm + 1 :])
                    future = value(t + 1, changed)
                    p = chance * part
                    for i in agents:
                        now = int(owner[arm] == i)
                        found.revenue[i] += p * (future.revenue[i] + now * reward * gamma)
                        found.plays[i] += p * (future.plays[i] + now)
                    found.regret += p * (future.regret + best - means[arm])
                    for outcome, q in future.outcomes.items():
                        key = tuple(v + reward * (owner[arm] == i) for i, v in enumerate(outcome))
                        found.outcomes[key] = found.outcomes.get(key, 0) + p * q
            return found

        return value(1, ((0, 0),) * len(owner))

    games = [play(in_play, order) for in_play in drawn for order in orders]
    weight = number(1) / len(games)
    outcomes: dict[tuple[int, ...], Any] = {}
    for game in games:
        for key, chance in game.outcomes.items():
            outcomes[key] = outcomes.get(key, 0) + weight * chance
    return Found(
        [sum(weight * game.revenue[i] for game in games) for i in agents],
        [sum(weight * game.plays[i] for game in games) for i in agents],
        sum(weight * game.regret for game in games),
        outcomes,
    )
