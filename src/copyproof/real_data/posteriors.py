"""Arms of which a table knows wins and plays: their means as posteriors, by empirical Bayes.

The means of all arms are taken as draws from one Beta(a, b), and an arm with w wins in n plays is
then Beta(a + w, b + n − w). (a, b) are fitted to the table by moments (J. C. Kleinman: "Proportions
with extraneous variance", JASA 68, 1973): with shares p_k = w_k / n_k, their mean m weighted by
n_k, N = Σ n_k, and

    S = Σ n_k (p_k − m)²,   c = N − Σ n_k² / N,   σ² = (S − (K − 1) m (1 − m)) / (c − (K − 1)),

the prior has mean m and a + b = m (1 − m) / σ² − 1. Every game of a study draws its means anew from
the posteriors, so that what it finds carries what the table does not know.
"""

from collections.abc import Sequence

import numpy as np

from copyproof.game import BetaPrior

# Of a + b: where arms differ by chance alone, and where they could not differ more.
_LEAST, _MOST = 0.1, 10_000.0


def beta_prior(wins: Sequence[float], plays: Sequence[int]) -> tuple[float, float]:
    """(a, b) of the Beta distribution that the arms' means are drawn from.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> wins = rng.binomial(200, rng.beta(2.0, 6.0, size=5000))
    >>> a, b = beta_prior(wins.tolist(), [200] * 5000)
    >>> round(a, 1), round(b, 1)
    (2.0, 6.0)
    """
    w, n = np.asarray(wins, dtype=float), np.asarray(plays, dtype=float)
    share, total, extra = w / n, n.sum(), len(n) - 1
    mean = float(w.sum() / total)
    spread = float(n @ np.square(share - mean)) - extra * mean * (1 - mean)
    room = float(total - np.square(n).sum() / total) - extra
    variance = max(spread / room, 1e-12) if room > 0 else 1e-12
    size = min(max(mean * (1 - mean) / variance - 1, _LEAST), _MOST)
    return mean * size, (1 - mean) * size


def posteriors(wins: Sequence[float], plays: Sequence[int]) -> list[BetaPrior]:
    """What is known of the mean of every arm.

    Examples
    --------
    An arm that won both of its two plays is not taken at its word:

    >>> few, many = posteriors([2, 300, 500, 400], [2, 1000, 1000, 1000])[:2]
    >>> round(few.mean, 2), round(many.mean, 2)
    (0.45, 0.3)
    """
    a, b = beta_prior(wins, plays)
    return [BetaPrior(a + w, b + n - w) for w, n in zip(wins, plays, strict=True)]
