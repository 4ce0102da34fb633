"""The conditions of the theorems, each a question to a market, its profile, a policy and T.

Every method of ``Case`` that asks for a condition does nothing where it holds. Where it fails it
raises ``ConditionFails`` with half a sentence: what the theorem takes and what is found, with the
numbers.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from copyproof.game import Agent, Arm, Bernoulli, Market
from copyproof.policy import FixedSample, Policy, row
from copyproof.policy.own_rules import Trial
from copyproof.theory.formulas import sample_size
from copyproof.theory.quantities import (
    Sample,
    best_agents,
    largest_gap,
    participants,
    registered_means,
    samples,
    share_of_best,
    smallest_share,
)

# Flat policies whose regret is known to be o(T^p) for every p > 0, whatever the Bernoulli means.
#
# UCB1: Auer, Cesa-Bianchi, Fischer 2002. KL-UCB with ln t: O(ln³ T) by the deviation bound of
# Garivier, Cappé 2011. Thompson sampling: Agrawal, Goyal 2012.
CONSISTENT = ("ucb1", "kl-ucb", "thompson")

_MOST_ARMS = 2**53  # more than any agent has, and a whole number as a float, too


class ConditionFails(Exception):
    """A theorem does not apply, and why."""


@dataclass(frozen=True, slots=True)
class Assumed:
    """Numbers that the lower bounds take and that no market says; None where none is given.

    Attributes
    ----------
    K, g : int or None
        The arms that one agent may register, and how many of them may be the only good ones.
    c : float or None
        A share of good arms instead, among however many.
    lost : float or None
        The share of games in which all good arms may be overlooked.
    plays : float or None
        The plays of an agent, in expectation, where it registers its best bad arm alone.
    """

    K: int | None = None
    g: int | None = None
    c: float | None = None
    lost: float | None = None
    plays: float | None = None


@dataclass(frozen=True)
class Case:
    """A market, a policy with l and L filled in, and T: and the conditions of the theorems."""

    market: Market
    policy: Policy
    T: int
    assumed: Assumed = Assumed()

    @cached_property
    def playing(self) -> tuple[Agent, ...]:
        """The agents that take part."""
        return participants(self.market)

    @cached_property
    def registered(self) -> tuple[tuple[float, int], ...]:
        """Means and copies of what is registered."""
        return registered_means(self.market)

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
    def kappa(self) -> int:
        """κ of ``rh-kl-ucb``, the size of a sample of enough arms: ⌊L (ln T)^power⌋, at least 1."""
        assert isinstance(self.policy.sampling, FixedSample)
        return sample_size(self.factor, self.T, _MOST_ARMS, self.policy.sampling.power)

    @property
    def most_regret(self) -> float:
        """T times the largest gap of a registered arm."""
        return self.T * largest_gap(self.market)

    def requires_policy(self, name: str, *, any_power: bool = False) -> None:
        """The policy is the named one; L of its samples may be any, and the power of ln T if so."""
        here, wanted = self.policy, row(name).policy
        if isinstance(wanted.sampling, FixedSample) and isinstance(here.sampling, FixedSample):
            power = wanted.sampling.power if any_power else here.sampling.power
            here = replace(here, sampling=FixedSample(wanted.sampling.factor, power))
        if here != wanted:
            raise ConditionFails(f"it is about {name}, and the policy is {self.policy}")

    def requires_trial(self) -> Trial:
        """The policy is ``trial`` with any c and ``lost``, no memory and no season; its rule."""
        rule, wanted = self.policy.agent, row("trial").policy
        if (
            isinstance(rule, Trial)
            and rule.memory is None
            and replace(self.policy, agent=wanted.agent) == wanted
        ):
            return rule
        raise ConditionFails(
            f"it is about trial without memory or seasons, and the policy is {self.policy}"
        )

    def requires_rounds(self, least: int) -> None:
        """The game is long enough."""
        if least > self.T:
            raise ConditionFails(f"it takes T ≥ {least}, and T = {self.T}")

    def requires_unit_rewards(self) -> None:
        """No arm pays less than 0 or more than 1."""
        for arm, described in _arms(self.market.agents):
            if min(arm.support) < 0 or max(arm.support) > 1:
                raise ConditionFails(f"it takes rewards in [0, 1], and {described}")

    def requires_best_agent(self) -> None:
        """An agent that takes part owns an arm of mean μ*."""
        if not best_agents(self.market):
            raise ConditionFails(
                f"the arms of the best mean μ* = {self.market.best_mean:g} belong to agents that "
                "take no part, so that the regret grows linearly"
            )

    def requires_best_arms_only(self) -> None:
        """No agent registers an arm below its best mean."""
        for agent in self.playing:
            worse = round((1 - share_of_best(agent)) * agent.registered)
            if worse > 0:
                raise ConditionFails(
                    f"it takes agents that register their best arm only, and {worse} of the "
                    f"{agent.registered} registered arms of agent {agent.name!r} "
                    f"{'is' if worse == 1 else 'are'} not its best"
                )

    def requires_one_best_agent(self) -> None:
        """One agent alone owns arms of mean μ*."""
        names = [repr(agent.name) for agent in best_agents(self.market)]
        if len(names) == 1:
            return
        more = f" and {len(names) - 2} more" if len(names) > 2 else ""
        raise ConditionFails(
            f"it takes one best agent, and {' and '.join(names[:2])}{more} are equally good"
        )

    def requires_shown_best_arms(self) -> None:
        """No agent that takes part hides its best arm: c > 0."""
        c, agent = smallest_share(self.market)
        if c == 0:
            raise ConditionFails(
                f"it takes c > 0, and agent {agent.name!r} hides its best arm, so that c = 0"
            )

    def requires_large_sample(self) -> None:
        """The factor L of the sample is not below 1/c."""
        self.requires_shown_best_arms()
        c, agent = smallest_share(self.market)
        if 1 / c <= self.factor:
            return
        best = round(c * agent.registered)
        raise ConditionFails(
            f"it takes L ≥ 1/c, and L = {self.factor:g} is below 1/c = {float(1 / c):g}: "
            f"{best} of the {agent.registered} arms of agent {agent.name!r} "
            f"{'is' if best == 1 else 'are'} its best"
        )

    def requires_sure_sample(self) -> None:
        """A sample of ⌊L ln T⌋ arms is enough; for T ≤ 20 lemma 1 can need the fraction."""
        worst = max(self.samples, key=lambda one: one.miss)
        if worst.miss <= 1 / self.T:
            return
        raise ConditionFails(
            f"it takes a sample that misses every best arm with probability 1/T = {1 / self.T:.4g} "
            f"at most, and ⌊L ln T⌋ = {worst.size} arms of agent {worst.agent!r} do with "
            f"{worst.miss:.4g}"
        )

    def requires_hierarchy(self) -> None:
        """Agents are chosen first, by what they earned: copies of an only arm change nothing."""
        if self.policy.is_flat:
            raise ConditionFails(
                f"it takes a policy that does not pay for copies, and {self.policy} chooses among "
                "arms, whoever owns them"
            )

    def requires_samples(self) -> None:
        """The policy draws a sample of each agent's arms once."""
        if not self.samples:
            raise ConditionFails(
                f"it is about a sample of every agent's arms drawn once, and {self.policy} has none"
            )

    def requires_log_samples(self) -> None:
        """The samples have the size L ln T."""
        assert isinstance(self.policy.sampling, FixedSample)
        power = self.policy.sampling.power
        if power != 1:
            raise ConditionFails(
                f"it is about samples of L ln T arms, and here they have L (ln T)^{power:g}"
            )

    def requires_consistency(self) -> None:
        """The policy is one of the flat ones that are known to be consistent."""
        if not self.policy.is_flat:
            raise ConditionFails(f"it is about one pool of arms, and {self.policy} is hierarchical")
        if any(self.policy == row(name).policy for name in CONSISTENT):
            return
        raise ConditionFails(
            "it is about policies with regret o(T^p) for every p > 0 and all means, which is known "
            f"of {', '.join(CONSISTENT[:-1])} and {CONSISTENT[-1]}, and not of {self.policy}"
        )

    def requires_bernoulli(self) -> None:
        """The agents that take part have Bernoulli arms only."""
        for arm, described in _arms(self.playing):
            if not isinstance(arm, Bernoulli):
                raise ConditionFails(f"it takes Bernoulli arms, and {described}")

    def requires_registered_best(self) -> None:
        """A registered arm has the mean μ*."""
        best = self.market.best_mean
        if all(mean != best for mean, _ in self.registered):
            raise ConditionFails(
                f"the arms of the best mean μ* = {best:g} are hidden, so that the regret grows "
                "linearly"
            )


def _arms(agents: Iterable[Agent]) -> Iterator[tuple[Arm, str]]:
    """All arms, each with what a reader is told of it."""
    for agent in agents:
        for number, arm in enumerate(agent.arms):
            kind = type(arm).__name__.lower()
            yield arm, f"arm {number} of agent {agent.name!r} is {kind}"
