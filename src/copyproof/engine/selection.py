"""The selection: which items of a pool may be chosen, and which of them win.

Without a mask all items in play may be chosen. A mask restricts the choice: to the arms a visitor
may see, or to those not yet on a slate. An agent takes part if one of its registered arms does.

Of those that may be chosen the ones of largest index win. Tournament, a look at every leaf, and a
scan that computes every index anew are three ways to find the same winners. A choice among few
scans. A choice among all but a few, as for a slate, has those few lose every match of the agents'
tree while it lasts (``Mask.whole``), so that it costs as little as a choice among all.
A coin may let any of those that may be chosen be taken instead. Equals are picked from uniformly:
u decides for the ⌊u·m⌋-th of m in the order of the pool. With priority ties the first one in the
pool's order is taken, and the order was drawn at the start.

Marks of a mask, per item: an agent is WHOLE or LISTED, an arm is ALLOWED or TAKEN, 0 is neither. A
list of what may be chosen names agents and arms, or EVERYONE, and after them what is ruled out of
it, an agent or an arm of number m as −2 − m.

On a slate an agent has at most ``per_agent`` places. Its first one is given by the same choice as
without the limit: ``left`` is lowered when an arm is taken, and not before.
"""

from typing import Any, NamedTuple

import numpy as np

from copyproof.engine.cache import inlined, part
from copyproof.engine.curves import advance_curves, nth_curve
from copyproof.engine.leaf_statistics import draw_by_chances
from copyproof.engine.plan import ANEW, LEAVES, TOURNAMENT
from copyproof.engine.posteriors import FEW, draw_largest
from copyproof.engine.rules import (
    NOT_COMPUTED,
    Kind,
    LoweredRule,
    Turn,
    chance_of_any,
    index,
    is_surely_above,
    line,
    read_clock,
    top_mean,
)
from copyproof.engine.state import ABSENT, OUTSIDE, State
from copyproof.engine.streams import COIN, PICK, nth_of, uniform
from copyproof.engine.tournament import advance, nth_winner

NOBODY = -1  # in place of an item or of its place: none may be chosen
WHOLE, LISTED = 1, 2
ALLOWED, TAKEN = 1, 2
EVERYONE = -1  # in a list, in place of all agents


class Mask(NamedTuple):
    """Who may be chosen."""

    marks: Any  # per item
    left: Any  # per agent: how many of its arms may still be chosen
    # Whether agents without a mark may be chosen with all their arms. Then those that may not are
    # left out of the agents' tree.
    whole: int = 0


@inlined
def may_be_chosen(state: State, mask: Mask, number: int) -> bool:
    """Whether a mask allows an agent, or an arm that is registered."""
    if number < mask.left.shape[0]:
        return bool(mask.left[number] > 0)
    owner = state.items[number].owner
    if mask.marks[number] == TAKEN or mask.left[owner] <= 0:
        return False
    return bool(mask.marks[owner] == WHOLE or mask.marks[number] == ALLOWED)


@part
def mark(is_flat: int, state: State, mask: Mask, lists: Any, start: int, stop: int) -> None:
    """Mark what ``lists[start:stop]`` names, agents and items, or everything if start < 0.

    The mask is modified in place.
    """
    agents = mask.left.shape[0]
    if start < 0:
        _mark_everyone(is_flat, state, mask)
        return
    for n in range(start, stop):
        number = lists[n]
        if number == EVERYONE:
            _mark_everyone(is_flat, state, mask)
        elif number < 0:
            _rule_out(state, mask, -2 - number)
        elif number < agents:
            _mark_whole(is_flat, state, mask, number)
        else:
            owner = state.items[number].owner
            if mask.marks[number] == 0 and _is_registered(state, number):
                mask.marks[number] = ALLOWED
                mask.marks[owner] = LISTED
                mask.left[owner] += 1


@inlined
def _is_registered(state: State, arm: int) -> bool:
    """Whether an arm is registered, and its agent is not suspended."""
    return bool(state.start[arm] != ABSENT and state.start[state.items[arm].owner] != ABSENT)


