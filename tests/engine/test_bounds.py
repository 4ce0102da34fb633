"""The KL index: right, never falling in the mean or the level, and the same however it is found."""

import math
import random
from collections.abc import Callable

import numpy as np
import pytest

from copyproof.engine.bounds import (
    bernoulli_kl,
    kl_index,
    kl_index_is_below,
    level_line,
    line_below,
    tilted_index,
)
from copyproof.engine.cache import part
from tests.reference import kl_bound


@part
def newton_index(mean: float, level: float) -> float:
    """The index as it was solved before, by Newton's method: right to about 2e-14, and no more."""
    if mean >= 1.0:
        return 1.0
    if level <= 0.0 or mean <= 0.0:
        return mean if level <= 0.0 else -math.expm1(-level)
    entropy = -mean * math.log(mean) - (1.0 - mean) * math.log1p(-mean)
    q = min(mean + math.sqrt(level / 2.0), -math.expm1(-(level + entropy) / (1.0 - mean)))
    while mean < q < 1.0:
        step = (bernoulli_kl(mean, q) - level) * q * (1.0 - q) / (q - mean)
        if q - step >= q:
            break
        q -= step
    return q


@part
def falls(newton: int, mean: float, level: float, grows: int, count: int) -> int:
    """How often the index falls from one mean, or one level, to the next float."""
    found = 0
    before = 0.0
    for _ in range(count):
        value = newton_index(mean, level) if newton else kl_index(mean, level)
        if value < before:
            found += 1
        before = value
        if grows:
            level = np.nextafter(level, math.inf)
        else:
            mean = np.nextafter(mean, 1.0)
    return found


def starts(count: int) -> list[tuple[float, float]]:
    rng = random.Random(1)
    means = [rng.betavariate(0.7, 0.7), 10 ** rng.uniform(-6, -1), 1 - 10 ** rng.uniform(-6, -1)]
    return [(rng.choice([*means, rng.random()]), 10 ** rng.uniform(-8, 1)) for _ in range(count)]


@pytest.mark.parametrize("grows", [0, 1])
def test_the_index_never_falls_from_one_float_to_the_next(grows: int) -> None:
    assert sum(falls(0, mean, level, grows, 1000) for mean, level in starts(100)) == 0


def test_an_index_by_newtons_method_falls() -> None:
    assert sum(falls(1, mean, level, 0, 1000) for mean, level in starts(100)) > 1000


def test_the_index_never_falls_over_any_distance() -> None:
    rng = random.Random(2)
    for _ in range(20_000):
        mean, level = rng.random(), 10 ** rng.uniform(-8, 2)
        more = 1 + 2 ** rng.uniform(-52, 3)
        index = kl_index(mean, level)
        assert kl_index(min(mean * more, 1.0), level) >= index
        assert kl_index(mean, level * more) >= index
        assert mean <= index <= 1.0


@pytest.mark.parametrize("mean", [0.0, 5e-324, 1e-12, 0.3, 1 - 2**-53, 1.0])
def test_the_index_does_not_fall_where_its_formula_changes(mean: float) -> None:
    levels = [-1.0, 0.0, 5e-324, 1e-300, 1e-16, 1e-8, 1.0, 63.9, 64.0, 1e9]
    indices = [kl_index(mean, level) for level in levels]
    assert indices == sorted(indices)
    assert indices[1] == mean
    assert indices[-1] == 1.0
    for level in levels:
        next_ = kl_index(math.nextafter(mean, 1.0), level)
        assert kl_index(mean, level) <= next_


def test_the_index_is_the_least_of_the_whole_table() -> None:
    for mean, level in starts(2000):
        assert kl_index(mean, level) == kl_bound(mean, 1, level)


