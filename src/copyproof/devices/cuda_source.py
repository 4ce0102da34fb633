"""The engine as one CUDA kernel: a game per thread, specialised to the shape of a policy.

Nothing of the engine is written again here. ``play`` and all that it calls are compiled for the GPU
from the same functions, and what is laid out differently is data:

- The numbers of the plan (which rules, which sampling, how to search) are constants of the kernel,
  so that code of other rules is not there at all.
- The state of a small game is in the thread's local memory, whose words the chip interleaves, so
  that neighbouring threads read neighbouring addresses; that of a large one is in arrays whose last
  axis is the game. Counters have 32 bits.
- Of a block so many warps play, and so many lanes of each; the others leave at once. A warp waits
  for the slowest of its lanes, so that few games are spread over many warps (``launch``).
- What a game has in common with others (who owns what, where trees lie, what arms pay) is read from
  a table of markets, a row each.
"""

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import cuda, types
from numba.np.numpy_support import from_dtype as numba_type

from copyproof.devices.shape import Shape
from copyproof.engine import state as states
from copyproof.engine.changing_means import KNOT
from copyproof.engine.mixtures import COMPONENT
from copyproof.engine.plan import Plan
from copyproof.engine.play import Game, Record
from copyproof.engine.quantiles import ORIGINAL, Rewards
from copyproof.engine.registration import Changes
from copyproof.engine.rules import Kind, LoweredRule
from copyproof.engine.state import LEVELS, WINDOWS, State
from copyproof.engine.tournament import NODE

_config: Any = numba.config


def from_dtype(dtype: np.dtype[Any]) -> Any:
    """A record as the compiler knows it; the simulator takes it as it is."""
    return dtype if _config.ENABLE_CUDASIM else numba_type(dtype)


