"""Games of the laboratory: ``play`` plays any repetitions, ``simulate`` sums up the first R.

Every random number is keyed by what it is for, so that repetition r depends on the seed and r
alone: not on the number of threads, and not on how a range is cut. ``play(…, 0, 10)`` finds what
``play(…, 0, 4)`` and ``play(…, 4, 6)`` find, one after the other; so a study can go on where it
stopped, and an audit can add repetitions until it is sure. Two policies, or two strategies, that
are given the same seed share their luck.

Where agents know only a prior, the means are drawn anew for every repetition; they are part of its
luck, and do not depend on the policy or on what anybody registers.

Where agents are bound to groups, the policy plays the principals (``game.groups``), and results are
told by name.

A policy that is not ours is played with the same luck and leaves the same arrays behind; its games
run in processes, as ours run in threads.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from importlib.metadata import version
from typing import Any, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from copyproof._machine import processors
from copyproof._progress import Progress, shown
from copyproof._version import __version__
from copyproof.defaults import CHECKPOINTS, HORIZON, REPETITIONS, SEED
from copyproof.devices.batch import can_hold, check_game
from copyproof.devices.gpus import is_there, require_device
from copyproof.engine.cache import is_cached
from copyproof.engine.drawn_means import drawn_means
from copyproof.engine.lower import Lowered, lower
from copyproof.engine.lower_rewards import lower_priors
from copyproof.engine.play import Record
from copyproof.external import AnyPolicy, ExternalPolicy, any_policy, code_of
from copyproof.external.game import game_setup
from copyproof.game import GivenMarket, Quotient, Schedule, as_market, quotient
from copyproof.policy import Policy
from copyproof.simulation.principals import fill_by_name
from copyproof.simulation.processes import fill_external, refuse_what_only_ours_take
from copyproof.simulation.result import Repetitions, Result
from copyproof.simulation.threads import empty_record, fill_on, new_record
from copyproof.validation import FieldError, items, known, require, whole_in

MOST_ROUNDS = 2**47
MOST_REPETITIONS = 2**32
DEVICES = ("cpu", "cuda", "auto")


def play(
    market: GivenMarket,
    policy: AnyPolicy | str,
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
    device: str = "cpu",
    stop: int | None = None,
    apart: bool = False,
) -> Repetitions:
    """Play the repetitions ``first``, …, ``first + count − 1`` of a market under a policy.

    Parameters
    ----------
    market : Market, path or str
        Agents, their arms and how they register them; or what names them, as for ``simulate``.
    policy : Policy, ExternalPolicy or str
        Ours or another's, or a text such as ``"rh-ucb(L=3)"`` or ``"river:UCB(delta=1)"``.
    first, count : int
        Which repetitions; the first of all is number 0.
    horizon, seed, checkpoints, workers, tape, priority, schedule
        As for ``simulate``.
    progress : callable, optional
        Is told the number of rounds played so far, a few times a second. If it raises, the games
        are broken off within a round and the exception goes on.
    device : str
        ``"cpu"``, or ``"cuda"`` for a GPU, as for ``simulate``.
    stop : int, optional
        The last round that is played, as for ``simulate``.
    apart : bool
        Whether an external policy is played in a process of its own with one worker, too, so that
        what ends that process does not end this program.

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
    >>> theirs = play(paper_market("2a"), "river:UCB(delta=1)", 3, 2, workers=1, **game)
    >>> theirs.revenue[:, 0].tolist()
    [502.0, 507.0]
    """
    market, asked = as_market(market), any_policy(policy)
    horizon, seed, workers = checked_game(horizon, seed, workers)
    first = whole_in("first", first, 0, MOST_REPETITIONS - 1)
    count = whole_in("count", count, 1, MOST_REPETITIONS - first)
    require(isinstance(schedule, Schedule | None), "schedule", schedule, "a Schedule")
    device = checked_device(device, asked, horizon, len(market.agents))
    principals = quotient(market)
    rounds = checkpoint_rounds(checkpoints, _last_round(stop, horizon, asked, principals))
    means, paths = None, None
    if market.has_priors:
        drawn = lower_priors(principals.market)
        means = drawn_means(drawn, seed=seed, first=first, repetitions=count)
    if isinstance(asked, ExternalPolicy):
        refuse_what_only_ours_take(asked, schedule, priority, principals)
        setup = game_setup(
            principals.market, checkpoints=rounds.tolist(), seed=seed, tape=tape,
            earners=principals.earners, schedule=schedule,
        )  # fmt: skip
        record = empty_record(len(market.agents), setup.originals, len(rounds), count)
        shared: dict[str, Any] = {"workers": workers, "first": first, "progress": progress}
        seconds, paths = fill_external(asked, setup, record, apart=apart, **shared)
        record = record._replace(original_plays=principals.by_name(record.original_plays))
    else:
        lowered = lower(
            principals.market, asked, horizon=horizon, seed=seed, tape=tape, priority=priority,
            schedule=principals.schedule(schedule),
        )  # fmt: skip
        record, seconds = _filled(
            lowered, principals, rounds, count, workers, first, means, progress, device
        )
    return Repetitions(
        first=first,
        rounds=_frozen(rounds),
        regret_curves=_frozen(record.regret),
        revenue=_frozen(record.revenue),
        plays=_frozen(record.agent_plays),
        original_plays=_frozen(record.original_plays),
        new_arms=_frozen(record.renewals) if schedule else None,  # others take no schedule
        means=means if means is None else principals.by_name(means),
        paths=paths if paths is None else _frozen(paths),
        seconds=seconds,
    )


def _filled(
    lowered: Lowered,
    principals: Quotient,
    rounds: NDArray[np.int64],
    count: int,
    workers: int,
    first: int,
    means: NDArray[np.float64] | None,
    progress: Callable[[int], None] | None,
    device: str,
) -> tuple[Record, float]:
    """Games of our own policy, by name, and the seconds; ``renewals`` are new arms of all kinds."""
    how: dict[str, Any] = {"workers": workers, "first": first, "means": means, "progress": progress}
    if not principals.is_trivial:
        return fill_by_name(lowered, principals, rounds, count, **how, device=device)
    record = new_record(lowered, len(rounds), count, trace=False)
    seconds = fill_on(device, lowered, rounds, record, **how)
    return record._replace(renewals=new_arms(lowered, record)), seconds


class _Game(TypedDict, total=False):
    """What ``simulate`` is told besides market and policy."""

    horizon: int
    repetitions: int
    seed: int
    checkpoints: int | Sequence[int]
    workers: int | None
    tape: Sequence[Sequence[float]] | None
    priority: Sequence[int] | None
    schedule: Schedule | None
    progress: Progress
    device: str
    stop: int | None


@overload
def simulate(  # type: ignore[overload-overlap]  # a text is one policy, and no sequence of texts
    market: GivenMarket, policy: AnyPolicy | str, **game: Unpack[_Game]
) -> Result: ...
@overload
def simulate(
    market: GivenMarket, policy: Sequence[AnyPolicy | str], **game: Unpack[_Game]
) -> list[Result]: ...
def simulate(
    market: GivenMarket,
    policy: AnyPolicy | str | Sequence[AnyPolicy | str],
    *,
    horizon: int = HORIZON,
    repetitions: int = REPETITIONS,
    seed: int = SEED,
    checkpoints: int | Sequence[int] = CHECKPOINTS,
    workers: int | None = None,
    tape: Sequence[Sequence[float]] | None = None,
    priority: Sequence[int] | None = None,
    schedule: Schedule | None = None,
    progress: Progress = None,
    device: str = "cpu",
    stop: int | None = None,
) -> Result | list[Result]:
    """Play a market under a policy, or under several, many times over.

    Parameters
    ----------
    market : Market, path or str
        Agents, their arms and how they register them; or the path of a market file, or a market of
        the paper such as ``"paper:2a"``.
    policy : Policy, ExternalPolicy or str, or a sequence of these
        Ours or another's, or a text such as ``"rh-ucb(L=3)"`` or ``"river:UCB(delta=1)"``. Several
        share their luck.
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
        Threads, or processes for a policy that is not ours; as many as there are processors by
        default. No effect on the result.
    tape : sequence of sequences of float, optional
        ``tape[i][k]`` is the reward of the play number k (from 0) of agent i, instead of drawn
        ones; of principal i where agents are bound to groups.
    priority : sequence of int, optional
        For policies with priority ties: the agents' positions (the principals', where agents are
        bound to groups) in the order that ties go by, instead of a drawn one. Not for a policy that
        is not ours.
    schedule : Schedule, optional
        Arms that are withdrawn, and submitted again, during the game. For a policy that is not ours
        only if its learners have ``retire`` and ``admit``.
    progress : bool or callable, optional
        True for a bar on standard error; a function is told the number of rounds played so far, a
        few times a second.
    device : str
        ``"cpu"``, or ``"cuda"`` for a GPU, where every game is a thread of its own and decides the
        same; ``"auto"`` takes a GPU if there is one. Worth it for thousands of games. A policy that
        is not ours is played on the processor.
    stop : int, optional
        The last round that is played, T by default. Policies that know the horizon know T all the
        same: the state of a game after so many rounds. Not for a policy that is not ours, nor where
        agents are bound to groups.

    Returns
    -------
    Result, or a list of them
        Means, deviations, standard errors, curves and per-repetition arrays; for several policies a
        result for each, in their order.

    Examples
    --------
    >>> flat, ours = simulate("paper:1a:100", ["ucb1", "h-ucb"], repetitions=10, seed=1)
    >>> round(flat.agents[0].plays.mean / flat.horizon, 2)
    0.73
    >>> round(ours.agents[0].plays.mean / ours.horizon, 2)
    0.01
    """
    found = as_market(market)
    asked = _policies(policy)
    horizon, seed, workers = checked_game(horizon, seed, workers)
    repetitions = whole_in("repetitions", repetitions, 1, MOST_REPETITIONS)
    results: list[Result] = []
    rounds = repetitions * (horizon if stop is None else whole_in("stop", stop, 1, horizon))
    with shown(progress, rounds * len(asked)) as tell:
        for place, each in enumerate(asked):
            played = play(
                found, each, 0, repetitions, horizon=horizon, seed=seed, checkpoints=checkpoints,
                workers=workers, tape=tape, priority=priority, schedule=schedule,
                progress=_further(tell, place * rounds), device=device, stop=stop,
            )  # fmt: skip
            results.append(
                Result(
                    **{field.name: getattr(played, field.name) for field in fields(played)},
                    market=found,
                    policy=each,
                    horizon=horizon,
                    repetitions=repetitions,
                    seed=seed,
                    schedule=schedule or None,
                    versions=_versions(each),
                )
            )
    is_one = isinstance(policy, str | Policy | ExternalPolicy)
    return results[0] if is_one else results


def checked_game(horizon: int, seed: int, workers: int | None) -> tuple[int, int, int]:
    """Return horizon, seed and workers as checked whole numbers.

    Examples
    --------
    >>> checked_game(1000, 1, workers=2)
    (1000, 1, 2)
    """
    return (
        whole_in("horizon", horizon, 1, MOST_ROUNDS),
        whole_in("seed", seed, 0, 2**64 - 1),
        processors() if workers is None else whole_in("workers", workers, 1, 1024),
    )


def _last_round(stop: int | None, horizon: int, policy: AnyPolicy, principals: Quotient) -> int:
    """Return the last round that is played, as a checked whole number."""
    if stop is None:
        return horizon
    last = whole_in("stop", stop, 1, horizon)
    if isinstance(policy, ExternalPolicy):
        raise FieldError("stop", stop, "for policies of ours alone")
    if not principals.is_trivial:
        raise FieldError("stop", stop, "for markets without groups")
    return last


def checked_device(device: str, policy: AnyPolicy, horizon: int = 1, agents: int = 1) -> str:
    """``"cpu"`` or ``"cuda"``: what games are played on.

    Examples
    --------
    >>> checked_device("cpu", any_policy("h-ucb"))
    'cpu'
    """
    known("device", device, DEVICES)
    if device == "cuda":
        if isinstance(policy, ExternalPolicy):
            raise FieldError("device", device, "for policies of ours alone")
        check_game(horizon, agents)
        require_device()
    if device == "auto":
        can = isinstance(policy, Policy) and can_hold(horizon, agents)
        return "cuda" if can and is_there() else "cpu"
    return device


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


def _policies(given: AnyPolicy | str | Sequence[AnyPolicy | str]) -> list[AnyPolicy]:
    """One policy or several, as records."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        return [any_policy(given)]
    return [any_policy(one) for one in items("policy", given, "policies")]


def _further(tell: Callable[[int], None] | None, before: int) -> Callable[[int], None] | None:
    """What tells the rounds of one policy's games after those of the policies before it."""
    return None if tell is None else lambda played: tell(before + played)


def _versions(policy: AnyPolicy) -> dict[str, str]:
    """Of the packages that the numbers depend on, and of another's code where a text names it."""
    used = {"copyproof": __version__} | {name: version(name) for name in ("numpy", "numba")}
    if isinstance(policy, ExternalPolicy) and policy.text is not None:
        used |= code_of(policy)
    return used


def _frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array