@part
def _mark_everyone(is_flat: int, state: State, mask: Mask) -> None:
    for agent in range(mask.left.shape[0]):
        _mark_whole(is_flat, state, mask, agent)


@part
def _rule_out(state: State, mask: Mask, number: int) -> None:
    """Take an agent, or an arm, out of what is marked."""
    if number < mask.left.shape[0]:
        mask.left[number] = 0
    elif _is_registered(state, number) and may_be_chosen(state, mask, number):
        mask.marks[number] = TAKEN
        mask.left[state.items[number].owner] -= 1


@part
def mark_exceptions(state: State, mask: Mask, lists: Any, start: int, stop: int) -> None:
    """``mark`` for a mask that is whole: what is ruled out. The mask is modified in place."""
    for n in range(max(start, 0), stop):
        if lists[n] != EVERYONE:
            mark_unmarked(state, mask, agent_ruled_out(state, mask, lists[n]))
            _rule_out(state, mask, -2 - lists[n])


@inlined
def agent_ruled_out(state: State, mask: Mask, entry: int) -> int:
    """Return the agent that an entry of a list rules out, or of whom it rules out an arm."""
    number = -2 - entry
    return int(number if number < mask.left.shape[0] else state.items[number].owner)


@inlined
def mark_unmarked(state: State, mask: Mask, agent: int) -> None:
    """Mark an agent of a mask that is whole, before some of its arms are ruled out."""
    if mask.marks[agent] == 0:
        _mark_whole(0, state, mask, agent)


@inlined
def is_restricted(is_flat: int, state: State, mask: Mask, pool: int) -> bool:
    """Whether a mask rules out an arm of a pool."""
    if is_flat:
        return True
    if mask.whole and mask.marks[pool - 1] == 0:
        return False
    return bool(mask.left[pool - 1] != state.pools[pool].size + state.pools[pool].outside)


@inlined
def take(mask: Mask, agent: int, arm: int, per_agent: int) -> None:
    """Give an arm a place on a slate; its agent has ``per_agent`` places at most."""
    mask.marks[arm] = TAKEN
    mask.left[agent] = min(mask.left[agent] - 1, per_agent - 1)


@part
def _mark_whole(is_flat: int, state: State, mask: Mask, agent: int) -> None:
    """Mark an agent with all its arms."""
    mask.marks[agent] = WHOLE
    if is_flat:
        mask.left[agent] = state.items.shape[0]  # only asked whether it is above 0
    else:
        mask.left[agent] = state.pools[agent + 1].size + state.pools[agent + 1].outside


@part
def clear(state: State, mask: Mask, lists: Any, start: int, stop: int) -> None:
    """Undo ``mark``; arms that were taken are the caller's. Modified in place."""
    if not mask.whole and (start < 0 or (start < stop and lists[start] == EVERYONE)):
        for agent in range(mask.left.shape[0]):
            mask.marks[agent] = 0
            mask.left[agent] = 0
    for n in range(max(start, 0), stop):
        number = lists[n]
        if number == EVERYONE:
            continue
        if number < 0:
            number = -2 - number
        mask.marks[number] = 0
        if number >= mask.left.shape[0]:
            number = state.items[number].owner
            mask.marks[number] = 0
        mask.left[number] = 0


@inlined
def gather(state: State, pool: int, mask: Mask | None) -> int:
    """Put the items in play that may be chosen into ``state.members``, in order; how many."""
    here = state.pools[pool]
    leaves = here.base + here.cap
    size = 0
    for place in range(here.size):
        number = state.nodes[leaves + place].link
        if mask is not None and not may_be_chosen(state, mask, number):
            continue
        state.members[size] = number
        size += 1
    return size


@inlined
def scan_winners(
    rule: LoweredRule, state: State, pool: int, size: int, turn: Turn, x: float
) -> tuple[float, int]:
    """The largest index of the first ``size`` of ``state.members``, and how many have it.

    All indices are left in ``state.values``.
    """
    best = -np.inf
    equals = 0
    if rule.kind == Kind.IMED:
        x = top_mean(state, size)
    for n in range(size):
        value = index(rule, state, pool, state.members[n], turn, x, best)
        state.values[n] = value
        if value > best:
            best = value
            equals = 1
        elif value == best:
            equals += 1
    return best, equals