def test_the_index_is_the_solution_and_a_little_more() -> None:
    for mean, level in starts(2000):
        low, high = mean, 1.0
        while low < (middle := (low + high) / 2) < high:
            if bernoulli_kl(mean, middle) <= level:
                low = middle
            else:
                high = middle
        allowed = 6e-5 * (high - mean) + 1e-12 if high < 1 - 2e-7 else 1.0 - low + 1e-12
        assert low - 1e-12 <= kl_index(mean, level) <= high + allowed


def test_what_is_said_to_be_below_is_below() -> None:
    rng = random.Random(3)
    said = found = 0
    for mean, level in starts(5000):
        index = kl_index(mean, level)
        bar = min(max(index * (1 + rng.choice([-1, 1]) * 10 ** rng.uniform(-16, 0)), mean), 1.0)
        if not mean < bar < 1.0:
            continue
        below = kl_index_is_below(mean, level, bar)
        assert not below or index < bar
        said += below
        found += index < bar
    assert said > 0.8 * found > 500


def test_what_lies_below_a_line_has_an_index_below_the_bar() -> None:
    rng = random.Random(4)
    below = 0
    for mean, level in starts(3000):
        bar = kl_index(mean, level)
        if not mean < bar < 1.0:
            continue
        s, c = line_below(mean, bar)
        for _ in range(10):
            near = min(mean * (1 + rng.uniform(-1, 1) * 10 ** rng.uniform(-16, 0)), 1.0)
            # On the line, a little to either side.
            lower = (c - s * near) * (1 + rng.uniform(-1, 0.1) * 10 ** rng.uniform(-16, 0))
            if lower > 0.0 and lower + s * near < c:
                below += 1
                assert kl_index(near, lower) < bar
    assert below > 5000


def test_what_is_below_the_line_of_an_index_has_a_smaller_one() -> None:
    rng = random.Random(8)
    below = 0
    for _ in range(2000):
        mean, level = rng.random(), 10 ** rng.uniform(-7, 1)
        bar, s = tilted_index(mean, level)
        c = level_line(mean, level, s)
        for _ in range(10):
            near = min(mean * (1 + rng.uniform(-1, 1) * 10 ** rng.uniform(-16, 0)), 1.0)
            lower = (c - s * near) * (1 + rng.uniform(-1, 0.1) * 10 ** rng.uniform(-16, 0))
            if lower > 0.0 and lower + s * near < c:
                below += 1
                assert kl_index(near, lower) < bar
    assert below > 5000


# --- markets of constant arms ----------------------------------------------------------------


def plays(index: Callable[[float, float], float], rewards: list[float], rounds: int) -> list[int]:
    """Who is played: the first of largest index, which is made of own rewards and T alone."""
    counts, sums = [0] * len(rewards), [0.0] * len(rewards)
    indices = [math.inf] * len(rewards)
    made = []
    for _ in range(rounds):
        best = indices.index(max(indices))
        counts[best] += 1
        sums[best] += rewards[best]
        indices[best] = index(min(sums[best] / counts[best], 1.0), math.log(rounds) / counts[best])
        made.append(best)
    return made


def broken(index: Callable[[float, float], float]) -> int:
    """In how many of 400 markets an agent is ahead if it pays less by one unit in the last place.

    It has equals now and then, and ties go to them: who comes later gains most by an index that is
    too large by a bit.
    """
    rng, found = random.Random(5), 0
    for _ in range(400):
        rewards = [rng.randint(1, 19) / 20 for _ in range(rng.randint(3, 5))]
        rounds = rng.randint(50, 300)
        less = [*rewards[:-1], math.nextafter(rewards[-1], 0.0)]
        mine = len(rewards) - 1
        path, other = plays(index, rewards, rounds), plays(index, less, rounds)
        ahead = np.cumsum([(b == mine) - (a == mine) for a, b in zip(path, other, strict=True)])
        found += bool(ahead.max() > 0)
    return found


def test_no_market_of_constant_arms_pays_for_paying_less() -> None:
    assert broken(kl_index) == 0


def test_with_newtons_method_some_markets_do() -> None:
    assert broken(newton_index) > 0
