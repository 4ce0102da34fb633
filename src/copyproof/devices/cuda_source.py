"""The engine as one CUDA kernel: a game per thread, specialised to the shape of a policy.

Nothing of the engine is written again here. ``play`` and all that it calls are compiled for the GPU
from the same functions, and what is laid out differently is data:

- The numbers of the plan (which rules, which sampling, how to search) are constants of the kernel,
  so that code of other rules is not there at all.
- The state of a small game is in the thread's local memory, whose words the chip interleaves, so
  that neighbouring threads read neighbouring addresses; that of a large one is in arrays whose last
  axis is the game. Counters have 32 bits.
- What a game has in common with others (who owns what, where trees lie, what arms pay) is read from
  a table of markets, a row each.
"""

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
from copyproof.engine.rules import Kind
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


ITEM_TYPE = narrow(states.ITEM)
NODE_TYPE = aligned(NODE)
ORIGINAL_TYPE = aligned(ORIGINAL)

_f8, _i8, _i4, _i1 = types.float64, types.int64, types.int32, types.int8


# The kernel's arguments, in order: name, type of an item or of the scalar, dimensions.
ARGUMENTS: tuple[tuple[str, Any, int], ...] = (
    ("horizons", _i8, 1),
    ("seed", types.uint64, 0),
    ("market_of", _i4, 1),
    ("repetition_of", _i8, 1),
    ("sizes", _i4, 2),
    ("owner", _i4, 2),
    ("original", _i4, 2),
    ("start", _i1, 2),
    ("order", _i8, 2),
    ("trees", _i4, 3),
    ("originals", from_dtype(ORIGINAL_TYPE), 2),
    ("means", _f8, 2),
    ("table_value", _f8, 1),
    ("table_upper", _f8, 1),
    ("components", from_dtype(aligned(COMPONENT)), 1),
    ("changing", _i8, 1),
    ("knots", from_dtype(aligned(KNOT)), 1),
    ("unchanging", _f8, 1),
    ("best_unchanging", _f8, 0),
    ("discount_factor", _f8, 0),
    ("discount_weights", _f8, 1),
    ("tape", _f8, 2),
    ("tape_lengths", _i8, 1),
    ("change_round", _i8, 1),
    ("change_item", _i8, 1),
    ("change_joins", _i1, 1),
    ("renew_after", _i8, 1),
    ("renew_below", _f8, 1),
    ("checkpoints", _i8, 1),
    ("revenue", _f8, 2),
    ("agent_plays", _i8, 2),
    ("original_plays", _i8, 2),
    ("renewals", _i8, 2),
    ("regret", _f8, 2),
    ("choices", _i4, 2),
    ("status", _i8, 1),
    ("all_items", from_dtype(ITEM_TYPE), 2),
    ("all_nodes", from_dtype(NODE_TYPE), 2),
    ("all_places", _i4, 2),
    ("all_members", _i8, 2),
    ("all_values", _f8, 2),
)


def signature() -> tuple[Any, ...]:
    """The types of the kernel's arguments."""
    return tuple(of if not dims else types.Array(of, dims, "C") for _, of, dims in ARGUMENTS)


