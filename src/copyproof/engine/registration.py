"""Arms that come and go while the game is played: ``retire``, ``admit`` and ``renew``.

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
from copyproof.engine.principal import (
    ALL,
    FIXED,
    Plan,
    count,
    join,
    lay_agents,
    leave,
    sample_bound,
)
from copyproof.engine.state import ABSENT, OUTSIDE, RETIRED, State


class Changes(NamedTuple):
    """What happens to the registrations in a game, as arrays; all empty if nothing does."""

    round: Any
    """When, in order."""
    item: Any
    joins: Any
    """1 if the item joins, 0 if it leaves."""
    renew_after: Any
    """Per agent: plays after which it submits an arm again as new; 0 for never."""
    renew_below: Any
    """Per agent: the mean reward below which it does; −∞ for never."""


@part
def retire(plan: Plan, state: State, number: int) -> None:
    """Withdraw an arm; its statistics and its agent's stay. ``state`` is modified in place."""
    owner = state.items[number].owner
    pool = owner + 1 if plan.hierarchical else 0
    here = state.pools[pool]
    place = state.place[number]
    if place >= 0:
        leave(plan.arm, state, pool, place)
        state.place[number] = RETIRED
    elif place == OUTSIDE:
        here.outside -= 1
        state.place[number] = ABSENT
    if plan.hierarchical and here.size + here.outside == 0:
        state.place[owner] = OUTSIDE
        lay_agents(plan, state)


@part
def admit(plan: Plan, state: State, number: int) -> None:
    """Register an arm that is not, with the statistics it has; ``state`` is modified in place."""
    owner = state.items[number].owner
    pool = owner + 1 if plan.hierarchical else 0
    here = state.pools[pool]
    first = here.size + here.outside == 0
    if takes_seat(plan, state, pool, number, here.size):
        join(plan.arm, state, pool, number)
    else:
        here.outside += 1
        state.place[number] = OUTSIDE
    if first:
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
    if not plan.hierarchical or state.start[agent] == ABSENT:
        return
    if plan.priority:
        lay_agents(plan, state)
    else:
        join(plan.agent, state, 0, agent)


@part
def renew(plan: Plan, state: State, number: int) -> None:
    """Withdraw an arm in play and submit it again as new; ``state`` is modified in place.

    The new arm takes the memory of the old one, which cannot come back.
    """
    item = state.items[number]
    place = state.place[number]
    if plan.sampling == ALL:  # the new arm is in play at once, in the old one's place
        pool = item.owner + 1 if plan.hierarchical else 0
        plays, answers, total = item.plays, item.answers, item.total
        count(plan.arm, state, pool, number, place, -plays, -answers, -total, plan.scan)
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
