"""The rules as numbers, and the one place that gives an item's index under each of them.

With n(a) plays, mean reward r(a), and a clock τ (the round t, the plays N of the pool's owner, or
the horizon T), the item of largest index is chosen:

- UCB: r(a) + √(f(τ)/n(a)) with f(τ) = a·τ^b·(ln τ)^c. UCB1 (Auer, Cesa-Bianchi, Fischer 2002) has
  f = 2 ln τ.
- KL-UCB (Garivier, Cappé 2011): the largest q with n(a)·kl(r(a), q) ≤ scale·ln τ.
- greedy: r(a).
- Thompson sampling (Thompson 1933): a draw from Beta(1 + S, 1 + n − S), S the sum of rewards.
- uniform: all are alike.
- explore-then-commit: those with the fewest plays while one has fewer than m, then the one with
  more than m plays, then the largest mean.
- trial: see ``trial``; trial for arms: (S + 1/2)/(n + 1), see ``champion``.
- sampled KL-UCB: the largest x with (N − κ)·kl(S/(N − κ), x) ≤ κ ln T; 1 while N ≤ κ or S ≥ N − κ.
  A play whose reward is yet to come counts in S with the mean of the others.
- MOSS (Audibert, Bubeck 2009): r(a) + √(max(0, ln(T/(K·n(a))))/n(a)), K a constant. Anytime
  (Degenne, Perchet 2016): r(a) + √((1 + α)/2·max(0, ln(τ/(K·n(a))))/n(a)).
- IMED (Honda, Takemura 2015): −(n(a)·kl(r(a), r*) + ln n(a)), r* the largest mean.
- SW-UCB, D-UCB and Exp3: see ``leaf_statistics``; the first two are r + √(x/n) with the window's or
  the discounted r and n, and x = ξ ln min(N + 1, W), or 4ξ ln n* with n* = (1 − γ^N)/(1 − γ).

Unplayed items come first (except under Thompson sampling and uniform choice). A *coin* may let any
item be taken instead: with probability ε, or min(1, scale/τ), under ε-greedy; always, under
uniform choice.

Some indices are *lines* h + s·x in an x that depends on the clock alone and never falls, so that a
tournament keeps the largest: ``line`` gives them. Other indices are computed whenever they are
compared: ``index`` gives every rule's. A kind of rule has its branch in one of the two; loading
this module and ``lower`` fails while one is missing.
"""

import math
from collections.abc import Callable
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from copyproof.engine.bounds import (
    bernoulli_kl,
    beta_draw,
    kl_index,
    kl_index_is_below,
    power_law,
)
from copyproof.engine.cache import inlined, part
from copyproof.engine.numerics import log, power
from copyproof.engine.state import State, epoch_of
from copyproof.engine.trial import trial_index, trial_is_above


class Kind(IntEnum):
    """How a rule's index is computed."""

    UCB = 0
    KL_UCB = 1
    GREEDY = 2
    THOMPSON = 3
    UNIFORM = 4
    TRIAL = 5
    TRIAL_ARMS = 6
    SAMPLED_KL_UCB = 7
    EXPLORE_THEN_COMMIT = 8
    MOSS = 9
    IMED = 10
    SLIDING_WINDOW = 11
    DISCOUNTED = 12
    EXP3 = 13
    MOSS_ANYTIME = 14


# Clocks, for a pool whose owner has made N plays.
ROUND = 0  # N + 1: the round t of the pool's own game
PLAYS = 1  # N
HORIZON = 2  # T, free of t


# The slope that says of an item's line that it waits until a choice depends on it.
NOT_COMPUTED = 1.0

# Heights above all means, which are 1e12 at most: arms that are explored, and one committed to.
_EXPLORED = 1e18
_COMMITTED = 1e13


class LoweredRule(NamedTuple):
    """One rule as numbers: its kind, its clock, its parameters and its traits."""

    kind: int
    clock: int
    # UCB: a, b, c; KL-UCB: scale; trial, for agents and arms: q, share, gate; explore-then-commit:
    # m; MOSS: K; anytime: K, α; SW-UCB: ξ; D-UCB: γ, ξ; Exp3: γ, 0 for the one that T gives.
    parameters: tuple[float, float, float]
    tries: int  # trial, for agents and arms: B, the arms that are tried
    # W, the last plays of an agent that its index sees (``memory``); 0 for all. SW-UCB: the window.
    memory: int
    is_line: int  # 1 if ``line`` gives the index, so that a tournament finds the largest
    # The chance that any item is taken is the coin's, or min(1, coin/τ) if it falls.
    coin: float
    coin_falls: int


