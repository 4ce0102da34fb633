"""``compare``: results of several policies, held against each other game by game.

Policies that were played on one market with one seed share their luck, and are compared by the
differences of their games (``paired_limits``): all pairs on all markets together at one error rate.
Across several markets they are ranked besides (``ranks``).
"""

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from copyproof.auditing.limits import unseen as unseen_chance
from copyproof.auditing.trials import largest_regret
from copyproof.auditing.unseen_events import revenue_of_event
from copyproof.comparison.paired_limits import PairLimits, pair_limits
from copyproof.comparison.ranks import ranking
from copyproof.comparison.result import (
    MEASURES,
    Comparison,
    Difference,
    Measure,
    Played,
    Verdict,
)
from copyproof.defaults import CONFIDENCE
from copyproof.game import Market, market_digest
from copyproof.simulation import Estimate, Interval, Result
from copyproof.validation import FieldError, items, known, number, require, shown

# The results of one market, by the text of their policies.
Group: TypeAlias = dict[str, Result]


def compare(
    results: Sequence[Result],
    *,
    measure: Measure = "regret",
    agent: str | None = None,
    confidence: float = CONFIDENCE,
    unseen: bool = True,
) -> Comparison:
    """Say which policy is better, by how much, and where that is open.

    On one market the differences are taken game by game, as equal seeds share their luck. The
    limits of all pairs hold together with the stated confidence: Student's t with Bonferroni's
    correction, which holds however the pairs depend on each other, and an allowance for events that
    no game has shown, such as a game that is lost for good; regret is so heavy-tailed that t alone
    misses the truth too often. On several markets, the limits of all pairs on all markets hold
    together, and the policies are ranked: Wilcoxon's signed-rank test for each pair, with Holm's
    correction (Demšar 2006; Benavoli, Corani, Mangili 2016), takes the markets for an independent
    sample of those that one wants to speak of.

    Parameters
    ----------
    results : sequence of Result
        At least two policies, all of them on every market; on one market with equal horizon, seed,
        repetitions and schedule.
    measure : {"regret", "lost", "revenue"}
        What is compared: the regret, the share of lost games (less is better), or the revenue of an
        agent (more is better).
    agent : str, optional
        Whose revenue.
    confidence : float
        The chance, at least, that all limits hold; and that no pair is told apart wrongly across
        markets.
    unseen : bool
        Whether the limits allow for events that no game has shown. Without it they are narrower,
        and take for granted that the games have shown all that can happen.

    Returns
    -------
    Comparison
        With ``to_frame``, ``to_markdown`` and ``to_latex``; ``plot_comparison`` draws it.

    Raises
    ------
    ValueError
        One line, if the results cannot be compared: it names what differs.

    Examples
    --------
    >>> from copyproof import paper_market, simulate
    >>> market, size = paper_market("2a"), {"horizon": 1000, "repetitions": 100, "seed": 1}
    >>> results = [simulate(market, policy, **size) for policy in ("ucb1", "h-ucb", "trial")]
    >>> found = compare(results)
    >>> found
    <Comparison of 3 policies on paper:2a by regret: 1 of 3 differences open>
    >>> found.between("h-ucb", "ucb1").verdict, found.between("h-ucb", "trial").verdict
    ('better', 'open')
    """
    known("measure", measure, MEASURES)
    if (agent is not None) != (measure == "revenue"):
        said = f"is {'not ' * (agent is None)}given, and measure = {measure!r}"
        raise FieldError("agent", agent, "given for the revenue alone", said)
    confidence = number("confidence", confidence)
    require(0 < confidence < 1, "confidence", confidence, "in (0, 1)")
    groups, policies = _groups(results)
    alpha = 1 - confidence
    together = len(groups) * len(policies) * (len(policies) - 1) // 2
    played: list[Played] = []
    differences: list[Difference] = []
    for (market, group), label in zip(groups.items(), _labels(groups), strict=True):
        first = group[policies[0]]
        values = np.stack([_values(group[policy], measure, agent) for policy in policies])
        means = tuple(Estimate.of(row) for row in values)
        here = Played(label, first.seed, first.horizon, first.repetitions, means)
        chance = min(1.0, unseen_chance(first.repetitions, alpha / together))
        reach = _reach(market, first.horizon, measure, agent, chance) if unseen else None
        signed = values if measure == "revenue" else -values
        pairs = pair_limits(signed, alpha=alpha, reach=reach, together=together)
        played.append(here)
        differences += [_difference(pair, policies, here) for pair in pairs]
    table = np.array([[one.mean for one in here.means] for here in played])
    worse = -table if measure == "revenue" else table
    return Comparison(
        measure=measure,
        agent=agent,
        policies=policies,
        played=tuple(played),
        differences=tuple(differences),
        ranking=ranking(worse, policies, alpha=alpha) if len(played) > 1 else None,
        confidence=confidence,
        unseen=bool(unseen),
    )


