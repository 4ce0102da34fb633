"""A policy that learns, over a log of uniform decisions: rows in which it agrees with the log.

L. Li, W. Chu, J. Langford, X. Wang (WSDM 2011): in round t the policy chooses an arm; rows are
passed over until one shows that arm, whose reward is then that of the round.
"""

import numpy as np

from copyproof.engine.cache import kernel
from copyproof.engine.plan import Plan
from copyproof.engine.pools import epoch_is_over, next_epoch, reset
from copyproof.engine.principal import Observation, choose, observe
from copyproof.engine.state import State


@kernel
def play_log(
    plan: Plan, state: State, horizon: int, arms: np.ndarray, rewards: np.ndarray, rows: np.ndarray
) -> int:
    """Play at most ``horizon`` rounds over a log; how many there were.

    ``arms`` and ``rewards`` are the rows of the log; ``rows`` is filled with the row of each round,
    and ``state`` is modified in place.
    """
    reset(plan, state, 0)
    agents = state.order.shape[0]
    row = 0
    for t in range(1, horizon + 1):
        if epoch_is_over(plan, state, t):
            next_epoch(plan, state, 0)
        agent, arm, place = choose(plan, state, t, 0, None)
        while row < arms.shape[0] and arms[row] != arm - agents:
            row += 1
        if row == arms.shape[0]:
            return t - 1
        observe(plan, state, agent, arm, place, Observation(1, 1, rewards[row]))
        rows[t - 1] = row
        row += 1
    return horizon
