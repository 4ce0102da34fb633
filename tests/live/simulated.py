"""A simulated run, to be fed through ask and tell: by the principal, or over HTTP."""

import itertools
import random
from collections.abc import Callable

import numpy as np

from copyproof import CATALOGUE, parse_policy
from copyproof.engine.lower_rewards import lower_rewards
from copyproof.engine.luck import fill_uniforms
from copyproof.game import quotient
from copyproof.live import MarketConfig
from copyproof.policy import AllArms, with_market_defaults
from copyproof.simulation.decisions import decisions_of_games
from tests.markets import random_market
from tests.reference import REWARD, Stream

EVERY_ROW = [row.name for row in CATALOGUE if not row.policy.not_live]


class Run:
    """A market, a policy as live markets take it, what a simulation chose, and its rewards."""

    def __init__(self, policy: str, horizon: int, seed: int, *, bound: bool = False) -> None:
        rng = random.Random(seed)
        self.market = random_market(rng)
        while sum(agent.registered > 0 for agent in self.market.agents) < 3:
            self.market = random_market(rng)
        if bound:  # of one principal every other agent, of another those between, but one
            for first, group in ((0, "even"), (3, "odd")):
                names = self.market.names[first::2]
                self.market = self.market.bind(names, group) if names else self.market
        self.principals = quotient(self.market)
        self.horizon = horizon
        record = with_market_defaults(parse_policy(policy), self.principals.market)
        self.seed = seed
        self.config = MarketConfig(str(record), seed=seed, horizon=horizon)
        assert isinstance(record.sampling, AllArms) or record.sampling.factor is not None
        chosen = decisions_of_games(self.market, policy, horizon=horizon, seed=seed)[0]
        self.choices = [self.arms[number] for number in chosen.tolist()]

    @property
    def arms(self) -> list[tuple[str, str]]:
        """(agent, arm) of all arms, in order of registration; the arm's name has its original."""
        return [
            (agent.name, f"{original}/{copy}")
            for agent in self.market.agents
            for original, copies in enumerate(agent.copies)
            for copy in range(copies)
        ]

    def epoch_starts(self) -> set[int]:
        """The first rounds of all epochs but the first."""
        restart = parse_policy(self.config.policy).restart
        if restart is None:
            return set()
        return {1 + end for end in itertools.accumulate(restart.horizons(self.horizon)[:-1])}

    def play(
        self,
        register: Callable[[list[str], list[tuple[str, str]]], object],
        ask: Callable[[], tuple[str, str, str]],
        tell: Callable[[str, float], object],
    ) -> None:
        """Ask and tell round after round; ``ask`` gives (id, agent, arm)."""
        rewards = lower_rewards(self.market)
        originals = {
            (agent.name, str(original)): row
            for row, (agent, original) in enumerate(
                (agent, original)
                for agent in self.market.agents
                for original in range(len(agent.arms))
            )
        }
        positions = {
            self.market.names[agent]: n
            for n, members in enumerate(self.principals.members)
            for agent in members
        }
        # Principal by principal, as the one pool of a flat policy has them in a simulation.
        arms = sorted(self.arms, key=lambda arm: positions[arm[0]])
        register([agent.name for agent in self.market.agents], arms)
        uniforms = np.zeros((len(positions), self.horizon))
        for position in positions.values():
            fill_uniforms(np.uint64(self.seed), position, 0, 0, uniforms[position])
        plays = dict.fromkeys(positions.values(), 0)
        starts = self.epoch_starts()
        epoch = 0
        for t, expected in enumerate(self.choices, 1):
            if t in starts:  # a game of its own: plays count anew, and have luck of their own
                epoch += 1
                plays = dict.fromkeys(positions.values(), 0)
            number, agent, arm = ask()
            assert (agent, arm) == expected, f"round {t} of {self.market}, {self.config}"
            position = positions[agent]
            u = uniforms[position, plays[position]]
            if epoch > 0:
                luck = Stream(self.seed, position + 1, 0, epoch)
                u = luck.one(plays[position], REWARD)
            plays[position] += 1
            fails = rewards.originals[originals[agent, arm.split("/")[0]]]["first"]
            tell(number, 1.0 if u >= fails else 0.0)
