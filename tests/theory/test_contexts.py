"""Theorem C by enumeration: agents that are chosen blind to the visitor.

The code here and in ``tests/contexts_reference.py`` shares nothing with the package.
"""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contexts_reference import (
    Arm,
    ArmRule,
    Game,
    Half,
    Index,
    Owner,
    Play,
    any_index,
    any_rule,
    dominates,
    greedy,
    mean_index,
    merged,
    monotone_index,
    one_arm_for_all,
    played_law,
    plays,
    rekeyed_law,
    revenue,
    revenue_law,
    steady,
    stream_law,
    uniform_rule,
)

F = Fraction
SLOW = [HealthCheck.too_slow]
ONE, ZERO = Fraction(1), Fraction(0)

# --- random small games ------------------------------------------------------------------------

eighths = st.integers(0, 8).map(lambda k: F(k, 8))
seeds = st.integers(0, 2**20)
context_laws = st.sampled_from([(Half, Half), (F(1, 4), F(3, 4)), (F(1, 8), F(7, 8))])
discounts: st.SearchStrategy[list[Fraction]] = st.sampled_from(
    [[ONE] * 4, [ONE, Half, F(1, 4), F(1, 8)], [ONE, ONE, Half, ZERO]]
)


@st.composite
def arms(draw: st.DrawFn, most: int = 2) -> tuple[Arm, ...]:
    """One or more arms, each with a success probability in either context."""
    return tuple((draw(eighths), draw(eighths)) for _ in range(draw(st.integers(1, most))))


@st.composite
def owners(draw: st.DrawFn, monotone: bool) -> Owner:
    """An agent with an arbitrary rule inside and an arbitrary index, non-decreasing or not."""
    its_arms = draw(arms())
    index = monotone_index if monotone else any_index
    return Owner(
        its_arms, index(draw(seeds), draw(st.integers(2, 5))), any_rule(draw(seeds), len(its_arms))
    )


@st.composite
def games(draw: st.DrawFn, *, agents: int, rounds: int, monotone: bool) -> Game:
    """A game of some agents with two contexts."""
    return Game(
        tuple(draw(owners(monotone)) for _ in range(agents)),
        draw(context_laws),
        rounds,
        tuple(draw(st.permutations(range(agents)))),
    )


# --- the re-keying lemma and (a) ---------------------------------------------------------------


@given(games(agents=2, rounds=3, monotone=False))
@settings(max_examples=25, suppress_health_check=SLOW)
def test_both_games_have_one_law(game: Game) -> None:
    assert played_law(game) == rekeyed_law(game)


@given(games(agents=3, rounds=2, monotone=False))
@settings(max_examples=10, suppress_health_check=SLOW)
def test_both_games_have_one_law_with_three_agents(game: Game) -> None:
    assert played_law(game) == rekeyed_law(game)


@given(games(agents=3, rounds=4, monotone=False), arms(), st.integers(2, 3), st.booleans())
@settings(max_examples=25, suppress_health_check=SLOW)
def test_copies_of_known_features_change_no_law(
    game: Game, registered: tuple[Arm, ...], copies: int, last: bool
) -> None:
    features = list(range(len(registered)))
    more = features + [features[-1 if last else 0]] * (copies - 1)
    index = game.owners[0].index
    laws = [
        played_law(
            game.with_owner(0, Owner(tuple(registered[f] for f in some), index, greedy(some)))
        )
        for some in (features, more)
    ]
    assert laws[0] == laws[1]


@given(games(agents=2, rounds=4, monotone=False))
@settings(max_examples=25, suppress_health_check=SLOW)
def test_streams_of_one_law_leave_every_law(game: Game) -> None:
    """An arm of mean 1/2, or a coin for every play between arms that always and never pay."""
    index = game.owners[0].index
    single = Owner(((Half, Half),), index, uniform_rule(1))
    coin = Owner(((ONE, ZERO), (ZERO, ONE)), index, uniform_rule(2))
    assert stream_law(single, game.contexts, 4) == stream_law(coin, game.contexts, 4)
    assert played_law(game.with_owner(0, single)) == played_law(game.with_owner(0, coin))


# --- (b): on every path of the re-keyed game ---------------------------------------------------


