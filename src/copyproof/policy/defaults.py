"""What is left to the market: l of S-UCB, L of RH-UCB, and K of MOSS."""

from dataclasses import replace

from copyproof.game import Market
from copyproof.policy.baselines import MOSS, MOSSAnytime
from copyproof.policy.records import Policy, Rule, Uniform
from copyproof.policy.sampling import AllArms


def with_market_defaults(policy: Policy, market: Market) -> Policy:
    """The policy with the paper's choice of l or L, and K of MOSS, filled in where none is given.

    l is the number of originals in the market, L the largest number of originals of one agent. K is
    the number of agents that take part among agents, and else l or L.

    Examples
    --------
    >>> from copyproof.game import paper_market
    >>> from copyproof.policy import parse_policy
    >>> with_market_defaults(parse_policy("rh-ucb"), paper_market("2c")).sampling.factor
    3.0
    """
    sampling = policy.sampling
    sized = isinstance(sampling, AllArms) or sampling.factor is not None
    if sized and not any(needs_arms(rule) for rule in policy.rules):
        return policy
    of_agents = [len(agent.arms) for agent in market.agents]
    # Fair(A) runs flat policies, so that its l is the flat one's.
    flat = policy.is_flat or policy.agent == Uniform()
    arms = sum(of_agents) if flat else max(of_agents)
    if isinstance(policy.agent, MOSS | MOSSAnytime) and needs_arms(policy.agent):
        agents = sum(agent.takes_part for agent in market.agents)
        policy = replace(policy, agent=replace(policy.agent, arms=max(1, agents)))
    if isinstance(policy.arm, MOSS | MOSSAnytime) and needs_arms(policy.arm):
        policy = replace(policy, arm=replace(policy.arm, arms=arms))
    if isinstance(sampling, AllArms) or sampling.factor is not None:
        return policy
    return replace(policy, sampling=replace(sampling, factor=float(arms)))


def needs_arms(rule: Rule) -> bool:
    """Whether a rule is a MOSS whose K is left to the market.

    Examples
    --------
    >>> needs_arms(MOSS()), needs_arms(MOSS(5))
    (True, False)
    """
    return isinstance(rule, MOSS | MOSSAnytime) and rule.arms is None
