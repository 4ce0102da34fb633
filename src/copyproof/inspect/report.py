"""The report of an inspection: one page that says who copies, what it costs, and what is open.

The page opens from disk, needs no network and no script, and has its figures within it. Equal
results give equal bytes; the time that it took stands on a line of its own.
"""

from dataclasses import dataclass
from heapq import nlargest
from pathlib import Path

from copyproof._files import write_or_refuse
from copyproof.inspect.answers import Answer
from copyproof.inspect.display import counted, verdict
from copyproof.inspect.figure import one_arm_each_figure, shares_figure
from copyproof.inspect.result import Inspection
from copyproof.pages import Badge, PageTable, Picture, render
from copyproof.plots import brief, limits
from copyproof.plots.files import figure_bytes
from copyproof.validation import file_path, shortened

_MOST_ROWS = 50
_MOST_ARMS = 20


@dataclass(frozen=True, slots=True)
class InspectionPage:
    """All that ``inspection.html.j2`` is given."""

    title: str
    found: Inspection
    size: str
    mark: Badge
    verdict: str
    answers: tuple[Answer, ...]
    shares: Picture
    one_arm_each: Picture | None
    agents: PageTable
    arms: PageTable
    groups: PageTable | None
    problems: PageTable | None
    market: PageTable
    left_out: tuple[str, ...]
    command: str | None


def write_inspection_report(
    found: Inspection, path: str | Path, *, command: str | None = None
) -> None:
    """Write one page about an inspection.

    Parameters
    ----------
    found : Inspection
        What ``inspect_log`` found.
    path : path
        The HTML file; it appears whole or not at all.
    command : str, optional
        What to type to find the same again.

    Raises
    ------
    ValueError
        If the file cannot be written.
    """
    place = file_path("path", path)
    write_or_refuse(place, render_inspection_page(found, command=command).encode())


def render_inspection_page(found: Inspection, *, command: str | None = None) -> str:
    """The whole page as text."""
    arms = sum(len(agent.arms) for agent in found.agents)
    mark = Badge("✗ copies", "fails") if found.copiers else Badge("no copies found", "open")
    left_out = [
        f"{counted(count - _MOST_ROWS, what)} more, which --json has"
        for count, what in ((len(found.agents), "agent"), (len(found.groups), "group"))
        if count > _MOST_ROWS
    ]
    if arms > _MOST_ARMS:
        left_out.append(f"{counted(arms - _MOST_ARMS, 'arm')} more, which --json has")
    page = InspectionPage(
        title="Who copies, and what it costs",
        found=found,
        size=f"{counted(len(found.agents), 'agent')} with {counted(arms, 'arm')}",
        mark=mark,
        verdict=verdict(found),
        answers=found.answers,
        shares=_shares_picture(found),
        one_arm_each=_one_arm_each_picture(found),
        agents=_agents_table(found),
        arms=_arms_table(found),
        groups=_groups_table(found) if found.groups else None,
        problems=_problems_table(found) if found.problems else None,
        market=_market_table(found),
        left_out=tuple(left_out),
        command=command,
    )
    return render("copyproof.inspect", "inspection.html.j2", page)


def _shares_picture(found: Inspection) -> Picture:
    parts = [
        f"{agent.name} {100 * found.shares[0, k]:.0f} % at first, "
        f"{100 * found.shares[-1, k]:.0f} % at last"
        for k, agent in enumerate(found.agents[:6])
    ]
    caption = "Each agent's share of the plays over the log's time; agents with copies are hatched."
    svg = figure_bytes(shares_figure(found), "svg")
    return Picture(svg, f"Shares of plays: {'; '.join(parts)}.", caption, broad=True)


def _one_arm_each_picture(found: Inspection) -> Picture | None:
    asked = [one for one in found.answers if one.question == "share" and one.value is not None]
    if not asked:
        return None
    logged = {agent.name: agent.share for agent in found.agents}
    svg = figure_bytes(one_arm_each_figure(asked, logged), "svg")
    caption = (
        "Shares of the plays in games on the estimated market; bars hold 95 of 100 such periods."
    )
    return Picture(svg, " ".join(one.text for one in asked), caption, broad=True)


def _agents_table(found: Inspection) -> PageTable:
    rows = [
        (
            agent.name,
            f"{len(agent.arms):,}",
            f"{agent.copies:,}" if agent.copies else "–",
            f"{100 * agent.copied_share:.1f} %" if agent.copies else "–",
            f"{agent.plays:,}",
            f"{100 * agent.share:.1f} %",
            limits(agent.reward),
            "newcomer" if agent.newcomer else "",
        )
        for agent in found.agents[:_MOST_ROWS]
    ]
    head = ("Agent", "Arms", "Copies", "Plays of copied arms", "Plays", "Share", "Mean reward", "")
    return PageTable(head, rows, words=("",))


def _arms_table(found: Inspection) -> PageTable:
    arms = (arm for agent in found.agents for arm in agent.arms)
    rows = [
        (
            arm.name,
            arm.agent,
            f"{arm.plays:,}",
            f"{100 * arm.plays / found.used:.1f} %",
            limits(arm.reward),
        )
        for arm in nlargest(_MOST_ARMS, arms, key=lambda arm: arm.plays)
    ]
    head = ("Arm", "Agent", "Plays", "Share", "Mean reward")
    return PageTable(head, rows, "Arms, the most shown first.", words=("Agent",))


def _groups_table(found: Inspection) -> PageTable:
    rows = []
    for group in found.groups[:_MOST_ROWS]:
        names = ", ".join(arm for _, arm in group.arms[:4])
        more = f" and {len(group.arms) - 4:,} more" if len(group.arms) > 4 else ""
        rows.append(
            (
                shortened(", ".join(group.agents), 80),
                f"{len(group.arms):,}",
                f"{group.plays:,}",
                f"{100 * group.share:.1f} %",
                shortened(names, 120) + more,
                group.evidence,
            )
        )
    head = ("Agents", "Arms", "Plays", "Share", "Which", "Evidence")
    return PageTable(head, rows, words=("Which", "Evidence"))


def _problems_table(found: Inspection) -> PageTable:
    rows = [
        (
            problem.what,
            f"{problem.rows:,}",
            "left out" if problem.left_out else "kept",
            "\n".join(problem.shown),
        )
        for problem in found.problems
    ]
    return PageTable(("What", "Rows", "Fate", "For instance"), rows, numbers=False)


def _market_table(found: Inspection) -> PageTable:
    rows = []
    for agent in found.market.agents[:_MOST_ROWS]:
        arms = [
            brief(arm.mean) + (f"\u00a0×\u00a0{copies:,}" if copies > 1 else "")
            for arm, copies in list(zip(agent.arms, agent.copies, strict=True))[:8]
        ]
        more = f" and {len(agent.arms) - 8:,} more" if len(agent.arms) > 8 else ""
        rows.append((agent.name, ", ".join(arms) + more))
    a, b = brief(found.prior.alpha), brief(found.prior.beta)
    caption = f"Expected means of each agent's originals × copies; over agents: Beta({a}, {b})."
    return PageTable(("Agent", "Originals"), rows, caption, numbers=False)
