"""The memory of a live market: the engine's arrays, which grow.

Agents are items 0 … n − 1, with room for more; the arms of a pool are a contiguous range of items,
and its tree a contiguous range of nodes. A pool that is full moves to the end with twice the room,
and an array that is full is copied into one of twice the size, so that a million registrations cost
about as much as a million plays. When agents outgrow their room everything is laid out anew.

``export`` writes what is remembered in an order that does not depend on where things lie: agents
and arms in order of registration. It is what snapshots keep and what digests are taken of. Trees
are left out: they say nothing that the statistics do not say.
"""

from typing import Any

import numpy as np

from copyproof.engine.live import (
    BANKED,
    BASE,
    COUNTERS,
    FORGOTTEN,
    HISTORY,
    LAID,
    LOG,
    PAST,
    PRINTS,
    ROUND,
    Live,
    lay_again,
)
from copyproof.engine.plan import Plan
from copyproof.engine.state import (
    ABSENT,
    EPOCH,
    ITEM,
    OUTSIDE,
    POOL,
    WINDOW,
    State,
    power_of_two,
)
from copyproof.engine.tournament import allocate_nodes

_TRASH = 2  # nodes that trees of pools without arms share
_LEAST = 4  # arms that a pool has room for at first


_CHALLENGE = np.dtype([("bar", "f8"), ("last", "i8"), ("failed", "i8"), ("pointer", "i8")])
"""What a pool with a champion remembers, with arms by their number; −1 for none."""


