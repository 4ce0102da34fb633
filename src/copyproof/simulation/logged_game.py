"""A game of one of our policies over a log: which rows it is made of (``engine.logged_game``)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from copyproof.engine.logged_game import play_log
from copyproof.engine.lower import lower
from copyproof.game import Agent, Market
from copyproof.policy import Policy


def rows_of_game(
    arms: NDArray[np.int64],
    rewards: NDArray[np.float64],
    policy: Policy,
    counts: Sequence[int],
    *,
    seed: int,
) -> NDArray[np.int64]:
    """Return the rows in which log and policy agree, one for each round of the policy's game.

    Parameters
    ----------
    arms : array of int
        The arm that every row shows, by its number: agent by agent.
    rewards : array of float
        What it paid, in [0, 1].
    policy : Policy
        Who decides; it is told that T is the rows of the log over its arms.
    counts : sequence of int
        How many arms each agent has.
    seed : int
        Of the policy.

    Examples
    --------
    >>> from copyproof.policy import parse_policy
    >>> log = np.tile([0, 1], 6)
    >>> rows_of_game(log, log.astype(float), parse_policy("h-ucb"), [1, 1], seed=1).tolist()
    [1, 2, 3, 5, 7, 9]
    """
    market = Market([Agent(f"agent {n}", [0.5] * count) for n, count in enumerate(counts)])
    horizon = max(1, len(arms) // sum(counts))
    lowered = lower(market, policy, horizon=horizon, seed=seed)
    rows = np.zeros(horizon, np.int64)
    made = play_log(lowered.plan, lowered.new_state(), horizon, arms, rewards, rows)
    return rows[:made]
