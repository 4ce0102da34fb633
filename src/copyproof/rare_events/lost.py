"""``lost_probability``: how likely it is that a policy gives up the agent with the best arm.

Under a policy whose agents' indices are made of their own rewards, T and n, a game is lost when the
best agent's index falls below what its best rival's settles at, the rival's best mean V: the rival
is played from then on, and nothing more is learned about the agent. The event depends on the
agent's own plays alone, some O(ln² T) of them, so that horizons of 10^18 cost no more than short
ones; and rare ones are reached by a weighted ensemble (``engine.own_process``).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof._machine import processors
from copyproof._progress import shown_by
from copyproof.defaults import LOST_BUDGET, LOST_PLAYS, LOST_PRECISION, SEED
from copyproof.engine.lower import lower
from copyproof.engine.own_process import BINS, LOST, PLAYS, Question
from copyproof.engine.plan import TOURNAMENT
from copyproof.game import Agent, GivenMarket, Market, as_market, principal_of
from copyproof.policy import Policy, as_policy, why_not_covered, with_market_defaults
from copyproof.rare_events.ensembles import (
    MOST_RUNS,
    WALKERS,
    OwnProcess,
    chance_of_no_good,
    play_runs,
    stops,
)
from copyproof.rare_events.result import LostProbability, summed_up
from copyproof.simulation.run import checked_device
from copyproof.validation import FieldError, number, require, whole_in

MOST_ROUNDS = 10**18
# An agent is taken for safe where it is lost later with a probability of e^(−16) at most.
SAFE_EXPONENT = 16.0
_PILOT_RUNS = 32
_LEAST_RUNS = 32
# Runs beyond what the pilot's deviation asks for: it is an estimate itself.
_RESERVE = 1.6


@dataclass(frozen=True, slots=True)
class _Effort:
    """How long to go on."""

    precision: float
    runs: int | None
    budget: int
    workers: int
    device: str


def lost_probability(
    market: GivenMarket,
    policy: Policy | str,
    *,
    horizon: int,
    seed: int = SEED,
    agent: str | None = None,
    rival: float | None = None,
    precision: float = LOST_PRECISION,
    runs: int | None = None,
    budget: int = LOST_BUDGET,
    most_plays: int = LOST_PLAYS,
    workers: int | None = None,
    device: str = "cpu",
    progress: bool | Callable[[int, int], None] | None = None,
) -> LostProbability:
    """Estimate how likely an agent is to be given up although its best arm is better than a rival.

    The agent is *lost* when its index falls below V in its first T own plays. The estimate is
    unbiased for that, up to ``neglected``; for whole games it is an approximation, as a rival's
    index is not quite its mean.

    Parameters
    ----------
    market : Market, path or str
        Agents, their arms and how they register them; or the path of their file, or ``"paper:2a"``.
        Of the other agents only the number of those with an arm counts.
    policy : Policy or str
        One whose agent index is made of own rewards (``why_not_covered`` says None), without
        restarts.
    horizon : int
        T, up to 10^18.
    seed : int
        Below 2^64.
    agent : str, optional
        Its name; the one with the best registered arm if not given.
    rival : float, optional
        V, in (0, 1); the best mean of the others' registered arms if not given.
    precision : float
        The standard error that is aimed at, as a share of the probability. A pilot of 32 runs says
        how many runs that takes, and its own results are not used.
    runs : int, optional
        How many runs, without a pilot.
    budget : int
        About the most own plays of all walkers together, where ``runs`` is not given.
    most_plays : int
        Own plays after which a walker that is neither lost nor safe is left as undecided.
    workers : int, optional
        Threads; as many as there are processors by default. No effect on the result.
    device : str
        What the runs are played on: ``"cpu"``, ``"cuda"`` for a GPU, where a run is a thread, or
        ``"auto"``. Worth it for many runs. No effect on the result.
    progress : bool or callable, optional
        True shows a bar; a function is told the runs so far and the runs in all, a few times a
        second.

    Returns
    -------
    LostProbability
        The probability with its standard error and limits, and how it was found.

    Examples
    --------
    >>> from copyproof import Agent, Market
    >>> market = Market([Agent("A", [0.9, 0.2], copies=[10, 200]), Agent("B", [0.8])])
    >>> found = lost_probability(market, "trial", horizon=10**5, seed=1, runs=10)
    >>> 0.001 < found.probability < 0.05
    True
    """
    named, asked = as_market(market), as_policy(policy)
    market = named.quotient
    agent = None if agent is None else principal_of(named, agent)
    market.require_known_means("lost_probability")
    horizon = whole_in("horizon", horizon, 1, MOST_ROUNDS)
    seed = whole_in("seed", seed, 0, 2**64 - 1)
    most_plays = whole_in("most_plays", most_plays, 1, 10**9)
    effort = _Effort(
        precision=number("precision", precision),
        runs=None if runs is None else whole_in("runs", runs, 2, MOST_RUNS // 2),
        budget=whole_in("budget", budget, 1, 10**12),
        workers=processors() if workers is None else whole_in("workers", workers, 1, 1024),
        device=checked_device(device, asked),
    )
    require(1e-6 <= effort.precision <= 1, "precision", precision, "a number in [1e-6, 1]")
    resolved = _checked_policy(asked, market)
    place = _place_of(market, agent)
    value = _rival_of(market, place, rival)
    process = own_process(
        market, place, resolved, value, horizon=horizon, seed=seed, most=min(most_plays, horizon)
    )
    with shown_by(progress, lambda bar: lambda runs, total: bar.show(runs, total)) as tell:
        results, pilot_plays, seconds = _play(process, effort, tell)
    found = summed_up(results, safe=SAFE_EXPONENT, is_cut=most_plays < horizon)
    found["plays"] += pilot_plays
    return LostProbability(
        **found,
        seconds=seconds,
        policy=str(resolved),
        agent=market.names[place],
        rival=value,
        best=process.question.best,
        agents=sum(one.takes_part for one in market.agents),
        horizon=horizon,
        most_plays=most_plays,
        seed=seed,
    )


def _checked_policy(policy: Policy, market: Market) -> Policy:
    """The policy with the market's defaults; one whose index is not the agent's own is refused."""
    if reason := why_not_covered(policy):
        said = f"= '{policy}' has no index made of an agent's own rewards: {reason}"
        raise FieldError("policy", str(policy), "one with such an index", said)
    if policy.restart is not None:
        said = f"= '{policy}' starts anew by the round t: give it without restarts, epoch by epoch"
        raise FieldError("policy", str(policy), "one without restarts", said)
    return with_market_defaults(policy, market)


def _best_registered(agent: Agent) -> float:
    """The best mean of the arms that an agent registers; −∞ if it registers none."""
    means = (arm.mean for arm, copies in zip(agent.arms, agent.copies, strict=True) if copies)
    return max(means, default=-math.inf)


def _place_of(market: Market, name: str | None) -> int:
    if name is not None:
        return market.names.index(market.agent(name).name)
    means = [_best_registered(agent) for agent in market.agents]
    return means.index(max(means))


def _rival_of(market: Market, place: int, rival: float | None) -> float:
    """V: as given, or the best mean of the others."""
    best = _best_registered(market.agents[place])
    if rival is None:
        others = (agent for other, agent in enumerate(market.agents) if other != place)
        value = max(map(_best_registered, others), default=-math.inf)
        if value == -math.inf:
            said = "is not given, and no other agent registers an arm"
            raise FieldError("rival", None, "a number in (0, 1)", said)
    else:
        value = number("rival", rival)
    require(0 < value < 1, "rival", value, "a number in (0, 1)")
    if value >= best:
        name = market.names[place]
        said = f"= {value:g} is not below {best:g}, the best mean that agent {name!r} registers"
        raise FieldError("rival", value, f"below {best:g}", said)
    return value


def own_process(
    market: Market, place: int, policy: Policy, rival: float, *, horizon: int, seed: int, most: int
) -> OwnProcess:
    """The agent as it is; the others count, but are not there."""
    _check_rewards(market.agents[place], place)
    alone = Market(
        agent if other == place else Agent(agent.name, [0.0], copies=[int(agent.takes_part)])
        for other, agent in enumerate(market.agents)
    )
    lowered = lower(alone, policy, horizon=horizon, seed=seed)
    plan = lowered.plan._replace(agent_search=TOURNAMENT)  # its index is asked for in every round
    lowered = replace(lowered, plan=plan)
    good = _good(alone, rival)
    question = Question(
        agent=place,
        rival=rival,
        best=_best_registered(market.agents[place]),
        safe=SAFE_EXPONENT,
        good=good,
        stops=stops(most),
        bins=BINS,
        walkers=WALKERS,
        no_good=chance_of_no_good(lowered, place, good),
    )
    return OwnProcess(lowered, question)


def _good(market: Market, rival: float) -> NDArray[np.int8]:
    """For each original, whether its mean is above the rival."""
    means = [arm.mean for agent in market.agents for arm in agent.arms]
    return np.array([mean > rival for mean in means], np.int8)


def _check_rewards(agent: Agent, place: int) -> None:
    for arm_place, (arm, copies) in enumerate(zip(agent.arms, agent.copies, strict=True)):
        if copies and (arm.support[0] < 0 or arm.support[1] > 1):
            field, kind = f"agents[{place}].arms[{arm_place}]", type(arm).__name__.lower()
            raise FieldError(field, kind, "an arm with rewards in [0, 1]")


def _play(
    process: OwnProcess, effort: _Effort, progress: Callable[[int, int], None] | None
) -> tuple[NDArray[np.float64], int, float]:
    """Play the runs, after a pilot if their number is not given: results, pilot's plays, time."""

    def played(
        asked: OwnProcess, first: int, count: int, before: int, total: int
    ) -> tuple[Any, float]:
        def tell(runs: int) -> None:
            if progress is not None:
                progress(before + runs, total)

        how: Any = {"workers": effort.workers, "device": effort.device, "progress": tell}
        return play_runs(asked, first, count, **how)

    if effort.runs is not None:
        results, seconds = played(process, 0, effort.runs, 0, effort.runs)
        return results, 0, seconds
    pilot, pilot_seconds = played(process, MOST_RUNS // 2, _PILOT_RUNS, 0, 2 * _PILOT_RUNS)
    runs = _runs_wanted(pilot, effort)
    fitted = _with_bins(process, float(pilot[:, LOST].mean()))
    results, seconds = played(fitted, 0, runs, _PILOT_RUNS, _PILOT_RUNS + runs)
    return results, int(pilot[:, PLAYS].sum()), pilot_seconds + seconds


def _with_bins(process: OwnProcess, probability: float) -> OwnProcess:
    """The same with as many bins as it takes to reach a probability: each is twice as rare."""
    bins = BINS if probability == 0.0 else math.ceil(-math.log2(probability))
    bins = min(max(bins, 1), BINS)
    return OwnProcess(process.lowered, process.question._replace(bins=bins))


def _runs_wanted(pilot: NDArray[np.float64], effort: _Effort) -> int:
    """How many runs the precision takes, within the budget, by the deviation in the pilot."""
    lost = pilot[:, LOST]
    plays = float(pilot[:, PLAYS].mean())
    most = max(_LEAST_RUNS, min(int(effort.budget / plays) - len(pilot), MOST_RUNS // 2))
    mean = float(lost.mean())
    if mean == 0.0:
        return most
    deviation = float(lost.std(ddof=1)) / mean
    wanted = math.ceil(_RESERVE * (deviation / effort.precision) ** 2)
    return min(max(wanted, _LEAST_RUNS), most)