@inlined
def _tournament_winners(state: State, pool: int, x: float) -> tuple[float, int]:
    """The same of all items in play, from the tree, which is modified in place."""
    here = state.pools[pool]
    here.x = x
    advance(state.nodes, here.base, here.cap, x)
    root = state.nodes[here.base + 1]
    return root.height + root.slope * x, int(root.count)


@inlined
def _leaf_winners(rule: LoweredRule, state: State, pool: int, x: float) -> tuple[float, int, int]:
    """The same, one leaf after the other; and the first place that has the largest index.

    Under ``trial`` an index is computed when a choice depends on it: that of the item that was
    played last is not, where it is surely above the others.
    """
    here = state.pools[pool]
    leaves = here.base + here.cap
    while True:
        best = -np.inf
        equals = 0
        first = 0
        waiting = -1
        waits = 0
        for place in range(here.size):
            leaf = state.nodes[leaves + place]
            value = leaf.height + leaf.slope * x
            if value > best:
                best = value
                equals = 1
                first = place
            elif value == best:
                equals += 1
            if rule.kind == Kind.TRIAL and leaf.slope == NOT_COMPUTED:
                waiting = place
                waits += 1
        if waits == 0:
            return best, equals, first
        leaf = state.nodes[leaves + waiting]
        if waits == 1 and is_surely_above(rule, state, leaf.link, best):
            return best, 1, waiting
        leaf.height, leaf.slope = line(rule, state, leaf.link)


@part
def _nth_leaf(state: State, pool: int, x: float, best: float, place: int, nth: int) -> int:
    """Place of the nth leaf from a place on, itself a winner, whose index is the largest."""
    here = state.pools[pool]
    leaves = here.base + here.cap
    while nth > 0:
        place += 1
        leaf = state.nodes[leaves + place]
        if leaf.height + leaf.slope * x == best:
            nth -= 1
    return place


@inlined
def _nth_equal(values: Any, best: float, nth: int) -> int:
    """Where the nth value is that equals ``best``."""
    n = 0
    while values[n] != best or nth > 0:
        if values[n] == best:
            nth -= 1
        n += 1
    return n


@inlined
def pick(state: State, pool: int, turn: Turn, m: int) -> int:
    """One of m equals."""
    u = uniform(state.keys[pool, 0], state.keys[pool, 1], turn.k, PICK, 0, turn.repetition)
    return nth_of(u, m)


@part
def _select_curve(rule: LoweredRule, state: State, pool: int, turn: Turn, priority: int) -> int:
    """``select`` for all items of a pool whose indices are curves."""
    here = state.pools[pool]
    _, here.x = read_clock(rule, turn)
    advance_curves(state.nodes, here.base, here.cap, here.x)
    nth = 0
    equals = state.nodes[here.base + 1].count
    if equals > 1 and not priority:
        nth = pick(state, pool, turn, equals)
    return nth_curve(state.nodes, here.base, here.cap, nth)


@inlined
def has_tournament(rule: LoweredRule, search: int) -> bool:
    """Whether the winner is found by matches, so that items can be left out (``select_rest``)."""
    if search != TOURNAMENT:
        return False
    return bool(rule.is_line or (rule.kind == Kind.KL_UCB and rule.coin == 0.0))


@part
def select_rest(rule: LoweredRule, state: State, pool: int, turn: Turn, priority: int) -> int:
    """``select`` by a tournament without those that are left out of it; NOBODY if all are.

    The decision is that of a scan. The pool's tree is modified in place.
    """
    here = state.pools[pool]
    tau, x = read_clock(rule, turn)
    best = 0.0
    if rule.is_line:
        best, equals = _tournament_winners(state, pool, x)
    else:
        here.x = x
        advance_curves(state.nodes, here.base, here.cap, x)
        equals = int(state.nodes[here.base + 1].count)
    if equals == 0:
        return NOBODY
    if rule.coin > 0.0:
        u = uniform(state.keys[pool, 0], state.keys[pool, 1], turn.k, COIN, 0, turn.repetition)
        if u < chance_of_any(rule, tau, best):
            return _any_present(state, pool, turn)
    nth = 0
    if equals > 1 and not priority:
        nth = pick(state, pool, turn, equals)
    if rule.is_line:
        return nth_winner(state.nodes, here.base, here.cap, x, nth)
    return nth_curve(state.nodes, here.base, here.cap, nth)