@st.composite
def streams(draw: st.DrawFn, length: int) -> list[Play]:
    """Contexts and rewards of an agent's plays, in {0, 1}."""
    play = st.tuples(st.integers(0, 1), st.integers(0, 1).map(Fraction))
    return draw(st.lists(play, min_size=length, max_size=length))


def smaller(stream: Sequence[Play], hidden: Sequence[bool]) -> list[Play]:
    """The same contexts with rewards that are at most as large."""
    return [(x, ZERO if hide else y) for (x, y), hide in zip(stream, hidden, strict=True)]


def weighted_index(weights: Sequence[Fraction], width: Fraction) -> Index:
    """A mean weighted by context, and a width that shrinks; infinite before the first play."""

    def index(history: tuple[Play, ...]) -> Fraction:
        if not history:
            return F(100)
        return sum((weights[x] * y for x, y in history), width) / len(history)

    return index


indices = st.one_of(
    st.builds(monotone_index, seeds, st.integers(2, 6)),
    st.builds(weighted_index, st.tuples(eighths, eighths), eighths),
    st.builds(mean_index, eighths),
)


@given(data=st.data(), agents=st.integers(2, 4), rounds=st.integers(1, 8), weights=discounts)
@settings(max_examples=400, suppress_health_check=SLOW)
def test_larger_streams_are_ahead_on_every_path(
    data: st.DataObject, agents: int, rounds: int, weights: list[Fraction]
) -> None:
    drawn = [data.draw(streams(rounds)) for _ in range(agents)]
    hidden = data.draw(st.lists(st.booleans(), min_size=rounds, max_size=rounds))
    values = [data.draw(indices) for _ in range(agents)]
    order = data.draw(st.permutations(range(agents)))
    larger = merged(drawn, values, order, rounds)
    less = merged([smaller(drawn[0], hidden), *drawn[1:]], values, order, rounds)
    discount = [*weights, *[ZERO] * rounds]
    for t in range(1, rounds + 1):
        one, other = larger[:t], less[:t]
        assert plays(one, 0) >= plays(other, 0)
        assert revenue(one, 0) >= revenue(other, 0)
        assert revenue(one, 0, discount[:t]) >= revenue(other, 0, discount[:t])


def test_an_index_that_falls_with_a_reward_breaks_it() -> None:
    """The search above sees what it looks for: without monotonicity the order is lost."""
    falling: Index = lambda history: -sum((y for _, y in history), ZERO)  # noqa: E731
    steady: Index = lambda history: -Half  # noqa: E731
    rival, values = [(0, ZERO)] * 4, [falling, steady]
    ones, none = [(0, ONE)] * 4, [(0, ZERO), (0, ONE), (0, ONE), (0, ONE)]
    assert plays(merged([ones, rival], values, [0, 1], 4), 0) == 1
    assert plays(merged([none, rival], values, [0, 1], 4), 0) == 2


# --- (b) and (c): first-order dominance in the game as it is played ----------------------------


PARTS: dict[str, Callable[[int, int], int]] = {
    "one game": lambda round_, context: 0,
    "segments": lambda round_, context: context,
    "restarts": lambda round_, context: round_ // 2,
    "both": lambda round_, context: 2 * context + round_ // 2,
}


@dataclass(frozen=True)
class Choice:
    """An agent may register a dominant arm alone, or that arm and others."""

    alone: Game
    mixed: Game

    def keeps_order(self, discount: Sequence[Fraction] | None = None) -> bool:
        """Whether the revenue of the arm alone dominates, in the game as it is played."""
        laws = [revenue_law(played_law(game), 0, discount) for game in (self.alone, self.mixed)]
        return dominates(*laws)


def choice(
    index: Index,
    rule: ArmRule,
    arms: tuple[Arm, ...],
    rivals: Sequence[Owner],
    *,
    rounds: int = 4,
    contexts: tuple[Fraction, ...] = (Half, Half),
    part: Callable[[int, int], int] = PARTS["one game"],
) -> Choice:
    """The first arm dominates the others; the agent has the last priority."""
    order = (*range(1, len(rivals) + 1), 0)
    games = [
        Game((Owner(some, index, chosen), *rivals), contexts, rounds, order, part)
        for some, chosen in ((arms[:1], uniform_rule(1)), (arms, rule))
    ]
    return Choice(*games)


