"""Theorem C without one of its conditions: each test is a game in which the claim is false.

The code here and in ``tests/contexts_reference.py`` shares nothing with the package.
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

from tests.contexts_reference import (
    Game,
    Half,
    Index,
    Owner,
    Path,
    dominates,
    greedy,
    leader,
    mean,
    mean_index,
    merged,
    one_arm_for_all,
    played_law,
    plays,
    revenue,
    revenue_law,
    steady,
    stream_law,
    uniform_rule,
)

F = Fraction
ONE, ZERO = Fraction(1), Fraction(0)


def expected_revenue(
    owner: Owner, rounds: int, *rivals: Owner, contexts: tuple[Fraction, ...]
) -> Fraction:
    """Of an agent of last priority."""
    order = (*range(1, len(rivals) + 1), 0)
    return mean(revenue_law(played_law(Game((owner, *rivals), contexts, rounds, order)), 0))


def test_larger_marginals_are_not_enough() -> None:
    """A success with probability 1/2 at every play, against one coin of 9/20 for all plays."""
    better = Owner(((Half,),), mean_index(ONE), uniform_rule(1))
    # 9 arms that always pay and 11 that never do: a sample of size 1 draws one of them.
    coin = Owner(((ONE,),) * 9 + ((ZERO,),) * 11, mean_index(ONE), one_arm_for_all(20))
    for owner, success in ((better, Half), (coin, F(9, 20))):
        law = stream_law(owner, (ONE,), 3)
        for k in range(3):
            assert sum(w for stream, w in law.items() if stream[k][1] == 1) == success
    rival = steady(Half, (Half,))
    assert expected_revenue(better, 8, rival, contexts=(ONE,)) == F(43, 32)
    assert expected_revenue(coin, 8, rival, contexts=(ONE,)) == F(18, 5)


def test_statistics_of_each_arm_pay_for_copies() -> None:
    """Arm a pays in four visits of five and arm b in the fifth; a second a is worth 29/3750."""
    kinds = {"a": (ONE, ZERO), "b": (ZERO, ONE)}

    def earned(registered: str, *, features: bool = False) -> Fraction:
        keys = ["ab".index(name) if features else k for k, name in enumerate(registered)]
        owner = Owner(tuple(kinds[name] for name in registered), mean_index(ONE), greedy(keys))
        return expected_revenue(owner, 4, contexts=(F(4, 5), F(1, 5)))

    assert earned("aab") - max(map(earned, ("a", "b", "ab"))) == F(29, 3750)
    assert earned("aab", features=True) == earned("ab", features=True) == earned("ab")


def by_context(
    pays: Sequence[Fraction], limits: Sequence[Fraction], visits: Sequence[int]
) -> Fraction:
    """The revenue of an agent that is chosen where its mean exceeds the rival's, which sees x."""
    earned, count = ZERO, 0
    for x in visits:
        if count == 0 or earned > limits[x] * count:
            earned += pays[x]
            count += 1
    return earned


def test_agents_that_are_chosen_by_context_may_lose_by_a_better_arm() -> None:
    """The better arm wins visits in which it fails, and then loses those in which it succeeds."""
    limits = (Half, F(3, 4))
    revenues = [
        mean_of(
            [by_context(pays, limits, visits) for visits in itertools.product((0, 1), repeat=12)]
        )
        for pays in ((ONE, ZERO), (F(3, 4), ZERO))
    ]
    assert revenues == [F(2), F(39, 16)]


def mean_of(values: Sequence[Fraction]) -> Fraction:
    return sum(values, ZERO) / len(values)


def by_round(
    pays: Sequence[Sequence[Fraction]], order: Sequence[int], visits: Sequence[int]
) -> Path:
    """A path of the game as it is played, where the context alone decides what an agent pays."""
    index = mean_index(F(100))
    path: list[tuple[int, int, Fraction]] = []
    for x in visits:
        own = [tuple((c, y) for j, c, y in path if j == i) for i in range(len(pays))]
        i = leader([index(history) for history in own], order)
        path.append((i, x, pays[i][x]))
    return tuple(path)


def test_the_order_of_paths_is_that_of_the_rekeyed_game_only() -> None:
    """With one context for each round the better arm may earn less on a path, not in law."""
    rival = (F(3, 4), ZERO)
    better, worse = [(ONE, ZERO), rival], [(F(3, 5), ZERO), rival]
    # Contexts by round. If they are fixed like this, and not drawn, then (c) is false.
    visits = (0, 0, 1, 0)
    assert revenue(by_round(better, (0, 1), visits), 0) == 1
    assert revenue(by_round(worse, (0, 1), visits), 0) == F(6, 5)
    laws: list[dict[Fraction, Fraction]] = []
    for pays in (better, worse):
        law: dict[Fraction, Fraction] = {}
        for drawn in itertools.product((0, 1), repeat=4):
            earned = revenue(by_round(pays, (0, 1), drawn), 0)
            law[earned] = law.get(earned, ZERO) + F(1, 16)
        laws.append(law)
    assert dominates(*laws)


def test_rewards_below_zero_break_the_order() -> None:
    """The better arm is played again and again, at -1; the worse one is given up at -2."""
    values: list[Index] = [mean_index(F(100)), lambda history: F(-3, 2)]
    rival = [(0, ZERO)] * 3
    better, worse = (
        merged([[(0, first), (0, F(-1)), (0, F(-1))], rival], values, (0, 1), 3)
        for first in (F(-1), F(-2))
    )
    assert [plays(path, 0) for path in (better, worse)] == [3, 1]
    assert [revenue(path, 0) for path in (better, worse)] == [-3, -2]


def test_inner_regret_in_expectation_is_not_enough() -> None:
    """The best agent errs in its first m plays with probability 1/√m, and never afterwards.

    Its inner regret is at most √N in expectation. With that ρ the expected regret is above the
    bound of (d), and of the order T/√(ln T).
    """
    for T, times in ((10**7, 3), (10**9, 27)):
        n, level = 2, math.log(2 * T)
        m = math.ceil(32 * level)
        assert all(min(N, m) ** 2 <= m * N for N in range(1, 4 * m))
        # It pays 1 but for these errors, which pay 0, and the rival pays 3/4.
        index = math.sqrt(m) / m + math.sqrt(2 * level / m)
        assert index < 3 / 4
        regret = (T - m) / 4 / math.sqrt(m)
        bound = n * math.sqrt(T / n) + math.sqrt(2 * n * T * level) + n + 1
        assert regret > times * bound
