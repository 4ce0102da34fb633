"""Small games with contexts, played exactly: every branch of chance, with fractions.

An agent is chosen blind to the visitor: its index sees the contexts and rewards of its own plays.
``played_law`` draws a context for every round. ``rekeyed_law`` draws all plays of every agent
beforehand, one context each, and merges these streams. Nothing here imports the package.
"""

import itertools
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

Half = Fraction(1, 2)
Play = tuple[int, Fraction]
"""A context and a reward: what the index of an agent sees of a play."""
OwnPlay = tuple[int, int, Fraction]
"""Context, arm and reward: what the rule inside an agent sees of a play."""
Arm = tuple[Fraction, ...]
"""The probability of the reward 1 in every context; the reward is 0 otherwise."""
Index = Callable[[tuple[Play, ...]], Fraction]
ArmRule = Callable[[tuple[OwnPlay, ...], int], dict[int, Fraction]]
"""The probability of every arm, from the agent's own plays and the visitor's context."""
Path = tuple[tuple[int, int, Fraction], ...]
"""Owner, context and reward of every round."""
Law = dict[Path, Fraction]
Memory = dict[int, tuple[tuple[OwnPlay, ...], ...]]
"""Own plays of every agent, in each part of the game."""


@dataclass(frozen=True)
class Owner:
    """An agent with its registered arms, its index and the rule inside."""

    arms: tuple[Arm, ...]
    index: Index
    choose: ArmRule


@dataclass(frozen=True)
class Game:
    """Agents, the law of a context, the number of rounds and the order of priority."""

    owners: tuple[Owner, ...]
    contexts: tuple[Fraction, ...]
    rounds: int
    order: tuple[int, ...]
    part: Callable[[int, int], int] = lambda round_, context: 0
    """The part of the game, by round and context, that a round belongs to.

    Every part has statistics of its own: an epoch, or a segment of the visitors.
    """

    def with_owner(self, place: int, owner: Owner) -> "Game":
        """The same game in which an agent has registered something else."""
        return replace(self, owners=(*self.owners[:place], owner, *self.owners[place + 1 :]))


def plays_of(
    owner: Owner, own: tuple[OwnPlay, ...], context: int
) -> Iterator[tuple[OwnPlay, Fraction]]:
    """What one play may be, for a visitor with this context."""
    for arm, chance in owner.choose(own, context).items():
        success = owner.arms[arm][context]
        for reward, share in ((1, success), (0, 1 - success)):
            if chance * share > 0:
                yield (context, arm, Fraction(reward)), chance * share


def seen(own: Sequence[OwnPlay]) -> tuple[Play, ...]:
    """What the index sees."""
    return tuple((context, reward) for context, _, reward in own)


def leader(indices: Sequence[Fraction], order: Sequence[int]) -> int:
    """The agent of largest index, ties by priority."""
    return max(range(len(indices)), key=lambda i: (indices[i], -order.index(i)))


# --- the game as it is played ------------------------------------------------------------------


def played_law(game: Game) -> Law:
    """The law of owners, contexts and rewards where every round draws its own context."""
    law: Law = defaultdict(Fraction)

    blank = ((),) * len(game.owners)

    def go(path: Path, memory: Memory, weight: Fraction) -> None:
        if len(path) == game.rounds:
            law[path] += weight
            return
        for context, share in enumerate(game.contexts):
            part = game.part(len(path), context)
            histories = memory.get(part, blank)
            pairs = zip(game.owners, histories, strict=True)
            i = leader([owner.index(seen(own)) for owner, own in pairs], game.order)
            for play, chance in plays_of(game.owners[i], histories[i], context):
                after = (*histories[:i], (*histories[i], play), *histories[i + 1 :])
                longer = (*path, (i, context, play[2]))
                go(longer, {**memory, part: after}, weight * share * chance)

    go((), {}, Fraction(1))
    return dict(law)


# --- the re-keyed game -------------------------------------------------------------------------


def stream_law(
    owner: Owner, contexts: Sequence[Fraction], length: int
) -> dict[tuple[Play, ...], Fraction]:
    """The law of an agent's stream: its plays one after another, with nobody else about."""
    streams: dict[tuple[OwnPlay, ...], Fraction] = {(): Fraction(1)}
    for _ in range(length):
        longer: dict[tuple[OwnPlay, ...], Fraction] = defaultdict(Fraction)
        for own, weight in streams.items():
            for context, share in enumerate(contexts):
                for play, chance in plays_of(owner, own, context):
                    longer[(*own, play)] += weight * share * chance
        streams = longer
    law: dict[tuple[Play, ...], Fraction] = defaultdict(Fraction)
    for own, weight in streams.items():
        law[seen(own)] += weight
    return dict(law)


def merged(
    streams: Sequence[Sequence[Play]], indices: Sequence[Index], order: Sequence[int], rounds: int
) -> Path:
    """The path of the re-keyed game on streams that are drawn beforehand."""
    counts = [0] * len(streams)
    path = []
    for _ in range(rounds):
        values = [index(tuple(streams[i][: counts[i]])) for i, index in enumerate(indices)]
        i = leader(values, order)
        path.append((i, *streams[i][counts[i]]))
        counts[i] += 1
    return tuple(path)


