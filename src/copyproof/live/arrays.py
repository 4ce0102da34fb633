"""The arrays of a live market, which grow.

A pool that is full moves to the end with twice the room, and an array that is full is copied into
one of twice the size, so that a million registrations cost about as much as a million plays. When
agents outgrow their room everything is laid out anew. ``layout`` says which arrays there are, and
what lies where.

An export is in an order that does not depend on where things lie: agents and arms in order of
registration. It is what snapshots keep and what digests are taken of. Trees are left out: they say
nothing that the statistics do not say.
"""

from collections.abc import Collection
from typing import Any

import numpy as np

from copyproof.engine.live import lay_again
from copyproof.engine.live_records import (
    AS_THEY_ARE,
    BASE,
    CHANGED,
    DELAYS,
    FORGOTTEN,
    LAID,
    ROUND,
    UNKNOWN,
    UNTIL_DUE,
    Live,
)
from copyproof.engine.plan import Plan
from copyproof.engine.state import ABSENT, OUTSIDE, State, power_of_two
from copyproof.live.layout import (
    CHALLENGE,
    FIXED,
    GATHERED,
    LEAST_ROOM,
    TABLE,
    Axis,
    Layout,
    bars_of,
    in_order,
    join_epochs,
    lay_out,
    standing_of,
    with_past,
)


