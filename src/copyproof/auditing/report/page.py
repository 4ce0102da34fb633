"""The report of an audit: one page that says what copies gain, how it was found, and what is open.

The page opens from disk, needs no network and no script, and has its figure within it. Equal
results give equal bytes; the time that the audits took stands on a line of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from copyproof._files import write_or_refuse
from copyproof.auditing import Audit, Gain
from copyproof.auditing.report import captions, figure
from copyproof.game import Market
from copyproof.pages import Badge, Cell, PageTable, Picture, anchor, render
from copyproof.plots import brief, limits
from copyproof.plots.files import figure_bytes
from copyproof.plots.palette import names_of
from copyproof.policy import CATALOGUE
from copyproof.validation import file_path

_BADGES = {
    "prone": Badge("✗ prone", "fails"),
    "no-gain": Badge("✓ no gain", "holds"),
    "unchanged": Badge("= unchanged", "holds"),
    "undecided": Badge("? undecided", "open"),
}


@dataclass(frozen=True, slots=True)
class PolicySection:
    """What was found of one policy."""

    name: str
    anchor: str
    badge: Badge
    verdict: str
    agents: PageTable
    deviations: PageTable


@dataclass(frozen=True, slots=True)
class AuditPage:
    """All that ``audit.html.j2`` is given."""

    title: str
    audits: tuple[Audit, ...]
    reference: str
    policies: tuple[PolicySection, ...]
    picture: Picture | None
    known: PageTable
    tolerances: tuple[str, str]
    games: tuple[int, int]
    fee: str
    discount: str
    market: PageTable
    command: str | None


def write_audit_report(
    audits: Audit | Sequence[Audit], path: str | Path, *, command: str | None = None
) -> None:
    """Write one page about audits of one market, a section for each policy.

    Parameters
    ----------
    audits : Audit or sequence of Audit
        What ``audit`` found, of one market and horizon; one for each policy.
    path : path
        The HTML file; it appears whole or not at all.
    command : str, optional
        What to type to find the same again; the page shows the settings in any case.

    Raises
    ------
    ValueError
        If the audits do not belong together, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from copyproof import audit, paper_market
    >>> found = audit(paper_market("1a"), "h-ucb", agent="0.5-agent", horizon=500, seed=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "audit.html"
    ...     write_audit_report(found, file)
    ...     "H-UCB does not pay for the copies that were tried" in file.read_text(encoding="utf-8")
    True
    """
    found, place = figure.checked_audits(audits), file_path("path", path)
    page = render_audit_page(found, _drawn(found), command=command)
    write_or_refuse(place, page.encode())


def render_audit_page(
    audits: Sequence[Audit], svg: bytes | None, *, command: str | None = None
) -> str:
    """The whole page as text.

    Parameters
    ----------
    audits, command
        As for ``write_audit_report``.
    svg : bytes or None
        The figure as an SVG file; None if no deviation fits it.
    """
    names = names_of([audit.policy for audit in audits])
    market = audits[0].market
    agents = [agent for audit in audits for agent in audit.parties]
    games = [gain.repetitions for one in agents for gain in (*one.copying, *one.showing)]
    tolerances = [one.tolerance for one in agents]
    page = AuditPage(
        title="Do copies pay?",
        audits=tuple(audits),
        reference=captions.reference_words(audits),
        policies=tuple(
            PolicySection(
                name=name,
                anchor=f"agents-{anchor(audit.policy)}",
                badge=_BADGES[audit.verdict],
                verdict=captions.verdict_words(audit, name),
                agents=_agents_table(audit),
                deviations=_deviations_table(audit),
            )
            for audit, name in zip(audits, names, strict=True)
        ),
        picture=None if svg is None else _picture(audits, names, svg),
        known=_known_table(audits, names),
        tolerances=(brief(min(tolerances)), brief(max(tolerances))),
        games=(min(games), max(games)),
        fee=brief(market.fee),
        discount=captions.discount_words(market.discount),
        market=_market_table(market),
        command=command,
    )
    return render("copyproof.auditing.report", "audit.html.j2", page)


def _drawn(audits: Sequence[Audit]) -> bytes | None:
    """The figure as an SVG file, if some deviation registers only copies of a best arm."""
    market = audits[0].market
    pairs = [(market.agent(one.name), one.copying) for one in audits[0].agents]
    if not any(captions.best_only(agent, gain.copies) for agent, gains in pairs for gain in gains):
        return None
    drawn = figure.plot_gains(audits)[0].get_figure(root=True)
    assert drawn is not None
    return figure_bytes(drawn, "svg")


def _picture(audits: Sequence[Audit], names: Sequence[str], svg: bytes) -> Picture:
    gains = figure.drawn_gains(audits)
    copied = captions.copied_words(audits[0].market.agent(name) for name in gains.lines)
    caption = (
        f"Gains of registering {copied} several times and nothing else. The axis is linear near "
        "0 and logarithmic beyond; bands are the limits."
    )
    return Picture(svg, _alt_text(gains, names), caption, broad=len(gains.lines) > 1)


def _alt_text(gains: figure.DrawnGains, names: Sequence[str]) -> str:
    parts = []
    for agent, lines in gains.lines.items():
        ends = [
            f"{name} {captions.gain_text(float(line.mean[-1]), relative=gains.relative)}"
            for name, line in zip(names, lines, strict=True)
            if len(line.mean)
        ]
        most = max(int(line.copies[-1]) for line in lines if len(line.copies))
        parts.append(f"{agent}: {', '.join(ends)} with {most:,} copies.")
    return f"Lines of the gain against the number of copies. {' '.join(parts)}"


def _agents_table(audit: Audit) -> PageTable:
    head = ["Agent", "Verdict", "Revenue", "Best copying", "Gain [limits], share of revenue"]
    head += ["Loss", "Fee", "Dominance"]
    hides = any(agent.showing for agent in audit.agents)
    rows = []
    for agent in audit.parties:
        best = agent.best_deviation
        share = captions.share_text(agent, best, audit.market)
        row: list[Cell] = [
            agent.name,
            _BADGES[agent.verdict],
            brief(agent.revenue),
            best.deviation.name.replace(" × ", "\u00a0×\u00a0"),
            f"{limits(best.gain)}\n{share}",
            brief(best.loss.mean),
            captions.fee_words(agent),
            captions.attitudes(agent),
        ]
        if hides:
            shown = agent.without_copies
            row.append("–" if shown is None else f"{shown.deviation.name}\n{limits(shown.gain)}")
        rows.append(row)
    words = ("Verdict", "Best copying", "Dominance")
    return PageTable([*head, "Hiding"] if hides else head, rows, words=words)


def _deviations_table(audit: Audit) -> PageTable:
    rows = [
        (
            f"{agent.name}: {gain.deviation.name}",
            limits(gain.gain),
            _deviation_badge(gain, copies=gain.deviation.replicates(agent.reference)),
            limits(gain.loss),
            _advantage(gain),
            f"{gain.repetitions:,}" if gain.repetitions else "–",
        )
        for agent in audit.parties
        for gain in (*agent.copying, *agent.showing)
    ]
    head = ("Deviation", "Gain [limits]", "Verdict", "Loss [limits]", "Advantage", "Games")
    return PageTable(head, rows, words=("Verdict",))


def _deviation_badge(gain: Gain, *, copies: bool) -> Badge:
    """The verdict on a deviation; to gain by hiding or showing arms is no fault."""
    if gain.verdict == "prone" and not copies:
        return Badge("gains", "open")
    return _BADGES[gain.verdict]


def _advantage(gain: Gain) -> str:
    found = gain.advantage
    return "–" if found is None else f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def _market_table(market: Market) -> PageTable:
    rows = [
        (agent.name, captions.arm_words(agent), captions.utility_words(agent.utility))
        for agent in market.agents
    ]
    caption = "Means of each agent's arms × copies, as registered while another agent deviates."
    return PageTable(("Agent", "Arms", "Utility"), rows, caption, numbers=False)


def _known_table(audits: Sequence[Audit], names: Sequence[str]) -> PageTable:
    rows: list[tuple[str, str, str]] = []
    for audit, name in zip(audits, names, strict=True):
        short = audit.policy.partition("(")[0]
        claims = [claim for row in CATALOGUE if row.name == short for claim in row.claims]
        rows += [(name, claim.status, claim.text) for claim in claims]
        if not claims:
            rows.append((name, "unknown", "nothing is known here about this policy"))
    caption = "What is known of the policies beyond this audit."
    if remark := captions.remarks(audits[0].market):
        caption += f" {remark}"
    return PageTable(("Policy", "Status", "Claim"), rows, caption, numbers=False)
