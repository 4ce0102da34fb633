"""Games that are played together on a device: several markets, one plan, as arrays.

A *batch* holds what all its games share, a table with a row for each market, and for each game its
market and its repetition. Markets may differ in agents, arms, means, and in how large a sample the
policy takes (l and L, which go by the market); they share the policy with its other parameters, the
horizon, the seed, and whatever ``shared`` names.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof.devices.shape import Shape
from copyproof.engine.distributions import BERNOULLI, CHANGING, MIXTURE, TABLE
from copyproof.engine.lower import Lowered
from copyproof.engine.plan import FEW, LEAVES, TOURNAMENT
from copyproof.engine.quantiles import ORIGINAL
from copyproof.engine.state import State, power_of_two
from copyproof.validation import FieldError

SMALL = 6_000  # bytes of items and trees that a thread may have for itself
MOST_ROUNDS = 2**31 - 1  # counters of a device have 32 bits
MOST_AGENTS = 256  # what is kept of each agent is in a thread's own memory, which is small

# Bytes of an item and of a node in a device's memory.
ITEM_BYTES = 24
NODE_BYTES = 32


@dataclass(frozen=True, slots=True)
class Batch:
    """A shape, and the arrays that its kernel is given by name."""

    shape: Shape
    arrays: dict[str, Any]


def pack(
    games: Sequence[Lowered],
    market_of: NDArray[np.int32],
    repetition_of: NDArray[np.int64],
    checkpoints: NDArray[np.int64],
    *,
    means: NDArray[np.float64] | None = None,
    rules: NDArray[np.float64] | None = None,
    traced: int = 0,
) -> Batch:
    """Lay out games for a device; all markets' plans are alike.

    ``market_of`` and ``repetition_of`` have an entry for each game, ``means`` a row if every game
    has means of its own; ``traced`` rounds of each game leave their choices behind. ``rules`` has a
    row if games differ in the numbers of their policy: three parameters and the tries, which stand
    in for those of both rules. Markets must have room for the most arms that any of them tries.
    """
    plan, game = games[0].plan, games[0].game
    check_game(games[0].horizon, max(len(one.counts) for one in games))
    if len(games) > 1 and len({shared(one) for one in games}) > 1:
        raise ValueError("games of one batch differ in what a batch has once (see `shared`)")
    states = [one.new_state() for one in games]
    shape = _shape(games, states, has_means=means is not None, has_rules=rules is not None)
    state = (ITEM_BYTES, shape.items, NODE_BYTES, shape.nodes, shape.leaves, shape.is_large)
    rewards, changes = game.rewards, game.changes
    arrays = {
        "state": np.array(state),
        "traced": np.int64(traced),
        "horizons": plan.horizons,
        "seed": np.uint64(plan.seed),
        "market_of": np.asarray(market_of, np.int32),
        "repetition_of": np.asarray(repetition_of, np.int64),
        "factors": np.array([one.plan.factor for one in games]),
        **_markets(games, states, shape),
        "means": np.zeros((1, 1)) if means is None else np.ascontiguousarray(means),
        "rules": np.zeros((1, 4)) if rules is None else np.ascontiguousarray(rules),
        "table_value": rewards.table_value,
        "table_upper": rewards.table_upper,
        "components": rewards.components,
        "changing": rewards.changing,
        "knots": rewards.knots,
        "unchanging": rewards.unchanging,
        "best_unchanging": np.float64(rewards.best_unchanging),
        "discount_factor": np.float64(game.discount_factor),
        "discount_weights": game.discount_weights,
        "tape": game.tape,
        "tape_lengths": game.tape_lengths,
        "change_round": changes.round,
        "change_item": changes.item,
        "change_joins": changes.joins,
        "renew_after": changes.renew_after,
        "renew_below": changes.renew_below,
        "checkpoints": checkpoints,
    }
    return Batch(shape, arrays)


def check_game(horizon: int, agents: int) -> None:
    """Refuse a game that a device cannot hold."""
    if horizon > MOST_ROUNDS:
        raise FieldError("horizon", horizon, f"at most {MOST_ROUNDS} on a GPU")
    if agents > MOST_AGENTS:
        said = f"has {agents} agents, and a GPU takes at most {MOST_AGENTS}"
        raise FieldError("market", agents, f"of at most {MOST_AGENTS} agents", said)


def can_hold(horizon: int, agents: int) -> bool:
    """Whether a device can hold a game."""
    return horizon <= MOST_ROUNDS and agents <= MOST_AGENTS


def shared(one: Lowered) -> tuple[Any, ...]:
    """What all games of a batch have in common, and what makes them alike for a kernel.

    Equal for markets that can be played together: everything of the plan but the factor of the
    sample, the discount, what changes during a game, tapes, and tables of rewards.
    """
    plan, game = one.plan, one.game
    arrays = [plan.horizons, game.discount_weights, *game.changes]
    if game.tape.size:
        arrays += [game.tape, game.tape_lengths]
    if has_tables(game.rewards.originals["family"]):
        arrays += map(np.asarray, game.rewards[1:])
    numbers = (*plan[:4], *plan[5:8], int(plan.seed), game.discount_factor)
    return (*numbers, *(array.tobytes() for array in arrays))


def has_tables(families: NDArray[np.int64]) -> bool:
    """Whether arms of these families pay by tables, mixtures or changing means."""
    return bool(np.isin(families, (TABLE, MIXTURE, CHANGING)).any())


def is_large(one: Lowered) -> bool:
    """Whether the state of a game is too large for a thread's own memory."""
    rooms = one.rooms if one.plan.is_flat else [len(one.counts), *one.rooms]
    nodes = 2 * sum(map(power_of_two, rooms))
    return _is_large(len(one.counts) + len(one.originals), nodes)


