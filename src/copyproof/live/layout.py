"""Which arrays a live market has, and where in them everything lies.

``TABLE`` is all that is known of an array: from it ``Arrays`` allocates, grows, shows to the
kernels, exports and loads. Agents are items 0 … n − 1, with room for more; behind them lie the
pools of arms, each a contiguous range of items, and its tree a contiguous range of nodes.
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, assert_never

import numpy as np

from copyproof.engine.live_records import (
    BANKED,
    COUNTERS,
    DELAYS,
    HISTORY,
    KNOWN,
    LOG,
    OMITTED,
    PAST,
    PENDING,
    PRINTS,
)
from copyproof.engine.plan import Plan
from copyproof.engine.rules import Kind
from copyproof.engine.state import (
    ABSENT,
    BLOCK,
    EPOCH,
    ITEM,
    LEVELS,
    OUTSIDE,
    POOL,
    RING,
    START,
    WINDOWS,
    power_of_two,
)
from copyproof.engine.tournament import NODE, allocate_nodes

# What an array has a row for; a stream of random numbers has the principal, and every agent.
Axis: TypeAlias = Literal[
    "item",
    "pool",
    "node",
    "leaf",
    "agent",
    "stream",
    "arm",
    "decision",
    "counter",
    "market",
]


@dataclass(frozen=True, slots=True)
class Array:
    """One array: its name in ``State`` or ``Live``, the type of a row, and what has a row."""

    name: str
    dtype: Any
    axis: Axis
    # Whether its rows, as far as they are in use, are exported as they are.
    exported: bool = False
    # What rows hold that are not in use yet.
    fill: int = 0
    # What it is kept for: agents on trial, agents with a memory, or unanswered plays that count. It
    # is exported only where there are such.
    kept_for: Literal["trial", "memory", "unanswered"] | None = None

    def is_exported(self, plan: Plan, unanswered: int) -> bool:
        """Whether it is exported, under a plan and in a market that counts unanswered plays so."""
        match self.kept_for:
            case None:
                return self.exported
            case "trial":
                return plan.agent.kind == Kind.TRIAL
            case "memory":
                return plan.agent.memory > 0
            case "unanswered":
                return unanswered != OMITTED
            case _:
                assert_never(self.kept_for)

    def allocate(self, rows: int) -> Any:
        """Make a new array; a tree's siblings share a cache line."""
        if self.axis == "node":
            return allocate_nodes(rows)
        return np.full(rows, self.fill, self.dtype) if self.fill else np.zeros(rows, self.dtype)


TABLE = (
    Array("items", ITEM, "item"),
    Array("place", np.int32, "item", fill=ABSENT),
    Array("start", np.int8, "item", fill=ABSENT),
    Array("marks", np.int8, "item"),
    Array("pools", POOL, "pool"),
    Array("nodes", NODE, "node"),
    Array("values", np.float64, "leaf"),
    Array("members", np.int64, "leaf"),
    Array("ring", RING, "market"),
    Array("order", np.int64, "agent"),
    Array("left", np.int64, "agent"),
    Array("keys", np.dtype((np.uint64, 2)), "stream"),
    Array("item_of", np.int64, "arm"),
    Array("trials", np.dtype((np.float64, LEVELS)), "agent", exported=True, kept_for="trial"),
    Array("starts", np.dtype((START, LEVELS)), "agent", exported=True, kept_for="trial"),
    Array("blocks", np.dtype((BLOCK, WINDOWS)), "agent", exported=True, kept_for="memory"),
    Array("epoch", EPOCH, "stream", exported=True),
    Array("past", PAST, "agent", exported=True),
    Array("past_arms", PAST, "arm", exported=True),
    Array("history", HISTORY, "arm", exported=True),
    Array("prints", np.dtype((np.uint64, len(PRINTS))), "arm", exported=True),
    Array("log", LOG, "decision", exported=True),
    Array("numbers", np.int64, "decision", exported=True, kept_for="unanswered"),
    Array("worths", np.float64, "decision", exported=True, kept_for="unanswered"),
    Array("counted", np.float64, "decision", exported=True, kept_for="unanswered"),
    Array("waits", np.int8, "decision", exported=True, kept_for="unanswered"),
    Array("previous", np.int64, "decision", exported=True, kept_for="unanswered"),
    Array("known", KNOWN, "agent", exported=True, kept_for="unanswered"),
    Array("delays", np.dtype((np.float64, DELAYS)), "agent", exported=True, kept_for="unanswered"),
    Array("due", KNOWN, "market", exported=True, kept_for="unanswered"),
    Array("spread", np.dtype((np.int64, DELAYS + 1)), "market"),
    Array("renewed", np.int8, "agent"),
    Array("counters", np.int64, "counter", exported=True),
)
# What a pool with a champion remembers, with arms by their number; −1 for none.
CHALLENGE = np.dtype([("last", "i8"), ("failed", "i8"), ("pointer", "i8")])
# What is exported beside: gathered from items and pools in order of registration.
GATHERED = {
    "agents": ITEM,
    "suspended": np.int8,
    "arms": ITEM,
    "registered": np.int8,
    "status": np.int8,
    "seats": np.int64,
    "challenges": CHALLENGE,
    "bars": np.float64,  # of each pool (``bars_of``); exported where there are any
}
# Axes that do not grow, and their rows.
FIXED: dict[Axis, int] = {"counter": COUNTERS, "market": 1}
# Arms that a pool has room for at first.
LEAST_ROOM = 4
# Nodes that trees of pools without arms share.
_TRASH = 2


