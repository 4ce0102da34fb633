"""Means that are drawn for every game, where agents know only a prior.

The mean of original k of agent i in repetition r is F⁻¹(u) of its prior, with u keyed by (seed,
owner i + 1, epoch 0, k, purpose MEAN, arm 0, repetition r). So a game has the same means whatever
the policy, and whatever anybody registers: strategies are compared with the same draw. Once its
means are drawn, a game is one of known means: ``put_means`` writes them where the kernels read what
an original pays and costs.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from copyproof.engine.cache import kernel
from copyproof.engine.distributions import BERNOULLI, beta_quantile
from copyproof.engine.quantiles import Rewards
from copyproof.engine.streams import MEAN, nth_of, stream_key, uniform

BETA = 0
UNIFORM = 1
LIST = 2

PRIOR = np.dtype(
    [
        ("agent", "i8"),
        ("number", "i8"),  # of the original within its agent
        ("family", "i8"),
        ("first", "f8"),  # Beta: α; uniform: low; or the list's first entry
        ("second", "f8"),  # Beta: β; uniform: high; list: its number of entries
    ]
)


class Priors(NamedTuple):
    """What the means of the original arms are drawn from, one row each; a known mean is a list."""

    originals: Any
    means: Any  # of all lists


def drawn_means(priors: Priors, *, seed: int, first: int, repetitions: int) -> NDArray[np.float64]:
    """The means in the repetitions ``first``, ``first`` + 1, …: a row each, a column per original.

    They cannot be written to.
    """
    means = np.empty((repetitions, len(priors.originals)))
    _fill_means(priors, np.uint64(seed), first, means)
    means.flags.writeable = False
    return means


def put_means(rewards: Rewards, means: NDArray[np.float64]) -> None:
    """Make a game one of these means; ``rewards`` is modified in place."""
    originals = rewards.originals
    bernoulli = originals["family"] == BERNOULLI
    originals["first"][bernoulli] = 1.0 - means[bernoulli]
    originals["gap"] = means.max() - means


@kernel
def _fill_means(priors: Priors, seed: np.uint64, first: int, out: np.ndarray) -> None:
    """Draw the means of all originals in consecutive repetitions; ``out`` is modified in place."""
    for original in range(out.shape[1]):
        row = priors.originals[original]
        key0, key1 = stream_key(seed, row.agent + 1, 0)
        for place in range(out.shape[0]):
            u = uniform(key0, key1, row.number, MEAN, 0, first + place)
            if row.family == BETA:
                mean = beta_quantile(u, row.first, row.second)
            elif row.family == UNIFORM:
                mean = min(row.first + (row.second - row.first) * u, row.second)
            else:
                mean = priors.means[int(row.first) + nth_of(u, int(row.second))]
            out[place, original] = mean
