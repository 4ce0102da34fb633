"""The strategies of an audit: what is tried, and what it is compared with."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import numpy as np

from copyproof.auditing.deviations import (
    Deviation,
    drawn_count,
    drawn_deviations,
    given_deviations,
    plain_deviation,
    standard_deviations,
)
from copyproof.auditing.trials import DeviationTrial
from copyproof.game import Agent, Market, Strategy
from copyproof.validation import FieldError, known, require

Reference: TypeAlias = Literal["best", "honest", "market"] | Sequence[int]
REFERENCES = ("best", "honest", "market")
# Pairs of agents that copy together.
_MOST_PAIRS = 10


def reference_strategy(agent: Agent, reference: Reference) -> Strategy:
    """The copy counts that a reference stands for.

    Examples
    --------
    >>> reference_strategy(Agent("ann", [0.2, 0.5]), "best")
    (0, 1)
    >>> from copyproof import BetaPrior
    >>> reference_strategy(Agent("bob", [BetaPrior(1, 1), BetaPrior(1, 1)]), "best")
    (1, 1)
    """
    if isinstance(reference, str):
        known("reference", reference, REFERENCES)
        if reference == "best" and agent.knows_best_arm:
            return agent.best_arm_only().copies
        if reference in ("best", "honest"):
            return (1,) * len(agent.arms)
        strategy = agent.copies
    else:
        try:
            strategy = agent.with_copies(reference).copies
        except FieldError as error:
            raise error.found_in("reference") from None
    require(sum(strategy) > 0, "reference", list(strategy), "a strategy that registers something")
    return strategy


def agent_trials(
    market: Market,
    name: str,
    reference: Reference,
    strategies: Sequence[Strategy] | None,
    most_copies: int,
    tolerance: float | None,
    drawn: np.random.Generator | None,
) -> list[DeviationTrial]:
    """The trials of one agent's deviations.

    Parameters
    ----------
    market, name, reference, most_copies, tolerance
        As ``audit`` has them.
    strategies : sequence of tuples of int, or None
        The deviations; None for the standard ones.
    drawn : numpy.random.Generator or None
        What further deviations are drawn with; None for none.
    """
    agent = market.agent(name)
    strategy = reference_strategy(agent, reference)
    if strategies is None:
        found = standard_deviations(agent, strategy, most_copies=most_copies)
        if drawn is not None:
            found += drawn_deviations(agent, strategy, most_copies, drawn)
        found = tuple({one.copies: one for one in reversed(found)}.values())[::-1]
    else:
        found = given_deviations(agent, strategy, strategies)
    if not any(one.replicates(strategy) for one in found):
        said = (
            "none registers an arm more than once and more often than the reference, and so none "
            "copies"
        )
        raise FieldError("", strategies, "a strategy that copies", said, source="deviations")
    return _against(market, name, strategy, found, tolerance)


def _against(
    market: Market,
    name: str,
    strategy: Strategy,
    deviations: Sequence[Deviation],
    tolerance: float | None,
) -> list[DeviationTrial]:
    """Trials of all deviations: those that copy against all strategies that copy nothing.

    Beside the reference these are the best arm alone, where the agent knows it, the deviation with
    its copies left out, and all that are tried. Each of them is a trial of its own, too.
    """
    agent, position = market.agent(name), market.names.index(name)
    plain = {one.copies: one for one in deviations if not one.replicates(strategy)}
    copying = [one for one in deviations if one.copies not in plain]
    single = [copies for copies in plain if max(copies) <= 1]
    if agent.knows_best_arm:
        single.append(agent.best_arm_only().copies)
    cuts = {one.copies: tuple(min(count, 1) for count in one.copies) for one in copying}
    played = {
        copies: market.with_strategy(name, copies)
        for copies in (strategy, *single, *cuts.values(), *plain, *cuts)
    }
    for copies in (*single, *cuts.values()):
        if copies != strategy:
            plain.setdefault(copies, plain_deviation(copies))
    reference = played[strategy]

    def trial(one: Deviation, others: Iterable[Strategy], group: str | None) -> DeviationTrial:
        further = tuple(played[copies] for copies in dict.fromkeys(others) if copies != strategy)
        deviated = played[one.copies]
        return DeviationTrial(position, reference, deviated, one, tolerance, further, group)

    return [
        *(trial(one, [*single, cuts[one.copies]], name) for one in copying),
        *(trial(one, (), None) for one in plain.values()),
    ]


def coalition_trials(
    market: Market,
    names: Sequence[str],
    reference: Reference,
    most_copies: int,
    tolerance: float | None,
    drawn: np.random.Generator,
) -> list[DeviationTrial]:
    """Trials of two agents who copy at once, and what they gain in all; ten pairs at most.

    Both register a number of copies of their references that is drawn at random, each its own.

    Parameters
    ----------
    names : sequence of str
        The audited agents: a pair has one of them at least.
    market, reference, most_copies, tolerance, drawn
        As for ``agent_trials``.
    """
    pairs = [
        pair for pair in itertools.combinations(market.names, 2) if not set(pair).isdisjoint(names)
    ]
    if len(pairs) > _MOST_PAIRS:
        chosen = sorted(drawn.choice(len(pairs), _MOST_PAIRS, replace=False).tolist())
        pairs = [pairs[number] for number in chosen]
    return [_pair_trial(market, pair, reference, most_copies, tolerance, drawn) for pair in pairs]


def _pair_trial(
    market: Market,
    pair: tuple[str, str],
    reference: Reference,
    most_copies: int,
    tolerance: float | None,
    drawn: np.random.Generator,
) -> DeviationTrial:
    before = cut = after = market
    counts = []
    for name in pair:
        strategy = reference_strategy(market.agent(name), reference)
        count = drawn_count(2, most_copies, drawn)
        more = tuple(count * one for one in strategy)
        counts.append(count)
        before = before.with_strategy(name, strategy)
        cut = cut.with_strategy(name, tuple(min(one, 1) for one in strategy))
        after = after.with_strategy(name, more)
    first, second = (market.names.index(name) for name in pair)
    joint = (*after.agents[first].copies, *after.agents[second].copies)
    return DeviationTrial(
        position=first,
        reference=before,
        deviated=after,
        deviation=Deviation(joint, f"both copy, × {counts[0]} and × {counts[1]}"),
        tolerance=tolerance,
        others=() if cut == before else (cut,),
        group=" + ".join(pair),
        partners=(second,),
    )
