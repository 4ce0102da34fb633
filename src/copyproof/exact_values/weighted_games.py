"""A market under a policy as a weighted list of plain games, and what the kernels need for one.

What chance decides before round 1 is averaged over: samples drawn once (S-UCB, RH-UCB), by how many
copies of each original they hold (multivariate hypergeometric weights; each such sample is a game
with other copy counts), and the order that priority ties go by (every order of the agents that
take part is as likely as any other).

Originals of one agent that have the same mean are as exchangeable as copies are, so that they are
counted as copies of one original.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from copyproof.engine.exact_transitions import KeyLayout, Options, Workspace
from copyproof.engine.lower import lower
from copyproof.engine.numerics import log
from copyproof.engine.plan import ALL, FIXED, Plan, sample_size
from copyproof.engine.state import allocate
from copyproof.game import Market
from copyproof.policy import Policy, SampledKLUCB, with_market_defaults

__all__ = ["Played", "Setting", "WeightedGame", "new_options", "setting"]

N = TypeVar("N", float, Fraction)
Copies: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WeightedGame:
    """A game with nothing left to chance before round 1, and its probability."""

    weight: Fraction
    copies: Copies  # arms in play of each kind, all agents' kinds in a row
    order: tuple[int, ...]  # the agents' positions, in the order that priority ties go by


@dataclass(frozen=True, slots=True)
class Played(Generic[N]):
    """What came of one game."""

    plays: list[list[N]]  # expected plays of each kind, a row for each round
    successes: list[list[N]]  # for each agent, the probability of 0 … T successes
    states: int  # how many there were, over all rounds


@dataclass(frozen=True, slots=True)
class Setting:
    """A market under a policy, ready to be computed.

    A *kind* is an original, together with those of the same agent that have the same mean.
    """

    market: Market
    policy: Policy
    plan: Plan
    means: tuple[float, ...]  # of each kind
    owners: tuple[int, ...]
    copies: Copies

    @property
    def horizon(self) -> int:
        """T."""
        return int(self.plan.horizons[0])

    def pools(self) -> list[Copies]:
        """Return the arms of each pool that is sampled apart."""
        if self.policy.is_flat:
            return [self.copies]
        owned = zip(self.owners, self.copies, strict=True)
        of_agents: list[list[int]] = [[] for _ in self.market.agents]
        for owner, copies in owned:
            of_agents[owner].append(copies)
        return [tuple(copies) for copies in of_agents]

    def sizes(self) -> list[int]:
        """Return how many arms of each pool may come into play."""
        arms = [sum(pool) for pool in self.pools()]
        if self.plan.sampling != FIXED:
            return arms
        return [sample_size(self.plan, self.horizon, count) for count in arms]

    def count(self) -> int:
        """Return the number of games."""
        orders = math.factorial(len(self._taking_part())) if self.plan.priority else 1
        pools = zip(self.pools(), self.sizes(), strict=True)
        return orders * math.prod(_count_samples(pool, size) for pool, size in pools)

    def games(self) -> Iterator[WeightedGame]:
        """Yield all games; their weights add up to 1."""
        pools = [
            list(_samples(pool, size))
            for pool, size in zip(self.pools(), self.sizes(), strict=True)
        ]
        taking_part = self._taking_part()
        absent = tuple(i for i in range(len(self.market.agents)) if i not in taking_part)
        orders = list(itertools.permutations(taking_part)) if self.plan.priority else [taking_part]
        ways = math.prod(sum(number for _, number in pool) for pool in pools) * len(orders)
        for samples in itertools.product(*pools):
            copies = tuple(itertools.chain(*(sample for sample, _ in samples)))
            weight = Fraction(math.prod(number for _, number in samples), ways)
            for order in orders:
                yield WeightedGame(weight, copies, (*order, *absent))

    def workspace(self, game: WeightedGame) -> Workspace:
        """Return what the kernels need for one of the games."""
        slots = [min(count, self.horizon) for count in game.copies]
        agents = range(len(self.market.agents))
        bits = self.horizon.bit_length()
        per_word = 62 // (2 * bits)
        layout = KeyLayout(
            bits=bits,
            words=np.arange(sum(slots)) // per_word,
            shifts=np.arange(sum(slots)) % per_word * 2 * bits,
            agents=np.searchsorted(self.owners, [*agents, len(agents)]).astype(np.int64),
            slots=np.cumsum([0, *slots], dtype=np.int64),
            copies=np.array(game.copies, np.int64),
            means=np.array(self.means),
        )
        of_agents = [sum(slots[layout.agents[i] : layout.agents[i + 1]]) for i in agents]
        rooms = [sum(of_agents)] if self.policy.is_flat else of_agents
        state = allocate(
            np.array(of_agents, np.int64),
            np.repeat(np.arange(len(slots)), slots),
            np.zeros(sum(slots), bool),
            rooms,
            is_flat=self.policy.is_flat,
        )
        state.order[:] = game.order
        plan = self.plan
        state.epoch["horizon"] = self.horizon
        if isinstance(
            self.policy.agent, SampledKLUCB
        ):  # the constant κ, of what it is sampled from
            state.epoch["unit"] = sample_size(plan, self.horizon, 2**53)
            state.epoch["log"] = log(float(self.horizon))
        if plan.sampling == FIXED:
            plan = plan._replace(sampling=ALL)
        words = -(-sum(slots) // per_word)
        return Workspace(plan, state, layout, np.zeros(words, np.int64))

    def _taking_part(self) -> tuple[int, ...]:
        agents = enumerate(self.market.agents)
        return tuple(i for i, agent in agents if agent.takes_part)


def setting(market: Market, policy: Policy, horizon: int) -> Setting:
    """Prepare a market of Bernoulli arms under a policy."""
    policy = with_market_defaults(policy, market)
    lowered = lower(market, policy, horizon=horizon, seed=0)
    kinds: dict[tuple[int, float], int] = {}
    for i, agent in enumerate(market.agents):
        for arm, copies in zip(agent.arms, agent.copies, strict=True):
            if copies > 0:
                kinds[i, arm.mean] = kinds.get((i, arm.mean), 0) + copies
    return Setting(
        market=market,
        policy=policy,
        plan=lowered.plan,
        means=tuple(mean for _, mean in kinds),
        owners=tuple(owner for owner, _ in kinds),
        copies=tuple(kinds.values()),
    )


def new_options(work: Workspace, agents: int, rows: tuple[int, ...] = ()) -> Options:
    """Return memory for the options of one state, or of as many as there are rows."""
    slots = int(work.layout.slots[-1])

    def whole(count: int) -> Any:
        return np.zeros((*rows, count), np.int64)

    return Options(
        fields=whole(slots),
        plays=whole(agents),
        agents=whole(agents),
        agent_coin=np.zeros((*rows, 1)),
        arms=whole(slots),
        in_play=whole(slots),
        arm_coins=np.zeros((*rows, agents)),
    )


def _count_samples(copies: Sequence[int], size: int) -> int:
    """Return how many different samples ``_samples`` yields."""
    ways = [1] + [0] * size
    for count in copies:
        sums = [0, *itertools.accumulate(ways)]
        ways = [sums[k + 1] - sums[max(0, k - count)] for k in range(size + 1)]
    return ways[size]


def _samples(copies: Sequence[int], size: int) -> Iterator[tuple[Copies, int]]:
    """Yield how many copies of each a sample may hold, and how many samples do."""
    if not copies:
        if size == 0:
            yield (), 1
        return
    rest = sum(copies[1:])
    for taken in range(max(0, size - rest), min(copies[0], size) + 1):
        for others, ways in _samples(copies[1:], size - taken):
            yield (taken, *others), ways * math.comb(copies[0], taken)