class Layout(NamedTuple):
    """Where everything lies: of each pool its first item, how many it has, and has room for."""

    first: Any
    used: Any
    room: Any
    base: Any  # of each pool, the first node of its tree
    item: Any  # of each arm
    items: int  # how many there are in all
    nodes: int


def lay_out(owner: Any, agents: int, agent_room: int, is_flat: bool) -> Layout:
    """Lay pools one after another, behind the agents; arms in order of registration."""
    arms = len(owner)
    if is_flat:
        used, before = np.array([arms]), np.arange(arms)
    else:
        used = np.bincount(owner, minlength=agents)[:agents]
        # The arms of each agent, in order: how many of the same agent come before.
        by_owner = np.argsort(owner, kind="stable")
        before = np.empty(arms, np.int64)
        before[by_owner] = np.arange(arms) - (np.cumsum(used) - used)[owner[by_owner]]
    room = np.array([power_of_two(max(LEAST_ROOM, n)) if n else 0 for n in used.tolist()], np.int64)
    ends = np.cumsum(room)
    top = 0 if is_flat else 2 * agent_room  # nodes of the agents' own tree
    first = np.where(room > 0, agent_room + ends - room, 0)
    base = np.where(room > 0, _TRASH + top + 2 * (ends - room), 0)
    item = (agent_room if is_flat else first[owner]) + before
    taken = int(room.sum())
    if not is_flat:  # pool 0, whose items are the agents
        first, used, room, base = (
            np.concatenate([[head], rest])
            for head, rest in ((0, first), (agents, used), (agent_room, room), (_TRASH, base))
        )
    return Layout(first, used, room, base, item, agent_room + taken, _TRASH + top + 2 * taken)


def bars_of(plan: Plan, pools: Any) -> Any:
    """Of each pool the bar that Thompson sampling has there; 0 where there is none."""
    first = plan.arm if plan.is_flat else plan.agent
    draws = [first.kind == Kind.THOMPSON, plan.arm.kind == Kind.THOMPSON]
    return pools["x"] * np.repeat(draws, [1, len(pools) - 1])


def in_order(saved: dict[str, Any]) -> dict[str, Any]:
    """Return an export with its arrays in the order in which they are always written."""
    names = (*GATHERED, *(one.name for one in TABLE))
    return {name: saved[name] for name in names if name in saved}


def standing_of(places: tuple[Any, Any, Any], *, laid: bool) -> dict[str, Any]:
    """Return of each arm whether it is registered, and how it stands; as far as trees are laid."""
    item, place, start = places
    status = np.minimum(place.take(item), 0) if laid else np.full(len(item), ABSENT)
    return {
        "registered": (start.take(item) == OUTSIDE).astype(np.int8),
        "status": status.astype(np.int8),
    }


def with_past(rows: Any, past: Any, unanswered: int) -> Any:
    """Statistics with those of earlier epochs, and nothing expected; ``rows`` is modified."""
    rows["plays"] += past["plays"]
    for name in ("total", "answers"):
        rows[name] = past[name] + (rows[name] if unanswered == OMITTED else 0)
    return rows


def join_epochs(saved: dict[str, Any], unanswered: int) -> None:
    """Let all plays be of one epoch; ``saved`` is modified in place."""
    for rows, past in (("agents", "past"), ("arms", "past_arms")):
        with_past(saved[rows], saved[past], unanswered)
        if unanswered == OMITTED:
            saved[past][:] = np.zeros((), PAST)
        else:
            saved[past]["plays"] = 0
    if unanswered != OMITTED:
        _count_again(saved)
    saved["counters"][BANKED] = 0


def _count_again(saved: dict[str, Any]) -> None:
    """Let unanswered plays of all epochs count, as if there had been but one.

    By what they count for their agents, also for their arms. ``saved``, whose sums are those of
    all rewards that were told, is modified in place.
    """
    log = saved["log"]
    owner = saved["arms"]["owner"][log["arm"]]
    # Until they are due, plays count so that were told, too.
    counted, told = saved["counted"], log["value"] * (log["told"] != PENDING)
    for rows, of in (("arms", log["arm"]), ("agents", owner)):
        np.add.at(saved[rows]["total"], of, counted - told)
        saved[rows]["answers"] = saved[rows]["plays"]
    saved["worths"] = counted.copy()
    # The decisions in the log are the last plays of their agents: rank them agent by agent.
    by_owner = np.argsort(owner, kind="stable")
    made = np.bincount(owner, minlength=len(saved["agents"]))
    first = saved["agents"]["plays"] - made - (np.cumsum(made) - made)
    saved["numbers"][by_owner] = first[owner[by_owner]] + np.arange(len(log))
