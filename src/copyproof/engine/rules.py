"""The rules: which item of a pool comes next, given the pool's statistics.

With n(a) plays, mean reward r(a), and a clock τ (the round t, the plays N of the pool's owner, or
the horizon T):

- UCB: largest r(a) + √(f(τ)/n(a)) with f(τ) = a·τ^b·(ln τ)^c. UCB1 (Auer, Cesa-Bianchi, Fischer
  2002) has f = 2 ln τ.
- KL-UCB (Garivier, Cappé 2011): largest q with n(a)·kl(r(a), q) ≤ scale·ln τ.
- ε-greedy: with probability ε, or min(1, scale/τ), any item; else the largest r(a).
- Thompson sampling (Thompson 1933): largest draw from Beta(1 + S, 1 + n − S), S the sum of rewards.
- uniform: any item.
- own index and champion: see ``own``.

Unplayed items come first (except under Thompson sampling and uniform choice), and equals are picked
from uniformly: u decides for the ⌊u·m⌋-th of m in the order of the pool. With priority ties the
first one in the pool's order is taken, and the order was drawn at the start.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from copyproof.engine.cache import inlined, part
from copyproof.engine.state import State
from copyproof.engine.streams import COIN, PICK, POSTERIOR, nth_of, two_uniforms, uniform
from copyproof.engine.tournament import advance, nth_winner

# Kinds of rules.
UCB = 0
KL_UCB = 1
EPSILON_GREEDY = 2
EPSILON_DECREASING = 3
THOMPSON = 4
UNIFORM = 5
OWN_INDEX = 6
CHAMPION = 7

# Forms of OWN_INDEX, added up.
RECENT = 1
HOEFFDING = 2

# Clocks, for a pool whose owner has made N plays.
ROUND = 0  # N + 1: the round t of the pool's own game
PLAYS = 1  # N
HORIZON = 2  # T, free of t


class Rule(NamedTuple):
    """One rule as numbers: its kind, its clock and its parameters."""

    kind: int
    clock: int
    first: float
    """UCB: a; KL-UCB, decreasing ε and own index: scale; ε-greedy: ε; champion: fresh."""
    second: float
    """UCB: b; own index: turns; champion: threshold."""
    third: float
    """UCB: c; own index: doubt."""
    form: int
    """OWN_INDEX: which plays count, and the width."""


@inlined
def has_lines(rule: Rule) -> bool:
    """Whether the rule's indices are lines, so that a tournament finds the largest."""
    return rule.kind != KL_UCB and rule.kind != THOMPSON and rule.kind != UNIFORM


@inlined
def line(rule: Rule, item: Any) -> tuple[float, float]:
    """Height and slope of an item's index as a function of x; an unplayed item is above all."""
    if item.plays == 0:
        return np.inf, 0.0
    if rule.kind == CHAMPION:
        return (item.total + 1.0) / (item.answers + 2.0), 0.0
    mean = item.total / item.answers if item.answers > 0 else 0.5
    if rule.kind == UCB:
        return mean, 1.0 / math.sqrt(item.plays)
    return mean, 0.0


@part
def power_law(tau: float, a: float, b: float, c: float) -> float:
    """f(τ) = a·τ^b·(ln τ)^c, for τ ≥ 1; the paper's exponents need no general power."""
    value = a
    if b == 0.5:
        value *= math.sqrt(tau)
    elif b != 0.0:
        value *= math.pow(tau, b)
    if c == 1.0:
        value *= math.log(tau)
    elif c == 1.5:
        log = math.log(tau)
        value *= log * math.sqrt(log)
    elif c != 0.0:
        value *= math.pow(math.log(tau), c)
    return value


@inlined
def reading(rule: Rule, plays: int, horizon: int) -> float:
    """The clock's reading, at least 1."""
    if rule.clock == ROUND:
        return plays + 1.0
    if rule.clock == PLAYS:
        return max(plays, 1) * 1.0
    return horizon * 1.0


