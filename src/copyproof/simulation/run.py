"""Games of the laboratory: ``play`` plays any repetitions, ``simulate`` sums up the first R.

Every random number is keyed by what it is for, so that repetition r depends on the seed and r
alone: not on the number of threads, and not on how a range is cut. ``play(…, 0, 10)`` finds what
``play(…, 0, 4)`` and ``play(…, 4, 6)`` find, one after the other; so a study can go on where it
stopped, and an audit can add repetitions until it is sure. Two policies, or two strategies, that
are given the same seed share their luck.

Where agents know only a prior, the means are drawn anew for every repetition; they are part of its
luck, and do not depend on the policy or on what anybody registers.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from importlib.metadata import version

import numpy as np
from numpy.typing import NDArray

from copyproof._machine import processors
from copyproof.defaults import CHECKPOINTS
from copyproof.engine.cache import is_cached
from copyproof.engine.drawn_means import drawn_means
from copyproof.engine.lower import Lowered, lower, lower_policy
from copyproof.engine.lower_rewards import lower_priors
from copyproof.engine.play import Record
from copyproof.engine.version import NUMERICS
from copyproof.game import Market, Schedule
from copyproof.policy import Policy, parse_policy, with_market_defaults
from copyproof.simulation.result import Repetitions, Result
from copyproof.simulation.threads import fill, new_record
from copyproof.validation import require, whole_in

MOST_ROUNDS = 2**47
MOST_REPETITIONS = 2**32


def play(
    market: Market,
    policy: Policy | str,
    first: int,
    count: int,
    *,
    horizon: int,
    seed: int,
    checkpoints: int | Iterable[int] = CHECKPOINTS,
    workers: int | None = None,
    tape: Sequence[Sequence[float]] | None = None,
    priority: Sequence[int] | None = None,
    schedule: Schedule | None = None,
    progress: Callable[[int], None] | None = None,
) -> Repetitions:
    """Play the repetitions ``first``, …, ``first + count − 1`` of a market under a policy.

    Parameters
    ----------
    market : Market
        Agents, their arms and how they register them.
    policy : Policy or str
        A record, or its text form such as ``"rh-ucb(L=3)"``.
    first, count : int
        Which repetitions; the first of all is number 0.
    horizon, seed, checkpoints, workers, tape, priority, schedule
        As for ``simulate``.
    progress : callable, optional
        Is told the number of rounds played so far, a few times a second. If it raises, the games
        are broken off within a round and the exception goes on.

    Returns
    -------
    Repetitions
        One row for each; the same however the range is cut.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> game = {"horizon": 1000, "seed": 1}
    >>> whole = play(paper_market("2a"), "h-ucb", 0, 5, **game)
    >>> later = play(paper_market("2a"), "h-ucb", 3, 2, **game)
    >>> whole.revenue[3:, 0].tolist(), later.revenue[:, 0].tolist()
    ([25.0, 23.0], [25.0, 23.0])
    """
    asked = policy if isinstance(policy, Policy) else parse_policy(policy)
    horizon, seed, workers = checked_game(market, horizon, seed, workers)
    first = whole_in("first", first, 0, MOST_REPETITIONS - 1)
    count = whole_in("count", count, 1, MOST_REPETITIONS - first)
    given = schedule is None or isinstance(schedule, Schedule)
    require(given, "schedule", schedule, "a Schedule")
    rounds = checkpoint_rounds(checkpoints, horizon)
    lowered = lower(
        market, asked, horizon=horizon, seed=seed, tape=tape, priority=priority, schedule=schedule
    )
    record = new_record(lowered, len(rounds), count, trace=False)
    means = None
    if market.has_priors:
        priors = lower_priors(market)
        means = drawn_means(priors, seed=seed, first=first, repetitions=count)
    seconds = fill(
        lowered, rounds, record, workers=workers, first=first, means=means, progress=progress
    )
    return Repetitions(
        first=first,
        rounds=_frozen(rounds),
        regret_curves=_frozen(record.regret),
        revenue=_frozen(record.revenue),
        plays=_frozen(record.agent_plays),
        original_plays=_frozen(record.original_plays),
        new_arms=_frozen(new_arms(lowered, record)) if schedule else None,
        means=means,
        seconds=seconds,
    )


def simulate(
    market: Market,
    policy: Policy | str,
    *,
    horizon: int,
    repetitions: int,
    seed: int,
    checkpoints: int | Sequence[int] = CHECKPOINTS,
    workers: int | None = None,
    tape: Sequence[Sequence[float]] | None = None,
    priority: Sequence[int] | None = None,
    schedule: Schedule | None = None,
    progress: Callable[[int], None] | None = None,
) -> Result:
    """Play a market under a policy, many times over.

    Parameters
    ----------
    market : Market
        Agents, their arms and how they register them.
    policy : Policy or str
        A record, or its text form such as ``"rh-ucb(L=3)"``.
    horizon : int
        T, the rounds of a game.
    repetitions : int
        How many independent games.
    seed : int
        Below 2^64. Equal seeds share their luck: the k-th play of agent i in repetition r meets the
        same uniform number under every policy and strategy.
    checkpoints : int or sequence of int
        Rounds at which the regret is kept; a number stands for that many, evenly spaced up to T.
    workers : int, optional
        Threads; as many as there are processors by default. No effect on the result.
    tape : sequence of sequences of float, optional
        ``tape[i][k]`` is the reward of the play number k (from 0) of agent i, instead of drawn
        ones.
    priority : sequence of int, optional
        For policies with priority ties: the agents' positions in the order that ties go by, instead
        of a drawn one.
    schedule : Schedule, optional
        Arms that are withdrawn, and submitted again, during the game.
    progress : callable, optional
        Is told the number of rounds played so far, a few times a second.

    Returns
    -------
    Result
        Means, deviations, standard errors, curves and per-repetition arrays.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> market = paper_market("1a", copies=100)
    >>> result = simulate(market, "ucb1", horizon=10_000, repetitions=10, seed=1)
    >>> round(result.agents[0].plays.mean / 10_000, 2)
    0.73
    """
    asked = policy if isinstance(policy, Policy) else parse_policy(policy)
    repetitions = whole_in("repetitions", repetitions, 1, MOST_REPETITIONS)
    found = play(
        market, asked, 0, repetitions, horizon=horizon, seed=seed, checkpoints=checkpoints,
        workers=workers, tape=tape, priority=priority, schedule=schedule, progress=progress,
    )  # fmt: skip
    return Result(
        **{field.name: getattr(found, field.name) for field in fields(found)},
        market=market,
        policy=asked,
        horizon=int(horizon),
        repetitions=repetitions,
        seed=int(seed),
        schedule=schedule or None,
        versions={name: version(name) for name in ("copyproof", "numpy", "numba")},
    )


def checked_game(
    market: Market, horizon: int, seed: int, workers: int | None
) -> tuple[int, int, int]:
    """Return horizon, seed and workers as checked whole numbers; refuse what is not a market.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> checked_game(paper_market("2a"), 1000, 1, workers=2)
    (1000, 1, 2)
    """
    require(isinstance(market, Market), "market", market, "a Market")
    return (
        whole_in("horizon", horizon, 1, MOST_ROUNDS),
        whole_in("seed", seed, 0, 2**64 - 1),
        processors() if workers is None else whole_in("workers", workers, 1, 1024),
    )


def rules_digest(market: Market, policy: Policy | str, horizon: int) -> str:
    """Digest of all numbers that a policy is played with, and of the version of the numerics.

    A policy's text does not say everything: its rules have constants, which may change. Results
    that are kept are only taken again where this is what it was.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> same = rules_digest(paper_market("2c"), "rh-ucb(L=3)", 1000)
    >>> rules_digest(paper_market("2c"), "rh-ucb", 1000) == same
    True
    """
    asked = policy if isinstance(policy, Policy) else parse_policy(policy)
    plan = lower_policy(with_market_defaults(asked, market), horizon=horizon, seed=0)
    text = json.dumps([NUMERICS, plan], default=lambda numbers: numbers.tolist())
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def is_compiled() -> bool:
    """Whether the kernel behind ``play`` has been compiled here before."""
    return is_cached("play")


def checkpoint_rounds(checkpoints: int | Iterable[int], horizon: int) -> NDArray[np.int64]:
    """The rounds at which regret is kept, in order; the last one is T."""
    if not isinstance(checkpoints, Iterable):
        count = min(whole_in("checkpoints", checkpoints, 1, 1_000_000), horizon)
        # In whole numbers, so that every machine has the same rounds.
        return np.array([step * horizon // count for step in range(1, count + 1)], np.int64)
    given = [
        whole_in(f"checkpoints[{k}]", value, 1, horizon) for k, value in enumerate(checkpoints)
    ]
    return np.unique(np.array([*given, horizon], np.int64))


def new_arms(lowered: Lowered, record: Record) -> NDArray[np.int64]:
    """How many new arms each agent registered during the game, a row per repetition."""
    owner = np.repeat(np.arange(len(lowered.counts)), lowered.counts)
    later = np.bincount(owner[lowered.late], minlength=len(lowered.counts))
    return np.asarray(record.renewals + later)


def _frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array
