"""What the theorems ask of a market and its profile: gaps, the best agents, shares and samples.

Only agents that take part count. Best means are over an agent's originals, hidden ones included,
and so is μ*: who hides its best arm has a share c_i = 0 of best arms. The paper asks for shares
above c, and its proofs for shares of at least c: here c is the smallest share itself.
"""

from dataclasses import dataclass
from fractions import Fraction

from copyproof.game import Agent, Market
from copyproof.policy import FixedSample, Policy, with_market_defaults
from copyproof.theory.formulas import lemma_1, miss_probability, sample_size


def participants(market: Market) -> tuple[Agent, ...]:
    """The agents that register something.

    Examples
    --------
    >>> market = Market([Agent("ann", [0.5]), Agent("bob", [0.9], copies=[0])])
    >>> [agent.name for agent in participants(market)]
    ['ann']
    """
    return tuple(agent for agent in market.agents if agent.takes_part)


def agent_gap(market: Market, agent: Agent) -> float:
    """Δ_i = μ* − μ*_i.

    Examples
    --------
    >>> market = Market([Agent("ann", [0.25, 0.5]), Agent("bob", [0.75])])
    >>> agent_gap(market, market.agent("ann"))
    0.25
    """
    return market.best_mean - agent.best_mean


def arm_gaps(agent: Agent) -> tuple[float, ...]:
    """δ_{i,a} = μ*_i − μ(a) for every original a of an agent.

    Examples
    --------
    >>> arm_gaps(Agent("ann", [0.25, 0.75]))[0]
    0.5
    """
    best = agent.best_mean
    return tuple(best - arm.mean for arm in agent.arms)


def best_agents(market: Market) -> tuple[Agent, ...]:
    """The agents that take part and own an arm of mean μ*; i* if there is only one.

    Examples
    --------
    >>> market = Market([Agent("ann", [0.9]), Agent("bob", [0.9]), Agent("eve", [0.1])])
    >>> [agent.name for agent in best_agents(market)]
    ['ann', 'bob']
    """
    return tuple(one for one in participants(market) if one.best_mean == market.best_mean)


def largest_gap(market: Market) -> float:
    """The largest μ* − μ(a) over registered arms: T times that is the most regret there can be.

    Examples
    --------
    >>> largest_gap(Market([Agent("ann", [0.25, 0.0], copies=[1, 0]), Agent("bob", [0.75])]))
    0.5
    """
    return market.best_mean - min(mean for mean, _ in registered_means(market))


def registered_means(market: Market) -> tuple[tuple[float, int], ...]:
    """Means and copies of the arms that are registered, in the market's order.

    Examples
    --------
    >>> registered_means(Market([Agent("ann", [0.25, 0.75], copies=[3, 0]), Agent("bob", [0.5])]))
    ((0.25, 3), (0.5, 1))
    """
    return tuple(
        (arm.mean, copies)
        for agent in market.agents
        for arm, copies in zip(agent.arms, agent.copies, strict=True)
        if copies > 0
    )


def share_of_best(agent: Agent) -> Fraction:
    """c_i: the share of an agent's registered arms that have its best mean.

    Examples
    --------
    >>> share_of_best(Agent("ann", [0.8, 0.2, 0.1], copies=[10, 100, 100])).denominator
    21
    """
    return Fraction(registered_best(agent), agent.registered)


def registered_best(agent: Agent) -> int:
    """How many of an agent's registered arms have its best mean.

    Examples
    --------
    >>> registered_best(Agent("ann", [0.5, 0.25, 0.5], copies=[3, 4, 1]))
    4
    """
    best = agent.best_mean
    counted = zip(agent.arms, agent.copies, strict=True)
    return sum(copies for arm, copies in counted if arm.mean == best)


def smallest_share(market: Market) -> tuple[Fraction, Agent]:
    """The share c = min c_i over the agents that take part, and the first agent that has it.

    Examples
    --------
    >>> smallest_share(Market([Agent("ann", [0.8, 0.2]), Agent("bob", [0.9])]))[0].denominator
    2
    """
    shares = [(share_of_best(agent), agent) for agent in participants(market)]
    return min(shares, key=lambda one: one[0])


def best_share(market: Market) -> float:
    """The share c = min c_i over the agents that take part; 0 if one of them hides its best arm.

    Examples
    --------
    >>> best_share(Market([Agent("ann", [0.8, 0.2]), Agent("bob", [0.9])]))
    0.5
    """
    return float(smallest_share(market)[0])


@dataclass(frozen=True, slots=True)
class Sample:
    """The sample B_i that a policy draws of one agent's arms, and how often it misses the best.

    Attributes
    ----------
    agent : str
        The agent's name.
    arms, best : int
        The arms that the agent registers, and how many of them have its best mean.
    size : int
        The arms in B_i.
    miss : float
        The exact probability that B_i holds none of the best.
    bound : float
        Lemma 1's bound on it: 0 if all arms are in play and a best one among them, else
        (1 − c_i)^size.
    """

    agent: str
    arms: int
    best: int
    size: int
    miss: float
    bound: float


def samples(market: Market, policy: Policy, horizon: int) -> tuple[Sample, ...]:
    """The sample of every agent that takes part, for a policy that draws one of each agent once.

    It is empty for a policy that draws none, draws from one pool, or lets its samples grow.

    Examples
    --------
    >>> from copyproof.game import paper_market
    >>> from copyproof.policy import parse_policy
    >>> drawn = samples(paper_market("2c"), parse_policy("rh-ucb(L=3)"), horizon=100_000)
    >>> round(drawn[-1].miss, 4)
    0.1638
    """
    sampling = with_market_defaults(policy, market).sampling
    if policy.is_flat or not isinstance(sampling, FixedSample):
        return ()
    assert sampling.factor is not None
    L, power = sampling.factor, sampling.power
    return tuple(_sample(agent, L, horizon, power) for agent in participants(market))


def sample_misses_best(market: Market, agent: int, L: float, T: int) -> float:
    """The exact probability that RH-UCB(L)'s sample of one agent's arms holds none of its best.

    Parameters
    ----------
    market : Market
        Agents and how they register their arms.
    agent : int
        The agent's position in the market; it takes part.
    L : float
        The factor of the sample.
    T : int
        The horizon.

    Examples
    --------
    >>> from copyproof.game import paper_market
    >>> round(sample_misses_best(paper_market("2c"), 4, L=3, T=100_000), 4)
    0.1638
    """
    return _sample(market.agents[agent], L, T).miss


def _sample(agent: Agent, L: float, T: int, power: float = 1.0) -> Sample:
    arms, best = agent.registered, registered_best(agent)
    size = sample_size(L, T, arms, power)
    everything = size == arms and best > 0
    return Sample(
        agent=agent.name,
        arms=arms,
        best=best,
        size=size,
        miss=miss_probability(arms, best, size),
        bound=0.0 if everything else lemma_1(best / arms, size),
    )
