"""Arms of which a table knows wins and plays: their means as posteriors, by empirical Bayes.

The same estimate as ``copyproof inspect`` makes of a log (``inspect.rates``): the means of all arms
are draws from one Beta(α, β), and an arm with w wins in n plays is then Beta(α + w, β + n − w).
Every game of a study draws its means anew from these, so that what it finds carries what the table
does not know.
"""

from collections.abc import Sequence

import numpy as np

from copyproof.game import BetaPrior
from copyproof.inspect.rates import fitted, posterior


def posteriors(wins: Sequence[float], plays: Sequence[int]) -> list[BetaPrior]:
    """What is known of the mean of every arm.

    Examples
    --------
    An arm that won both of its two plays is not taken at its word:

    >>> few, many = posteriors([2, 300, 500, 400], [2, 1000, 1000, 1000])[:2]
    >>> round(few.mean, 2), round(many.mean, 2)
    (0.51, 0.3)
    """
    prior = fitted(np.asarray(wins, dtype=float), np.asarray(plays, dtype=float))
    return [posterior(prior, w, n) for w, n in zip(wins, plays, strict=True)]
