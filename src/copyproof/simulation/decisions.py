"""Decisions: the arm of every round, for whoever wants to look at games round by round.

Where agents are bound to groups the principals play (``game.groups``). Arms are numbered as the
given market has them: the k-th arm of an original is the k-th of it in the quotient.
"""

import numpy as np
from numpy.typing import NDArray

from copyproof.engine.drawn_means import drawn_means
from copyproof.engine.lower import Lowered, lower
from copyproof.engine.lower_rewards import lower_priors
from copyproof.game import GivenMarket, Market, Quotient, Schedule, as_market, quotient
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
    games = decisions_of_games(
        found, asked, horizon=horizon, seed=seed, first=repetition, schedule=schedule
    )
    return np.asarray(games[0])


def decisions_of_games(
    market: Market,
    policy: Policy | str,
    *,
    horizon: int,
    seed: int = 0,
    first: int = 0,
    repetitions: int = 1,
    scan: bool = False,
    schedule: Schedule | None = None,
) -> NDArray[np.int32]:
    """Return the arm of every round, a row per repetition from ``first`` on.

    With ``scan`` every index is computed in every round, which is slow, and finds the same.
    """
    asked = policy if isinstance(policy, Policy) else parse_policy(policy)
    principals = quotient(market)
    lowered = lower(
        principals.market,
        asked,
        horizon=horizon,
        seed=seed,
        scan=scan,
        schedule=principals.schedule(schedule),
    )
    record = new_record(lowered, 1, repetitions, trace=True)
    means = None
    if market.has_priors:
        priors = lower_priors(principals.market)
        means = drawn_means(priors, seed=seed, first=first, repetitions=repetitions)
    fill(lowered, np.array([horizon]), record, workers=1, first=first, means=means)
    choices = np.asarray(record.choices)
    return choices if principals.is_trivial else _by_name(principals, lowered)[choices]


def _by_name(principals: Quotient, lowered: Lowered) -> NDArray[np.int32]:
    """Of each arm of the quotient, its number among the given market's."""
    agent = np.array(principals.earners)[lowered.originals]  # of each arm
    original = np.array(principals.originals)[lowered.originals]
    # Agent by agent, and in each original by original; then those that come later, as they come.
    later = np.where(lowered.late, -1, original)
    found = np.empty(len(original), np.int32)
    found[np.lexsort((later, lowered.late, agent))] = np.arange(len(original))
    return found
