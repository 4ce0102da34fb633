"""Arms that come and go while the game is played: ``retire``, ``admit``, ``renew``, ``suspend``.

What the principal keeps, so that coming and going gains nothing:

- An agent's own statistics N(i), R(i) survive the retirement of its arms. An agent without any arm
  leaves pool 0, and comes back with its statistics when it has one.
- An arm that comes back under its old name keeps its own statistics; a new one starts at zero.
- A sample has *seats*, and every arm that is admitted takes one: retiring an arm does not free its
  seat for another one, so that submitting arms again as new gives no draws beyond the bound of the
  sampling rule. An arm that comes back sits down again, if there are fewer arms in play than seats.
- Only if none of a sample is left does one arm that waits outside, drawn at random when the pool is
  next to be played, take over a seat: an honest replacement of an only arm is possible, and no
  more than one arm at a time comes in beyond the bound.
- A sample of fixed size was drawn from the arms that were there before round 1. Arms that join
  later sit down at once, in the order of their coming, while there are fewer seats than the bound.

The caller sees to it that there is room: an item for the arm, and a leaf in its pool's tree. Each
call lays a tree anew, in time proportional to the arms in play.
"""

from typing import Any, NamedTuple

from copyproof.engine.cache import inlined, part
from copyproof.engine.plan import ALL, FIXED, Plan, pool_of, sample_bound
from copyproof.engine.pools import count_in, join, lay_agents, lay_tree, leave
from copyproof.engine.principal import Observation, count
from copyproof.engine.state import ABSENT, OUTSIDE, RETIRED, State


class Changes(NamedTuple):
    """What happens to the registrations in a game, as arrays; all empty if nothing does."""

    round: Any  # when, in order
    item: Any
    joins: Any  # 1 if the item joins, 0 if it leaves
    renew_after: Any  # per agent: plays after which it submits an arm again as new; 0 for never
    renew_below: Any  # per agent: the mean reward below which it does; −∞ for never


@part
def retire(plan: Plan, state: State, number: int) -> None:
    """Withdraw an arm; its statistics and its agent's stay. ``state`` is modified in place."""
    owner = state.items[number].owner
    pool = pool_of(plan, owner)
    here = state.pools[pool]
    place = state.place[number]
    if place >= 0:
        leave(plan.arm, state, pool, place)
        state.place[number] = RETIRED
    elif place == OUTSIDE:
        here.outside -= 1
        state.place[number] = ABSENT
    if not plan.is_flat and here.size + here.outside == 0:
        state.place[owner] = OUTSIDE
        lay_agents(plan, state)


@part
def admit(plan: Plan, state: State, number: int) -> None:
    """Register an arm that is not, with the statistics it has; ``state`` is modified in place."""
    owner = state.items[number].owner
    pool = pool_of(plan, owner)
    here = state.pools[pool]
    first = here.size + here.outside == 0
    if takes_seat(plan, state, pool, number, here.size):
        join(plan.arm, state, pool, number)
    else:
        here.outside += 1
        state.place[number] = OUTSIDE
    if first and not plan.is_flat:
        count_in(plan, state, owner)
        enter(plan, state, owner)


@part
def takes_seat(plan: Plan, state: State, pool: int, number: int, size: int) -> bool:
    """Whether an arm that registers sits down at once, beside ``size`` others in play.

    The count of seats is modified in place.
    """
    here = state.pools[pool]
    if plan.sampling == ALL:
        return True
    if state.place[number] == RETIRED:
        return bool(size < here.seats)
    if plan.sampling != FIXED:
        return False
    if here.seats + 1 > sample_bound(plan.factor, plan.power, float(state.epoch[0].horizon)):
        return False
    here.seats += 1
    return True


@part
def enter(plan: Plan, state: State, agent: int) -> None:
    """Let an agent with its first arm into pool 0, unless it is suspended; modified in place."""
    if state.start[agent] == ABSENT:
        return
    if plan.priority:
        lay_agents(plan, state)
    else:
        join(plan.agent, state, 0, agent)


@part
def suspend(plan: Plan, state: State, agent: int) -> None:
    """Take an agent out of pool 0, or its arms out of the one pool of a flat policy."""
    if not plan.is_flat:
        if state.place[agent] >= 0:
            leave(plan.agent, state, 0, state.place[agent])
            state.place[agent] = OUTSIDE
        return
    here = state.pools[0]
    for number in range(here.first, here.first + here.items):
        if state.items[number].owner == agent:
            if state.place[number] >= 0:
                state.place[number] = RETIRED
            elif state.place[number] == OUTSIDE:
                state.place[number] = ABSENT
                here.outside -= 1
    lay_in_play(plan, state, 0)


@part
def resume(plan: Plan, state: State, agent: int) -> None:
    """Undo ``suspend``: the arms of a flat policy's pool come back as retired ones do."""
    if not plan.is_flat:
        if state.pools[agent + 1].size + state.pools[agent + 1].outside > 0:
            enter(plan, state, agent)
        return
    here = state.pools[0]
    size = here.size
    for number in range(here.first, here.first + here.items):
        if state.items[number].owner == agent and state.start[number] == OUTSIDE:
            if takes_seat(plan, state, 0, number, size):
                state.place[number] = 0
                size += 1
            else:
                state.place[number] = OUTSIDE
                here.outside += 1
    lay_in_play(plan, state, 0)


@part
def lay_in_play(plan: Plan, state: State, pool: int) -> None:
    """Lay a pool's tree over the items whose place is not below 0, in order."""
    here = state.pools[pool]
    size = 0
    for number in range(here.first, here.first + here.items):
        if state.place[number] >= 0:
            state.members[size] = number
            size += 1
    lay_tree(plan.arm, state, pool, size)


@part
def renew(plan: Plan, state: State, number: int) -> None:
    """Withdraw an arm in play and submit it again as new; ``state`` is modified in place.

    The new arm takes the memory of the old one, which cannot come back.
    """
    item = state.items[number]
    place = state.place[number]
    if plan.sampling == ALL:  # the new arm is in play at once, in the old one's place
        pool = pool_of(plan, item.owner)
        gone = Observation(-item.plays, -item.answers, -item.total)
        count(plan.arm, state, pool, number, place, gone, plan.arm_search)
        return
    retire(plan, state, number)
    item.plays = 0
    item.answers = 0
    item.total = 0.0
    state.place[number] = ABSENT
    admit(plan, state, number)


@part
def change(plan: Plan, state: State, changes: Changes, t: int, done: int) -> int:
    """Make the changes before round t; return how many are done. ``state`` is modified in place."""
    while done < changes.round.shape[0] and changes.round[done] == t:
        if changes.joins[done]:
            admit(plan, state, changes.item[done])
        else:
            retire(plan, state, changes.item[done])
        done += 1
    return done


@inlined
def is_due(changes: Changes, agent: int, item: Any) -> bool:
    """Whether an agent wants an arm that was just played to be new again."""
    if 0 < changes.renew_after[agent] <= item.plays:
        return True
    return bool(item.total / item.plays < changes.renew_below[agent])