@inlined
def epsilon(rule: Rule, tau: float) -> float:
    """The chance of ε-greedy's coin to let any item be taken; 0 for other rules."""
    if rule.kind == EPSILON_GREEDY:
        return rule.first
    if rule.kind == EPSILON_DECREASING:
        return min(1.0, rule.first / tau)
    return 0.0


@inlined
def select(
    rule: Rule,
    state: State,
    pool: int,
    plays: int,
    k: int,
    horizon: int,
    repetition: int,
    priority: int,
    scan: int,
) -> int:
    """Place of the next item in a pool whose owner has made ``plays`` plays.

    ``k`` is what the owner's stream is counted by. ``scan`` computes every index anew, for rules
    whose indices are lines too; it decides the same as the tournament, more slowly. The pool's tree
    and the scratch are modified in place.
    """
    here = state.pools[pool]
    key0 = state.keys[pool, 0]
    key1 = state.keys[pool, 1]
    if rule.kind == UNIFORM:
        return nth_of(uniform(key0, key1, k, PICK, 0, repetition), here.size)
    tau = reading(rule, plays, horizon)
    tournament = not scan and has_lines(rule)
    if tournament:
        best, equals = _tournament_winners(rule, state, pool, tau)
    else:
        best, equals = scan_winners(rule, state, pool, tau, k, repetition)
    if rule.kind == EPSILON_GREEDY or rule.kind == EPSILON_DECREASING:
        coin = epsilon(rule, tau)
        if best < np.inf and uniform(key0, key1, k, COIN, 0, repetition) < coin:
            return nth_of(uniform(key0, key1, k, PICK, 0, repetition), here.size)
    nth = 0
    if equals > 1 and not priority:
        nth = nth_of(uniform(key0, key1, k, PICK, 0, repetition), equals)
    if tournament:
        return nth_winner(state.nodes, here.base, here.cap, here.x, nth)
    return nth_equal(state.values, best, nth)


@inlined
def position(rule: Rule, tau: float) -> float:
    """The x = √f(τ) at which the lines are compared."""
    if rule.kind == UCB:
        return math.sqrt(power_law(tau, rule.first, rule.second, rule.third))
    return 0.0


@inlined
def _tournament_winners(rule: Rule, state: State, pool: int, tau: float) -> tuple[float, int]:
    """The largest index and how many have it, from the tree, which is modified in place."""
    here = state.pools[pool]
    here.x = position(rule, tau)
    advance(state.nodes, here.base, here.cap, here.x)
    root = state.nodes[here.base + 1]
    return root.height + root.slope * here.x, int(root.count)


@part
def scan_winners(
    rule: Rule, state: State, pool: int, tau: float, k: int, repetition: int
) -> tuple[float, int]:
    """The largest index and how many have it; all of them are left in ``state.values``."""
    here = state.pools[pool]
    if rule.kind == THOMPSON:
        _fill_posterior_draws(state, pool, k, repetition)
    elif rule.kind == KL_UCB:
        _fill_kl_indices(state, pool, rule.first * math.log(tau))
    else:
        here.x = position(rule, tau)
        for place in range(here.size):
            leaf = state.nodes[here.base + here.cap + place]
            state.values[place] = leaf.height + leaf.slope * here.x
    return _largest(state.values, here.size)


@part
def _largest(values: Any, size: int) -> tuple[float, int]:
    """The largest of the first ``size`` values, and how many are equal to it."""
    best = values[0]
    equals = 1
    for place in range(1, size):
        if values[place] > best:
            best = values[place]
            equals = 1
        elif values[place] == best:
            equals += 1
    return best, equals


@part
def nth_equal(values: Any, best: float, nth: int) -> int:
    """Place of the nth value that equals ``best``."""
    place = 0
    while place < values.shape[0] - 1:
        if values[place] == best:
            if nth == 0:
                return place
            nth -= 1
        place += 1
    return place