class Arrays:
    """Arrays for the agents and arms of one market.

    ``state`` and ``live``, and with the plan ``shown``, show them to the kernels as far as they
    are in use; while ``stale``, they must be shown again first (``show``).

    Examples
    --------
    >>> from copyproof.engine.lower import lower_policy
    >>> from copyproof.policy import parse_policy
    >>> arrays = Arrays(lower_policy(parse_policy("h-ucb"), horizon=1, seed=0))
    >>> arrays.add_agent()
    0
    """

    # Per pool, as Python's numbers: its first item, how many are taken, for how many it has room.
    _first: list[int]
    _used: list[int]
    _room: list[int]

    def __init__(self, plan: Plan, unanswered: int = UNTIL_DUE) -> None:
        self._unanswered = unanswered
        saved = {name: np.zeros(0, dtype) for name, dtype in GATHERED.items()}
        for one in TABLE:
            if one.is_exported(plan, unanswered):
                rows = FIXED.get(one.axis, int(one.axis == "stream"))
                saved[one.name] = one.allocate(rows)
        self.load(saved, plan)

    @property
    def _is_flat(self) -> bool:
        return bool(self.plan.is_flat)

    # --- growth ----------------------------------------------------------------------------

    def add_agent(self) -> int:
        """Make room for one more agent; its number."""
        if self.agents == self._agent_room:
            self.load(self.export(), self.plan, agent_room=2 * self._agent_room)
        number = self.agents
        self.agents += 1
        self._arrays["place"][number] = OUTSIDE
        self._arrays["items"]["owner"][number] = number
        if not self._is_flat:
            self._arrays["pools"]["items"][0] = self.agents
            for one in (self._first, self._used, self._room):
                one.append(0)
        self.stale = True
        return number

    def pool_of(self, agent: int) -> int:
        """The pool of an agent's arms: its own, or the one of all."""
        return 0 if self._is_flat else agent + 1

    def has_room(self, pool: int, more: int) -> bool:
        """Whether ``more`` arms can be added to a pool without moving others."""
        return self._used[pool] + more <= self._room[pool]

    def make_room(self, pool: int, more: int) -> None:
        """Move a pool to where ``more`` arms fit; items' numbers change."""
        used = self._used[pool]
        room = power_of_two(max(LEAST_ROOM, used + more))
        first, base = self._items_end, self._nodes_end
        self._items_end += room
        self._nodes_end += 2 * room
        self._fit("item", self._items_end)
        self._fit("node", self._nodes_end)
        self._fit("leaf", room)
        moved = first - self._first[pool]
        arrays = self._arrays
        old, new = slice(self._first[pool], first - moved + used), slice(first, first + used)
        for name in ("items", "place", "start"):
            arrays[name][new] = arrays[name][old]
        arrays["item_of"][arrays["items"]["original"][new]] = np.arange(first, first + used)
        here, nodes = arrays["pools"][pool], arrays["nodes"]
        cap, tree = int(here["cap"]), int(here["base"])
        nodes[base : base + 2 * cap] = nodes[tree : tree + 2 * cap]
        nodes["link"][base + cap : base + cap + int(here["size"])] += moved
        here["base"], here["room"], here["first"] = base, room, first
        for name in ("last", "pointer"):
            if here[name] >= 0:
                here[name] += moved
        self._first[pool], self._room[pool] = first, room
        self.stale = True

    def add_arm(self, agent: int) -> tuple[int, int]:
        """Take a free item of a pool with room for an arm: the item, and the arm's number."""
        pool = self.pool_of(agent)
        item = self._first[pool] + self._used[pool]
        self._used[pool] += 1
        arm = self.arms
        self.arms += 1
        self._fit("arm", self.arms)
        self._arrays["item_of"][arm] = item
        self.stale = True
        return item, arm

    def fit_log(self, more: int) -> None:
        """Make room for ``more`` decisions, dropping those that are forgotten."""
        kept = self._remembered()
        for one in TABLE:
            if one.axis == "decision":
                larger = one.allocate(2 * (kept.stop - kept.start + more))
                larger[: kept.stop - kept.start] = self._arrays[one.name][kept]
                self._arrays[one.name] = larger
        self.log = self._arrays["log"]
        self.counters[BASE] = self.counters[FORGOTTEN]
        self.stale = True

    def _fit(self, axis: Axis, needed: int) -> None:
        """Let the arrays of an axis have at least so many rows, twice as many if they grow."""
        if needed <= self._rows[axis]:
            return
        self._rows[axis] = max(2 * needed, 16)
        for one in TABLE:
            if one.axis == axis:
                larger = one.allocate(self._rows[axis])
                array = self._arrays[one.name]
                larger[: len(array)] = array
                self._arrays[one.name] = larger

    def show(self) -> None:
        """Show the kernels the arrays as far as they are in use."""
        used = self._in_use()
        shown = {
            one.name: self._arrays[one.name][: used[one.axis]]
            if one.axis in used
            else self._arrays[one.name]
            for one in TABLE
        }
        self.state = State(**{name: shown[name] for name in State._fields})
        self.live = Live(**{name: shown[name] for name in Live._fields})
        self.shown = (self.plan, self.state, self.live)
        self.stale = False

    def _in_use(self) -> dict[Axis, int]:
        agents = self.agents
        pools = 1 if self._is_flat else agents + 1
        return {"agent": agents, "stream": agents + 1, "pool": pools, "arm": self.arms}

    # --- what is remembered ----------------------------------------------------------------

    def item_of(self, arm: int) -> int:
        """Where an arm lies in memory."""
        return int(self._arrays["item_of"][arm])

    def agent_rows(self) -> Any:
        """The statistics of all agents, of all epochs; a copy."""
        agents = slice(self.agents)
        return with_past(
            self._arrays["items"][agents].copy(), self._arrays["past"][agents], self._unanswered
        )

    @property
    def pending(self) -> int:
        """How many decisions wait for their reward."""
        rows = self.agent_rows()
        return int((rows["plays"] - rows["answers"]).sum())

    def arm_rows(self, arms: Any) -> tuple[Any, Any]:
        """The statistics of some arms, of all epochs, and which are in play; copies."""
        item = self._arrays["item_of"][arms]
        past = self._arrays["past_arms"][arms]
        rows = with_past(self._arrays["items"][item], past, self._unanswered)
        return rows, (self._arrays["place"][item] >= 0) & bool(self.counters[LAID])

    def histories(self, arms: Any, least: int) -> tuple[Any, Any, Any]:
        """Those of some arms with so many rewards, and what is kept of them to compare them.

        The arms, their histories and their prints; copies.
        """
        told = arms[self._arrays["history"]["rewards"][arms] >= least]
        return told, self._arrays["history"][told], self._arrays["prints"][told]

    def _remembered(self) -> slice:
        """Where the decisions lie that are not forgotten."""
        forgotten, base, made = self.counters[[FORGOTTEN, BASE, ROUND]].tolist()
        return slice(forgotten - base, made - base)

    def export(self) -> dict[str, Any]:
        """Everything that is remembered, in order of registration; copies."""
        rows = {
            **self.rows_of_arms(slice(self.arms)),
            **self.rows_of_decisions(self._remembered()),
        }
        standing = standing_of(self.places, laid=bool(self.counters[LAID]))
        copied = {name: one.copy() for name, one in rows.items()}
        return in_order({**copied, **self.export_rest(), **standing})

    def rows_of_arms(self, arms: Any, names: Collection[str] | None = None) -> dict[str, Any]:
        """What is exported of each of some arms, given as an array or a slice; not copies.

        Of all arrays, or of those that are named.
        """
        found: dict[str, Any] = {}
        if names is None or "arms" in names:
            item_of = self._arrays["item_of"][: self.arms]
            item = item_of[arms] if isinstance(arms, slice) else item_of.take(arms)
            rows = self._arrays["items"].take(item)  # which is faster than by an index
            of = np.arange(*arms.indices(self.arms)) if isinstance(arms, slice) else arms
            rows["original"] = of
            found["arms"] = rows
        return found | self._rows_along("arm", arms, names)

    def rows_of_decisions(
        self, places: Any, names: Collection[str] | None = None
    ) -> dict[str, Any]:
        """What is exported of each of some decisions, by their places in the log; not copies."""
        return self._rows_along("decision", places, names)

    def _rows_along(
        self, axis: Axis, rows: Any, names: Collection[str] | None = None
    ) -> dict[str, Any]:
        is_slice = isinstance(rows, slice)
        return {
            one.name: self._arrays[one.name][rows]
            if is_slice
            else self._arrays[one.name].take(rows, axis=0)
            for one in TABLE
            if one.axis == axis
            and (names is None or one.name in names)
            and one.is_exported(self.plan, self._unanswered)
        }

    @property
    def places(self) -> tuple[Any, Any, Any]:
        """Where each arm lies; of each item its place, and where it began; not copies."""
        items = slice(self._items_end)
        arrays = self._arrays
        return arrays["item_of"][: self.arms], arrays["place"][items], arrays["start"][items]

    def export_rest(self) -> dict[str, Any]:
        """What is exported beside ``rows_of_arms``, ``rows_of_decisions`` and ``standing_of``."""
        arrays = self._arrays
        pools = arrays["pools"][0 if self._is_flat else 1 : self._in_use()["pool"]]
        challenges = np.zeros(len(pools), CHALLENGE)
        for name in CHALLENGE.names or ():
            challenges[name] = pools[name]
        for name in ("last", "pointer"):
            known = challenges[name] >= 0
            challenges[name][known] = arrays["items"]["original"][challenges[name][known]]
        saved = {
            "agents": arrays["items"][: self.agents].copy(),
            "suspended": (arrays["start"][: self.agents] == ABSENT).astype(np.int8),
            "seats": pools["seats"].copy(),
            "challenges": challenges,
        }
        if (bars := bars_of(self.plan, arrays["pools"][: self._in_use()["pool"]])).any():
            saved["bars"] = bars
        used = {**self._in_use(), **FIXED}
        for axis in used.keys() - {"arm"}:
            found = self._rows_along(axis, slice(used[axis]))
            saved |= {name: rows.copy() for name, rows in found.items()}
        epochs = saved["epoch"]
        if self._is_flat or (epochs == epochs[0]).all():  # all agents have the market's
            saved["epoch"] = epochs[:1]
        saved["counters"][BASE] = saved["counters"][FORGOTTEN]
        return saved

    def load(self, saved: dict[str, Any], plan: Plan, *, agent_room: int = 16) -> None:
        """Lay out what ``export`` wrote, for the plan that it was written under."""
        self._lay_out(saved, plan, agent_room)
        if (bars := saved.get("bars")) is not None:
            self._arrays["pools"]["x"][: len(bars)] = bars
        if self.counters[LAID]:
            lay_again(plan, self.state, self.live, 0, AS_THEY_ARE)
        self._count_delays()

    def change_plan(self, plan: Plan, *, drawn: bool) -> None:
        """Go on under another plan, with the statistics of all epochs, and samples maybe drawn."""
        saved = self.export()
        join_epochs(saved, self._unanswered)
        saved["challenges"] = np.zeros(0, CHALLENGE)
        self._lay_out(saved, plan, 16)
        if self.counters[LAID]:
            lay_again(plan, self.state, self.live, int(drawn), CHANGED)
        self._count_delays()

    def _count_delays(self) -> None:
        """Count the delays of those who may be shown (``due_rewards.may_be_shown``)."""
        arrays, agents = self._arrays, slice(self.agents)
        waits = arrays["known"]["waits"][agents]
        there = arrays["start"][agents] != ABSENT if self._is_flat else arrays["place"][agents] >= 0
        arrays["spread"][0] = np.bincount(waits[there & (waits != UNKNOWN)], minlength=DELAYS + 1)

    def _lay_out(self, saved: dict[str, Any], plan: Plan, agent_room: int) -> None:
        """Allocate all arrays, and put everything where it lies from now on."""
        self.plan = plan
        self.agents, self.arms = len(saved["agents"]), len(saved["arms"])
        self._agent_room = room = max(agent_room, power_of_two(self.agents))
        laid = lay_out(saved["arms"]["owner"].astype(np.int64), self.agents, room, self._is_flat)
        self._first, self._used, self._room = (one.tolist() for one in laid[:3])
        self._items_end, self._nodes_end = laid.items, laid.nodes
        self._rows: dict[Axis, int] = {
            "item": 2 * laid.items,
            "pool": 1 if self._is_flat else room + 1,
            "node": 2 * laid.nodes,
            "leaf": max(room, int(laid.room.max())),
            "agent": room,
            "stream": room + 1,
            "arm": max(2 * self.arms, 16),
            "decision": len(saved["log"]),
            **FIXED,
        }
        self._arrays = arrays = {one.name: one.allocate(self._rows[one.axis]) for one in TABLE}
        for one in TABLE:
            if (
                one.is_exported(plan, self._unanswered) and one.name in saved
            ):  # else the policy has just changed
                arrays[one.name][: len(saved[one.name])] = saved[one.name]
        arrays["epoch"][len(saved["epoch"]) :] = saved["epoch"][0]  # theirs is the market's
        arrays["epoch"]["unit"][self.agents + 1 :] = 0.0  # who comes later has no arm yet
        self.log, self.counters = arrays["log"], arrays["counters"]
        agents, item = slice(self.agents), laid.item
        arrays["order"][:] = np.arange(room)
        arrays["item_of"][: self.arms] = item
        arrays["items"][agents], arrays["items"][item] = saved["agents"], saved["arms"]
        arrays["place"][agents], arrays["place"][item] = OUTSIDE, saved["status"]
        arrays["start"][agents] = np.where(saved["suspended"], ABSENT, OUTSIDE)
        arrays["start"][item] = np.where(saved["registered"], OUTSIDE, ABSENT)
        self._lay_pools(saved, laid)
        self.show()

    def _lay_pools(self, saved: dict[str, Any], laid: Layout) -> None:
        pools = self._arrays["pools"]
        pools["cap"] = 1
        there = pools[: len(laid.used)]
        for name, values in zip(("first", "items", "room", "base"), laid[:4], strict=True):
            there[name] = values
        mine = slice(0 if self._is_flat else 1, len(there))  # the pools of arms
        pools["last"][mine.start :] = pools["pointer"][mine.start :] = -1
        if len(saved["seats"]) == len(there[mine]):
            there["seats"][mine] = saved["seats"]
        if len(saved["challenges"]) == len(there[mine]):
            for name in CHALLENGE.names or ():
                there[name][mine] = saved["challenges"][name]
            for name in ("last", "pointer"):
                of = there[name][mine]
                known = of >= 0
                of[known] = laid.item[of[known]]
