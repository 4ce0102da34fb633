"""A market as people see it: as a table in a notebook, and as a data frame."""

import math
from typing import TYPE_CHECKING

from copyproof.game.agent import Agent, Arm
from copyproof.game.changing import Changing
from copyproof.game.discount import NO_DISCOUNT
from copyproof.game.market import Market
from copyproof.game.priors import Prior
from copyproof.game.rewards import Bernoulli
from copyproof.game.utility import NEUTRAL
from copyproof.validation import shown

if TYPE_CHECKING:
    import pandas as pd

# Arms of an agent that a table names.
_MOST_ARMS = 6


def market_frame(market: Market) -> "pd.DataFrame":
    """What ``Market.to_frame`` returns."""
    import pandas as pd

    rows = [
        (market.label, agent.name, place, _family(arm), _mean(arm), copies)
        for agent in market.agents
        for place, (arm, copies) in enumerate(zip(agent.arms, agent.copies, strict=True))
    ]
    frame = pd.DataFrame(rows, columns=["market", "agent", "arm", "family", "mean", "copies"])
    if market.groups:
        frame.insert(2, "group", [market.agent(name).group for name in frame["agent"]])
    return frame


def market_html(market: Market) -> str:
    """What a notebook shows of a market: a row for each agent."""
    from copyproof.pages import notebook_table

    notes = [f"Fee for each registered arm: {market.fee:g}."] * (market.fee > 0)
    if market.discount != NO_DISCOUNT:
        notes.append(f"Discount: {shown(market.discount)}.")
    for group, names in market.groups.items():
        notes.append(f"Bound to one principal, {shown(group)}: {', '.join(names)}.")
    rows = [[agent.name, _arms(agent), f"{agent.registered:,}"] for agent in market.agents]
    head = ["agent", "arms × copies", "registered"]
    return notebook_table(
        head, rows, title=repr(market)[1:-1], notes=notes, words=["arms × copies"]
    )


def _arms(agent: Agent) -> str:
    """An agent's arms with their copies, the first ones if they are many."""
    pairs = list(zip(agent.arms, agent.copies, strict=True))
    first = [_arm(arm, copies) for arm, copies in pairs[:_MOST_ARMS]]
    more = [f"{len(pairs) - _MOST_ARMS:,} more"] if len(pairs) > _MOST_ARMS else []
    attitude = "" if agent.utility == NEUTRAL else f" ({shown(agent.utility)})"
    return ", ".join([*first, *more]) + attitude


def _arm(arm: Arm, copies: int) -> str:
    mean = _mean(arm)
    family = _family(arm)
    named = family if math.isnan(mean) else f"{mean:g}"
    if not math.isnan(mean) and not isinstance(arm, Bernoulli):
        named = f"{family} {mean:g}"
    return f"{named} hidden" if copies == 0 else f"{named} × {copies:,}"


def _family(arm: Arm) -> str:
    name = type(arm).__name__
    return f"{name.removesuffix('Prior').lower()} prior" if isinstance(arm, Prior) else name.lower()


def _mean(arm: Arm) -> float:
    return math.nan if isinstance(arm, Prior | Changing) else arm.mean
