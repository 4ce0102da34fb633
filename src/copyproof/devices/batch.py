"""Games that are played together on a device: several markets, one plan, as arrays.

A *batch* holds what all its games share, a table with a row for each market, and for each game its
market and its repetition. Markets may differ in agents, arms and means; they share the policy with
its parameters, the horizon and the seed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof.devices.shape import Shape
from copyproof.engine.distributions import BERNOULLI, CHANGING, MIXTURE, TABLE
from copyproof.engine.lower import Lowered
from copyproof.engine.plan import LEAVES, TOURNAMENT
from copyproof.engine.state import State

FEW = 32  # items of a pool that is looked at one by one
SMALL = 6_000  # bytes of items and trees that a thread may have for itself


@dataclass(frozen=True, slots=True)
class Batch:
    """A shape, and the arrays that its kernel is given by name; all games' results are rows."""

    shape: Shape
    arrays: dict[str, Any]


def pack(
    games: Sequence[Lowered],
    market_of: NDArray[np.int32],
    repetition_of: NDArray[np.int64],
    checkpoints: NDArray[np.int64],
    *,
    means: NDArray[np.float64] | None = None,
    small: int = SMALL,
    few: int = FEW,
) -> Batch:
    """Lay out games for a device; all markets' plans are alike."""
    first = games[0]
    states = [game.new_state() for game in games]
    plan, game = first.plan, first.game
    most = _most(states)
    agents, items, pools, originals, nodes, leaves, ring = most
    rooms = [int(state.pools["room"][1 - plan.is_flat :].max()) for state in states]
    rewards = [one.game.rewards for one in games]
    table = np.zeros((len(games), max(len(one.originals) for one in rewards)), ORIGINAL_DTYPE)
    for row, one in zip(table, rewards, strict=True):
        row[: len(one.originals)] = one.originals
    shape = Shape(
        is_flat=plan.is_flat,
        agent=plan.agent,
        arm=plan.arm,
        sampling=plan.sampling,
        factor=plan.factor,
        power=plan.power,
        priority=plan.priority,
        order_given=plan.order_given,
        agent_search=LEAVES if agents <= few else TOURNAMENT,
        arm_search=LEAVES if max(rooms) <= few else TOURNAMENT,
        agents=agents,
        items=items,
        pools=pools,
        originals=table.shape[1],
        nodes=nodes,
        leaves=leaves,
        ring=ring,
        is_large=int(items * 28 + nodes * 32 > small),
        has_epochs=int(len(plan.horizons) > 1),
        has_means=int(means is not None),
        has_weights=int(len(game.discount_weights) > 0),
        has_tape=int(game.tape.shape[1] > 0),
        has_changes=int(len(game.changes.round) > 0),
        has_renewals=int(len(game.changes.renew_after) > 0),
        has_tables=int(bool(np.isin(table["family"], (TABLE, MIXTURE, CHANGING)).any())),
        is_bernoulli=int(bool((table["family"] == BERNOULLI).all())),
    )
    count = len(market_of)
    arrays = {
        "horizons": plan.horizons,
        "seed": np.uint64(plan.seed),
        "market_of": np.asarray(market_of, np.int32),
        "repetition_of": np.asarray(repetition_of, np.int64),
        "sizes": np.array(
            [(len(s.windows), len(s.items), len(s.pools), len(r.originals))
             for s, r in zip(states, rewards, strict=True)], np.int32),
        "owner": _padded([s.items["owner"] for s in states], items, np.int32),
        "original": _padded([s.items["original"] for s in states], items, np.int32),
        "start": _padded([s.start for s in states], items, np.int8),
        "order": _padded([s.order for s in states], agents, np.int64),
        "trees": np.stack([_padded([s.pools[name] for s in states], pools, np.int32)
                           for name in ("base", "room", "first", "items")], axis=2),
        "originals": table,
        "means": np.zeros((1, 1)) if means is None else np.ascontiguousarray(means),
        "table_value": game.rewards.table_value,
        "table_upper": game.rewards.table_upper,
        "components": game.rewards.components,
        "changing": game.rewards.changing,
        "knots": game.rewards.knots,
        "unchanging": game.rewards.unchanging,
        "best_unchanging": np.float64(game.rewards.best_unchanging),
        "discount_factor": np.float64(game.discount_factor),
        "discount_weights": game.discount_weights,
        "tape": game.tape,
        "tape_lengths": game.tape_lengths,
        "change_round": game.changes.round,
        "change_item": game.changes.item,
        "change_joins": game.changes.joins,
        "renew_after": game.changes.renew_after,
        "renew_below": game.changes.renew_below,
        "checkpoints": checkpoints,
    }
    return Batch(shape, arrays)


from copyproof.engine.quantiles import ORIGINAL as ORIGINAL_DTYPE


def _most(states: Sequence[State]) -> tuple[int, ...]:
    return tuple(
        max(len(getattr(state, name)) for state in states)
        for name in ("windows", "items", "pools", "order", "nodes", "values", "ring")
    )


def _padded(rows: Sequence[Any], width: int, dtype: Any) -> Any:
    out = np.zeros((len(rows), width), dtype)
    for place, row in enumerate(rows):
        out[place, : len(row)] = row
    return out
