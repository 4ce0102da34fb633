"""What arms pay, from records to arrays: reward distributions, and the priors of their means."""

import functools
import math
from typing import Any, assert_never

import numpy as np

from copyproof.engine import drawn_means, quantiles
from copyproof.engine.quantiles import Rewards
from copyproof.game import Arm, Market, priors, rewards


def lower_rewards(market: Market) -> Rewards:
    """What the originals pay, all agents' originals in a row.

    In a market with priors the means are NaN, until ``drawn_means.put_means`` says them.
    """
    rows: list[tuple[int, float, float, float]] = []
    values: list[Any] = [np.zeros(0)]
    uppers: list[Any] = [np.zeros(0)]
    tabled = 0
    originals: list[Arm] = [arm for agent in market.agents for arm in agent.arms]
    best = math.nan if market.has_priors else market.best_mean
    for arm in originals:
        gap = best - arm.mean
        match arm:
            case rewards.Bernoulli(mean=mean):
                rows.append((quantiles.BERNOULLI, 1.0 - mean, 0.0, gap))
            case priors.BetaPrior() | priors.UniformPrior() | priors.ListPrior():
                rows.append((quantiles.BERNOULLI, math.nan, 0.0, gap))
            case rewards.Beta(alpha=alpha, beta=beta):
                rows.append((quantiles.BETA, alpha, beta, gap))
            case rewards.Gaussian(mean=mean, sigma=sigma):
                rows.append((quantiles.GAUSSIAN, mean, sigma, gap))
            case rewards.Exponential(mean=mean):
                rows.append((quantiles.EXPONENTIAL, mean, 0.0, gap))
            case rewards.Poisson() | rewards.Empirical():
                value, upper = (
                    _poisson_table(arm) if isinstance(arm, rewards.Poisson) else _list_table(arm)
                )
                rows.append((quantiles.TABLE, float(tabled), float(len(value)), gap))
                values.append(value)
                uppers.append(upper)
                tabled += len(value)
            case _:
                assert_never(arm)
    return Rewards(
        originals=np.array(rows, quantiles.ORIGINAL),
        table_value=np.concatenate(values),
        table_upper=np.concatenate(uppers),
    )


def lower_priors(market: Market) -> drawn_means.Priors:
    """What the originals' means are drawn from, all agents' originals in a row."""
    rows: list[tuple[int, int, int, float, float]] = []
    means: list[float] = []
    for place, agent in enumerate(market.agents):
        for number, arm in enumerate(agent.arms):
            match arm:
                case priors.BetaPrior(alpha, beta):
                    rows.append((place, number, drawn_means.BETA, alpha, beta))
                case priors.UniformPrior(low, high):
                    rows.append((place, number, drawn_means.UNIFORM, low, high))
                case _:
                    known = sorted(arm.means) if isinstance(arm, priors.ListPrior) else [arm.mean]
                    rows.append((place, number, drawn_means.LIST, len(means), len(known)))
                    means += known
    return drawn_means.Priors(np.array(rows, drawn_means.PRIOR), np.array(means, float))


def _list_table(arm: rewards.Empirical) -> tuple[Any, Any]:
    """The values in order, and the upper ends of their cumulated probabilities."""
    count = len(arm.rewards)
    return np.sort(np.array(arm.rewards, float)), np.arange(1, count + 1) / count


@functools.lru_cache(maxsize=64)
def _poisson_table(arm: rewards.Poisson) -> tuple[Any, Any]:
    """All values but those of a probability below 1e-20 in all."""
    if arm.mean == 0:
        return np.zeros(1), np.ones(1)
    spread = 10.0 * math.sqrt(arm.mean) + 40.0
    value = np.arange(max(0, int(arm.mean - spread)), int(arm.mean + spread) + 1)
    # P(k)/P(k − 1) = mean/k, from the likeliest value on both ways: no powers, no factorials.
    middle = int(arm.mean) - int(value[0])
    below = np.cumprod(value[1 : middle + 1][::-1] / arm.mean)[::-1]
    above = np.cumprod(arm.mean / value[middle + 1 :])
    upper = np.cumsum(np.concatenate([below, [1.0], above]))
    return value.astype(float), upper / upper[-1]