def rekeyed_law(game: Game) -> Law:
    """The law of owners, contexts and rewards where play (i, k) has its own context."""
    laws = [stream_law(owner, game.contexts, game.rounds).items() for owner in game.owners]
    indices = [owner.index for owner in game.owners]
    law: Law = defaultdict(Fraction)
    for drawn in itertools.product(*laws):
        weight = Fraction(1)
        for _, share in drawn:
            weight *= share
        law[merged([stream for stream, _ in drawn], indices, game.order, game.rounds)] += weight
    return dict(law)


# --- what is compared --------------------------------------------------------------------------


def plays(path: Path, owner: int) -> int:
    """How often an agent is played."""
    return sum(i == owner for i, _, _ in path)


def revenue(path: Path, owner: int, discount: Sequence[Fraction] | None = None) -> Fraction:
    """What an agent earns on a path."""
    weights = [Fraction(1)] * len(path) if discount is None else discount
    return sum(
        (w * y for w, (i, _, y) in zip(weights, path, strict=True) if i == owner), Fraction(0)
    )


def revenue_law(
    law: Law, owner: int, discount: Sequence[Fraction] | None = None
) -> dict[Fraction, Fraction]:
    """The law of an agent's revenue."""
    found: dict[Fraction, Fraction] = defaultdict(Fraction)
    for path, weight in law.items():
        found[revenue(path, owner, discount)] += weight
    return dict(found)


def mean(law: dict[Fraction, Fraction]) -> Fraction:
    """The expectation of a revenue."""
    return sum((value * weight for value, weight in law.items()), Fraction(0))


def dominates(larger: dict[Fraction, Fraction], smaller: dict[Fraction, Fraction]) -> bool:
    """First-order stochastic dominance."""
    values = sorted({*larger, *smaller})
    return all(
        sum(w for v, w in larger.items() if v <= value)
        <= sum(w for v, w in smaller.items() if v <= value)
        for value in values
    )


# --- rules -------------------------------------------------------------------------------------


def draw(*what: object) -> int:
    """A number that depends on nothing but its arguments."""
    return zlib.crc32(repr(what).encode())


def any_index(seed: int, levels: int) -> Index:
    """An arbitrary function of the plays, of few values, so that ties are frequent."""

    @cache
    def index(history: tuple[Play, ...]) -> Fraction:
        return Fraction(draw(seed, history) % levels)

    return index


def monotone_index(seed: int, levels: int) -> Index:
    """An arbitrary function of the plays that is non-decreasing in every reward."""
    table = any_index(seed, levels)

    @cache
    def index(history: tuple[Play, ...]) -> Fraction:
        below = [[(x, Fraction(r)) for r in range(int(y) + 1)] for x, y in history]
        return max(table(lower) for lower in itertools.product(*below))

    return index


def mean_index(start: Fraction) -> Index:
    """The mean reward of all own plays, and ``start`` before the first."""
    return lambda history: (
        sum((y for _, y in history), Fraction(0)) / len(history) if history else start
    )


def any_rule(seed: int, arms: int) -> ArmRule:
    """An arbitrary rule inside an agent, which also flips coins of its own."""

    @cache
    def choose(own: tuple[OwnPlay, ...], context: int) -> dict[int, Fraction]:
        first, second, coin = (draw(seed, own, context, part) for part in range(3))
        chosen: dict[int, Fraction] = defaultdict(Fraction)
        chosen[first % arms] += Half
        chosen[(second if coin % 4 == 0 else first) % arms] += Half
        return dict(chosen)

    return choose


def greedy(features: Sequence[int]) -> ArmRule:
    """The largest (successes + 1)/(plays + 2) among keys in this context, ties uniformly.

    Arms of one feature share their statistics and count once, however many they are.
    """
    keys = sorted(set(features))

    def choose(own: tuple[OwnPlay, ...], context: int) -> dict[int, Fraction]:
        values = {}
        for key in keys:
            rewards = [y for x, arm, y in own if x == context and features[arm] == key]
            values[key] = (sum(rewards, Fraction(0)) + 1) / (len(rewards) + 2)
        best = [key for key in keys if values[key] == max(values.values())]
        return {features.index(key): Fraction(1, len(best)) for key in best}

    return choose


def one_arm_for_all(arms: int) -> ArmRule:
    """One arm, drawn uniformly at the first play, for all plays: a sample of size 1."""

    def choose(own: tuple[OwnPlay, ...], context: int) -> dict[int, Fraction]:
        if own:
            return {own[0][1]: Fraction(1)}
        return {arm: Fraction(1, arms) for arm in range(arms)}

    return choose


def uniform_rule(arms: int) -> ArmRule:
    """An arm drawn anew at every play."""
    return lambda own, context: {arm: Fraction(1, arms) for arm in range(arms)}


def steady(value: Fraction, arm: Arm = (Half, Half)) -> Owner:
    """A rival whose index never changes."""
    return Owner((arm,), lambda history: value, uniform_rule(1))
