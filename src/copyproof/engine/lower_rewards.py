"""What arms pay, from records to arrays: distributions, changing means, and priors of means."""

import functools
import math
from typing import Any, assert_never

import numpy as np

from copyproof.engine import changing_means, distributions, drawn_means, mixtures, quantiles
from copyproof.engine.quantiles import Rewards
from copyproof.game import Arm, Market, changing, priors, rewards


class _Rows:
    """What the originals pay, gathered row by row."""

    def __init__(self) -> None:
        self.originals: list[tuple[int, float, float, float]] = []
        self.components: list[tuple[int, float, float, float]] = []
        self.knots: list[tuple[int, float, float]] = []
        self.changing: list[int] = []
        self.values: list[Any] = [np.zeros(0)]
        self.uppers: list[Any] = [np.zeros(0)]
        self.tabled = 0

    def parameters(self, arm: Arm) -> tuple[int, float, float]:
        """Family code and two parameters, or where its rows are in another table."""
        match arm:
            case rewards.Bernoulli(mean=mean):
                return distributions.BERNOULLI, 1.0 - mean, 0.0
            case priors.BetaPrior() | priors.UniformPrior() | priors.ListPrior():
                return distributions.BERNOULLI, math.nan, 0.0
            case rewards.Beta(alpha=alpha, beta=beta):
                return distributions.BETA, alpha, beta
            case rewards.Gaussian(mean=mean, sigma=sigma):
                return distributions.GAUSSIAN, mean, sigma
            case rewards.Exponential(mean=mean):
                return distributions.EXPONENTIAL, mean, 0.0
            case rewards.Poisson() | rewards.Empirical():
                return self._table(*_atoms_of(arm))
            case rewards.Mixture():
                return self._mixture(arm)
            case changing.Piecewise() | changing.Drift():
                first = len(self.knots)
                self.knots += arm.knots
                self.changing.append(len(self.originals))
                return distributions.CHANGING, float(first), float(len(arm.knots))
            case _:
                assert_never(arm)

    def _table(self, values: Any, uppers: Any) -> tuple[int, float, float]:
        first = self.tabled
        self.values.append(values)
        self.uppers.append(uppers)
        self.tabled += len(values)
        return distributions.TABLE, float(first), float(len(values))

    def _mixture(self, mixture: rewards.Mixture) -> tuple[int, float, float]:
        """A table if no component has a density, else rows of components, the atoms first."""
        values, chances = [np.zeros(0)], [np.zeros(0)]
        dense: list[tuple[int, float, float, float]] = []
        for arm, share in zip(mixture.components, mixture.shares, strict=True):
            if isinstance(arm, rewards.Bernoulli | rewards.Poisson | rewards.Empirical):
                value, upper = _atoms_of(arm)
                values.append(value)
                chances.append(share * np.diff(upper, prepend=0.0))
            else:
                dense.append((*self.parameters(arm), share))
        value, place = np.unique(np.concatenate(values), return_inverse=True)
        upper = np.cumsum(np.bincount(place, np.concatenate(chances), len(value)))
        if not dense:
            return self._table(value, upper / upper[-1])
        first = len(self.components)
        weight = 1.0 - math.fsum(row[3] for row in dense)
        self.components += [(*self._table(value, upper), weight), *dense]
        return distributions.MIXTURE, float(first), float(1 + len(dense))


def lower_rewards(market: Market) -> Rewards:
    """What the originals pay, all agents' originals in a row.

    In a market with priors the means are NaN, until ``drawn_means.put_means`` says them.
    """
    rows = _Rows()
    originals: list[Arm] = [arm for agent in market.agents for arm in agent.arms]
    later = market.has_priors or market.has_changing_means  # what the gaps are is said later
    means = [-math.inf if isinstance(arm, changing.Changing) else arm.mean for arm in originals]
    best = max(means)
    for arm, mean in zip(originals, means, strict=True):
        gap = math.nan if later else best - mean
        rows.originals.append((*rows.parameters(arm), gap))
    return Rewards(
        originals=np.array(rows.originals, quantiles.ORIGINAL),
        table_value=np.concatenate(rows.values),
        table_upper=np.concatenate(rows.uppers),
        components=np.array(rows.components, mixtures.COMPONENT),
        changing=np.array(rows.changing, np.int64),
        knots=np.array(rows.knots, changing_means.KNOT),
        unchanging=np.array(means, float),
        best_unchanging=float(best),
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
                case changing.Piecewise() | changing.Drift():
                    raise AssertionError("a market has priors or means that change, not both")
                case _:
                    known = sorted(arm.means) if isinstance(arm, priors.ListPrior) else [arm.mean]
                    rows.append((place, number, drawn_means.LIST, len(means), len(known)))
                    means += known
    return drawn_means.Priors(np.array(rows, drawn_means.PRIOR), np.array(means, float))


def _atoms_of(arm: rewards.Bernoulli | rewards.Poisson | rewards.Empirical) -> tuple[Any, Any]:
    """The values that an arm pays, and the upper ends of their cumulated probabilities."""
    match arm:
        case rewards.Bernoulli(mean=mean):
            return np.array([0.0, 1.0]), np.array([1.0 - mean, 1.0])
        case rewards.Poisson():
            return _poisson_table(arm)
        case rewards.Empirical():
            return _list_table(arm)


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
