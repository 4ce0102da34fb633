r"""What arms pay, with how much is known of it: empirical-Bayes means.

Rewards are brought to [0, 1] by x = (r − low)/(high − low), with the log's least and most reward as
low and high, unless a range is given: so it does not matter in which unit and from which zero they
are counted. A log with one reward only says nothing of either, and has min(0, r) and max(1, r).
Original k has n_k plays, copies and all, with the sum s_k. The means are
taken for draws from one Beta(α, β), whose parameters maximise the beta-binomial likelihood

    Π_k B(α + s_k, β + n_k − s_k) / B(α, β)

times a weak prior on m = α/(α + β), uniform, and on κ = α + β, whose logarithm is normal around
ln 2 with a deviation of 1.5: with few arms there is little to learn the spread from. An agent with
five originals or more has such a distribution of its own, as its arms may be more alike than those
of others, and is one unit among those that the common one is fitted to; the deviation of its ln κ
is 4. (With one distribution for all, the best of twenty equal arms, drawn anew, would look better
than any of them is.) Of an arm's mean is then known: Beta(α + s_k, β + n_k − s_k). That the log was
gathered by a policy that looked at rewards does not matter to it, as the likelihood is the same; to
the plain average it does, which is too low for arms that a policy gave up early.

For rewards in {0, 1} the likelihood is exact. Others have a smaller variance than Bernoulli rewards
of their mean, so that the posterior is wider than it need be.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof.game import BetaPrior
from copyproof.validation import require

_LARGEST = 1e6  # that BetaPrior takes
_KAPPA, _SPREAD = math.log(2.0), 1.5
OWN_SPREAD = 4.0  # where an agent has a distribution of its own


@dataclass(frozen=True, slots=True)
class Scale:
    """How rewards are brought to [0, 1], and back."""

    low: float
    high: float

    def down(self, total: Any, plays: Any) -> Any:
        """Sums of scaled rewards."""
        return (total - self.low * plays) / (self.high - self.low)

    def up(self, total: Any, plays: Any) -> Any:
        """Sums of rewards as the log has them."""
        return self.low * plays + (self.high - self.low) * total


def scale_of(least: float, most: float) -> Scale:
    """The scale for rewards between two numbers.

    Examples
    --------
    >>> scale_of(1.0, 5.0), scale_of(0.01, 0.01)
    (Scale(low=1.0, high=5.0), Scale(low=0.0, high=1.0))
    """
    return Scale(least, most) if least < most else Scale(min(0.0, least), max(1.0, most))


def given_scale(given: tuple[float, float] | str) -> Scale:
    """The scale of a range that was given as two numbers, or as a text.

    Examples
    --------
    >>> given_scale("-1,0"), given_scale((1, 5))
    (Scale(low=-1.0, high=0.0), Scale(low=1.0, high=5.0))
    """
    try:
        low, high = map(float, given.split(",") if isinstance(given, str) else given)
    except (TypeError, ValueError):
        low = high = math.nan
    accepted = "two numbers LOW,HIGH with LOW < HIGH"
    require(0 < high - low < math.inf, "reward_range", given, accepted)
    return Scale(low, high)


def fitted(
    successes: NDArray[np.float64], plays: NDArray[np.float64], spread: float = _SPREAD
) -> BetaPrior:
    """The Beta distribution that the means come from; ``spread`` is the deviation of ln κ.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> means, plays = rng.beta(20, 80, 2000), np.full(2000, 50.0)
    >>> prior = fitted(rng.binomial(50, means).astype(float), plays)
    >>> round(prior.mean, 2), 70 < prior.alpha + prior.beta < 140
    (0.2, True)
    """
    from scipy.optimize import minimize
    from scipy.special import betaln

    s, n = np.clip(successes, 0.0, plays), plays

    def loss(at: NDArray[np.float64]) -> float:
        m, kappa = 1 / (1 + math.exp(-at[0])), math.exp(at[1])
        a, b = max(m * kappa, 1e-9), max((1 - m) * kappa, 1e-9)
        likelihood = float(np.sum(betaln(a + s, b + n - s) - betaln(a, b)))
        jacobian = math.log(m) + math.log1p(-m)  # so that m is uniform
        return -likelihood - jacobian + 0.5 * float((at[1] - _KAPPA) / spread) ** 2

    rate = min(max((s.sum() + 0.5) / (n.sum() + 1.0), 1e-6), 1 - 1e-6)
    start = np.array([math.log(rate / (1 - rate)), _KAPPA])
    low, high = [-20.0, -4.0], [20.0, 12.0]
    found = minimize(loss, start, method="Nelder-Mead", bounds=list(zip(low, high, strict=True)))
    m, kappa = 1 / (1 + math.exp(-found.x[0])), math.exp(found.x[1])
    return BetaPrior(max(m * kappa, 1e-6), max((1 - m) * kappa, 1e-6))


def posterior(prior: BetaPrior, successes: float, plays: float) -> BetaPrior:
    """What is known of a mean after plays with such a sum.

    More than a million plays say as much as a million do here.

    Examples
    --------
    >>> posterior(BetaPrior(1, 1), 3, 10)
    BetaPrior(alpha=4.0, beta=8.0)
    """
    alpha = prior.alpha + min(max(successes, 0.0), plays)
    beta = prior.beta + plays - min(max(successes, 0.0), plays)
    shrink = min(1.0, _LARGEST / max(alpha, beta))
    return BetaPrior(max(alpha * shrink, 1e-9), max(beta * shrink, 1e-9))