@part
def _any_present(state: State, pool: int, turn: Turn) -> int:
    """Place of any of those that are not left out, each as likely as any other."""
    here = state.pools[pool]
    leaves = here.base + here.cap
    size = 0
    for place in range(here.size):
        size += state.nodes[leaves + place].count
    nth = pick(state, pool, turn, size)
    place = 0
    while state.nodes[leaves + place].count == 0 or nth > 0:
        nth -= state.nodes[leaves + place].count
        place += 1
    return place


@inlined
def select(
    rule: LoweredRule,
    state: State,
    pool: int,
    turn: Turn,
    priority: int,
    search: int,
    mask: Mask | None,
) -> int:
    """Place of the next item in a pool; NOBODY if none may be chosen.

    However it is searched, the decision is the same. The pool's tree and the scratch are modified
    in place.
    """
    here = state.pools[pool]
    by_tree = False
    if mask is None:
        by_tree = rule.is_line != 0 and search != ANEW
        if not rule.is_line:
            if rule.kind == Kind.UNIFORM:  # as below, without a look at all of them
                return pick(state, pool, turn, here.size)
            if rule.kind == Kind.THOMPSON and here.size > FEW:
                return draw_largest(state, pool, turn.k, turn.repetition, search)
            if rule.kind == Kind.EXP3:
                return draw_by_chances(rule, state, pool, turn)
            if rule.kind == Kind.KL_UCB and search == TOURNAMENT:
                return _select_curve(rule, state, pool, turn, priority)
    if by_tree and search == LEAVES and here.size == 1:
        return 0
    tau, x = read_clock(rule, turn)
    first = 0
    if by_tree:
        size = here.size
        if search == LEAVES:
            best, equals, first = _leaf_winners(rule, state, pool, x)
        else:
            best, equals = _tournament_winners(state, pool, x)
    else:
        size = gather(state, pool, mask)
        if size == 0:
            return NOBODY
        best, equals = scan_winners(rule, state, pool, size, turn, x)
    if rule.coin > 0.0:
        u = uniform(state.keys[pool, 0], state.keys[pool, 1], turn.k, COIN, 0, turn.repetition)
        if u < chance_of_any(rule, tau, best):
            nth = pick(state, pool, turn, size)
            return nth if by_tree else int(state.place[state.members[nth]])
    nth = 0
    if equals > 1 and not priority:
        nth = pick(state, pool, turn, equals)
    if by_tree and search == LEAVES:
        return _nth_leaf(state, pool, x, best, first, nth)
    if by_tree:
        return nth_winner(state.nodes, here.base, here.cap, here.x, nth)
    return int(state.place[state.members[_nth_equal(state.values, best, nth)]])


@part
def draw_outside(state: State, pool: int, turn: Turn, mask: Mask | None) -> int:
    """One of the arms outside a pool's sample that may be chosen; NOBODY if there is none."""
    here = state.pools[pool]
    m = here.outside
    if mask is not None:
        m = 0
        for number in range(here.first, here.first + here.items):
            if state.place[number] == OUTSIDE and may_be_chosen(state, mask, number):
                m += 1
        if m == 0:
            return NOBODY
    nth = pick(state, pool, turn, m)
    if mask is None and here.size + here.outside == here.items:  # step over those in play
        leaves = here.base + here.cap
        number = here.first + nth
        for place in range(here.size):
            if state.nodes[leaves + place].link > number:
                break
            number += 1
        return int(number)
    number = here.first
    while True:
        passed = state.place[number] == OUTSIDE
        if mask is not None:
            passed = passed and may_be_chosen(state, mask, number)
        if passed:
            if nth == 0:
                return int(number)
            nth -= 1
        number += 1