def narrow(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The same record, aligned, with counters of 32 bits."""
    described: Any = dtype.descr
    fields = [(name, "i4" if kind == "<i8" else kind) for name, kind in described]
    return np.dtype(fields, align=True)


def aligned(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The same record, aligned."""
    return np.dtype(dtype.descr, align=True)


_item, _node = from_dtype(narrow(states.ITEM)), from_dtype(aligned(NODE))
_pool, _epoch = from_dtype(narrow(states.POOL)), from_dtype(narrow(states.EPOCH))
_block = from_dtype(aligned(states.BLOCK))
_start, _ring = from_dtype(aligned(states.START)), from_dtype(narrow(states.RING))
_original, _component = from_dtype(aligned(ORIGINAL)), from_dtype(aligned(COMPONENT))
_knot = from_dtype(aligned(KNOT))
_f8, _i8, _i4, _i1, _u8 = types.float64, types.int64, types.int32, types.int8, types.uint64

# The kernel's arguments, in order: the type of an item or of the scalar, and dimensions.
GIVEN: dict[str, tuple[Any, int]] = {
    "horizons": (_i8, 1),
    "seed": (_u8, 0),
    "market_of": (_i4, 1),
    "repetition_of": (_i8, 1),
    "factors": (_f8, 1),
    "sizes": (_i4, 2),
    "owner": (_i4, 2),
    "original": (_i4, 2),
    "start": (_i1, 2),
    "order": (_i8, 2),
    "trees": (_i4, 3),
    "originals": (_original, 2),
    "means": (_f8, 2),
    "rules": (_f8, 2),
    "table_value": (_f8, 1),
    "table_upper": (_f8, 1),
    "components": (_component, 1),
    "changing": (_i8, 1),
    "knots": (_knot, 1),
    "unchanging": (_f8, 1),
    "best_unchanging": (_f8, 0),
    "discount_factor": (_f8, 0),
    "discount_weights": (_f8, 1),
    "tape": (_f8, 2),
    "tape_lengths": (_i8, 1),
    "change_round": (_i8, 1),
    "change_item": (_i8, 1),
    "change_joins": (_i1, 1),
    "renew_after": (_i8, 1),
    "renew_below": (_f8, 1),
    "checkpoints": (_i8, 1),
    "warps": (_i8, 0),
    "lanes": (_i8, 0),
}
FOUND: dict[str, tuple[Any, int]] = {
    "revenue": (_f8, 2),
    "agent_plays": (_i8, 2),
    "original_plays": (_i8, 2),
    "renewals": (_i8, 2),
    "regret": (_f8, 2),
    "choices": (_i4, 2),
    "status": (_i8, 1),
}
SCRATCH: dict[str, tuple[Any, int]] = {
    "all_items": (_item, 2),
    "all_nodes": (_node, 2),
    "all_places": (_i4, 2),
    "all_members": (_i8, 2),
    "all_values": (_f8, 2),
}
Given: Any = namedtuple("Given", list(GIVEN))  # type: ignore[misc]
Found: Any = namedtuple("Found", list(FOUND))  # type: ignore[misc]
Scratch: Any = namedtuple("Scratch", list(SCRATCH))  # type: ignore[misc]


def signature() -> tuple[Any, ...]:
    """The types of the kernel's arguments."""
    return tuple(
        types.NamedTuple(  # type: ignore[no-untyped-call]
            [of if not dims else types.Array(of, dims, "C") for of, dims in fields.values()], kind
        )
        for kind, fields in ((Given, GIVEN), (Found, FOUND), (Scratch, SCRATCH))
    )


def build(shape: Shape, play: Any, inline: Callable[[Any], Any]) -> Callable[..., None]:
    """The kernel of a shape, as a function in Python that numba-cuda can compile.

    ``inline`` makes a function that the kernel calls.
    """
    AGENTS, STREAMS, POOLS, RING = shape.agents, shape.agents + 1, shape.pools, shape.ring
    ITEMS, NODES, LEAVES = (1, 1, 1) if shape.is_large else shape[11:12] + shape[14:16]
    STARTS = LEVELS if shape.agent.kind == Kind.TRIAL else 1
    has_blocks = shape.agent.memory > 0 and shape.agent.kind != Kind.SLIDING_WINDOW
    BLOCKS, EPOCHS = WINDOWS if has_blocks else 1, STREAMS if shape.has_changes else 1
    ORIGINALS = shape.originals if shape.has_means else 1
    memory_of = inline(_memory_of_large if shape.is_large else _memory_of_small)
    lay, paid_in, record_of = inline(_lay), inline(_paid_in(shape)), inline(_record_of)
    plan_of, game_of = inline(_plan_of(shape)), inline(_game_of(shape))
    kept = inline(_kept(STARTS > 1, has_blocks))

    def games(given, found, scratch):  # type: ignore[no-untyped-def]
        warp, lane = cuda.threadIdx.x // 32, cuda.threadIdx.x % 32
        if warp >= given.warps or lane >= given.lanes:
            return
        each = given.warps * given.lanes
        slot = cuda.blockIdx.x * each + warp * given.lanes + lane
        items_ = cuda.local.array(ITEMS, _item)
        nodes_ = cuda.local.array(NODES, _node)
        places_ = cuda.local.array(ITEMS, _i4)
        members_ = cuda.local.array(LEAVES, _i8)
        values_ = cuda.local.array(LEAVES, _f8)
        pools = cuda.local.array(POOLS, _pool)
        trials = cuda.local.array((AGENTS, STARTS), _f8)
        starts = cuda.local.array((AGENTS, STARTS), _start)
        blocks = cuda.local.array((AGENTS, BLOCKS), _block)
        epoch = cuda.local.array(EPOCHS, _epoch)
        order = cuda.local.array(AGENTS, _i8)
        keys = cuda.local.array((STREAMS, 2), _u8)
        ring = cuda.local.array(RING, _ring)
        originals = cuda.local.array(ORIGINALS, _original)
        earned = cuda.local.array((1, AGENTS), _f8)
        control = cuda.local.array(2, _i8)
        nothing = cuda.local.array((1, 1), _f8)
        none = cuda.local.array(1, _i8)
        control[0] = 0
        for game in range(slot, given.market_of.shape[0], cuda.gridDim.x * each):
            m = given.market_of[game]
            agents, count, parts = given.sizes[m, 0], given.sizes[m, 1], given.sizes[m, 2]
            control[1] = 0
            small = (items_, nodes_, places_, members_, values_)
            items, nodes, place, members, values = memory_of(small, scratch, count, slot)
            lay(given, m, items, pools, order)
            sums, claims, spans = kept(trials, starts, blocks)
            state = State(
                items, pools[:parts], nodes, place, given.start[m, :count], sums, claims,
                spans, epoch[: agents + 1], order[:agents], keys[: agents + 1], values,
                members, ring,
            )  # fmt: skip
            played = game_of(given, paid_in(given, game, m, originals)[0], nothing, none)
            record = record_of(found, earned, game, agents, given.sizes[m, 3])
            found.status[game] = play(
                plan_of(given, m, game), state, played, given.checkpoints,
                given.repetition_of[game],
                record, control, 0,
            )  # fmt: skip
            for agent in range(agents):
                found.revenue[game, agent] = earned[0, agent]

    return games


# The parts of the kernel: functions that it inlines, some of them with constants of the shape.


def _memory_of_small(small: Any, scratch: Any, count: int, slot: int) -> Any:
    """Items, nodes, places, members and values of a game in its thread's own memory."""
    return small[0][:count], small[1], small[2][:count], small[3], small[4]


def _memory_of_large(small: Any, scratch: Any, count: int, slot: int) -> Any:
    """The same in the device's memory, where the last axis is the game."""
    return (
        scratch.all_items[:count, slot],
        scratch.all_nodes[:, slot],
        scratch.all_places[:count, slot],
        scratch.all_members[:, slot],
        scratch.all_values[:, slot],
    )


def _lay(given: Any, m: int, items: Any, pools: Any, order: Any) -> None:
    """Lay out a game of market m; what it plays with is modified in place."""
    for number in range(given.sizes[m, 1]):
        items[number].owner = given.owner[m, number]
        items[number].original = given.original[m, number]
    for pool in range(given.sizes[m, 2]):
        pools[pool].base = given.trees[m, pool, 0]
        pools[pool].room = given.trees[m, pool, 1]
        pools[pool].first = given.trees[m, pool, 2]
        pools[pool].items = given.trees[m, pool, 3]
        pools[pool].bar = 0.0
    for agent in range(given.sizes[m, 0]):
        order[agent] = given.order[m, agent]


def _kept(has_starts: bool, has_blocks: bool) -> Callable[..., Any]:
    """What is remembered of an agent's starts and windows: nothing, where its rule has none."""

    def kept(trials, starts, blocks):  # type: ignore[no-untyped-def]
        return (
            trials if has_starts else trials[:, :0],
            starts if has_starts else starts[:, :0],
            blocks if has_blocks else blocks[:, :0],
        )

    return kept


def _paid_in(shape: Shape) -> Callable[..., Any]:
    """What the originals pay in a game: as in its market, or with means of its own."""
    MEANS = shape.has_means

    def paid_in(given, game, m, own):  # type: ignore[no-untyped-def]
        paid = given.originals[m]
        if MEANS:
            best = given.means[game, 0]
            for number in range(given.sizes[m, 3]):
                best = max(best, given.means[game, number])
            for number in range(given.sizes[m, 3]):
                own[number].family = paid[number].family
                own[number].first = 1.0 - given.means[game, number]
                own[number].second = 0.0
                own[number].gap = best - given.means[game, number]
            paid = own[:]
        return (paid,)  # an array by itself cannot be returned

    return paid_in


def _plan_of(shape: Shape) -> Callable[..., Any]:
    """The plan: constants, but for horizons, seed, and what a market or a game has of its own."""
    IS_FLAT, AGENT, ARM, SAMPLING, _, POWER, PRIORITY, GIVEN_ORDER = shape[:8]
    AGENT_SEARCH, ARM_SEARCH, EPOCHS = shape.agent_search, shape.arm_search, shape.has_epochs

    def plan_of_its_own(given, m, game):  # type: ignore[no-untyped-def]
        numbers = (given.rules[game, 0], given.rules[game, 1], given.rules[game, 2])
        tries = int(given.rules[game, 3])
        agent = LoweredRule(
            AGENT.kind, AGENT.clock, numbers, tries, AGENT.memory, AGENT.is_line,
            AGENT.coin, AGENT.coin_falls,
        )  # fmt: skip
        arm = LoweredRule(
            ARM.kind, ARM.clock, numbers, tries, ARM.memory, ARM.is_line, ARM.coin, ARM.coin_falls,
        )  # fmt: skip
        return Plan(
            IS_FLAT, agent, arm, SAMPLING, given.factors[m], POWER, PRIORITY, GIVEN_ORDER,
            AGENT_SEARCH, ARM_SEARCH, given.horizons if EPOCHS else given.horizons[:1], given.seed,
        )  # fmt: skip

    def plan_of(given, m, game):  # type: ignore[no-untyped-def]
        return Plan(
            IS_FLAT, AGENT, ARM, SAMPLING, given.factors[m], POWER, PRIORITY, GIVEN_ORDER,
            AGENT_SEARCH, ARM_SEARCH, given.horizons if EPOCHS else given.horizons[:1], given.seed,
        )  # fmt: skip

    return plan_of_its_own if shape.has_rules else plan_of


def _game_of(shape: Shape) -> Callable[..., Any]:
    """What is played for; arrays that no game of the shape has are empty ones."""
    TABLES, WEIGHTS, TAPE = shape.has_tables, shape.has_weights, shape.has_tape
    CHANGES, RENEWALS = shape.has_changes, shape.has_renewals

    def game_of(given, paid, nothing, none):  # type: ignore[no-untyped-def]
        no_floats = nothing[0, :0]
        rewards = Rewards(
            paid,
            given.table_value if TABLES else no_floats,
            given.table_upper if TABLES else no_floats,
            given.components,
            given.changing if TABLES else none[:0],
            given.knots,
            given.unchanging if TABLES else no_floats,
            given.best_unchanging,
        )
        changes = Changes(
            given.change_round if CHANGES else none[:0],
            given.change_item if CHANGES else none[:0],
            given.change_joins,
            given.renew_after if RENEWALS else none[:0],
            given.renew_below if RENEWALS else no_floats,
        )
        return Game(
            rewards,
            given.discount_factor,
            given.discount_weights if WEIGHTS else no_floats,
            given.tape if TAPE else nothing[:, :0],
            given.tape_lengths,
            changes,
        )

    return game_of


def _record_of(found: Any, earned: Any, game: int, agents: int, originals: int) -> Any:
    """One row of what the games leave behind; what is earned is added up in the thread's memory."""
    for agent in range(agents):
        earned[0, agent] = 0.0
    return Record(
        earned[:, :agents],
        found.agent_plays[game : game + 1, :agents],
        found.original_plays[game : game + 1, :originals],
        found.renewals[game : game + 1, :agents],
        found.regret[game : game + 1],
        found.choices[game : game + 1],
    )
