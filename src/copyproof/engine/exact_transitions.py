"""Transitions of an exact computation: which arms may come next from a state, and what follows.

Which arms win is found by the same selection as in ``choose``, over arms that stand for others.

Where a simulation draws, an exact computation keeps all outcomes. A *state* is what the principal
remembers: for each original, the multiset of (plays n, successes s) over its copies, as equal
copies are exchangeable. It is kept as sorted *slots*, largest (n, s) first. An original with c
copies has min(c, T) slots, as no more are ever played, and those not played yet count for as many
arms as they stand for.

A *key* is a state packed into whole numbers: a slot takes 2·bits of a word, n above s, and a word
holds as many slots as fit into 62 bits. Slots lie in the order of the originals, which lie in the
agents' order.
"""

from typing import Any, NamedTuple

import numpy as np

from copyproof.engine.cache import inlined, kernel
from copyproof.engine.plan import ALL, Plan, sample_grows
from copyproof.engine.rules import LoweredRule, Turn, chance_of_any, read_clock
from copyproof.engine.selection import scan_winners
from copyproof.engine.state import State


class KeyLayout(NamedTuple):
    """Where everything stands in a key, and what is known of the originals."""

    bits: int  # of a number from 0 to T
    words: Any  # of each slot: the word it lies in
    shifts: Any  # of each slot: the bits below it in its word
    agents: Any  # agent i owns the originals agents[i] to agents[i + 1]
    slots: Any  # original o has the slots slots[o] to slots[o + 1]
    copies: Any  # registered arms of each original
    means: Any


class Workspace(NamedTuple):
    """What the kernels read and write for one game."""

    plan: Plan
    state: State
    layout: KeyLayout
    child: Any  # scratch, one key


class Options(NamedTuple):
    """What may be chosen in one state; weights count arms or agents that are alike."""

    fields: Any  # n and s of each slot, as they stand in the key
    plays: Any  # of each agent
    agents: Any  # 1 for each agent among the winners of phase 1
    agent_coin: Any  # one number: the chance that any agent is taken instead
    arms: Any  # weight of each slot among the winners of its pool
    in_play: Any  # weight of each slot among all that stand in its pool
    # Chance, for each agent (a flat policy: one), that any arm of the pool is taken instead.
    arm_coins: Any


@inlined
def find_options(work: Workspace, t: int, key: Any, options: Options) -> None:
    """Fill ``options`` with what may be chosen in round t; the state is modified, too."""
    plan, state, layout = work.plan, work.state, work.layout
    _unpack(work, key, options)
    turn = Turn(t, t - 1, 0, plan.horizons[0], 0)
    if plan.is_flat:
        options.arm_coins[0] = _arm_options(work, 0, 0, layout.copies.shape[0], turn, options)
        return
    options.agent_coin[0] = _agent_options(work, turn, options)
    for agent in range(options.plays.shape[0]):
        if state.pools[agent + 1].items > 0 and (
            options.agents[agent] > 0 or options.agent_coin[0] > 0.0
        ):
            first, last = layout.agents[agent], layout.agents[agent + 1]
            turn = Turn(t, options.plays[agent], 0, plan.horizons[0], 0)
            options.arm_coins[agent] = _arm_options(work, agent + 1, first, last, turn, options)


@inlined
def _unpack(work: Workspace, key: Any, options: Options) -> None:
    """Write the plays and successes of a key into the items of the state."""
    layout = work.layout
    agents = options.plays.shape[0]
    mask = (1 << layout.bits) - 1
    for agent in range(agents):
        plays = 0
        successes = 0
        first = layout.slots[layout.agents[agent]]
        last = layout.slots[layout.agents[agent + 1]]
        for slot in range(first, last):
            word = key[layout.words[slot]] >> layout.shifts[slot]
            s = word & mask
            n = (word >> layout.bits) & mask
            options.fields[slot] = (n << layout.bits) | s
            options.arms[slot] = 0
            options.in_play[slot] = 0
            _tell(work.state.items[agents + slot], n, s)
            plays += n
            successes += s
        _tell(work.state.items[agent], plays, successes)
        options.plays[agent] = plays


@inlined
def _tell(item: Any, plays: int, successes: int) -> None:
    item.plays = plays
    item.answers = plays
    item.total = float(successes)


