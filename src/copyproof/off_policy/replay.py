"""Replay: a policy that learns, run over a log whose decisions were uniform.

L. Li, W. Chu, J. Langford, X. Wang: "Unbiased offline evaluation of contextual-bandit-based news
article recommendation algorithms", WSDM 2011. The rows are read in their order. In each the policy
names an arm; if the row shows that arm, the policy is told its reward, and the row counts; if not,
the row is passed over as if it had never been. Where every arm was shown with the same chance,
independently of everything else, the rows that count are a game of the policy as it would have been
played, of about one K-th of the log's length for K arms. Of a policy of ours T is that K-th, and
its game ends there; it learns from rewards that are brought to [0, 1] by the range that is given.

The limits are of the mean reward over those rows (``estimates``). Rewards of a policy that learns
hang on earlier ones, and its mean is that of a game of *this* length.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from copyproof.external.records import ExternalPolicy
from copyproof.off_policy.estimates import (
    Answer,
    Floats,
    Refusal,
    Terms,
    answer,
    floats,
    rewards_of,
)
from copyproof.policy import Policy, parse_policy
from copyproof.simulation.logged_game import rows_of_game
from copyproof.validation import FieldError, items, require, whole

# A log in which the counts of arms are less likely than this is not uniform.
_LEAST_CHANCE = 1e-6


def replay(
    arms: Sequence[str],
    rewards: ArrayLike,
    policy: Policy | str | ExternalPolicy,
    *,
    owners: dict[str, str],
    seed: int = 0,
    terms: Terms | None = None,
) -> Answer:
    """What a learning policy earned a round, over the rows in which it agrees with the log.

    Parameters
    ----------
    arms : sequence of str
        The arm that every row shows, by name.
    rewards : array of float
        What it paid.
    policy : Policy, str or ExternalPolicy
        A policy that learns: of the catalogue, one's own (``function_policy``), or a library's
        (``river_policy``).
    owners : dict of str to str
        Every arm that could have been shown, and the agent that it belongs to.
    seed : int
        Of the policy.
    terms : Terms, optional
        Confidence, the range of rewards; ``least_effective`` is the least number of rows in which
        log and policy agree.

    Returns
    -------
    Value or Refusal
        A refusal where the counts of the arms are not those of uniform decisions.

    Examples
    --------
    >>> import random
    >>> from copyproof import function_policy
    >>> luck = random.Random(1)
    >>> log = [luck.choice(["a", "b"]) for _ in range(2000)]
    >>> always_b = function_policy(lambda tally: "b", name="always b")
    >>> owners = {"a": "ann", "b": "bob"}
    >>> found = replay(log, [float(arm == "b") for arm in log], always_b, owners=owners)
    >>> found.value.mean, found.rows == log.count("b")
    (1.0, True)

    One of ours tries the other arm, too:

    >>> found = replay(log, [float(arm == "b") for arm in log], "h-ucb", owners=owners)
    >>> found.value.mean, found.rows
    (0.988, 1000)
    """
    asked = terms or Terms()
    shown = items("arms", arms, "names of arms")
    r = rewards_of(rewards, asked, len(shown))
    asked_for = parse_policy(policy) if isinstance(policy, str) else policy
    accepted = "a policy: its text, a Policy or an ExternalPolicy"
    require(isinstance(asked_for, Policy | ExternalPolicy), "policy", policy, accepted)
    for k, arm in enumerate(shown):
        if arm not in owners:
            raise FieldError(f"arms[{k}]", arm, "an arm that has an owner")
    seen = Counter(shown)
    why = not_uniform([seen[arm] for arm in owners])
    kept = np.empty(0)
    if not why:
        seed = whole("seed", seed)
        if isinstance(asked_for, Policy):
            kept = _replayed_of_ours(shown, r, asked_for, owners, seed, asked.rewards)
        else:
            kept = _replayed(shown, r, asked_for, owners, seed)
    if why or not len(kept):
        said = why or "log and policy never agree"
        return Refusal("replay", said, len(kept), float(len(kept)), 1.0)
    found = answer("replay", float(np.mean(kept)), kept, np.ones(len(kept)), asked)
    if isinstance(found, Refusal):
        needed = f"and {asked.least_effective:g} are needed"
        return replace(found, why=f"log and policy agree in {len(kept):,} rows, {needed}")
    return found


def _replayed(
    shown: Sequence[str], rewards: Floats, policy: ExternalPolicy, owners: dict[str, str], seed: int
) -> Floats:
    names = list(owners)
    horizon = max(1, len(shown) // len(names))
    learner = policy.factory(names, owners=owners, horizon=horizon, seed=seed)
    kept: list[float] = []
    wanted = ""
    for arm, reward in zip(shown, rewards.tolist(), strict=True):
        if not wanted:
            wanted = learner.choose()
            require(wanted in owners, f"{policy.name}: arm", wanted, "one that has an owner")
        if arm == wanted:
            learner.learn(arm, reward)
            kept.append(reward)
            wanted = ""
    return floats("rewards", kept) if kept else np.empty(0)


def _replayed_of_ours(
    shown: Sequence[str],
    rewards: Floats,
    policy: Policy,
    owners: dict[str, str],
    seed: int,
    limits: tuple[float, float],
) -> Floats:
    """The same of a policy of ours, by the engine; its arms go agent by agent."""
    agents: dict[str, list[str]] = {}
    for arm, owner in owners.items():
        agents.setdefault(owner, []).append(arm)
    numbers = {arm: n for n, arm in enumerate(arm for arms in agents.values() for arm in arms)}
    log = np.array([numbers[arm] for arm in shown], np.int64)
    least, most = limits
    scaled = (rewards - least) / (most - least)
    rows = rows_of_game(log, scaled, policy, [*map(len, agents.values())], seed=seed)
    return floats("rewards", rewards[rows]) if len(rows) else np.empty(0)


def not_uniform(counts: ArrayLike) -> str:
    """Why the counts of arms are not those of uniform decisions; empty if they may be.

    Pearson's χ² with K − 1 degrees of freedom, by the cube-root approximation of Wilson and
    Hilferty (1931), refused at a chance of one in a million.

    Examples
    --------
    >>> not_uniform([103, 97, 100])
    ''
    >>> not_uniform([150, 50, 100])
    'decisions were not uniform: the least shown arm has 50 rows and the most shown one 150'
    """
    n = np.asarray(counts, dtype=np.float64)
    freedom = len(n) - 1
    if freedom == 0:
        return ""
    even = n.sum() / len(n)
    chi = float(np.square(n - even).sum() / even)
    shrink = 2 / (9 * freedom)
    z = ((chi / freedom) ** (1 / 3) - (1 - shrink)) / shrink**0.5
    if z < -NormalDist().inv_cdf(_LEAST_CHANCE):
        return ""
    return (
        f"decisions were not uniform: the least shown arm has {int(n.min())} rows and the most "
        f"shown one {int(n.max())}"
    )