class Arena:
    """Arrays for the agents and arms of one market.

    Examples
    --------
    >>> from copyproof.engine.lower import lower_policy
    >>> from copyproof.policy import parse_policy
    >>> arena = Arena(lower_policy(parse_policy("h-ucb"), horizon=1, seed=0))
    >>> arena.add_agent()
    0
    """

    state: State
    live: Live
    agents: int
    arms: int
    counters: Any
    _items: Any
    _place: Any
    _start: Any
    _marks: Any
    _nodes: Any
    _pools: Any
    _windows: Any
    _epoch: Any
    _past: Any
    _past_arms: Any
    _order: Any
    _keys: Any
    _left: Any
    _members: Any
    _values: Any
    _item_of: Any
    _history: Any
    _prints: Any
    _log: Any
    # Per pool, as Python's numbers: its first item, how many are taken, for how many it has room.
    _first: list[int]
    _used: list[int]
    _room: list[int]

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.load(
            {
                "agents": np.zeros(0, ITEM),
                "suspended": np.zeros(0, np.int8),
                "arms": np.zeros(0, ITEM),
                "registered": np.zeros(0, np.int8),
                "status": np.zeros(0, np.int8),
                "seats": np.zeros(0, np.int64),
                "challenges": np.zeros(0, _CHALLENGE),
                "windows": np.zeros(0, WINDOW),
                "epoch": np.zeros(1, EPOCH),
                "past": np.zeros(0, PAST),
                "past_arms": np.zeros(0, PAST),
                "history": np.zeros(0, HISTORY),
                "prints": np.zeros((0, len(PRINTS)), np.uint64),
                "log": np.zeros(0, LOG),
                "counters": np.zeros(COUNTERS, np.int64),
            },
            plan,
        )

    # --- growth ----------------------------------------------------------------------------

    def add_agent(self) -> int:
        """Make room for one more agent; its number."""
        if self.agents == self._agent_room:
            self.load(self.export(), self.plan, agent_room=2 * self._agent_room)
        number = self.agents
        self.agents += 1
        self._place[number] = OUTSIDE
        self._items["owner"][number] = number
        if not self.plan.is_flat:
            self._pools[number + 1] = np.zeros((), POOL)
            self._pools["cap"][number + 1] = 1
            self._pools["last"][number + 1] = self._pools["pointer"][number + 1] = -1
            self._pools["items"][0] = self.agents
            self._first.append(0)
            self._used.append(0)
            self._room.append(0)
        self._slice()
        return number

    def _pool_of(self, agent: int) -> int:
        """The pool of an agent's arms: its own, or the one of all."""
        return 0 if self.plan.is_flat else agent + 1

    def has_room(self, agent: int, more: int) -> bool:
        """Whether ``more`` arms of an agent can be added without moving others."""
        pool = self._pool_of(agent)
        return self._used[pool] + more <= self._room[pool]

    def make_room(self, agent: int, more: int) -> None:
        """Move a pool to where ``more`` arms fit; items' numbers change."""
        pool = self._pool_of(agent)
        used = self._used[pool]
        room = power_of_two(max(_LEAST, used + more))
        first, base = self._items_end, self._nodes_end
        self._items_end += room
        self._nodes_end += 2 * room
        self._fit(self._items_end, self._nodes_end, room)
        here = self._pools[pool]
        old = slice(self._first[pool], self._first[pool] + used)
        new = slice(first, first + used)
        for array in (self._items, self._place, self._start):
            array[new] = array[old]
        self._place[new.stop : first + room] = ABSENT
        self._start[new.stop : first + room] = ABSENT
        self._item_of[self._items["original"][new]] = np.arange(first, first + used)
        cap = int(here["cap"])
        tree = int(here["base"])
        self._nodes[base : base + 2 * cap] = self._nodes[tree : tree + 2 * cap]
        leaves = slice(base + cap, base + cap + int(here["size"]))
        self._nodes["link"][leaves] += first - self._first[pool]
        here["base"], here["room"], here["first"] = base, room, first
        for name in ("last", "pointer"):
            if here[name] >= 0:
                here[name] += first - self._first[pool]
        self._first[pool], self._room[pool] = first, room
        self._slice()

    def add_arm(self, agent: int) -> tuple[int, int]:
        """Take a free item for an arm of an agent: the item, and the arm's number."""
        pool = self._pool_of(agent)
        item = self._first[pool] + self._used[pool]
        self._used[pool] += 1
        arm = self.arms
        self.arms += 1
        if self.arms > len(self._item_of):
            self._item_of = _doubled(self._item_of, self.arms)
            self._history = _doubled(self._history, self.arms)
            self._prints = _doubled(self._prints, self.arms)
            self._past_arms = _doubled(self._past_arms, self.arms)
        self._item_of[arm] = item
        self._slice()
        return item, arm

    def fit_log(self, more: int) -> None:
        """Make room for ``more`` decisions, dropping those that are forgotten."""
        counters = self.counters
        needed = int(counters[ROUND] - counters[BASE]) + more
        if needed <= len(self._log):
            return
        kept = self._log[counters[FORGOTTEN] - counters[BASE] : counters[ROUND] - counters[BASE]]
        log = np.zeros(2 * (len(kept) + more), LOG)
        log[: len(kept)] = kept
        self._log = log
        counters[BASE] = counters[FORGOTTEN]
        self._slice()

    def _fit(self, items: int, nodes: int, room: int) -> None:
        if items > len(self._items):
            self._items = _doubled(self._items, items)
            self._place = _doubled(self._place, items)
            self._start = _doubled(self._start, items)
            self._marks = _doubled(self._marks, items)
        if nodes > len(self._nodes):
            larger = allocate_nodes(2 * nodes)
            larger[: len(self._nodes)] = self._nodes
            self._nodes = larger
        if room > len(self._members):
            self._members = np.zeros(room, np.int64)
            self._values = np.zeros(room)

    def _slice(self) -> None:
        """Show the kernels the arrays as far as they are in use."""
        pools = 1 if self.plan.is_flat else self.agents + 1
        self.state = State(
            items=self._items,
            pools=self._pools[:pools],
            nodes=self._nodes,
            place=self._place,
            start=self._start,
            windows=self._windows[: self.agents],
            epoch=self._epoch,
            order=self._order[: self.agents],
            keys=self._keys[: self.agents + 1],
            values=self._values,
            members=self._members,
        )
        self.live = Live(
            log=self._log,
            counters=self.counters,
            item_of=self._item_of,
            history=self._history,
            prints=self._prints,
            past=self._past[: self.agents],
            past_arms=self._past_arms[: self.arms],
            marks=self._marks,
            left=self._left[: self.agents],
        )

    # --- what is remembered ----------------------------------------------------------------

    def item_of(self, arm: int) -> int:
        """Where an arm lies in memory."""
        return int(self._item_of[arm])

    def agent_rows(self) -> Any:
        """The statistics of all agents, of all epochs; a copy."""
        return _with_past(self._items[: self.agents].copy(), self._past[: self.agents])

    def arm_rows(self, arms: Any) -> tuple[Any, Any]:
        """The statistics of some arms, of all epochs, and which are in play; copies."""
        item = self._item_of[arms]
        rows = _with_past(self._items[item], self._past_arms[arms])
        return rows, (self._place[item] >= 0) & bool(self.counters[LAID])

    def export(self) -> dict[str, Any]:
        """Everything that is remembered, in order of registration; copies."""
        item = self._item_of[: self.arms]
        counters = self.counters.copy()
        rows = slice(counters[FORGOTTEN] - counters[BASE], counters[ROUND] - counters[BASE])
        counters[BASE] = counters[FORGOTTEN]
        arms = self._items[item]
        arms["original"] = np.arange(self.arms)
        first = 0 if self.plan.is_flat else 1
        laid = bool(counters[LAID])
        status = np.minimum(self._place[item], 0).astype(np.int8)
        return {
            "agents": self._items[: self.agents].copy(),
            "suspended": (self._start[: self.agents] == ABSENT).astype(np.int8),
            "arms": arms,
            "registered": (self._start[item] == OUTSIDE).astype(np.int8),
            "status": status if laid else np.full(self.arms, ABSENT, np.int8),
            "seats": self.state.pools["seats"][first:].copy(),
            "challenges": self._challenges(first),
            "windows": self._windows[: self.agents].copy(),
            "epoch": self._epoch.copy(),
            "past": self._past[: self.agents].copy(),
            "past_arms": self._past_arms[: self.arms].copy(),
            "history": self._history[: self.arms].copy(),
            "prints": self._prints[: self.arms].copy(),
            "log": self._log[rows].copy(),
            "counters": counters,
        }

    def _challenges(self, first: int) -> Any:
        """What pools with a champion remember, with arms by their number."""
        pools = self.state.pools[first:]
        found = np.zeros(len(pools), _CHALLENGE)
        for name in ("bar", "failed", "last", "pointer"):
            found[name] = pools[name]
        for name in ("last", "pointer"):
            known = found[name] >= 0
            found[name][known] = self._items["original"][found[name][known]]
        return found

    def load(
        self,
        saved: dict[str, Any],
        plan: Plan,
        *,
        agent_room: int = 16,
        drawn: bool = False,
        changed: bool = False,
    ) -> None:
        """Lay out what ``export`` wrote, for a plan.

        ``drawn`` draws the samples anew; ``changed`` says that the plan is another one than before:
        it begins with the statistics of all epochs.
        """
        if changed:
            saved = _with_all_epochs(saved)
            if not self.plan.agent.remembers_order:
                saved["windows"][:] = np.zeros((), WINDOW)  # nobody has kept them up to date
        self.plan = plan
        self.agents, self.arms = len(saved["agents"]), len(saved["arms"])
        self._agent_room = room = max(agent_room, power_of_two(self.agents))
        owner = saved["arms"]["owner"].astype(np.int64)
        if not plan.is_flat:
            used = np.bincount(owner, minlength=self.agents)[: self.agents]
            # The arms of each agent, in order: how many of the same agent come before.
            by_owner = np.argsort(owner, kind="stable")
            before = np.empty(self.arms, np.int64)
            before[by_owner] = np.arange(self.arms) - (np.cumsum(used) - used)[owner[by_owner]]
        else:
            used, before = np.array([self.arms]), np.arange(self.arms)
        rooms = np.array(
            [power_of_two(max(_LEAST, count)) if count else 0 for count in used.tolist()], int
        )
        firsts = np.where(rooms > 0, room + np.cumsum(rooms) - rooms, 0)
        tops = 0 if plan.is_flat else 2 * room
        bases = np.where(rooms > 0, _TRASH + tops + 2 * (np.cumsum(rooms) - rooms), 0)
        self._items_end = room + int(rooms.sum())
        self._nodes_end = _TRASH + tops + 2 * int(rooms.sum())
        self._first, self._used, self._room = firsts.tolist(), used.tolist(), rooms.tolist()
        head = 0 if plan.is_flat else 1
        self._pools = np.zeros(1 if plan.is_flat else room + 1, POOL)
        self._pools["cap"] = 1
        mine = self._pools[head : head + len(used)]
        mine["first"], mine["items"], mine["room"], mine["base"] = firsts, used, rooms, bases
        if len(saved["seats"]) == len(used):
            mine["seats"] = saved["seats"]
        if not plan.is_flat:
            self._first, self._used, self._room = (
                [0, *self._first],
                [0, *self._used],
                [0, *self._room],
            )
            top = self._pools[0]
            top["base"], top["room"], top["items"] = _TRASH, room, self.agents
        item = (room if plan.is_flat else firsts[owner]) + before
        self._items = np.zeros(2 * self._items_end, ITEM)
        self._items[: self.agents] = saved["agents"]
        self._items[item] = saved["arms"]
        self._place = np.full(len(self._items), ABSENT, np.int32)
        self._place[: self.agents] = OUTSIDE
        self._place[item] = saved["status"]
        self._start = np.full(len(self._items), ABSENT, np.int8)
        self._start[: self.agents] = np.where(saved["suspended"], ABSENT, OUTSIDE)
        self._start[item] = np.where(saved["registered"], OUTSIDE, ABSENT)
        self._marks = np.zeros(len(self._items), np.int8)
        self._nodes = allocate_nodes(2 * self._nodes_end)
        most = max(room, int(rooms.max(initial=0)))
        self._members, self._values = np.zeros(most, np.int64), np.zeros(most)
        self._windows = _doubled(saved["windows"], room)
        self._epoch = saved["epoch"].copy()
        self._past = _doubled(saved["past"], room)
        self._past_arms = _doubled(saved["past_arms"], self.arms)
        mine["last"] = mine["pointer"] = -1
        if len(saved["challenges"]) == len(used) and not changed:
            for name in ("bar", "failed", "last", "pointer"):
                mine[name] = saved["challenges"][name]
            for name in ("last", "pointer"):
                known = mine[name] >= 0
                mine[name][known] = item[mine[name][known]]
        if changed:
            self._fill_windows()
        self._order, self._left = np.arange(room), np.zeros(room, np.int64)
        self._keys = np.zeros((room + 1, 2), np.uint64)
        self._item_of = _doubled(item, self.arms)
        self._history = _doubled(saved["history"], self.arms)
        self._prints = _doubled(saved["prints"], self.arms)
        self._log = saved["log"].copy()
        self.counters = saved["counters"].copy()
        self._slice()
        if self.counters[LAID]:
            lay_again(plan, self.state, self.live, int(drawn), int(changed))

    def _fill_windows(self) -> None:
        """Let all rewards so far count as recent where no window was kept."""
        agents = self._items[: self.agents]
        empty = self._windows["recents"][: self.agents] == 0
        for name, source in (("recent", "total"), ("recents", "answers")):
            self._windows[name][: self.agents][empty] = agents[source][empty]


def _with_all_epochs(saved: dict[str, Any]) -> dict[str, Any]:
    """What ``export`` wrote, with the books of earlier epochs back in the statistics."""
    saved = {name: array.copy() for name, array in saved.items()}
    for rows, past in (("agents", "past"), ("arms", "past_arms")):
        _with_past(saved[rows], saved[past])
        saved[past][:] = np.zeros((), PAST)
    saved["counters"][BANKED] = 0
    return saved


def _with_past(rows: Any, past: Any) -> Any:
    """Statistics with those of earlier epochs; ``rows`` is modified in place."""
    for name in ("total", "plays", "answers"):
        rows[name] += past[name]
    return rows


def _doubled(array: Any, needed: int) -> Any:
    """A copy with room for twice as many rows as needed; the new ones are 0."""
    larger = np.zeros((max(2 * needed, 16), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger
