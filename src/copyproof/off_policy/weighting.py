"""IPS, SNIPS and the doubly robust estimate of a target policy's value.

With the weights w_i = π_i / p_i of ``estimates``, of the n rows of a log:

- **IPS** (Horvitz, Thompson 1952):  v = (1/n) Σ w_i r_i. Unbiased where the log could have shown
  whatever the target plays; its variance grows with the weights.
- **SNIPS** (Swaminathan, Joachims: "The self-normalized estimator for counterfactual learning",
  NIPS 2015):  v = Σ w_i r_i / Σ w_i. Slightly biased, always within the rewards, and it does not
  mind a constant that is added to all of them. Its rows contribute v + w_i (r_i − v)/w̄.
- **Doubly robust** (Dudík, Langford, Li: "Doubly robust policy evaluation and learning", ICML
  2011):

      v = (1/n) Σ [ Σ_a π(a|x_i) q(x_i, a)  +  w_i (r_i − q(x_i, a_i)) ]

  for any model q of the rewards that was not fitted on row i. It is right if the probabilities are,
  whatever q says, or if q is, whatever the probabilities say.
"""

import numpy as np
from numpy.typing import ArrayLike

from copyproof.off_policy.estimates import Answer, Terms, answer, floats, rewards_of, weights_of


def inverse_propensity(
    rewards: ArrayLike, logged: ArrayLike, target: ArrayLike, terms: Terms | None = None
) -> Answer:
    """IPS: what the target policy is worth a round.

    Parameters
    ----------
    rewards : array of float
        What every row paid.
    logged, target : array of float
        The probabilities with which the logging and the target policy take what the row shows.
    terms : Terms, optional
        Confidence, the least effective sample size, and the range of rewards.

    Returns
    -------
    Value or Refusal

    Examples
    --------
    Two arms were shown with equal chances, the second pays, and the target shows it always:

    >>> rewards = np.tile([0.0, 1.0], 500)
    >>> target = np.tile([0.0, 1.0], 500)
    >>> found = inverse_propensity(rewards, np.full(1000, 0.5), target)
    >>> found.value.mean, found.effective
    (1.0, 500.0)
    >>> inverse_propensity([0.0, 1.0], [0.5, 0.5], [0.0, 1.0]).why
    "2 rows are worth 1.0 rows of the target policy's own, and 100 are needed"
    """
    asked = terms or Terms()
    r = rewards_of(rewards, asked)
    w = weights_of(logged, target, len(r), asked)
    parts = w * r
    return answer("ips", float(np.mean(parts)), parts, w, asked)


def self_normalized(
    rewards: ArrayLike, logged: ArrayLike, target: ArrayLike, terms: Terms | None = None
) -> Answer:
    """SNIPS: what the target policy is worth a round, by weights that are made to add up to one.

    Parameters and answer are those of ``inverse_propensity``.

    Examples
    --------
    >>> rewards = np.tile([0.25, 0.75, 0.75], 200)
    >>> self_normalized(rewards, np.full(600, 0.1), np.full(600, 0.1)).value.mean
    0.583...
    """
    asked = terms or Terms()
    r = rewards_of(rewards, asked)
    w = weights_of(logged, target, len(r), asked)
    total = float(w.sum())
    if total <= 0:
        return answer("snips", 0.0, np.zeros_like(w), w, asked)
    value = float(w @ r) / total
    parts = value + w * (r - value) * (len(w) / total)
    return answer("snips", value, parts, w, asked)


def doubly_robust(
    rewards: ArrayLike,
    logged: ArrayLike,
    target: ArrayLike,
    *,
    predicted: ArrayLike,
    expected: ArrayLike,
    terms: Terms | None = None,
) -> Answer:
    """The doubly robust estimate of what the target policy is worth a round.

    Parameters
    ----------
    rewards, logged, target, terms
        As of ``inverse_propensity``.
    predicted : array of float
        q(x_i, a_i): what a model of the rewards expects of what the row shows. The model must not
        have been fitted on the row: see ``arm_policies`` for one that is fitted in folds.
    expected : array of float
        Σ_a π(a|x_i) q(x_i, a): what the model expects of the target policy there.

    Returns
    -------
    Value or Refusal

    Examples
    --------
    A model that is right leaves nothing to the weights:

    >>> rewards, half = np.tile([0.2, 0.8], 500), np.full(1000, 0.5)
    >>> target = np.tile([0.1, 0.9], 500)
    >>> found = doubly_robust(
    ...     rewards, half, target, predicted=rewards, expected=np.full(1000, 0.74)
    ... )
    >>> round(found.value.mean, 2)
    0.74
    """
    asked = terms or Terms()
    r = rewards_of(rewards, asked)
    w = weights_of(logged, target, len(r), asked)
    q, direct = floats("predicted", predicted, len(r)), floats("expected", expected, len(r))
    parts = direct + w * (r - q)
    return answer("doubly robust", float(np.mean(parts)), parts, w, asked)