def build(shape: Shape, play: Any) -> Callable[..., None]:
    """The kernel of a shape, as a function in Python that numba-cuda can compile."""
    AGENT, ARM = shape.agent, shape.arm
    IS_FLAT, SAMPLING, FACTOR, POWER = shape.is_flat, shape.sampling, shape.factor, shape.power
    PRIORITY, ORDER_GIVEN = shape.priority, shape.order_given
    AGENT_SEARCH, ARM_SEARCH = shape.agent_search, shape.arm_search
    AGENTS, ITEMS, POOLS, ORIGINALS = shape.agents, shape.items, shape.pools, shape.originals
    NODES, LEAVES, RING = shape.nodes, shape.leaves, shape.ring
    LARGE, MEANS, WEIGHTS, TAPE = (
        shape.is_large, shape.has_means, shape.has_weights, shape.has_tape,
    )  # fmt: skip
    CHANGES, RENEWALS, TABLES, EPOCHS = (
        shape.has_changes, shape.has_renewals, shape.has_tables, shape.has_epochs,
    )  # fmt: skip
    HAS_STARTS = AGENT.kind == Kind.TRIAL
    STARTS = LEVELS if HAS_STARTS else 1
    HAS_BLOCKS = AGENT.memory > 0 and AGENT.kind != Kind.SLIDING_WINDOW
    BLOCKS = WINDOWS if HAS_BLOCKS else 1
    item_type, node_type = from_dtype(ITEM_TYPE), from_dtype(NODE_TYPE)
    pool_type, epoch_type = from_dtype(narrow(states.POOL)), from_dtype(narrow(states.EPOCH))
    window_type, block_type = from_dtype(narrow(states.WINDOW)), from_dtype(aligned(states.BLOCK))
    start_type, ring_type = from_dtype(aligned(states.START)), from_dtype(narrow(states.RING))
    original_type = from_dtype(ORIGINAL_TYPE)
    SMALL_ITEMS, SMALL_NODES, SMALL_LEAVES = (1, 1, 1) if LARGE else (ITEMS, NODES, LEAVES)
    STREAMS = AGENTS + 1
    OWN_ORIGINALS = ORIGINALS if MEANS else 1

    def games(  # type: ignore[no-untyped-def]  # numba-cuda is told by ``signature``
        horizons, seed, market_of, repetition_of, sizes, owner, original, start, order, trees,
        originals, means, table_value, table_upper, components, changing, knots, unchanging,
        best_unchanging, discount_factor, discount_weights, tape, tape_lengths, change_round,
        change_item, change_joins, renew_after, renew_below, checkpoints, revenue, agent_plays,
        original_plays, renewals, regret, choices, status, all_items, all_nodes, all_places,
        all_members, all_values,
    ):  # fmt: skip
        slot = cuda.grid(1)
        step = cuda.gridsize(1)
        small_items = cuda.local.array(SMALL_ITEMS, item_type)
        small_nodes = cuda.local.array(SMALL_NODES, node_type)
        small_places = cuda.local.array(SMALL_ITEMS, _i4)
        small_members = cuda.local.array(SMALL_LEAVES, _i8)
        small_values = cuda.local.array(SMALL_LEAVES, _f8)
        pools = cuda.local.array(POOLS, pool_type)
        windows = cuda.local.array(AGENTS, window_type)
        trials = cuda.local.array((AGENTS, STARTS), _f8)
        starts = cuda.local.array((AGENTS, STARTS), start_type)
        blocks = cuda.local.array((AGENTS, BLOCKS), block_type)
        epoch = cuda.local.array(1, epoch_type)
        places = cuda.local.array(AGENTS, _i8)
        keys = cuda.local.array((STREAMS, 2), types.uint64)
        ring = cuda.local.array(RING, ring_type)
        own_originals = cuda.local.array(OWN_ORIGINALS, original_type)
        earned = cuda.local.array((1, AGENTS), _f8)
        control = cuda.local.array(2, _i8)
        no_f8 = cuda.local.array(1, _f8)
        no_i8 = cuda.local.array(1, _i8)
        no_i1 = cuda.local.array(1, _i1)
        no_tape = cuda.local.array((1, 1), _f8)
        control[0] = 0
        for game in range(slot, market_of.shape[0], step):
            m = market_of[game]
            agents, count, parts = sizes[m, 0], sizes[m, 1], sizes[m, 2]
            control[1] = 0
            if LARGE:
                items = all_items[:count, slot]
                nodes = all_nodes[:, slot]
                place = all_places[:count, slot]
                members = all_members[:, slot]
                values = all_values[:, slot]
            else:
                items = small_items[:count]
                nodes = small_nodes[:]
                place = small_places[:count]
                members = small_members[:]
                values = small_values[:]
            for number in range(count):
                items[number].owner = owner[m, number]
                items[number].original = original[m, number]
            for pool in range(parts):
                pools[pool].base = trees[m, pool, 0]
                pools[pool].room = trees[m, pool, 1]
                pools[pool].first = trees[m, pool, 2]
                pools[pool].items = trees[m, pool, 3]
                pools[pool].bar = 0.0
            for agent in range(agents):
                places[agent] = order[m, agent]
                earned[0, agent] = 0.0
            paid = originals[m]
            if MEANS:
                best = means[game, 0]
                for number in range(sizes[m, 3]):
                    best = max(best, means[game, number])
                for number in range(sizes[m, 3]):
                    own_originals[number].family = paid[number].family
                    own_originals[number].first = 1.0 - means[game, number]
                    own_originals[number].second = 0.0
                    own_originals[number].gap = best - means[game, number]
                paid = own_originals[:]
            state = State(
                items, pools[:parts], nodes, place, start[m, :count], windows[:agents],
                trials if HAS_STARTS else trials[:, :0], starts if HAS_STARTS else starts[:, :0],
                blocks if HAS_BLOCKS else blocks[:, :0], epoch, places[:agents],
                keys[: agents + 1], values, members, ring,
            )  # fmt: skip
            plan = Plan(
                IS_FLAT, AGENT, ARM, SAMPLING, FACTOR, POWER, PRIORITY, ORDER_GIVEN, AGENT_SEARCH,
                ARM_SEARCH, horizons if EPOCHS else horizons[:1], seed,
            )  # fmt: skip
            rewards = Rewards(
                paid,
                table_value if TABLES else no_f8[:0],
                table_upper if TABLES else no_f8[:0],
                components,
                changing if TABLES else no_i8[:0],
                knots,
                unchanging if TABLES else no_f8[:0],
                best_unchanging,
            )
            changes = Changes(
                change_round if CHANGES else no_i8[:0],
                change_item if CHANGES else no_i8[:0],
                change_joins if CHANGES else no_i1[:0],
                renew_after if RENEWALS else no_i8[:0],
                renew_below if RENEWALS else no_f8[:0],
            )
            played = Game(
                rewards,
                discount_factor,
                discount_weights if WEIGHTS else no_f8[:0],
                tape if TAPE else no_tape[:, :0],
                tape_lengths,
                changes,
            )
            record = Record(
                earned[:, :agents],
                agent_plays[game : game + 1, :agents],
                original_plays[game : game + 1, : sizes[m, 3]],
                renewals[game : game + 1, :agents],
                regret[game : game + 1],
                choices[game : game + 1],
            )
            status[game] = play(
                plan, state, played, checkpoints, repetition_of[game], record, control, 0
            )
            for agent in range(agents):
                revenue[game, agent] = earned[0, agent]

    return games
