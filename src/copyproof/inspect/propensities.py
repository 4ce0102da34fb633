"""What other policies would have earned, from a log that says how likely each decision was.

With the probability of every decision the log itself says what another policy is worth, without
any market: IPS, SNIPS and the doubly robust estimate (``off_policy``), with an effective sample
size, and a refusal where that is too small. The policies are distributions over arms: all arms
alike; all agents alike, and each one's arms; every original alike, however many copies it has; and
the average shares of the target's games. And the target itself, which learns, is replayed where the
decisions were uniform.

At most four million rows are kept for it: beyond, rows are left out by a hash of their number, half
of them each time.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof.external import ExternalPolicy, any_policy
from copyproof.inspect.estimated import EstimatedMarket
from copyproof.inspect.scan import Scan
from copyproof.off_policy import Refusal, Terms, Value, arm_policy_values, replay
from copyproof.plots import limits

_MOST_REPLAYED = 200_000  # rows, by a policy that is not ours
EVERY_ARM = "every arm alike"
EVERY_AGENT = "every agent alike, and its arms"
EVERY_ORIGINAL = "every original alike, copies together"


@dataclass(frozen=True, slots=True)
class OffPolicyValue:
    """What a policy would have earned a round, by one estimator, or why that cannot be said.

    Attributes
    ----------
    policy : str
        What would decide.
    answer : Value or Refusal
        With the effective sample size.
    """

    policy: str
    answer: Value | Refusal

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"policy": self.policy, **self.answer.to_dict()}

    def __str__(self) -> str:
        found = self.answer
        size = f"worth {found.effective:,.0f} rows of its own"
        if isinstance(found, Refusal):
            return f"{self.policy}, {found.estimator}: not said, {found.why}"
        return f"{self.policy}, {found.estimator}: {limits(found.value)} a round; {size}"


def off_policy_values(
    found: Scan,
    estimated: EstimatedMarket,
    shares: NDArray[np.float64] | None,
    target: str,
    seed: int,
) -> Iterator[OffPolicyValue]:
    """Give the values of several policies, by several estimators.

    Parameters
    ----------
    found, estimated
        The log, and the market that was estimated from it.
    shares : array or None
        The target's shares of plays of the market's originals; None if no games were played.
    target : str
        The target, which is replayed.
    seed : int
        Of the replay.
    """
    rows = found.propensities
    assert rows is not None
    arms, rewards, logged = rows.columns()
    count = found.tally.count
    scale = estimated.scale
    terms = Terms(rewards=(scale.low, scale.high))
    owners, originals = found.tally.owner[:count], estimated.original
    each = {EVERY_ARM: np.full(count, 1 / count), EVERY_AGENT: _alike(owners)}
    if len(np.unique(originals)) < count:
        each[EVERY_ORIGINAL] = _alike(originals)
    if shares is not None:
        each[f"{target}, its shares of plays"] = (
            shares[originals] / np.bincount(originals)[originals]
        )
    for name, distribution in each.items():
        values = arm_policy_values(arms, rewards, logged, distribution / distribution.sum(), terms)
        for answer in values:
            yield OffPolicyValue(name, answer)
    policy = any_policy(target)
    named = [  # so that no two are the same, whatever letters are in them
        json.dumps([found.agents[a], found.arms[b]])
        for a, b in zip(owners, found.tally.name[:count], strict=True)
    ]
    some = slice(0, _MOST_REPLAYED if isinstance(policy, ExternalPolicy) else None)
    answer = replay(
        [named[arm] for arm in arms[some].tolist()],
        rewards[some],
        policy,
        owners={name: found.agents[owner] for name, owner in zip(named, owners, strict=True)},
        seed=seed,
        terms=terms,
    )
    yield OffPolicyValue(target, answer)


def _alike(groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """The distribution over arms that gives every group the same, and within it every arm."""
    _, place, size = np.unique(groups, return_inverse=True, return_counts=True)
    return 1 / (len(size) * size[place])
