"""What becomes of statistics when arms pass from one principal to another.

A principal's sums are those of its arms: its plays N = Σ n(a), what it has earned Σ r(a)·n(a), and
the books of earlier epochs. So they are the sums of its names' when these are bound, and a name
that is freed goes on with those of its own arms. Beside them a rule may keep something of the order
in which rewards came (the starts of a trial, windows of the last plays): that order is not kept for
ever, and is filled as where another policy takes over, as if rewards had come evenly.

In play are the arms that were in play for any of the names. Where a sample has a bound, those that
were played most stay, ties by registration, and the others wait outside; and a sample of fixed size
that has fewer than it may hold takes in who waits, in order of registration. Nobody else's
statistics, samples or random numbers change. n stays what it was until the next epoch.
"""

from typing import Any

import numpy as np

from copyproof.engine.live import spread_again
from copyproof.engine.live_records import BANKED, EXPIRED, FORGOTTEN, KNOWN, PENDING, ROUND, UNKNOWN
from copyproof.engine.plan import ALL, BY_RULE, FIXED, GROWING, Plan, sample_size
from copyproof.engine.state import ABSENT, OUTSIDE, RETIRED
from copyproof.live.arrays import Arrays
from copyproof.live.layout import CHALLENGE

_IN_PLAY = 0
_BY_AGENT = (
    "agents",
    "trials",
    "starts",
    "blocks",
    "past",
    "suspended",
    "known",
    "delays",
)
_BY_POOL = ("seats", "challenges", "bars")


def regroup(arrays: Arrays, *, owner: Any, registered: Any, suspended: Any, vacant: Any) -> None:
    """Let arms be those of other principals, after the first decision; arrays are laid out anew.

    Parameters
    ----------
    arrays : Arrays
        What is known; modified in place.
    owner : array of int
        Of each arm, its principal.
    registered : array of int
        Of each arm, 1 if it is there for its principal.
    suspended : array of int
        Of each principal, 1 if it is suspended as a whole.
    vacant : array of bool
        Of each principal, whether it has no name.
    """
    saved, plan = arrays.export(), arrays.plan
    before = saved["arms"]["owner"].astype(np.int64)
    moved = before != owner
    _make_room(saved, len(vacant), is_flat=bool(plan.is_flat))
    was_in, is_in = (
        _takes_part(plan, there, of, out)
        for there, of, out in (
            (saved["registered"], before, saved["suspended"]),
            (registered, owner, suspended),
        )
    )
    changed = np.unique(np.concatenate([before[moved], owner[moved]])).astype(np.int64)
    saved["arms"]["owner"], saved["registered"], saved["suspended"] = owner, registered, suspended
    numbers = np.arange(len(vacant))
    saved["agents"]["owner"] = np.where(vacant, -1, numbers)
    status = saved["status"]
    status[was_in & ~is_in & (status == _IN_PLAY)] = RETIRED
    status[was_in & ~is_in & (status == OUTSIDE)] = ABSENT
    come = ~was_in & is_in
    status[come & (status == ABSENT)] = _IN_PLAY if plan.sampling == ALL else OUTSIDE
    status[come & (status == RETIRED)] = _IN_PLAY
    _count_in(saved, changed)
    if "delays" in saved:
        saved["delays"][vacant] = 0.0
        saved["known"][vacant] = np.zeros((), KNOWN)
    for one in changed.tolist():
        _add_up(saved, one)
        if not plan.is_flat:
            _choose_sample(saved, plan, one)
    if "due" in saved:
        for name in ("total", "plays"):
            saved["due"][name] = saved["known"][name].sum()
    arrays.load(saved, plan)
    spread_again(plan, arrays.state, changed)


def _takes_part(plan: Plan, registered: Any, owner: Any, suspended: Any) -> Any:
    """Whether arms may be in play; in the one pool of a flat policy those of the suspended not."""
    there = registered.astype(bool)
    return there & ~suspended.astype(bool)[owner] if plan.is_flat else there


def _make_room(saved: dict[str, Any], agents: int, *, is_flat: bool) -> None:
    """Add rows for agents that are new, and for their pools; ``saved`` is modified in place."""
    more = agents - len(saved["agents"])
    for name in saved.keys() & {*_BY_AGENT, *(() if is_flat else _BY_POOL)}:
        rows = saved[name]
        saved[name] = np.concatenate([rows, np.zeros((more, *rows.shape[1:]), rows.dtype)])


