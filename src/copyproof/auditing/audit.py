"""``audit``: whether a policy pays for copies.

For every agent, the gain of each deviation, while the other agents play as the market says:
u_i = E[U_i(v_i)] − fee × registered arms, deviation less reference. A deviation that copies is
compared with every strategy without copies, and its gain is the smallest difference. Small
Bernoulli markets are computed exactly; others are sampled, with the same luck for all strategies
(``sampled_gains``).

A policy that is not ours may behave in any way. So further copy counts are drawn at random, and two
agents copy at once: what they gain is what they gain in all.

An agent who knows only a prior of its arms is judged in expectation over the draw of its means:
both strategies are played with the same means, drawn anew for every game. Such an agent does not
know which of its arms is the best. It is therefore held against registering every arm once, and not
against the best arm alone, which the theorems about informed agents speak of.

Agents that are bound to a group are audited as the one principal that they are (``game.groups``):
a deviation is a joint strategy, copy counts for all arms of all its names.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from copyproof._progress import Progress
from copyproof.auditing.deviations import checked_strategies
from copyproof.auditing.exact_gains import compute, is_small
from copyproof.auditing.paired_games import PairedGames
from copyproof.auditing.request import Request, checked_effort, checked_request, positive
from copyproof.auditing.result import AgentAudit, Audit, Gain, Method
from copyproof.auditing.sampled_gains import sample
from copyproof.auditing.strategies import Reference, agent_trials, coalition_trials
from copyproof.auditing.trials import DeviationTrial, tolerated
from copyproof.defaults import CONFIDENCE, METHOD, MOST_COPIES, REFERENCE, SEED
from copyproof.external import AnyPolicy
from copyproof.game import ByName, GivenMarket, as_market, principal_of
from copyproof.policy import Policy
from copyproof.validation import known, whole_in

METHODS = ("auto", "exact", "sampling")


def audit(
    market: GivenMarket,
    policy: AnyPolicy | str,
    *,
    horizon: int,
    seed: int = SEED,
    agent: str | None = None,
    reference: Reference = REFERENCE,
    deviations: Iterable[Iterable[int]] | None = None,
    most_copies: int = MOST_COPIES,
    tolerance: float | None = None,
    confidence: float = CONFIDENCE,
    budget: int | None = None,
    method: str = METHOD,
    workers: int | None = None,
    device: str = "cpu",
    progress: Progress = None,
) -> Audit:
    """Find out whether a policy pays agents for copies.

    Parameters
    ----------
    market : Market, path or str
        The game, or the path of its file, or ``"paper:2a"``; agents that are not under audit play
        as it says.
    policy : Policy, ExternalPolicy or str
        Ours or another's, or a text such as ``"h-ucb"`` or ``"river:UCB(delta=1)"``.
    horizon : int
        T, the rounds of a game.
    seed : int
        Below 2^64; equal seeds share their luck.
    agent : str, optional
        The one agent to audit, or a group or any name bound to it; all by default.
    reference : {"best", "honest", "market"} or sequence of int
        The strategy that deviations are held against: the best arm only (every arm once, for an
        agent who knows only a prior), every arm once, what the market says, or copy counts.
    deviations : iterable of iterables of int, optional
        Copy counts to try; the standard ones of ``standard_deviations`` by default.
    most_copies : int
        The largest count of the standard deviations.
    tolerance : float, optional
        A gain that counts as none; by default 0.1 % of the reference's revenue (of its U, where
        agents are not risk-neutral), at least 0.001.
    confidence : float
        The chance, at least, that all limits of all gains hold together, at every stage.
    budget : int, optional
        Most rounds to play.
    method : str
        "auto" computes exactly what is small and samples the rest; "exact" and "sampling" insist.
    workers : int, optional
        Threads or processes; as many as there are processors by default. No effect on the result.
    device : str
        What sampled games are played on: ``"cpu"``, ``"cuda"`` for a GPU, which plays all games of
        a stage together, or ``"auto"``. No effect on the result.
    progress : bool or callable, optional
        True shows a bar, which is full at the budget and may be there sooner; a function is told
        the number of rounds played so far.

    Returns
    -------
    Audit
        Verdicts, gains with limits, the principal's loss, a fee.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> found = audit(paper_market("1a"), "ucb1", agent="0.5-agent", horizon=2000, seed=1)
    >>> found.verdict
    'prone'
    >>> sum(found.agents[0].best_deviation.copies)
    100
    """
    named = as_market(market)
    market = named.quotient
    asked = checked_request(market, policy, horizon, seed, confidence, budget, workers, device)
    most_copies, tolerance = _checked_trials(most_copies, tolerance)
    known("method", method, METHODS)
    names = market.names if agent is None else [principal_of(named, agent)]
    strategies = None if deviations is None else [tuple(counts) for counts in deviations]
    policy_is_ours = isinstance(asked.policy, Policy)
    drawn = None if policy_is_ours else np.random.default_rng(asked.games.seed)
    choices = (reference, strategies, most_copies, tolerance, drawn)
    trials = [trial for name in names for trial in agent_trials(market, name, *choices)]
    if drawn is not None and strategies is None:
        trials += coalition_trials(market, names, reference, most_copies, tolerance, drawn)
    with asked.watched(progress):
        gains, worths, taken = _found(trials, asked, method)
    found = _gathered(trials, gains, worths)
    return Audit(
        market=market,
        groups=named.groups,
        method=taken,
        budget=asked.budget,
        agents=ByName(one for one in found if one.name in market.names),
        coalitions=ByName(one for one in found if one.name not in market.names),
        **asked.summary(),
    )


def check_numbers(
    *,
    deviations: Iterable[Iterable[int]] | None = None,
    most_copies: int = MOST_COPIES,
    tolerance: float | None = None,
    confidence: float = CONFIDENCE,
    budget: int | None = None,
) -> None:
    """Refuse what no audit takes, whatever the market: for audits that are made later.

    Examples
    --------
    >>> check_numbers(most_copies=1)
    Traceback (most recent call last):
    copyproof.validation.FieldError: most_copies = 1 is not a whole number from 2 to 10000000
    """
    checked_effort(confidence, budget)
    _checked_trials(most_copies, tolerance)
    if deviations is not None:
        checked_strategies(deviations)


def _checked_trials(most_copies: int, tolerance: float | None) -> tuple[int, float | None]:
    return whole_in("most_copies", most_copies, 2, 10_000_000), positive("tolerance", tolerance)


def _found(
    trials: Sequence[DeviationTrial], asked: Request, method: str
) -> tuple[list[Gain], list[tuple[float, float]], Method]:
    """The gains, the reference's revenue and worth for each, and the method that was taken."""
    markets = {one for trial in trials for one in (*trial.references, trial.deviated)}
    policy, horizon = asked.policy, asked.games.horizon
    if method == "exact" or (method == "auto" and is_small(markets, policy, horizon)):
        return *compute(trials, policy, horizon), "exact"
    gains = sample(trials, asked.games, alpha=asked.alpha, budget=asked.budget)
    return gains, [_worth(trial, asked.games) for trial in trials], "sampling"


