"""What a live market remembers beside the engine's state, and what it agreed on."""

import math
from typing import Any, NamedTuple

import numpy as np

from copyproof.engine.cache import inlined

# Statuses of a reward, in the order of ``live.records.STATUSES``.
COUNTED = 0
IGNORED = 1
CORRECTED = 2
REFUSED_LATE = 3

# Which of several rewards counts, and what is done with late ones.
FIRST, LAST, SUM, MAXIMUM = 0, 1, 2, 3
REFUSE, CORRECT = 0, 1
# What an unanswered play counts for: nothing; what is expected of it until its reward is due, by
# when its agent's come, and those of others do, too; the same by when its agent's come, whatever
# those of others do.
OMITTED, UNTIL_DUE, PATIENT = 0, 1, 2
# Rewards that an agent is taken to have had, each the default one, before the first it has.
DOUBT = 20.0
NO_LIMIT = 2**62

# Why statistics are laid out anew: not the policy's doing; another policy.
AS_THEY_ARE, CHANGED = 0, 1

# One row a decision. The value of one that is PENDING is the default reward; 0 where it is omitted.
LOG = np.dtype([("at", "f8"), ("value", "f8"), ("arm", "i4"), ("told", "i4")])
PENDING, TOLD, DEFAULTED = 0, 1, 2

# Counters of a market.
ROUND = 0  # decisions so far
EXPIRED = 1  # no decision up to this one waits any more
FORGOTTEN = 2  # decisions up to this one are no longer kept
BASE = 3  # decisions before the first row of the log
LAID = 4  # whether trees are laid: 1 from the first decision on
BANKED = 5  # plays up to this one are in the books of earlier epochs
COUNTERS = 6

# What epochs before the present one have seen, which the policy has forgotten; where unanswered
# plays count, all rewards that are known, as the items' sums hold what is expected, too.
PAST = np.dtype([("total", "f8"), ("plays", "i8"), ("answers", "i8")])
# Of an agent's plays that are due: how many they are, and what was told of them. After how many
# rounds its next plays are due, as a place in its histogram of delays, from 1 on, and UNKNOWN
# before any reward; after how many at most so far; and the round of its last play. Of all agents
# together, ``waits`` has a bit for each place that one of them ever had.
KNOWN = np.dtype(
    [("total", "f8"), ("plays", "i8"), ("waits", "i8"), ("longest", "i8"), ("last", "i8")]
)
UNKNOWN = 0
# Places of a histogram of delays: 0, 1, 2 and 3, 4 to 7, …
DELAYS = 32
HISTORY = np.dtype([("hash", "u8"), ("last", "f8"), ("repeats", "i8"), ("rewards", "i8")])
# After so many rewards the hash of an arm's history is kept, to be compared with others'.
PRINTS = (16, 64, 256, 1024)


class Live(NamedTuple):
    """What a live market remembers beside the engine's state."""

    log: Any  # decisions, one row each, from round ``counters[BASE]`` + 1 on
    numbers: Any  # of each decision: how many plays its agent had before, in the epoch
    worths: Any  # of each decision: what it counts as for its arm until its reward comes
    counters: Any
    item_of: Any
    # Per arm: a hash of its rewards, how often one equals the one before, how many there were.
    history: Any
    prints: Any
    past: Any  # per agent: what earlier epochs saw, and late rewards for their plays
    past_arms: Any  # the same per arm
    counted: Any  # of each decision: what it counts as for its agent now (``due_rewards``)
    waits: Any  # of each decision: after how many rounds it is due, as in KNOWN
    previous: Any  # of each decision: the round of its agent's play before; 0 for none
    known: Any  # per agent: a KNOWN
    delays: Any  # per agent: a histogram of when its rewards were told
    due: Any  # one KNOWN
    spread: Any  # one row: how many of the agents that may be shown have each delay
    renewed: Any  # per agent: 1 if what its waiting plays count as was found anew; who asks sets 0
    marks: Any  # scratch, per item; all 0 between operations
    left: Any  # scratch, per agent


class Terms(NamedTuple):
    """What a market agreed on."""

    rewards: int
    late: int
    default: float
    unanswered: int  # OMITTED, UNTIL_DUE or PATIENT
    shadows: int  # 1 if another policy decides: the rows of the log to come say what it decided
    per_agent: int  # places of one agent on a slate, at most; NO_LIMIT for any number


@inlined
def on_grid(worth: float) -> float:
    """A multiple of 2^−20, so that sums are exact again when it has been corrected."""
    return math.floor(max(worth, 0.0) * 1048576.0) / 1048576.0