def _count_in(saved: dict[str, Any], changed: Any) -> None:
    """Let principals that have an arm by now count plays in the market's unit; ``saved`` changes.

    Without this a principal could have no unit: its number is that of a name without an arm.
    """
    epochs = saved["epoch"]
    has_arm = np.isin(changed, saved["arms"]["owner"][saved["registered"].astype(bool)])
    rows = 1 + changed[has_arm]
    rows = rows[rows < len(epochs)]  # the others have the market's epoch
    rows = rows[epochs["unit"][rows] == 0.0]
    epochs["unit"][rows] = epochs["unit"][0]


def _add_up(saved: dict[str, Any], agent: int) -> None:
    """Let a principal's sums be those of its arms; ``saved`` is modified in place."""
    arms, log, counters = saved["arms"], saved["log"], saved["counters"]
    mine = arms["owner"] == agent
    item = saved["agents"][agent : agent + 1]
    for name in ("total", "plays", "answers"):
        item[name] = arms[name][mine].sum()
        saved["past"][name][agent] = saved["past_arms"][name][mine].sum()
    rounds = np.arange(counters[FORGOTTEN] + 1, counters[ROUND] + 1)
    rows = np.flatnonzero(mine[log["arm"]] & (rounds > counters[BANKED]))
    if "worths" in saved:
        # For its arm a play that waits counts otherwise.
        item["total"] += (saved["counted"][rows] - saved["worths"][rows]).sum()
        # The decisions that are remembered are the last plays of the principal, in their order.
        saved["numbers"][rows] = int(item["plays"][0]) - len(rows) + np.arange(len(rows))
        _know_again(saved, agent, np.flatnonzero(mine[log["arm"]]), rounds)


def _know_again(saved: dict[str, Any], agent: int, rows: Any, rounds: Any) -> None:
    """Find out what is known of a principal whose decisions are these; ``saved`` is modified."""
    log, counters, waits = saved["log"][rows], saved["counters"], saved["waits"]
    known, past = saved["known"][agent : agent + 1], saved["past"][agent]
    dated = waits[rows][waits[rows] != UNKNOWN]
    if known["waits"] == UNKNOWN and len(dated):
        known["waits"] = dated[-1]
    waits[rows] = np.where(waits[rows] == UNKNOWN, known["waits"], waits[rows])
    known["longest"] = max(known["waits"][0], waits[rows].max(initial=0))
    known["last"] = rounds[rows].max(initial=0)
    saved["previous"][rows[1:]] = rounds[rows[:-1]]
    saved["previous"][rows[:1]] = 0
    delays = np.left_shift(1, waits[rows].astype(np.int64)) // 2 * (waits[rows] > 1)
    is_due = (waits[rows] != UNKNOWN) & (counters[ROUND] - rounds[rows] >= delays)
    is_due |= rounds[rows] <= counters[EXPIRED]
    # What was told of plays that are not due is not known, and those that are due are, untold.
    waiting = log["told"] == PENDING
    known["plays"] = past["plays"] + saved["agents"]["plays"][agent] - (~is_due).sum()
    known["total"] = past["total"] + log["value"][is_due & waiting].sum()
    known["total"] -= log["value"][~is_due & ~waiting].sum()
    known["total"] = np.clip(known["total"], 0.0, known["plays"])


def _choose_sample(saved: dict[str, Any], plan: Plan, agent: int) -> None:
    """Say which of a principal's arms are in play; ``saved`` is modified in place."""
    status, arms = saved["status"], saved["arms"]
    mine = np.flatnonzero(arms["owner"] == agent)
    playing = mine[status[mine] == _IN_PLAY]
    waiting = mine[status[mine] == OUTSIDE]
    seats = int(np.isin(status[mine], (_IN_PLAY, RETIRED)).sum())
    if plan.sampling not in (ALL, BY_RULE):
        most = int(sample_size(plan, _clock(saved, plan, agent), 2**53))
        playing = playing[np.argsort(-arms["plays"][playing], kind="stable")]
        status[playing[most:]] = OUTSIDE
        playing = playing[:most]
        if plan.sampling == FIXED:
            more = waiting[: most - len(playing)]
            status[more] = _IN_PLAY
            seats += len(more)
        seats = max(len(playing), min(seats, most))
    saved["seats"][agent] = seats
    fresh = np.zeros((), CHALLENGE)
    fresh["last"] = fresh["pointer"] = -1
    saved["challenges"][agent] = fresh
    if "bars" in saved:
        saved["bars"][agent + 1] = 0.0


def _clock(saved: dict[str, Any], plan: Plan, agent: int) -> int:
    """Return what the bound of a sample is a function of: T, the round, or the own round."""
    epoch = saved["epoch"][0]
    if plan.sampling == FIXED:
        return int(epoch["horizon"])
    if plan.sampling == GROWING:
        return int(max(1, saved["counters"][ROUND] - epoch["before"]))
    return int(max(1, saved["agents"]["plays"][agent]))
