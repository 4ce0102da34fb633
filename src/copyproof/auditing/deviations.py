"""Deviations: the other strategies that an agent could play.

A strategy is a copy count for each original arm. The standard ones, for every count c of a ladder
1, 2, 5, 10, 20, 50, 100, …:

- c copies of the best arm, the others hidden; and of the worst arm;
- c copies of every arm;
- mixed: c copies of the best arm with the others once; and of the worst arm with the others once.

Strategies whose counts are all 0 or 1 hide or show arms and copy nothing; they are judged apart:
every arm once, all but the best, all but the worst, the best alone, the worst alone.

An agent who knows only a prior of its arms, or whose means change during the game, has no best and
no worst arm to choose. Its standard strategies take two arms instead, the one of the largest
expected mean and the one of the smallest, of means that change the one that rises highest and the
one that falls lowest (one arm where all are equal, as the others are the same in expectation), and
copies hide nothing, so that what they gain is not owed to hiding: c times what the reference
registers; c copies of that arm, the others as in the reference; and without copies, that arm alone,
and all but that arm.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from copyproof.game import Agent, Arm, Changing, Strategy
from copyproof.validation import FieldError, items, require, shown, whole


@dataclass(frozen=True, slots=True)
class Deviation:
    """A strategy, and how it is called."""

    copies: Strategy
    name: str

    def replicates(self, reference: Strategy) -> bool:
        """Whether some arm is registered more than once, and more often than in the reference."""
        pairs = zip(self.copies, reference, strict=True)
        return any(count > max(1, before) for count, before in pairs)


def ladder(most: int) -> list[int]:
    """1, 2, 5, 10, 20, 50, …, up to and including the most.

    Examples
    --------
    >>> ladder(100)
    [1, 2, 5, 10, 20, 50, 100]
    """
    counts = []
    power = 1
    while power <= most:
        counts += [count for count in (power, 2 * power, 5 * power) if count <= most]
        power *= 10
    return counts if counts[-1] == most else [*counts, most]


def standard_deviations(
    agent: Agent, reference: Strategy, *, most_copies: int
) -> tuple[Deviation, ...]:
    """The agent's standard deviations from a reference strategy, each strategy once.

    Parameters
    ----------
    agent : Agent
        Whose originals are registered.
    reference : tuple of int
        The strategy to deviate from; it is not among the answers.
    most_copies : int
        The largest copy count, at least 2.

    Examples
    --------
    >>> agent = Agent("ann", [0.5, 0.2])
    >>> [one.copies for one in standard_deviations(agent, (1, 0), most_copies=2)]
    [(1, 1), (0, 1), (2, 0), (2, 2), (2, 1), (0, 2), (1, 2)]
    """
    found: dict[Strategy, str] = {}
    counts = ladder(most_copies)
    strategies = (
        _strategies(agent, counts)
        if agent.knows_best_arm
        else _uninformed_strategies(agent, reference, counts)
    )
    for copies, name in strategies:
        if copies != reference and sum(copies) > 0:
            found.setdefault(copies, name)
    return tuple(Deviation(copies, name) for copies, name in found.items())


def _strategies(agent: Agent, counts: Sequence[int]) -> Iterator[tuple[Strategy, str]]:
    arms = len(agent.arms)
    best, worst = agent.best_arm, 0
    if arms > 1:
        means = [arm.mean for arm in agent.arms]
        worst = arms - 1 - means[::-1].index(min(means))
    strategy = partial(_one_apart, arms)
    for count in counts:
        yield strategy(count, best, 0), f"best × {count}"
        if arms == 1:
            continue
        yield (count,) * arms, f"all × {count}"
        yield strategy(count, best, 1), f"best × {count}, others once"
        yield strategy(count, worst, 0), f"worst × {count}"
        yield strategy(count, worst, 1), f"worst × {count}, others once"
    if arms > 2:
        yield strategy(0, best, 1), "all but the best"
        yield strategy(0, worst, 1), "all but the worst"


def _uninformed_strategies(
    agent: Agent, reference: Strategy, counts: Sequence[int]
) -> Iterator[tuple[Strategy, str]]:
    registered = [arm for arm, count in enumerate(reference) if count > 0]
    most = max(registered, key=lambda arm: _means(agent.arms[arm])[1])
    least = min(reversed(registered), key=lambda arm: _means(agent.arms[arm])[0])
    chosen = [most] if agent.arms[most] == agent.arms[least] else [most, least]
    strategy = partial(_one_apart, len(agent.arms))
    for count in counts[1:]:
        yield tuple(count * one for one in reference), f"all × {count}"
        for arm in chosen:
            copies = tuple(count if k == arm else one for k, one in enumerate(reference))
            yield copies, f"arm {arm + 1} × {count}, others as before"
    for arm in chosen:
        yield strategy(1, arm, 0), f"arm {arm + 1} alone"
        yield strategy(0, arm, 1), f"all but arm {arm + 1}"


def _means(arm: Arm) -> tuple[float, float]:
    """The least and the largest mean, where it changes; else the mean, or the expected one."""
    return arm.reach if isinstance(arm, Changing) else (arm.mean, arm.mean)


def _one_apart(arms: int, count: int, of: int, others: int) -> Strategy:
    """A count for one arm, and another one for all others."""
    return tuple(count if arm == of else others for arm in range(arms))


def drawn_deviations(
    agent: Agent, reference: Strategy, most: int, drawn: np.random.Generator
) -> tuple[Deviation, ...]:
    """Deviations with copy counts that no policy can foresee.

    A count between each two of the ladder: copies of the best arm, or of the whole reference for an
    agent who knows only a prior. Two more strategies copy every arm of several at random.

    Examples
    --------
    >>> drawn = np.random.default_rng(1)
    >>> [one.copies for one in drawn_deviations(Agent("ann", [0.5]), (1,), 10, drawn)]
    [(3,), (8,)]
    """
    base = agent.best_arm_only().copies if agent.knows_best_arm else reference
    rungs = ladder(most)
    found = {}
    for low, high in itertools.pairwise(rungs[1:]):
        if high - low > 1:
            count = int(drawn.integers(low + 1, high))
            found[tuple(count * one for one in base)] = f"× {count}, drawn"
    if len(agent.arms) > 1:
        for _ in range(2):
            copies = tuple(drawn_count(0, most, drawn) for _ in agent.arms)
            found.setdefault(copies, "copies drawn for each arm")
    return tuple(
        Deviation(copies, name)
        for copies, name in found.items()
        if sum(copies) > 0 and copies != reference
    )


def drawn_count(least: int, most: int, drawn: np.random.Generator) -> int:
    """A count whose logarithm (of the count and 1) is uniform, so that small ones are as likely.

    Examples
    --------
    >>> drawn_count(2, 100, np.random.default_rng(1))
    17
    """
    low, high = math.log(least + 1), math.log(most + 2)
    return min(most, int(math.exp(low + (high - low) * drawn.random())) - 1)


def checked_strategies(strategies: Iterable[Iterable[int]]) -> tuple[Strategy, ...]:
    """Strategies that a user wrote down as copy counts, whatever agent they are for.

    Examples
    --------
    >>> checked_strategies([[2, 0], [3, 1]])
    ((2, 0), (3, 1))
    """
    found = []
    for k, strategy in enumerate(items("deviations", strategies, "strategies")):
        counts = items(f"deviations[{k}]", strategy, "copy counts")
        found.append(
            tuple(whole(f"deviations[{k}][{arm}]", count) for arm, count in enumerate(counts))
        )
    return tuple(found)


def given_deviations(
    agent: Agent, reference: Strategy, strategies: Iterable[Iterable[int]]
) -> tuple[Deviation, ...]:
    """Deviations that a user wrote down as copy counts, checked.

    Examples
    --------
    >>> [one.name for one in given_deviations(Agent("ann", [0.5]), (1,), [[2], [3]])]
    ['copies 2', 'copies 3']
    """
    found: dict[Strategy, str] = {}
    for k, copies in enumerate(checked_strategies(strategies)):
        field = f"deviations[{k}]"
        if len(copies) != len(agent.arms):
            said = (
                f"has {len(copies)} counts, and agent {shown(agent.name)} has {len(agent.arms)} "
                "arms: one per arm is needed"
            )
            raise FieldError(field, copies, "one count per arm", said)
        require(sum(copies) > 0, field, list(copies), "a strategy that registers something")
        require(copies != reference, field, list(copies), "different from the reference")
        found.setdefault(copies, plain_deviation(copies).name)
    return tuple(Deviation(copies, name) for copies, name in found.items())


def plain_deviation(copies: Strategy) -> Deviation:
    """A strategy that is called by its copy counts.

    Examples
    --------
    >>> plain_deviation((1, 0)).name
    'copies 1, 0'
    """
    return Deviation(copies, "copies " + ", ".join(map(str, copies)))
