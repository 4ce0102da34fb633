"""Many games: ``simulate`` plays a market under a policy, repetition after repetition.

Repetitions are spread over threads (the kernels do not hold the GIL). Every random number is keyed
by what it is for, so that the result depends on the seed alone: not on the number of threads, not
on how repetitions are batched; run 7 is the same in 10 repetitions and in 10,000; and two
policies, or two strategies, that are given the same seed share their luck.
"""

import itertools
import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from importlib.metadata import version

import numpy as np

from copyproof._machine import processors
from copyproof.engine.cache import cache_folder
from copyproof.engine.lower import Lowered, lower
from copyproof.engine.play import DONE, STOPPED, Record, play
from copyproof.engine.state import allocate
from copyproof.game import Market, Schedule
from copyproof.policy import Policy, parse_policy
from copyproof.simulation.result import Result
from copyproof.validation import whole_in

_BATCH_ROUNDS = 200_000
"""Rounds that are worth one call of the kernel."""
_LOOK = 0.05
"""Seconds between two looks at how far the workers are."""
MOST_ROUNDS = 2**47
MOST_REPETITIONS = 2**32
DEFAULT_CHECKPOINTS = 200


def simulate(
    market: Market,
    policy: Policy | str,
    *,
    horizon: int,
    repetitions: int,
    seed: int,
    checkpoints: int | Sequence[int] = DEFAULT_CHECKPOINTS,
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
    if not isinstance(market, Market):
        raise ValueError(f"market = {market!r:.60} is not a Market")
    asked = policy if isinstance(policy, Policy) else parse_policy(policy)
    horizon = whole_in("horizon", horizon, 1, MOST_ROUNDS)
    repetitions = whole_in("repetitions", repetitions, 1, MOST_REPETITIONS)
    seed = whole_in("seed", seed, 0, 2**64 - 1)
    workers = processors() if workers is None else whole_in("workers", workers, 1, 1024)
    if schedule is not None and not isinstance(schedule, Schedule):
        raise ValueError(f"schedule = {schedule!r:.60} is not a Schedule")
    rounds = checkpoint_rounds(checkpoints, horizon)
    lowered = lower(
        market, asked, horizon=horizon, seed=seed, tape=tape, priority=priority, schedule=schedule
    )
    record = new_record(lowered, len(rounds), repetitions, trace=False)
    seconds = run(lowered, rounds, record, workers=workers, progress=progress)
    return Result(
        market=market,
        policy=asked,
        horizon=horizon,
        repetitions=repetitions,
        seed=seed,
        rounds=_frozen(rounds),
        regret_curves=_frozen(record.regret),
        revenue=_frozen(record.revenue),
        plays=_frozen(record.agent_plays),
        original_plays=_frozen(record.original_plays),
        seconds=seconds,
        schedule=schedule or None,
        new_arms=_frozen(new_arms(lowered, record)) if schedule else None,
        versions={name: version(name) for name in ("copyproof", "numpy", "numba")},
    )


def run(
    lowered: Lowered,
    checkpoints: np.ndarray,
    record: Record,
    *,
    workers: int,
    first: int = 0,
    batch: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> float:
    """Fill a record, with several threads; return the seconds it took.

    Its rows are the repetitions ``first``, ``first`` + 1, …

    An interrupt (Ctrl-C) stops the workers within a round and is raised again. ``record`` is
    modified in place.
    """
    repetitions = len(record.revenue)
    if batch is None:
        batch = max(1, min(_BATCH_ROUNDS // lowered.horizon, -(-repetitions // workers)))
    starts = range(0, repetitions, batch)
    workers = min(workers, len(starts))
    control = np.zeros(1 + workers, np.int64)
    queue = itertools.count()
    _compile(lowered, checkpoints, record)

    def work(worker: int) -> int:
        state = lowered.new_state()
        while (number := next(queue)) < len(starts):
            rows = slice(starts[number], starts[number] + batch)
            part = Record(*(array[rows] for array in record))
            start = first + rows.start
            status = play(
                lowered.plan, state, lowered.game, checkpoints, start, part, control, worker
            )
            if status != DONE:
                control[0] = 1
                return status
        return DONE

    begin = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        pending = {pool.submit(work, worker) for worker in range(workers)}
        try:
            while pending:
                done, pending = wait(pending, timeout=_LOOK, return_when=FIRST_COMPLETED)
                for future in done:
                    _raise_for(future.result(), lowered)
                if progress is not None:
                    progress(int(control[1:].sum()))
        finally:
            control[0] = 1
    return time.perf_counter() - begin


def _compile(lowered: Lowered, checkpoints: np.ndarray, record: Record) -> None:
    """Have the kernel compiled, or loaded from the cache, without playing a round."""
    one = np.ones(1, np.int64)
    late = np.zeros(1, bool)
    nothing = Record(*(array[:0] for array in record))
    control = np.zeros(2, np.int64)
    state = allocate(one, one, late, [1], is_flat=True)
    try:
        play(lowered.plan, state, lowered.game, checkpoints, 0, nothing, control, 0)
    except OSError as error:
        raise OSError(
            f"compiled code cannot be kept in {cache_folder()}: {error.strerror}; "
            "set NUMBA_CACHE_DIR to a folder with room"
        ) from error


def _raise_for(status: int, lowered: Lowered) -> None:
    if status not in (DONE, STOPPED):
        agent = status - 1
        length = lowered.game.tape_lengths[agent]
        raise ValueError(f"tape[{agent}] has {length} rewards, and the game asks for one more")


def new_record(lowered: Lowered, checkpoints: int, repetitions: int, *, trace: bool) -> Record:
    """Memory for what the repetitions leave behind; ``trace`` keeps every choice, too."""
    agents = len(lowered.counts)
    originals = len(lowered.game.rewards.originals)
    rows = repetitions * (checkpoints + 3 * agents + originals) * 8
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if rows > physical:
        raise ValueError(
            f"repetitions = {repetitions} with {checkpoints} checkpoints, {agents} agents and "
            f"{originals} arms need {rows / 1e9:.0f} GB; this machine has {physical / 1e9:.0f} GB"
        )
    return Record(
        revenue=np.zeros((repetitions, agents)),
        agent_plays=np.zeros((repetitions, agents), np.int64),
        original_plays=np.zeros((repetitions, originals), np.int64),
        renewals=np.zeros((repetitions, agents), np.int64),
        regret=np.zeros((repetitions, checkpoints)),
        choices=np.zeros((repetitions, lowered.horizon if trace else 0), np.int32),
    )


def new_arms(lowered: Lowered, record: Record) -> np.ndarray:
    """How many new arms each agent registered during the game, a row per repetition."""
    owner = np.repeat(np.arange(len(lowered.counts)), lowered.counts)
    later = np.bincount(owner[lowered.late], minlength=len(lowered.counts))
    return np.asarray(record.renewals + later)


def checkpoint_rounds(checkpoints: int | Iterable[int], horizon: int) -> np.ndarray:
    """The rounds at which regret is kept, in order; the last one is T."""
    if not isinstance(checkpoints, Iterable):
        count = min(whole_in("checkpoints", checkpoints, 1, 1_000_000), horizon)
        # In whole numbers, so that every machine has the same rounds.
        return np.array([step * horizon // count for step in range(1, count + 1)], np.int64)
    given = [
        whole_in(f"checkpoints[{k}]", value, 1, horizon) for k, value in enumerate(checkpoints)
    ]
    return np.unique(np.array([*given, horizon], np.int64))


def _frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array
