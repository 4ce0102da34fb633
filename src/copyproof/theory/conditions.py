"""The conditions of the theorems, each a question to a market, its profile, a policy and T.

Every method of ``Case`` that asks for a condition returns None where it holds; where it fails, half
a sentence that says what the theorem takes and what is found, with the numbers.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from copyproof.game import Agent, Bernoulli, Market
from copyproof.policy import FixedSample, Policy, row
from copyproof.theory.quantities import (
    Sample,
    best_agents,
    largest_gap,
    participants,
    samples,
    share_of_best,
    smallest_share,
)

# Flat policies whose regret is known to be o(T^p) for every p > 0, whatever the Bernoulli means.
#
# UCB1: Auer, Cesa-Bianchi, Fischer 2002. KL-UCB with ln t: O(ln³ T) by the deviation bound of
# Garivier, Cappé 2011. Thompson sampling: Agrawal, Goyal 2012.
CONSISTENT = ("ucb1", "kl-ucb", "thompson")


@dataclass(frozen=True)
class Case:
    """A market, a policy with l and L filled in, and T: and why a condition fails, or None."""

    market: Market
    policy: Policy
    T: int

    @cached_property
    def playing(self) -> tuple[Agent, ...]:
        """The agents that take part."""
        return participants(self.market)

    @cached_property
    def registered(self) -> tuple[tuple[float, int], ...]:
        """Means and copies of what is registered."""
        return tuple(
            (arm.mean, copies)
            for agent in self.playing
            for arm, copies in zip(agent.arms, agent.copies, strict=True)
            if copies > 0
        )

    @cached_property
    def samples(self) -> tuple[Sample, ...]:
        """What a policy with samples drawn once has in play of every agent."""
        return samples(self.market, self.policy, self.T)

    @property
    def factor(self) -> float:
        """The L of the sample, where there is one."""
        assert isinstance(self.policy.sampling, FixedSample)
        assert self.policy.sampling.factor is not None
        return self.policy.sampling.factor

    @property
    def most_regret(self) -> float:
        """T times the largest gap of a registered arm."""
        return self.T * largest_gap(self.market)

    def other_policy(self, name: str) -> str | None:
        """The policy is not the named one; L of RH-UCB may be any."""
        here, wanted = self.policy, row(name).policy
        if isinstance(wanted.sampling, FixedSample) and isinstance(here.sampling, FixedSample):
            here = replace(here, sampling=replace(here.sampling, factor=wanted.sampling.factor))
        return None if here == wanted else f"it is about {name}, and the policy is {self.policy}"

    def other_rewards(self) -> str | None:
        """An arm may pay less than 0 or more than 1."""
        for agent in self.market.agents:
            for number, arm in enumerate(agent.arms):
                low, high = arm.support
                if low < 0 or high > 1:
                    kind = type(arm).__name__.lower()
                    return (
                        f"it takes rewards in [0, 1], and arm {number} of agent {agent.name!r} "
                        f"is {kind}"
                    )
        return None

    def best_is_absent(self) -> str | None:
        """No agent that takes part owns an arm of mean μ*."""
        if best_agents(self.market):
            return None
        return (
            f"the arms of the best mean μ* = {self.market.best_mean:g} belong to agents that take "
            "no part, so that the regret grows linearly"
        )

    def more_than_best_arms(self) -> str | None:
        """An agent registers an arm below its best mean."""
        for agent in self.playing:
            worse = round((1 - share_of_best(agent)) * agent.registered)
            if worse > 0:
                return (
                    f"it takes agents that register their best arm only, and {worse} of the "
                    f"{agent.registered} registered arms of agent {agent.name!r} "
                    f"{'is' if worse == 1 else 'are'} not its best"
                )
        return None

    def several_best(self) -> str | None:
        """Two agents or more own an arm of mean μ*."""
        names = [repr(agent.name) for agent in best_agents(self.market)]
        if len(names) == 1:
            return None
        more = f" and {len(names) - 2} more" if len(names) > 2 else ""
        return f"it takes one best agent, and {' and '.join(names[:2])}{more} are equally good"

    def hidden_best(self) -> str | None:
        """An agent that takes part hides its best arm: c = 0."""
        c, agent = smallest_share(self.market)
        if c > 0:
            return None
        return f"it takes c > 0, and agent {agent.name!r} hides its best arm, so that c = 0"

    def small_sample(self) -> str | None:
        """The factor L of the sample is below 1/c."""
        c, agent = smallest_share(self.market)
        if c == 0:
            return self.hidden_best()
        if 1 / c <= self.factor:
            return None
        best = round(c * agent.registered)
        return (
            f"it takes L ≥ 1/c, and L = {self.factor:g} is below 1/c = {float(1 / c):g}: "
            f"{best} of the {agent.registered} arms of agent {agent.name!r} "
            f"{'is' if best == 1 else 'are'} its best"
        )

    def floored_sample(self) -> str | None:
        """The sample has ⌊L ln T⌋ arms, and for T ≤ 20 lemma 1 can need the fraction."""
        worst = max(self.samples, key=lambda one: one.miss)
        if worst.miss <= 1 / self.T:
            return None
        return (
            f"it takes a sample that misses every best arm with probability 1/T = {1 / self.T:.4g} "
            f"at most, and ⌊L ln T⌋ = {worst.size} arms of agent {worst.agent!r} do with "
            f"{worst.miss:.4g}"
        )

    def no_samples(self) -> str | None:
        """The policy draws no sample of each agent's arms once."""
        if self.samples:
            return None
        return f"it is about a sample of every agent's arms drawn once, and {self.policy} has none"

    def other_samples(self) -> str | None:
        """The samples have another size than L ln T."""
        assert isinstance(self.policy.sampling, FixedSample)
        power = self.policy.sampling.power
        if power == 1:
            return None
        return f"it is about samples of L ln T arms, and here they have L (ln T)^{power:g}"

    def not_consistent(self) -> str | None:
        """The policy is not one of the flat ones that are known to be consistent."""
        if not self.policy.is_flat:
            return f"it is about one pool of arms, and {self.policy} is hierarchical"
        if any(self.policy == row(name).policy for name in CONSISTENT):
            return None
        return (
            "it is about policies with regret o(T^p) for every p > 0 and all means, which is known "
            f"of {', '.join(CONSISTENT[:-1])} and {CONSISTENT[-1]}, and not of {self.policy}"
        )

    def not_bernoulli(self) -> str | None:
        """An agent that takes part has an arm of another family."""
        for agent in self.playing:
            for number, arm in enumerate(agent.arms):
                if not isinstance(arm, Bernoulli):
                    kind = type(arm).__name__.lower()
                    where = f"arm {number} of agent {agent.name!r}"
                    return f"it takes Bernoulli arms, and {where} is {kind}"
        return None

    def best_is_hidden(self) -> str | None:
        """No registered arm has the mean μ*."""
        best = self.market.best_mean
        if any(mean == best for mean, _ in self.registered):
            return None
        return (
            f"the arms of the best mean μ* = {best:g} are hidden, so that the regret grows linearly"
        )