@inlined
def _agent_options(work: Workspace, turn: Turn, options: Options) -> float:
    """Find the agents that may be chosen; the chance that any other is, is returned."""
    state = work.state
    size = 0
    for rank in range(options.plays.shape[0]):
        agent = state.order[rank]
        options.agents[agent] = 0
        if state.pools[agent + 1].items > 0:
            state.members[size] = agent
            size += 1
    best, coin = _winners(work.plan.agent, state, 0, size, turn)
    for n in range(size):
        if state.values[n] == best:
            options.agents[state.members[n]] = 1
            if work.plan.priority:
                break
    return coin


@inlined
def _arm_options(
    work: Workspace, pool: int, first: int, last: int, turn: Turn, options: Options
) -> float:
    """Find the arms of one pool, originals ``first`` to ``last``, that may be chosen.

    Slots that are alike are one candidate. The chance that any arm is taken instead is returned.
    """
    plan, state, layout = work.plan, work.state, work.layout
    agents = options.plays.shape[0]
    slots = range(layout.slots[first], layout.slots[last])
    played, registered = _weigh_slots(layout, first, last, options)
    if plan.sampling != ALL:
        grows = played < registered and sample_grows(plan, played, turn)
        for slot in slots:
            if options.fields[slot] == 0:  # outside: an arm that comes into play is played at once
                options.arms[slot] = options.in_play[slot] if grows else 0
                options.in_play[slot] = 0
        if grows:
            return 0.0
    size = 0
    for slot in slots:
        if options.in_play[slot] > 0:
            state.members[size] = agents + slot
            size += 1
    best, coin = _winners(plan.arm, state, pool, size, turn)
    for n in range(size):
        if state.values[n] == best:
            slot = state.members[n] - agents
            options.arms[slot] = options.in_play[slot]
    return coin


@inlined
def _winners(
    rule: LoweredRule, state: State, pool: int, size: int, turn: Turn
) -> tuple[float, float]:
    """The largest index, and the chance that it does not matter; indices are left in the state."""
    tau, x = read_clock(rule, turn)
    best, _ = scan_winners(rule, state, pool, size, turn, x)
    return best, chance_of_any(rule, tau, best)


@inlined
def _weigh_slots(layout: KeyLayout, first: int, last: int, options: Options) -> tuple[int, int]:
    """Let the first of slots that are alike stand for all their arms; count played and all arms."""
    played = 0
    registered = 0
    for original in range(first, last):
        registered += layout.copies[original]
        slot = layout.slots[original]
        end = layout.slots[original + 1]
        while slot < end:
            field = options.fields[slot]
            after = slot + 1
            while after < end and options.fields[after] == field:
                after += 1
            if field == 0:  # the rest, which may be more arms than there are slots
                options.in_play[slot] = layout.copies[original] - (slot - layout.slots[original])
            else:
                options.in_play[slot] = after - slot
                played += after - slot
            slot = after
    return played, registered


@inlined
def write_child(
    layout: KeyLayout, options: Options, original: int, slot: int, reward: int, key: Any, child: Any
) -> None:
    """Write the key that follows when one of the arms of a slot is played into ``child``.

    The slot is the first of its equals. It grows, and passes those before it that are smaller now.
    """
    for word in range(child.shape[0]):
        child[word] = key[word]
    before = options.fields[slot]
    field = before + (1 << layout.bits) + reward
    while slot > layout.slots[original] and options.fields[slot - 1] < field:
        passed = options.fields[slot - 1]
        child[layout.words[slot]] += (passed - before) << layout.shifts[slot]
        before = passed
        slot -= 1
    child[layout.words[slot]] += (field - before) << layout.shifts[slot]


@kernel
def survey(
    work: Workspace, t: int, keys: np.ndarray, options: Options, children: np.ndarray
) -> None:
    """Fill the options of many states, a row each, and the keys that may follow.

    ``children[row, slot, reward]`` follows when an arm of the slot pays the reward.
    """
    layout = work.layout
    for row in range(keys.shape[0]):
        here = Options(
            options.fields[row],
            options.plays[row],
            options.agents[row],
            options.agent_coin[row],
            options.arms[row],
            options.in_play[row],
            options.arm_coins[row],
        )
        find_options(work, t, keys[row], here)
        for original in range(layout.copies.shape[0]):
            for slot in range(layout.slots[original], layout.slots[original + 1]):
                if here.arms[slot] > 0 or here.in_play[slot] > 0:
                    for reward in range(2):
                        child = children[row, slot, reward]
                        write_child(layout, here, original, slot, reward, keys[row], child)