class Turn(NamedTuple):
    """One choice to be made in a pool."""

    t: int  # the round, of the epoch
    plays: int  # N, of the pool's owner: t − 1 where that is the principal
    k: int  # what the owner's stream is counted by
    horizon: int
    repetition: int


@inlined
def read_clock(rule: LoweredRule, turn: Turn) -> tuple[float, float]:
    """τ, and the x that goes with it: √f(τ), where lines are compared; scale·ln τ for KL-UCB."""
    if rule.clock == ROUND:
        tau = turn.plays + 1.0
    elif rule.clock == PLAYS:
        tau = max(turn.plays, 1) * 1.0
    else:
        tau = turn.horizon * 1.0
    x = 0.0
    if rule.kind == Kind.UCB:
        a, b, c = rule.parameters
        x = math.sqrt(power_law(tau, a, b, c))
    elif rule.kind == Kind.KL_UCB:
        x = rule.parameters[0] * log(tau)
    elif rule.kind == Kind.SLIDING_WINDOW:
        x = rule.parameters[0] * log(min(turn.plays + 1.0, float(rule.memory)))
    elif rule.kind == Kind.MOSS_ANYTIME:
        x = tau
    elif rule.kind == Kind.DISCOUNTED:
        x = _discounted_width(rule.parameters[0], rule.parameters[1], turn.plays)
    return tau, x


@part
def _discounted_width(gamma: float, xi: float, plays: int) -> float:
    """4ξ ln n*, never below 0."""
    total = (1.0 - power(gamma, float(plays))) / (1.0 - gamma)
    return 4.0 * xi * log(max(total, 1.0))


@inlined
def line(rule: LoweredRule, state: State, number: int) -> tuple[float, float]:
    """Height and slope of an item's index as a function of x; an unplayed item is above all.

    For rules whose index is not a line the result has no meaning.
    """
    item = state.items[number]
    if rule.kind == Kind.TRIAL:
        sums, starts, blocks = state.trials[number], state.starts[number], state.blocks[number]
        epoch, parameters = epoch_of(state, number), rule.parameters
        return trial_index(item, sums, starts, blocks, epoch, parameters, rule.memory), 0.0
    if item.plays == 0:
        return np.inf, 0.0
    if rule.kind == Kind.TRIAL_ARMS:
        return (item.total + 0.5) / (item.answers + 1.0), 0.0
    mean = item.total / item.answers if item.answers > 0 else 0.5
    if rule.kind == Kind.SAMPLED_KL_UCB:
        return _sampled_kl_ucb(item, mean, state.epoch[0]), 0.0
    if rule.kind == Kind.EXPLORE_THEN_COMMIT:
        return _explore_then_commit(item, mean, rule.parameters[0]), 0.0
    if rule.kind == Kind.MOSS:
        return _moss(item, mean, state.epoch[0].horizon, rule.parameters[0]), 0.0
    if rule.kind == Kind.UCB:
        return mean, 1.0 / math.sqrt(item.plays)
    if rule.kind == Kind.GREEDY:
        return mean, 0.0
    return 0.0, 0.0


@inlined
def is_surely_above(rule: LoweredRule, state: State, number: int, bar: float) -> bool:
    """Whether an index is above a bar for certain, at a fraction of its price; for ``trial``."""
    if rule.kind != Kind.TRIAL or rule.memory > 0:
        return False
    return trial_is_above(state, number, rule.parameters, bar)