def _is_large(items: int, nodes: int) -> bool:
    return items * (ITEM_BYTES + 4) + nodes * NODE_BYTES > SMALL


def _shape(
    games: Sequence[Lowered], states: Sequence[State], *, has_means: bool, has_rules: bool
) -> Shape:
    """The constants of the kernel; sizes are the most of any market.

    Those of several markets, and of large ones, are rounded up, so that others find the kernel
    compiled.
    """
    plan, game = games[0].plan, games[0].game
    agents, items, pools, nodes, leaves, ring = (
        max(len(getattr(state, name)) for state in states)
        for name in ("order", "items", "pools", "nodes", "values", "ring")
    )
    originals = max(len(one.game.rewards.originals) for one in games)
    large = _is_large(items, nodes)
    if large or len(games) > 1:
        agents, pools, originals = map(power_of_two, (agents, pools, originals))
    if not large and len(games) > 1:
        items, nodes = map(power_of_two, (items, nodes))
    room = max(int(state.pools["room"][1 - plan.is_flat :].max()) for state in states)
    families = np.concatenate([one.game.rewards.originals["family"] for one in games])
    agent, arm = (
        rule._replace(parameters=(0.0, 0.0, 0.0), tries=0) if has_rules else rule
        for rule in (plan.agent, plan.arm)
    )
    return Shape(
        plan.is_flat,
        agent,
        arm,
        plan.sampling,
        0.0,  # the factor of the sample goes by the market
        *plan[5:8],
        agent_search=LEAVES if agents <= FEW else TOURNAMENT,
        arm_search=LEAVES if room <= FEW else TOURNAMENT,
        agents=agents,
        items=items,
        pools=pools,
        originals=originals,
        nodes=nodes,
        leaves=leaves,
        ring=ring,
        is_large=int(large),
        has_epochs=int(len(plan.horizons) > 1),
        has_means=int(has_means),
        has_rules=int(has_rules),
        has_weights=int(len(game.discount_weights) > 0),
        has_tape=int(game.tape.shape[1] > 0),
        has_changes=int(len(game.changes.round) > 0),
        has_renewals=int(len(game.changes.renew_after) > 0),
        has_tables=int(has_tables(families)),
        is_bernoulli=int(bool((families == BERNOULLI).all())),
    )


def _markets(games: Sequence[Lowered], states: Sequence[State], shape: Shape) -> dict[str, Any]:
    """The table of markets."""
    originals = [one.game.rewards.originals for one in games]
    sizes = [
        (len(state.order), len(state.items), len(state.pools), len(rows))
        for state, rows in zip(states, originals, strict=True)
    ]
    trees = [
        _padded([state.pools[name] for state in states], shape.pools, np.int32)
        for name in ("base", "room", "first", "items")
    ]
    return {
        "sizes": np.array(sizes, np.int32),
        "owner": _padded([state.items["owner"] for state in states], shape.items, np.int32),
        "original": _padded([state.items["original"] for state in states], shape.items, np.int32),
        "start": _padded([state.start for state in states], shape.items, np.int8),
        "order": _padded([state.order for state in states], shape.agents, np.int64),
        "trees": np.stack(trees, axis=2),
        "originals": _padded(originals, shape.originals, ORIGINAL),
    }


def _padded(rows: Sequence[Any], width: int, dtype: Any) -> Any:
    """Rows of unequal length as one array."""
    out = np.zeros((len(rows), width), dtype)
    for place, row in enumerate(rows):
        out[place, : len(row)] = row
    return out
