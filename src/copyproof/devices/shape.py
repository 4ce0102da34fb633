"""What a device's kernel is specialised by: the numbers of a plan, and how large a game may be."""

from typing import NamedTuple

from copyproof.engine.rules import LoweredRule


class Shape(NamedTuple):
    """Constants of one kernel; games that share them can be played together."""

    is_flat: int
    agent: LoweredRule
    arm: LoweredRule
    sampling: int
    factor: float
    power: float
    priority: int
    order_given: int
    agent_search: int
    arm_search: int
    # The most of any market: agents, items, pools, originals, nodes of all trees, leaves of the
    # largest, and plays in the ring of SW-UCB.
    agents: int
    items: int
    pools: int
    originals: int
    nodes: int
    leaves: int
    ring: int
    is_large: int  # items and trees are in the device's memory, not the thread's
    has_epochs: int
    has_means: int  # every game has means of its own
    has_rules: int  # every game has numbers of its own for the agents' and the arms' rule
    has_weights: int
    has_tape: int
    has_changes: int
    has_renewals: int
    has_tables: int  # arms pay by tables, mixtures or changing means
    is_bernoulli: int  # all arms pay 0 or 1