@part
def _fill_posterior_draws(state: State, pool: int, k: int, repetition: int) -> None:
    """One draw per item from its posterior; the scratch is modified in place."""
    here = state.pools[pool]
    leaves = here.base + here.cap
    for place in range(here.size):
        number = state.nodes[leaves + place].link
        item = state.items[number]
        state.values[place] = beta_draw(
            1.0 + item.total,
            1.0 + item.answers - item.total,
            state.keys[pool, 0],
            state.keys[pool, 1],
            k,
            number - here.first,
            repetition,
        )


@part
def beta_draw(
    alpha: float, beta: float, key0: np.uint64, key1: np.uint64, k: int, arm: int, repetition: int
) -> float:
    """A draw from Beta(α, β), α, β ≥ 1, by rejection (algorithm BB of Cheng 1978)."""
    u, v = two_uniforms(key0, key1, k, POSTERIOR, arm, repetition)
    if alpha == 1.0:
        return 1.0 - math.pow(1.0 - u, 1.0 / beta)
    if beta == 1.0:
        return math.pow(u, 1.0 / alpha)
    a = min(alpha, beta)
    b = max(alpha, beta)
    total = a + b
    spread = math.sqrt((total - 2.0) / (2.0 * a * b - total))
    shape = a + 1.0 / spread
    attempt = 0
    while True:
        log_odds = spread * math.log(u / (1.0 - u))
        w = a * math.exp(log_odds)
        r = shape * log_odds - math.log(4.0)
        if r + total * math.log(total / (b + w)) >= math.log(u * u * v):
            break
        attempt += 1
        u, v = two_uniforms(key0, key1, k, POSTERIOR + attempt, arm, repetition)
    return w / (b + w) if alpha == a else b / (b + w)


@part
def _fill_kl_indices(state: State, pool: int, level: float) -> None:
    """KL-UCB indices, −∞ for what cannot be the largest; the scratch is modified in place."""
    here = state.pools[pool]
    leaves = here.base + here.cap
    best = -1.0
    for place in range(here.size):
        item = state.items[state.nodes[leaves + place].link]
        if item.plays == 0:
            best = np.inf
            state.values[place] = np.inf
            continue
        mean = item.total / item.answers if item.answers > 0 else 0.5
        state.values[place] = -np.inf
        # An index below the best so far need not be solved for. The margin keeps this test from
        # ever deciding a close call that the indices themselves should decide.
        beaten = mean < best < 1.0 and item.plays * bernoulli_kl(mean, best) > level * (1 + 1e-9)
        if best < np.inf and not beaten:
            state.values[place] = kl_index(mean, level / item.plays)
            best = max(best, state.values[place])


@part
def bernoulli_kl(p: float, q: float) -> float:
    """kl(p, q) of two Bernoulli distributions, 0 < q < 1."""
    divergence = 0.0
    if p > 0.0:
        divergence += p * math.log(p / q)
    if p < 1.0:
        divergence += (1.0 - p) * math.log((1.0 - p) / (1.0 - q))
    return divergence


@part
def kl_index(mean: float, level: float) -> float:
    """The largest q with kl(mean, q) ≤ level: Newton's method, from above.

    kl(mean, ·) is convex above the mean, so that the steps from any point above the solution go
    down to it without overshooting. Two upper bounds give the start: Pinsker's inequality, and
    kl(p, q) ≥ −H(p) − (1 − p) ln(1 − q), H the entropy.
    """
    if mean >= 1.0:
        return 1.0
    if level <= 0.0:
        return mean
    if mean <= 0.0:
        return -math.expm1(-level)
    entropy = -mean * math.log(mean) - (1.0 - mean) * math.log1p(-mean)
    q = min(mean + math.sqrt(level / 2.0), -math.expm1(-(level + entropy) / (1.0 - mean)))
    while mean < q < 1.0:
        step = (bernoulli_kl(mean, q) - level) * q * (1.0 - q) / (q - mean)
        if q - step >= q:
            break
        q -= step
    return q
