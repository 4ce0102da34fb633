"""Decisions: the arm of every round of one game, for whoever wants to look at it round by round."""

import numpy as np
from numpy.typing import NDArray

from copyproof.engine.lower import lower
from copyproof.game import GivenMarket, Schedule, as_market
from copyproof.policy import Policy, parse_policy
from copyproof.simulation.run import checked_game
from copyproof.simulation.threads import fill, new_record
from copyproof.validation import FieldError


def decisions(
    market: GivenMarket,
    policy: Policy | str,
    *,
    horizon: int,
    seed: int,
    repetition: int = 0,
    schedule: Schedule | None = None,
) -> NDArray[np.int32]:
    """Return the arm that is chosen in every round of one repetition of ``simulate``.

    Parameters
    ----------
    market : Market, path or str
        As for ``simulate``; its agents know their means.
    policy : Policy or str
        One of ours.
    horizon, seed, schedule
        As for ``simulate``.
    repetition : int
        Which one, from 0.

    Returns
    -------
    array of int
        Arms by their number in registration order: agent by agent, original by original, copy by
        copy.

    Examples
    --------
    Unplayed arms come first, in a random order:

    >>> decisions("paper:1a", "ucb1", horizon=8, seed=1).tolist()
    [2, 3, 1, 4, 0, 0, 2, 1]
    """
    found = as_market(market)
    if found.has_priors:
        said = "has agents who know only a prior, and decisions takes known means"
        raise FieldError("market", found, "one of known means", said)
    asked = policy if isinstance(policy, Policy) else parse_policy(policy)
    horizon, seed, _ = checked_game(horizon, seed, None)
    lowered = lower(found, asked, horizon=horizon, seed=seed, schedule=schedule)
    record = new_record(lowered, 1, 1, trace=True)
    fill(lowered, np.array([horizon]), record, workers=1, first=repetition)
    return np.asarray(record.choices[0])
