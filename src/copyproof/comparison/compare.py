"""``compare``: results of several policies, held against each other game by game.

Policies that were played on one market with one horizon, seed and schedule, a *setting*, share
their luck, and are compared by the differences of their games (``paired_limits``): all pairs in all
settings together at one error rate. Across several markets they are ranked besides (``ranks``).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from copyproof.auditing.limits import unseen as unseen_chance
from copyproof.auditing.trials import largest_regret
from copyproof.auditing.unseen_events import revenue_of_event
from copyproof.comparison.paired_limits import PairLimits, pair_limits
from copyproof.comparison.ranks import Ranking, ranking
from copyproof.comparison.result import (
    MEASURES,
    Comparison,
    Difference,
    Measure,
    Played,
    Verdict,
)
from copyproof.defaults import CONFIDENCE
from copyproof.game import Market, Schedule, market_digest
from copyproof.simulation import Estimate, Interval, Result
from copyproof.validation import FieldError, items, known, number, require, shown

# What is played: equal ones share their luck.
Setting: TypeAlias = tuple[Market, int, int, Schedule | None]
# The results of one setting, by the text of their policies.
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
    sample of those that one wants to speak of. So a market counts once: if it was played with
    several horizons, seeds or schedules, or its agents with several strategies (copies, hidden
    arms), the means of these are averaged before it is ranked.

    Parameters
    ----------
    results : sequence of Result
        At least two policies, all of them on every market, with every horizon, seed and schedule
        that it was played with, and there equally often.
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
    require(isinstance(unseen, bool), "unseen", unseen, "True or False")
    groups, policies = _groups(results)
    alpha = 1 - confidence
    together = len(groups) * len(policies) * (len(policies) - 1) // 2
    played: list[Played] = []
    differences: list[Difference] = []
    firsts = [group[policies[0]] for group in groups]
    for group, first, label in zip(groups, firsts, _labels(firsts), strict=True):
        values = np.stack([_values(group[policy], measure, agent) for policy in policies])
        means = tuple(Estimate.of(row) for row in values)
        here = Played(label, first.seed, first.horizon, first.repetitions, means)
        chance = min(1.0, unseen_chance(first.repetitions, alpha / together))
        reach = _reach(first.market, first.horizon, measure, agent, chance) if unseen else None
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
        ranking=_across([one.market for one in firsts], worse, policies, alpha),
        confidence=confidence,
        unseen=unseen,
    )


def _groups(results: Sequence[Result]) -> tuple[list[Group], tuple[str, ...]]:
    """The results that share their luck, and the policies; refuse what cannot be compared."""
    if isinstance(results, Result):
        results = [results]
    found: dict[tuple[Setting, str | None], Group] = {}
    for place, result in enumerate(items("results", results, "results")):
        require(isinstance(result, Result), f"results[{place}]", result, "a Result")
        if result.stop < result.horizon:
            raise _refused(results, f"has games that were stopped after {result.stop:,} rounds")
        setting = (result.market, result.horizon, result.seed, result.schedule)
        group = found.setdefault((setting, result.market.name), {})
        policy = str(result.policy)
        if policy in group:
            raise _refused(results, f"has {shown(policy)} twice on {result.market.label}")
        for other in list(group.values())[:1]:
            _check_alike(results, other, result, ("repetitions",))
        group[policy] = result
    policies = tuple(dict.fromkeys(policy for group in found.values() for policy in group))
    if len(policies) < 2:
        raise _refused(results, f"has one policy, {policies[0]}: two or more can be compared")
    groups = _joined(results, found, len(policies))
    for group in groups:
        for policy in policies:
            if policy not in group:
                _miss(results, groups, next(iter(group.values())), policy)
    return groups, policies


def _joined(
    results: Sequence[Result], found: Mapping[tuple[Setting, str | None], Group], policies: int
) -> list[Group]:
    """The groups, of which those that lack policies take them from the market's other names.

    A study whose strategy leaves a market as it is has the same games under two names.
    """
    groups: dict[Setting, list[Group]] = {}
    every: list[Group] = []
    for (setting, _), group in found.items():
        there = groups.setdefault(setting, [])
        lacking = [one for one in there if len(one) < policies and not one.keys() & group.keys()]
        if lacking and len(group) < policies:
            for other in group.values():
                _check_alike(results, next(iter(lacking[0].values())), other, ("repetitions",))
            lacking[0].update(group)
        else:
            there.append(group)
            every.append(group)
    return every


def _miss(results: Sequence[Result], groups: list[Group], first: Result, policy: str) -> None:
    """Say why a policy is not where another one is."""
    for group in groups:
        if policy in group and group[policy].market == first.market:
            _check_alike(results, first, group[policy], ("horizon", "seed", "schedule"))
    said = f"has {shown(policy)} on another market, and not on {first.market.label}"
    raise _refused(results, said)


def _check_alike(
    results: Sequence[Result], one: Result, other: Result, fields: tuple[str, ...]
) -> None:
    for field in fields:
        values = [getattr(each, field) for each in (one, other)]
        if values[0] != values[1]:
            both = " and ".join(map(shown, values))
            where = f"on {other.market.label}: {both} share no luck"
            raise _refused(results, f"differ in their {field} {where}")


def _refused(results: Sequence[Result], said: str) -> FieldError:
    return FieldError("results", results, "results that share their luck", said)


def _labels(firsts: Sequence[Result]) -> list[str]:
    """What markets are called: by their labels, with a digest where several have the same.

    What differs in its schedule alone has a number.
    """
    times = Counter(market.label for market in dict.fromkeys(one.market for one in firsts))
    seen: Counter[tuple[str, int, int]] = Counter()
    labels = []
    for one in firsts:
        label = one.market.label
        if times[label] > 1:
            label = f"{label} ({market_digest(one.market)[:8]})"
        setting = (label, one.horizon, one.seed)
        seen[setting] += 1
        labels.append(f"{label} ({seen[setting]})" if seen[setting] > 1 else label)
    return labels


def _across(
    markets: Sequence[Market],
    means: NDArray[np.float64],
    policies: tuple[str, ...],
    alpha: float,
) -> Ranking | None:
    """The ranking across markets, of which each is one, however often it was played."""
    rows: dict[Market, list[NDArray[np.float64]]] = {}
    for market, row in zip(markets, means, strict=True):
        rows.setdefault(market.honest(), []).append(row)  # whatever its agents register
    if len(rows) < 2:
        return None
    table = np.array([np.mean(own, axis=0) for own in rows.values()])
    return ranking(table, policies, alpha=alpha)


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