def _groups(results: Sequence[Result]) -> tuple[dict[Market, Group], tuple[str, ...]]:
    """The results by market and policy, and the policies; refuse what cannot be compared."""
    if isinstance(results, Result):
        results = [results]
    groups: dict[Market, Group] = {}
    for place, result in enumerate(items("results", results, "results")):
        require(isinstance(result, Result), f"results[{place}]", result, "a Result")
        if result.stop < result.horizon:
            raise _refused(results, f"has games that were stopped after {result.stop:,} rounds")
        group = groups.setdefault(result.market, {})
        policy = str(result.policy)
        if policy in group:
            raise _refused(results, f"has {shown(policy)} twice on {result.market.label}")
        for field in ("horizon", "seed", "repetitions", "schedule"):
            for other in list(group.values())[:1]:
                values = [getattr(one, field) for one in (other, result)]
                if values[0] != values[1]:
                    both = " and ".join(map(shown, values))
                    where = f"on {result.market.label}: {both} share no luck"
                    raise _refused(results, f"differ in their {field} {where}")
        group[policy] = result
    policies = tuple(dict.fromkeys(policy for group in groups.values() for policy in group))
    if len(policies) < 2:
        raise _refused(results, f"has one policy, {policies[0]}: two or more can be compared")
    for market, group in groups.items():
        for policy in policies:
            if policy not in group:
                said = f"has {shown(policy)} on another market, and not on {market.label}"
                raise _refused(results, said)
    return groups, policies


def _refused(results: Sequence[Result], said: str) -> FieldError:
    return FieldError("results", results, "results that share their luck", said)


def _labels(markets: dict[Market, Group]) -> list[str]:
    """The markets' labels, and a digest besides where several have the same."""
    labels = [market.label for market in markets]
    times = Counter(labels)
    return [
        label if times[label] == 1 else f"{label} ({market_digest(market)[:8]})"
        for label, market in zip(labels, markets, strict=True)
    ]


def _values(result: Result, measure: Measure, agent: str | None) -> NDArray[np.float64]:
    """What is measured of every game."""
    if measure == "regret":
        return result.regret_curves[:, -1]
    if measure == "lost":
        lost = result.lost_games
        if lost is None:
            begin = 9 * result.horizon // 10
            said = f"of {result.policy} is not known: it takes a checkpoint at {begin}, no schedule"
            raise FieldError("lost", None, "known", said)
        return lost.astype(float)
    assert agent is not None
    names = result.market.names
    return result.revenue[:, names.index(result.market.agent(agent).name)]


def _reach(
    market: Market, horizon: int, measure: Measure, agent: str | None, chance: float
) -> float:
    """The most by which two policies can differ over the games of an event of at most a chance."""
    if measure == "regret":
        return largest_regret(market, horizon)
    if agent is None:
        return 1.0
    least, most = revenue_of_event(market.agent(agent), market.discount, horizon, chance)
    return most - least


def _difference(pair: PairLimits, policies: tuple[str, ...], here: Played) -> Difference:
    """The pair with the better one first."""
    by = pair.difference
    first, second = policies[pair.first], policies[pair.second]
    if by.mean < 0:
        by = Interval(-by.mean, -by.high, -by.low)
        first, second = second, first
    verdict: Verdict = "equal" if pair.equal else "open" if pair.is_open else "better"
    return Difference(first, second, here, by, verdict, pair.needed)