def random_choice(rng: random.Random, make: Callable[[int, int], Index]) -> Choice:
    """Two arms, of which the first dominates, against a rival of constant index."""
    best = tuple(F(rng.randint(1, 7), 8) for _ in range(2))
    other = tuple(p * rng.choice([ONE, F(7, 8), Half]) for p in best)
    levels = rng.randint(2, 5)
    return choice(
        make(rng.getrandbits(20), levels),
        any_rule(rng.getrandbits(20), 2),
        (best, other),
        [steady(F(rng.randint(0, 2 * levels - 2), 2))],
        contexts=rng.choice([(Half, Half), (F(1, 8), F(7, 8))]),
    )


def test_a_dominant_arm_is_best_alone_against_a_steady_rival() -> None:
    rng = random.Random(1)
    assert all(random_choice(rng, monotone_index).keeps_order() for _ in range(150))


def test_the_same_search_finds_what_an_index_that_falls_pays() -> None:
    rng = random.Random(1)
    assert not all(random_choice(rng, any_index).keeps_order() for _ in range(150))


@pytest.mark.parametrize("parts", PARTS)
@given(games(agents=2, rounds=4, monotone=True), arms(most=2), st.data())
@settings(max_examples=30, suppress_health_check=SLOW)
def test_a_dominant_arm_is_best_alone(
    parts: str,
    game: Game,
    others: tuple[Arm, ...],
    data: st.DataObject,
) -> None:
    mixed = (dominant(others), *others)
    rules = [
        any_rule(data.draw(seeds), len(mixed)),
        greedy(range(len(mixed))),
        one_arm_for_all(len(mixed)),
    ]
    rule = data.draw(st.sampled_from(rules))
    found = choice(
        game.owners[0].index,
        rule,
        mixed,
        game.owners[1:],
        contexts=game.contexts,
        part=PARTS[parts],
    )
    assert found.keeps_order(data.draw(discounts))


@given(games(agents=3, rounds=3, monotone=True), arms(most=2), seeds)
@settings(max_examples=25, suppress_health_check=SLOW)
def test_a_dominant_arm_is_best_alone_against_two(
    game: Game, others: tuple[Arm, ...], seed: int
) -> None:
    mixed = (dominant(others), *others)
    rule, index = any_rule(seed, len(mixed)), game.owners[0].index
    assert choice(index, rule, mixed, game.owners[1:], rounds=3).keeps_order()
    # Copies of that arm leave the law as it is.
    same = choice(index, any_rule(seed, 2), (mixed[0], mixed[0]), game.owners[1:], rounds=3)
    assert played_law(same.alone) == played_law(same.mixed)


def dominant(arms: Sequence[Arm]) -> Arm:
    """An arm that is as good as the best of some in every context."""
    return tuple(max(probabilities) for probabilities in zip(*arms, strict=True))


# --- (d): the inequality on a path -------------------------------------------------------------


@given(
    rounds=st.integers(1, 60),
    rewards=st.lists(st.lists(st.floats(0, 1), min_size=60, max_size=60), min_size=2, max_size=4),
    level=st.floats(0.01, 4),
    slope=st.floats(0, 2),
)
@settings(max_examples=150, suppress_health_check=SLOW)
def test_regret_on_a_path_where_the_best_agent_is_not_underrated(
    rounds: int, rewards: list[list[float]], level: float, slope: float
) -> None:
    """The best agent's value is the least that its index has had: then (d) is an inequality."""

    def allowed(N: int) -> float:
        return slope * math.sqrt(N)

    def index(i: int, N: int) -> float:
        if N == 0:
            return math.inf
        return (math.fsum(rewards[i][:N]) + allowed(N)) / N + math.sqrt(2 * level / N)

    n, counts = len(rewards), [0] * len(rewards)
    value = min(1.0, *(index(0, N) for N in range(1, rounds + 1)))
    earned = 0.0
    for _ in range(rounds):
        i = max(range(n), key=lambda j: index(j, counts[j]))
        earned += rewards[i][counts[i]]
        counts[i] += 1
    bound = n * allowed(1) * math.sqrt(rounds / n) + math.sqrt(2 * n * rounds * level) + n
    assert rounds * value - earned <= bound + 1e-9
