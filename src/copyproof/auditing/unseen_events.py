"""What an event that no game has shown can be worth to an agent, whatever the policy.

Let A be an event of chance at most p. The agent has all T plays at most, so that its revenue is at
most M + μ* Σ γ_t, where M is a martingale: the luck of the plays. The rewards of all families are
sub-gamma, with a variance σ² and a scale c: ln E exp(λ (x − μ)) ≤ λ² σ² / (2 (1 − cλ)) for
0 < λ < 1/c. So M is, with v = σ² Σ γ_t² and the scale cγ_1, and from
λ E[M | A] ≤ ln E[exp(λM) | A] ≤ ln(1/P(A)) + ln E exp(λM) for the best λ,

    E[revenue | A] ≤ μ* Σ γ_t + √(2 v ln(1/p)) + c γ_1 ln(1/p).

Rewards that may be negative are bounded below in the same way. It is the mean of the best arm that
counts here and not the largest reward: a rare event can give the agent all the rounds, but it can
hardly make all of them lucky. Of an arm whose mean is drawn from a prior, or changes during the
game, μ* is the largest mean that it may have.

A mixture in [0, 1] is bounded as anything there. Of any other, with components of means μ_j, at
most D apart, variances σ_j² and scales c_j: which component it is has a mean in an interval of
length D, so that Hoeffding's lemma adds λ² D²/8 to the largest of ln E exp(λ (x_j − μ_j)). So a
variance of max σ_j² + D²/4 and a scale of max c_j suffice.
"""

import math
from typing import assert_never

from copyproof.game import (
    Agent,
    Bernoulli,
    Beta,
    BetaPrior,
    Changing,
    Drift,
    Empirical,
    Exponential,
    Gaussian,
    ListPrior,
    Mixture,
    Piecewise,
    Poisson,
    Prior,
    UniformPrior,
)
from copyproof.game.agent import Arm
from copyproof.game.discount import Discount

# ln(1/p) of the ends of a revenue, beyond which next to nothing lies.
_LEVEL = 14.0


def revenue_of_event(
    agent: Agent, discount: Discount, horizon: int, chance: float
) -> tuple[float, float]:
    """The least and the most that an agent can earn, on average over the games of an event.

    Parameters
    ----------
    agent : Agent
        With the arms that it may register.
    discount : Discount
        Of the market.
    horizon : int
        T, the rounds of a game.
    chance : float
        The chance p that the event has at most.

    Examples
    --------
    One game of a thousand can give an agent all of 10,000 rounds, and a little luck in them:

    >>> from copyproof.game import Constant
    >>> _, most = revenue_of_event(Agent("ann", [0.05]), Constant(), 10_000, chance=0.001)
    >>> round(most)
    583
    """
    total = discount.total(horizon)
    level = max(1.0, -math.log(chance))  # p ln(1/p) is to rise with p
    variance = max(variance_limit(arm) for arm in agent.arms)
    scale = max(scale_limit(arm) for arm in agent.arms)
    heaviest = discount.at(1)  # weights never rise, so that Σ γ_t² ≤ γ_1 Σ γ_t
    luck = math.sqrt(2 * variance * heaviest * total * level) + scale * heaviest * level
    ends = [mean_range(arm) for arm in agent.arms]
    lowest, highest = min(low for low, _ in ends), max(high for _, high in ends)
    return min(0.0, lowest) * total - luck, max(0.0, highest) * total + luck


def revenue_limits(agent: Agent, discount: Discount, horizon: int) -> tuple[float, float, float]:
    """What an agent's revenue may be taken to lie between, and the average of what lies beyond.

    With h = ln(1/P(M > x)) as above, x = √(2 v h) + c h, and so E (M − x_L)⁺ is at most
    ∫_L^∞ e^{-h} dx/dh dh ≤ e^{-L} (√(v/(2 L)) + c).

    Examples
    --------
    >>> from copyproof.game import Constant
    >>> low, high, beyond = revenue_limits(Agent("ann", [0.6]), Constant(), 3000)
    >>> round(low), round(high), f"{beyond:.1g}"
    (-147, 1947, '4e-06')
    """
    least, most = revenue_of_event(agent, discount, horizon, math.exp(-_LEVEL))
    heaviest = discount.at(1)
    variance = max(variance_limit(arm) for arm in agent.arms) * heaviest * discount.total(horizon)
    scale = max(scale_limit(arm) for arm in agent.arms) * heaviest
    return least, most, math.exp(-_LEVEL) * (math.sqrt(variance / (2 * _LEVEL)) + scale)


def mean_range(arm: Arm) -> tuple[float, float]:
    """The interval that holds an arm's mean: all that may be drawn, or that it has in some round.

    Examples
    --------
    >>> mean_range(Bernoulli(0.5)), mean_range(UniformPrior(0.25, 0.75))
    ((0.5, 0.5), (0.25, 0.75))
    """
    return arm.reach if isinstance(arm, Prior | Changing) else (arm.mean, arm.mean)


def variance_limit(arm: Arm) -> float:
    """The variance σ² of an arm's rewards, or the largest that its mean allows in [0, 1].

    Examples
    --------
    >>> variance_limit(Bernoulli(0.5)), variance_limit(Exponential(3.0))
    (0.25, 9.0)
    """
    match arm:
        case Bernoulli() | Beta() | Empirical():
            return arm.mean * (1 - arm.mean)
        case Gaussian():
            return arm.sigma**2
        case Poisson():
            return arm.mean
        case Exponential():
            return arm.mean**2
        case BetaPrior() | UniformPrior() | ListPrior() | Piecewise() | Drift():
            return 0.25  # whatever the mean
        case Mixture():
            if _in_unit(arm):
                return arm.mean * (1 - arm.mean)
            means = [one.mean for one in arm.components]
            apart = max(means) - min(means)
            return max(variance_limit(one) for one in arm.components) + apart**2 / 4
        case _:
            assert_never(arm)


def scale_limit(arm: Arm) -> float:
    """The scale c of a family's tail: how much heavier it is than a normal one.

    Examples
    --------
    >>> scale_limit(Gaussian(0.5, sigma=2.0)), scale_limit(Exponential(3.0))
    (0.0, 3.0)
    """
    match arm:
        case Gaussian():
            return 0.0
        case Exponential():
            return arm.mean
        case Bernoulli() | Beta() | Empirical() | Poisson():
            return 1 / 3
        case BetaPrior() | UniformPrior() | ListPrior() | Piecewise() | Drift():
            return 1 / 3
        case Mixture():
            return 1 / 3 if _in_unit(arm) else max(scale_limit(one) for one in arm.components)
        case _:
            assert_never(arm)


def _in_unit(arm: Mixture) -> bool:
    """Whether all that a mixture pays is in [0, 1]."""
    low, high = arm.support
    return low >= 0 and high <= 1
