"""Inspections as people see them: one line, a data frame, and a table in a notebook."""

from typing import TYPE_CHECKING

from copyproof.plots.numbers import limits

if TYPE_CHECKING:
    import pandas as pd

    from copyproof.inspect.result import Inspection


def counted(count: int, what: str) -> str:
    """A number and what it counts.

    Examples
    --------
    >>> counted(1, "arm"), counted(2000, "arm")
    ('1 arm', '2,000 arms')
    """
    return f"{count:,} {what}{'s' * (count != 1)}"


def inspected(found: "Inspection") -> str:
    """What was found, on one line."""
    arms = sum(len(agent.arms) for agent in found.agents)
    size = f"{counted(found.used, 'row')}, {counted(len(found.agents), 'agent')}"
    return f"{found.log}: {size}, {counted(arms, 'arm')}; {verdict(found)}"


def verdict(found: "Inspection") -> str:
    """Who holds copies, in a few words."""
    copiers = found.copiers
    if not copiers:
        return "no copies found"
    held = sum(agent.copies for agent in copiers)
    copies = "1 copy" if held == 1 else f"{held:,} copies"
    holds = "holds" if len(copiers) == 1 else "hold"
    return f"{counted(len(copiers), 'agent')} {holds} {copies}"


def inspection_frame(found: "Inspection") -> "pd.DataFrame":
    """What ``Inspection.to_frame`` returns."""
    import pandas as pd

    rows = [
        {
            "market": found.market.label,
            "agent": agent.name,
            "arm": arm.name,
            "plays": arm.plays,
            "share": arm.plays / found.used,
            "reward_mean": arm.reward.mean,
            "reward_low": arm.reward.low,
            "reward_high": arm.reward.high,
            "first": arm.first,
            "last": arm.last,
            "group": arm.group,
        }
        for agent in found.agents
        for arm in agent.arms
    ]
    return pd.DataFrame(rows).astype({"group": "Int64"})


def inspection_html(found: "Inspection") -> str:
    """What a notebook shows of an inspection: a row for each agent."""
    from copyproof.pages import notebook_table

    return notebook_table(
        ["agent", "arms", "copies", "share of plays", "mean reward", "newcomer"],
        [
            [
                agent.name,
                f"{len(agent.arms):,}",
                f"{agent.copies:,}",
                f"{100 * agent.share:.1f} %",
                limits(agent.reward),
                "yes" if agent.newcomer else "",
            ]
            for agent in found.agents
        ],
        title=inspected(found),
        notes=[
            *(str(problem) for problem in found.problems),
            *(answer.text for answer in found.answers),
            *found.notes,
        ],
        words=["newcomer"],
    )
