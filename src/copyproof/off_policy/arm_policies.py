"""Policies that are a distribution over arms: all three estimates from the columns of a log.

Such a policy π shows arm a with probability π(a), whoever comes: all arms alike, all owners alike,
one arm of each group of copies, or the arm that a new rule has settled on. The model of the rewards
that the doubly robust estimate takes is every arm's own mean, drawn towards the mean of all,

    q(a) = (S(a) + m r̄) / (N(a) + m),

with plays N(a), rewards S(a) and the mean r̄ of the *other* folds of the log, so that no row is
predicted from its own reward. The fold of row i is a fixed hash of i: by i mod k, a log that shows
its arms in turns could have all rows of an arm in one fold.

**What the log never showed.** An arm with π(a) > 0 that no row shows is a gap which no weight
fills. The share π of such arms is told, and above ``MOST_UNSEEN`` nothing is said; below, the
limits are widened by what these arms could pay.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from copyproof.off_policy.estimates import Answer, Floats, Refusal, Terms, Value, floats, rewards_of
from copyproof.off_policy.row_hashes import row_hashes
from copyproof.off_policy.weighting import doubly_robust, inverse_propensity, self_normalized
from copyproof.simulation import Interval
from copyproof.validation import FieldError, require, whole

# The share of the target's plays on arms that no row shows, above which nothing is said.
MOST_UNSEEN = 0.05
# m: how many rows of the overall mean an arm's own mean is mixed with.
_PRIOR_ROWS = 10.0
_FOLDS = 5


@dataclass(frozen=True, slots=True)
class ArmPolicyValues:
    """What a policy over arms is worth a round, by three estimators.

    Attributes
    ----------
    ips, snips, doubly_robust : Value or Refusal
        The answers.
    unseen : float
        The share of the target's plays that go to arms that the log never showed.
    """

    ips: Answer
    snips: Answer
    doubly_robust: Answer
    unseen: float

    def __iter__(self) -> Any:
        return iter((self.ips, self.snips, self.doubly_robust))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"unseen": self.unseen, "estimates": [one.to_dict() for one in self]}


def arm_policy_values(
    arms: ArrayLike,
    rewards: ArrayLike,
    logged: ArrayLike,
    policy: ArrayLike,
    terms: Terms | None = None,
    *,
    folds: int = _FOLDS,
) -> ArmPolicyValues:
    """What a policy that shows arm a with probability π(a) would have earned a round.

    Parameters
    ----------
    arms : array of int
        The arm that every row shows, from 0.
    rewards, logged : array of float
        What it paid, and the probability with which the logging policy showed it.
    policy : array of float
        π, a probability for every arm.
    terms : Terms, optional
        Confidence, the least effective sample size, and the range of rewards.
    folds : int
        k ≥ 2, of the model of rewards.

    Returns
    -------
    ArmPolicyValues

    Raises
    ------
    FieldError
        If a column is not what it should be, or π does not add up to one.

    Examples
    --------
    A log that showed the good arm in one row of five:

    >>> arms = np.tile([0, 0, 0, 0, 1], 400)
    >>> rewards = np.where(arms == 1, 0.9, 0.1)
    >>> logged = np.where(arms == 1, 0.2, 0.8)
    >>> found = arm_policy_values(arms, rewards, logged, [0.5, 0.5])
    >>> [round(one.value.mean, 3) for one in found]
    [0.5, 0.5, 0.5]
    """
    asked = terms or Terms()
    r = rewards_of(rewards, asked)
    pi = _distribution(policy)
    a = _arms(arms, len(r), len(pi))
    require(whole("folds", folds, 2) <= len(r), "folds", folds, f"at most {len(r)}, the rows")
    target = pi[a]
    means, fold = _means_by_fold(a, r, len(pi), folds)
    predicted, expected = means[fold, a], (means @ pi)[fold]
    unseen = float(pi[np.bincount(a, minlength=len(pi)) == 0].sum())
    found = (
        inverse_propensity(r, logged, target, asked),
        self_normalized(r, logged, target, asked),
        doubly_robust(r, logged, target, predicted=predicted, expected=expected, terms=asked),
    )
    ips, snips, robust = (_with_gap(one, unseen, asked) for one in found)
    return ArmPolicyValues(ips, snips, robust, unseen)


def _distribution(policy: ArrayLike) -> Floats:
    pi = floats("policy", policy)
    require(bool((pi >= 0).all()), "policy", float(pi.min()), "a probability for every arm")
    total = float(pi.sum())
    if abs(total - 1) > 1e-6:
        raise FieldError("policy", total, "1", f"adds up to {total:g}, not to 1")
    return np.asarray(pi / total, dtype=np.float64)


def _arms(given: ArrayLike, rows: int, count: int) -> NDArray[np.int64]:
    found = floats("arms", given, rows)
    fits = (found >= 0) & (found < count) & (found == np.floor(found))
    if not fits.all():
        first = int(np.argmin(fits))
        accepted = f"a whole number from 0 to {count - 1}"
        raise FieldError(f"arms[{first}]", float(found[first]), accepted)
    return found.astype(np.int64)


def _means_by_fold(
    arms: NDArray[np.int64], rewards: Floats, count: int, folds: int
) -> tuple[Floats, NDArray[np.int64]]:
    """For every fold, what the other folds expect of each arm; and the fold of every row."""
    fold = _folds(len(arms), folds)
    place = fold * count + arms
    size = folds * count
    plays = np.bincount(place, minlength=size).reshape(folds, count)
    paid = np.bincount(place, weights=rewards, minlength=size).reshape(folds, count)
    other_plays, other_paid = plays.sum(axis=0) - plays, paid.sum(axis=0) - paid
    overall = other_paid.sum(axis=1) / np.maximum(other_plays.sum(axis=1), 1)
    drawn = other_paid + _PRIOR_ROWS * overall[:, None]
    return np.asarray(drawn / (other_plays + _PRIOR_ROWS), dtype=np.float64), fold


def _folds(rows: int, folds: int) -> NDArray[np.int64]:
    """The fold of every row: a hash of its number, modulo k.

    Examples
    --------
    >>> np.bincount(_folds(1000, 5)).tolist()
    [201, 194, 194, 213, 198]
    """
    return (row_hashes(np.arange(rows)) % np.uint64(folds)).astype(np.int64)


def _with_gap(found: Answer, unseen: float, terms: Terms) -> Answer:
    """The answer, with what arms that the log never showed could pay."""
    if isinstance(found, Refusal) or unseen == 0:
        return found
    if unseen > MOST_UNSEEN:
        why = f"{unseen:.1%} of the target policy's plays go to arms that no row of the log shows"
        return Refusal(found.estimator, why, found.rows, found.effective, found.mean_weight)
    least, most = terms.rewards
    gap = unseen * (most - least)
    value = found.value
    wider = Interval(value.mean, max(least, value.low - gap), min(most, value.high + gap))
    return Value(found.estimator, wider, found.rows, found.effective, found.mean_weight)
