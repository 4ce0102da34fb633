"""Games of a market with groups: played by principals, told by name.

The engine plays the quotient (``game.groups``) and keeps revenue by principal. Which of a group's
names earned what follows from the choices: the k-th play of principal i in an epoch pays F⁻¹(u) of
the original that was chosen, with the uniform u keyed by (i, epoch, k) as in ``engine.play``, and
counts γ_t in the round t. So the choices are kept, some games at a time, and the rewards are drawn
once more: the memory of a game is 4 bytes a round, and what a group's names earn adds up to what
the group earned.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof.engine.cache import kernel
from copyproof.engine.drawn_means import put_means
from copyproof.engine.lower import Lowered
from copyproof.engine.play import Game, Record
from copyproof.engine.quantiles import reward
from copyproof.engine.streams import REWARD, stream_key, uniform
from copyproof.game import Quotient
from copyproof.simulation.threads import empty_record, fill_on, new_record, own_rewards
from copyproof.validation import require

# Choices that are kept at a time, if they are more than those of one game.
_CHOICES = 2**24
_DEVICE_CHOICES = 2**28  # a GPU wants many games at once
# The longest game whose choices are kept.
MOST_ROUNDS_OF_GROUPS = 2**28


def fill_by_name(
    lowered: Lowered,
    quotient: Quotient,
    checkpoints: NDArray[np.int64],
    repetitions: int,
    *,
    workers: int,
    first: int,
    means: NDArray[np.float64] | None,
    progress: Callable[[int], None] | None,
    device: str = "cpu",
) -> tuple[Record, float]:
    """Play the principals' games; return the record of the named agents, and the seconds.

    ``lowered`` and ``means`` are those of the quotient. The record's rows are the repetitions
    ``first``, ``first`` + 1, …; its ``renewals`` count new arms of all kinds.
    """
    T = lowered.horizon
    check_horizon(T)
    named = quotient.named
    found = empty_record(len(named.agents), named.originals, len(checkpoints), repetitions)
    size = max(1, (_CHOICES if device == "cpu" else _DEVICE_CHOICES) // T)
    seconds = 0.0
    for start in range(0, repetitions, size):
        rows = slice(start, min(start + size, repetitions))
        part = new_record(lowered, len(checkpoints), rows.stop - start, trace=True)
        drawn = None if means is None else means[rows]
        seconds += fill_on(
            device, lowered, checkpoints, part, workers=workers, first=first + start, means=drawn,
            progress=None if progress is None else _further(progress, start * T),
        )  # fmt: skip
        tell_by_name(
            lowered, quotient, part, first + start, drawn, Record(*(a[rows] for a in found))
        )
    return found, seconds


def check_horizon(horizon: int) -> None:
    """Refuse a game whose choices are too many to be kept."""
    accepted = f"at most {MOST_ROUNDS_OF_GROUPS} where agents are bound to groups"
    require(horizon <= MOST_ROUNDS_OF_GROUPS, "horizon", horizon, accepted)


def tell_by_name(
    lowered: Lowered,
    quotient: Quotient,
    part: Record,
    first: int,
    means: NDArray[np.float64] | None,
    into: Record,
) -> None:
    """Say of the principals' games what each name has of it; ``into`` is modified in place.

    ``part`` has the choices of the repetitions ``first``, ``first`` + 1, …, and ``into``, of as
    many rows, is all 0; its ``renewals`` count new arms of all kinds.
    """
    into.regret[:] = part.regret
    into.original_plays[:, quotient.originals] = part.original_plays
    for row in range(len(part.revenue)):
        game = lowered.game
        if means is not None:
            game = own_rewards(game)
            put_means(game.rewards, means[row])
        _earn(lowered, quotient, game, first + row, part, row, into.revenue[row])
    _tell_new_arms(lowered, quotient, part, into.renewals)
    for place, agent in enumerate(quotient.earners):
        into.agent_plays[:, agent] += into.original_plays[:, quotient.originals[place]]


def _earn(
    lowered: Lowered,
    quotient: Quotient,
    game: Game,
    repetition: int,
    part: Record,
    row: int,
    revenue: NDArray[np.float64],
) -> None:
    """What the names earned in one game; ``revenue`` is modified in place."""
    principals = len(lowered.counts)
    earn(
        game,
        lowered.plan.seed,
        np.cumsum(lowered.plan.horizons),
        np.repeat(np.arange(principals), lowered.counts),
        lowered.originals,
        np.array(quotient.earners, np.int64),
        repetition,
        part.choices[row],
        np.zeros(principals, np.int64),
        revenue,
    )


def _tell_new_arms(
    lowered: Lowered, quotient: Quotient, part: Record, into: NDArray[np.int64]
) -> None:
    """New arms by name: those of the schedule, and the renewals of names that are not bound."""
    earners = np.array(quotient.earners, np.int64)
    for place, members in enumerate(quotient.members):
        into[:, members[0]] += part.renewals[:, place]
    into += np.bincount(earners[lowered.originals[lowered.late]], minlength=into.shape[1])


def _further(tell: Callable[[int], None], before: int) -> Callable[[int], None]:
    return lambda played: tell(before + played)


@kernel
def earn(
    game: Game,
    seed: Any,
    epochs: np.ndarray,
    owners: np.ndarray,
    originals: np.ndarray,
    earners: np.ndarray,
    repetition: int,
    choices: np.ndarray,
    plays: np.ndarray,
    revenue: np.ndarray,
) -> None:
    """Draw the rewards of one game's choices again; ``plays`` and ``revenue`` are modified.

    ``epochs`` has the last round of each epoch, ``owners`` and ``originals`` the principal and the
    original of each arm, ``earners`` the named agent of each original.
    """
    weighted = game.discount_weights.shape[0] > 0
    gamma = 1.0
    epoch = 0
    for t in range(1, choices.shape[0] + 1):
        if epoch + 1 < epochs.shape[0] and t > epochs[epoch]:
            epoch += 1
            plays[:] = 0
        arm = choices[t - 1]
        owner, original = owners[arm], originals[arm]
        k = plays[owner]
        plays[owner] += 1
        if game.tape.shape[1] > 0:
            r = float(game.tape[owner, k])
        else:
            key0, key1 = stream_key(seed, owner + 1, epoch)
            u = uniform(key0, key1, k, REWARD, 0, repetition)
            r = reward(game.rewards, original, u, t)
        if weighted:
            gamma = game.discount_weights[t - 1]
        revenue[earners[original]] += gamma * r
        if not weighted:
            gamma *= game.discount_factor
