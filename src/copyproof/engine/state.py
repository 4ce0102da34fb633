"""What the engine remembers: pools of items with their statistics, as plain arrays.

An *item* is something that can be chosen and has a history: agents are items 0 … n − 1, and the
registered arms follow, agent by agent, original by original, copy by copy ("registration order").
A *pool* is a set of items among which one choice is made. A flat policy has one pool of arms; a
hierarchical policy has pool 0 of agents, and pool i + 1 with the arms of agent i. Both levels use
the same records and the same code.

``plays`` counts how often an item was chosen and drives widths; ``answers`` counts the rewards
that have come back and, with ``total``, gives the mean. In a simulation they are equal after every
round; a live principal, whose rewards come late, lets them differ. A pool's tree can be re-laid
with more room (``base``, ``room``), so that arms may join; a leaf of count 0 is an arm that is not
there.

Arms may come and go (``registration``). ``place`` says where an item is: at that place of its
pool's tree, in play; or waiting OUTSIDE the sample, registered; or ABSENT, not registered; or
RETIRED, not registered, but it has been in play.
"""

from typing import Any, NamedTuple

import numpy as np

from copyproof.engine.cache import inlined
from copyproof.engine.tournament import allocate_nodes

ITEM = np.dtype(
    [("total", "f8"), ("plays", "i8"), ("answers", "i8"), ("owner", "i4"), ("original", "i4")]
)
POOL = np.dtype(
    [
        ("base", "i8"),  # the tree is nodes[base : base + 2 * room]
        ("room", "i8"),  # most leaves it can hold: a power of two
        ("cap", "i8"),  # leaves of the tree as it is laid now: a power of two ≤ room
        ("size", "i8"),  # leaves in use: the arms in play
        ("first", "i8"),  # the first item that belongs to the pool
        ("items", "i8"),  # how many belong to it, registered or not
        ("outside", "i8"),  # how many of them are registered, but not in play
        ("seats", "i8"),  # size of the sample: arms ever admitted to it, replaced ones but once
        ("x", "f8"),  # where the tree's clock stands; the bar of Thompson sampling (``posteriors``)
        ("bar", "f8"),  # of Exp3: the chance of the choice that was made last (``leaf_statistics``)
        # For rules that let arms challenge a champion (``champion``):
        ("last", "i8"),  # the item that was played last; −1 at first
        ("failed", "i8"),  # what came of it: PAID, FAILED or WAITS
        ("pointer", "i8"),  # the item that had its turn to challenge last; −1 at first
    ]
)
# Of a window of an agent's last plays: the sums of its present block, and of the one before.
BLOCK = np.dtype([("now", "f8"), ("last", "f8")])
# One of the last plays of a pool (``leaf_statistics``).
RING = np.dtype([("reward", "f8"), ("place", "i8")])
# Of a start in an agent's trial: what it had earned by then, and claims; 0 before it comes.
START = np.dtype([("earned", "f8"), ("claim", "f8")])
EPOCH = np.dtype(
    [
        ("number", "i8"),
        ("before", "i8"),  # rounds of the epochs before
        ("horizon", "i8"),  # T of this epoch
        ("log", "f8"),  # ln T
        # What the agent rule counts plays in: under trial T/n; under sampled KL-UCB κ; else 1.
        # 0 for an agent that has had no arm in the epoch.
        ("unit", "f8"),
    ]
)

# Starts in an agent's trial (``trial``).
LEVELS = 24
# Most windows of an agent's last plays (``memory``).
WINDOWS = 8

# Where an item is that is not in play.
OUTSIDE = -1
ABSENT = -2
RETIRED = -3

# What came of a pool's last play: it did not fail; it failed; or nobody can know yet.
PAID = 0
FAILED = 1
WAITS = 2


class State(NamedTuple):
    """All that changes while a game is played."""

    items: Any
    pools: Any
    nodes: Any
    place: Any  # where an item stands in its pool, or why it does not
    # What ``place`` says before round 1: OUTSIDE if registered, ABSENT if it comes later.
    start: Any
    trials: Any  # of each agent, the sum of its rewards since each start (``trial``)
    starts: Any  # of each agent, a START for each
    blocks: Any  # of each agent, a BLOCK for each window of its last plays (``memory``)
    # The present EPOCH; where agents may come, one for each of them behind it (``epoch_of``).
    epoch: Any
    order: Any  # the agents in the order that priority ties go by
    keys: Any  # keys of the random streams: row 0 the principal's, row i + 1 agent i's (streams)
    values: Any  # scratch, a number per leaf of the largest pool: indices of rules that scan
    members: Any  # scratch, an item per leaf of the largest pool: who is to stand in a pool
    ring: Any  # for SW-UCB, the last plays of one pool after the other, as many each; else unused


@inlined
def epoch_of(state: State, agent: int) -> Any:
    """The epoch as an agent has it: n is counted when it begins, or at the agent's first arm."""
    return state.epoch[agent + 1 if agent + 1 < state.epoch.shape[0] else 0]


def power_of_two(count: int) -> int:
    """The smallest power of two that is at least ``count``."""
    return 1 << max(count - 1, 0).bit_length()


def allocate(
    counts: Any,
    originals: Any,
    late: Any,
    rooms: list[int],
    *,
    is_flat: bool,
    window: int = 0,
    coming: bool = False,
) -> State:
    """Lay out the state of a game.

    Parameters
    ----------
    counts : array of int
        Number of arms of each agent, those that come later included.
    originals : array of int
        The original of each arm, all agents' arms in a row.
    late : array of bool
        Which arms come later.
    rooms : list of int
        How many arms may be in play at a time: in all if ``is_flat``, else of each agent.
    is_flat : bool
        Whether all arms stand in one pool.
    window : int
        How many of its last plays a pool remembers.
    coming : bool
        Whether arms may come during the game.
    """
    agents = len(counts)
    arms = len(originals)
    items = np.zeros(agents + arms, ITEM)
    items["owner"][:agents] = np.arange(agents)
    items["owner"][agents:] = np.repeat(np.arange(agents), counts)
    items["original"][agents:] = originals
    start = np.full(agents + arms, OUTSIDE, np.int8)
    start[agents:][late] = ABSENT
    pools = np.zeros(1 if is_flat else agents + 1, POOL)
    pools["room"] = [power_of_two(most) for most in (rooms if is_flat else [agents, *rooms])]
    pools["base"] = np.cumsum(2 * pools["room"]) - 2 * pools["room"]
    if is_flat:
        pools["first"] = agents
        pools["items"] = arms
    else:
        pools["items"] = [agents, *counts]
        pools["first"][1:] = agents + np.cumsum(counts) - counts
    most = int(np.max(pools["room"]))
    return State(
        items=items,
        pools=pools,
        nodes=allocate_nodes(int(2 * np.sum(pools["room"]))),
        place=np.full(agents + arms, ABSENT, np.int32),
        start=start,
        trials=np.zeros((agents, LEVELS)),
        starts=np.zeros((agents, LEVELS), START),
        blocks=np.zeros((agents, WINDOWS), BLOCK),
        epoch=np.zeros(1 + coming * agents, EPOCH),
        order=np.arange(agents),
        keys=np.zeros((agents + 1, 2), np.uint64),
        values=np.zeros(most),
        members=np.zeros(most, np.int64),
        ring=np.zeros(max(1, window * len(pools)), RING),
    )