@inlined
def index(
    rule: LoweredRule, state: State, pool: int, number: int, turn: Turn, x: float, best: float
) -> float:
    """An item's index; −∞ is a short answer for one that is certain to be below ``best``."""
    if rule.kind == Kind.UNIFORM or rule.kind == Kind.EXP3:
        return 0.0
    if rule.kind == Kind.IMED:
        return _imed(state.items[number], x)
    if rule.kind == Kind.MOSS_ANYTIME:
        return _moss_anytime(state.items[number], x, rule.parameters[0], rule.parameters[1])
    if rule.kind == Kind.SLIDING_WINDOW or rule.kind == Kind.DISCOUNTED:
        return _from_leaf(state, pool, number, x)
    if rule.kind == Kind.THOMPSON:
        item = state.items[number]
        alpha = 1.0 + item.total
        beta = 1.0 + item.answers - item.total
        key0, key1 = state.keys[pool, 0], state.keys[pool, 1]
        arm = number - state.pools[pool].first
        return beta_draw(alpha, beta, key0, key1, turn.k, arm, turn.repetition, 0)
    if rule.kind == Kind.KL_UCB:
        return _kl_ucb(state.items[number], x, best)
    return _on_line(rule, state, number, x)


@part
def _on_line(rule: LoweredRule, state: State, number: int, x: float) -> float:
    """The index of a rule whose lines are usually kept in a tournament: not in the hot loop."""
    height, slope = line(rule, state, number)
    return height + slope * x


@inlined
def _kl_ucb(item: Any, level: float, best: float) -> float:
    if item.plays == 0:
        return math.inf
    mean = item.total / item.answers if item.answers > 0 else 0.5
    # An index that is certain to be below the best so far need not be searched for.
    level /= item.plays
    if best == np.inf or (0.0 < mean < best < 1.0 and kl_index_is_below(mean, level, best)):
        return -math.inf
    return kl_index(mean, level)


@part
def _sampled_kl_ucb(item: Any, mean: float, epoch: Any) -> float:
    kappa = epoch.unit
    w = item.plays - kappa
    total = item.total + mean * (item.plays - item.answers)
    if w <= 0.0 or total >= w:
        return 1.0
    return kl_index(total / w, kappa * epoch.log / w)


@part
def _moss(item: Any, mean: float, horizon: int, arms: float) -> float:
    return mean + math.sqrt(max(0.0, log(horizon / (arms * item.plays))) / item.plays)


@part
def _moss_anytime(item: Any, tau: float, arms: float, alpha: float) -> float:
    if item.plays == 0:
        return math.inf
    mean = item.total / item.answers if item.answers > 0 else 0.5
    level = (1.0 + alpha) / 2.0 * max(0.0, log(tau / (arms * item.plays)))
    return float(mean + math.sqrt(level / item.plays))


@part
def _imed(item: Any, top: float) -> float:
    if item.plays == 0:
        return math.inf
    mean = item.total / item.answers if item.answers > 0 else 0.5
    value = -log(float(item.plays))
    if mean < top:
        value -= item.plays * bernoulli_kl(mean, top) if top < 1.0 else math.inf
    return value


@part
def top_mean(state: State, size: int) -> float:
    """The largest mean of the first ``size`` of ``state.members`` that are played; at least 0."""
    top = 0.0
    for n in range(size):
        item = state.items[state.members[n]]
        if item.plays > 0:
            top = max(top, item.total / item.answers if item.answers > 0 else 0.5)
    return top


@part
def _from_leaf(state: State, pool: int, number: int, x: float) -> float:
    here = state.pools[pool]
    leaf = state.nodes[here.base + here.cap + state.place[number]]
    if leaf.slope <= 0.0:
        return math.inf
    return float(leaf.height / leaf.slope + math.sqrt(x / leaf.slope))


@inlined
def _explore_then_commit(item: Any, mean: float, m: float) -> float:
    if item.plays < m:
        return _EXPLORED * (1.0 - float(item.plays / (2.0 * m)))
    return _COMMITTED + float(item.plays) if item.plays > m else mean


@inlined
def chance_of_any(rule: LoweredRule, tau: float, best: float) -> float:
    """The chance that any item is taken, whatever the indices; 0 while one is unplayed."""
    if best == np.inf:
        return 0.0
    return min(1.0, rule.coin / tau) if rule.coin_falls else rule.coin


def kinds_named_in(function: Callable[..., object]) -> set[Kind]:
    """The kinds that a compiled function has a branch for."""
    compiled: Any = function
    return {Kind[name] for name in compiled.py_func.__code__.co_names if name in Kind.__members__}


LINES = kinds_named_in(line)  # the kinds whose index is a line
if LINES ^ kinds_named_in(index) != set(Kind):
    raise ImportError(
        f"each of {', '.join(Kind.__members__)} needs a branch in either line or index"
    )