def _worth(trial: DeviationTrial, games: PairedGames) -> tuple[float, float]:
    """Revenue and worth of the reference, over all of its games."""
    played = games.known(trial.reference)
    if played is None:
        return math.nan, math.nan
    revenue = trial.revenue(played, deviated=False)
    return float(revenue.mean()), float(trial.worth(played, deviated=False).mean())


def _gathered(
    trials: Sequence[DeviationTrial],
    gains: Sequence[Gain],
    worths: Sequence[tuple[float, float]],
) -> list[AgentAudit]:
    """The gains of every agent, and of every two that copy at once, in order of the trials."""
    by_name: dict[str, list[int]] = {}
    for number, trial in enumerate(trials):
        by_name.setdefault(trial.name, []).append(number)
    found = []
    for name, own in by_name.items():
        trial = trials[own[0]]
        revenue, worth = worths[own[0]]
        reference = trial.strategy(trial.reference)
        copies = {number: trials[number].deviation.replicates(reference) for number in own}
        found.append(
            AgentAudit(
                name=name,
                reference=reference,
                revenue=revenue,
                tolerance=math.nan if math.isnan(worth) else tolerated(trial.tolerance, worth),
                copying=tuple(gains[number] for number in own if copies[number]),
                showing=tuple(gains[number] for number in own if not copies[number]),
            )
        )
    return found
