"""The report of an audit: one page that says what copies gain, how it was found, and what is open.

The page opens from disk, needs no network and no script, and has its figure within it. Equal
results give equal bytes; the time that the audits took stands on a line of its own.
"""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from copyproof._files import write_or_refuse
from copyproof.auditing import Audit, Gain
from copyproof.auditing.result import Verdict
from copyproof.game import (
    Market,
)
from copyproof.policy import CATALOGUE
from copyproof.report.audit_figure import (
    best_only,
    checked_audits,
    drawn_agents,
    gain_lines,
    gain_text,
    plot_gains,
    reference_words,
    shares_revenue,
)
from copyproof.report.audit_words import (
    LIMIT_WORDS,
    NOT_SAID,
    arm_words,
    attitudes,
    count_words,
    discount_words,
    fee_words,
    share_text,
    utility_words,
    verdict_words,
)
from copyproof.report.figures import save_figure
from copyproof.report.html import (
    Markup,
    anchor,
    definitions,
    document,
    element,
    image,
    link,
    svg_source,
    table,
)
from copyproof.report.looks import names_of
from copyproof.report.numbers import brief, limits

__all__ = ["render_audit_page", "write_audit_report"]

_TITLE = "Do copies pay?"
_BADGES = {
    "prone": ("✗ prone", "fails"),
    "no-gain": ("✓ no gain", "holds"),
    "undecided": ("? undecided", "open"),
}


def write_audit_report(
    path: str | Path, audits: Audit | Sequence[Audit], *, command: str | None = None
) -> None:
    """Write one page about audits of one market, a section for each policy.

    Parameters
    ----------
    path : path
        The HTML file; it appears whole or not at all.
    audits : Audit or sequence of Audit
        What ``audit`` found, of one market and horizon; one for each policy.
    command : str, optional
        What to type to find the same again; the page shows the settings in any case.

    Raises
    ------
    ValueError
        If the audits do not belong together, or the file cannot be written.

    Examples
    --------
    >>> from copyproof import audit, paper_market
    >>> found = audit(paper_market("1a"), "h-ucb", agent="0.5-agent", horizon=500, seed=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "audit.html"
    ...     write_audit_report(file, found)
    ...     file.read_text(encoding="utf-8").count("<img")
    1
    """
    found = checked_audits(audits)
    page = render_audit_page(found, _picture(found), command=command)
    write_or_refuse(Path(path), page.encode())


def render_audit_page(
    audits: Sequence[Audit], picture: bytes | None, *, command: str | None = None
) -> str:
    """The whole page as text.

    Parameters
    ----------
    audits, command
        As for ``write_audit_report``.
    picture : bytes or None
        The figure as an SVG file; None if no deviation fits it.
    """
    return document(_TITLE, _body(audits, picture, command))


def _picture(audits: Sequence[Audit]) -> bytes | None:
    """The figure as an SVG file, if some deviation registers only copies of a best arm."""
    market = audits[0].market
    pairs = [(market.agent(one.name), one.copying) for one in audits[0].agents]
    if not any(best_only(agent, gain.copies) for agent, gains in pairs for gain in gains):
        return None
    figure = plot_gains(audits)[0].get_figure(root=True)
    assert figure is not None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "gains.svg"
        save_figure(figure, file)
        return file.read_bytes()


def _body(audits: Sequence[Audit], picture: bytes | None, command: str | None) -> Iterator[Markup]:
    names = names_of([audit.policy for audit in audits])
    yield Markup("<main>")
    yield from _summary(audits, names)
    if picture is not None:
        yield element("h2", "What copies gain", id="gains")
        caption = (
            "Gains of registering the best arm several times and nothing else. The axis is linear "
            "near 0 and logarithmic beyond; bands are the limits."
        )
        shown = image(svg_source(picture), _what_one_sees(audits, names))
        size = "broad" if len(drawn_agents(audits, None)) > 1 else "usual"
        yield element("figure", shown, element("figcaption", caption), class_=size)
    yield element("h2", "Agent by agent", id="agents")
    yield element("p", _READING, class_="quiet")
    for audit, name in zip(audits, names, strict=True):
        yield element("h3", name, id=f"agents-{anchor(audit.policy)}")
        yield _agents_table(audit)
    yield from _open_questions(audits, names)
    yield from _method(audits)
    yield from _market(audits[0].market)
    yield from _repeat(audits, command)
    yield element("h2", "All deviations", id="deviations")
    for audit, name in zip(audits, names, strict=True):
        yield element("h3", name)
        yield _deviations_table(audit)
    yield Markup("</main>")
    about = "Made by copyproof; equal results give the same page, but for the time they took."
    yield element("footer", element("p", about, class_="quiet"))


def _summary(audits: Sequence[Audit], names: Sequence[str]) -> Iterator[Markup]:
    first = audits[0]
    yield element("h1", _TITLE)
    yield element(
        "p",
        f"Whether {'policies pay' if len(audits) > 1 else 'a policy pays'} agents for registering "
        f"copies of their arms: {count_words(len(first.agents), 'agent')} of "
        f"{len(first.market.agents)} audited, in games of {first.horizon:,} rounds, against "
        f"the reference strategy: {reference_words(audits)}.",
        class_="lead",
    )
    items = []
    for audit, name in zip(audits, names, strict=True):
        kind = _BADGES[audit.verdict][1]
        items.append(
            element("li", _badge(audit.verdict), f" {verdict_words(audit, name)}", class_=kind)
        )
    yield element("ul", Markup("\n".join(items)), class_="claims")
    places = (
        ("Agent by agent", "agents"),
        ("What this does not say", "open"),
        ("How it was done", "method"),
        ("The market", "market"),
        ("To repeat it", "repeat"),
        ("All deviations", "deviations"),
    )
    listed = [element("li", link(f"#{target}", text)) for text, target in places]
    yield element("nav", element("ul", *listed), aria_label="Contents")


def _badge(verdict: Verdict, *, copying: bool = True) -> Markup:
    text, kind = _BADGES[verdict]
    if not copying and verdict == "prone":  # to gain by hiding or showing arms is no fault
        text, kind = "gains", "open"
    return element("span", text, class_=f"badge {kind}")


def _what_one_sees(audits: Sequence[Audit], names: Sequence[str]) -> str:
    drawn = drawn_agents(audits, None)
    relative = shares_revenue(audits, drawn)
    parts = []
    for agent in drawn:
        lines = gain_lines(audits, agent, relative=relative)
        ends = [
            f"{name} {gain_text(float(line.mean[-1]), relative=relative)}"
            for name, line in zip(names, lines, strict=True)
            if len(line.mean)
        ]
        most = max(int(line.copies[-1]) for line in lines if len(line.copies))
        parts.append(f"{agent}: {', '.join(ends)} with {most:,} copies.")
    return f"Lines of the gain against the number of copies. {' '.join(parts)}"


_READING = (
    "Best copying: the strategy with the largest mean gain among those that register some arm "
    "more than once. Revenue: under the reference. Gain: in utility, with limits that hold for all "
    "gains of the policy together. Loss: how much it raises the principal's regret. Fee: the "
    "smallest further fee per registered arm that makes all copying unprofitable, from the "
    "estimated one to one that does so at the audit's confidence. Dominance: “every risk attitude” "
    "if none prefers any of the copying to the reference; “open” where games cannot tell. Hiding: "
    "the largest gain of hiding or showing arms without any copy."
)


def _agents_table(audit: Audit) -> Markup:
    head = ["Agent", "Verdict", "Revenue", "Best copying", "Gain [limits], share of revenue"]
    head += ["Loss", "Fee", "Dominance"]
    hides = any(agent.showing for agent in audit.agents)
    rows = []
    for agent in audit.agents:
        best = agent.best_deviation
        share = share_text(agent, best, audit.market)
        row = [
            agent.name,
            _badge(agent.verdict),
            brief(agent.revenue),
            best.deviation.name.replace(" × ", "\u00a0×\u00a0"),
            element("span", limits(best.gain), Markup("<br>"), share),
            brief(best.loss.mean),
            fee_words(agent),
            attitudes(agent),
        ]
        if hides:
            gains = [gain.gain.mean for gain in agent.showing]
            row.append(brief(max(gains)) if gains else "–")
        rows.append(row)
    words = ("Verdict", "Best copying", "Dominance")
    return table([*head, "Hiding"] if hides else head, rows, words=words)


def _deviations_table(audit: Audit) -> Markup:
    rows = [
        (
            f"{agent.name}: {gain.deviation.name}",
            limits(gain.gain),
            _badge(gain.verdict, copying=gain.deviation.replicates(agent.reference)),
            limits(gain.loss),
            _advantage(gain),
            f"{gain.repetitions:,}" if gain.repetitions else "–",
        )
        for agent in audit.agents
        for gain in (*agent.copying, *agent.showing)
    ]
    head = ("Deviation", "Gain [limits]", "Verdict", "Loss [limits]", "Advantage", "Games")
    return table(head, rows, words=("Verdict",))


def _advantage(gain: Gain) -> str:
    found = gain.advantage
    return "–" if found is None else f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def _method(audits: Sequence[Audit]) -> Iterator[Markup]:
    first = audits[0]
    yield element("h2", "How it was done", id="method")
    rounds = sum(audit.rounds for audit in audits)
    agents = [agent for audit in audits for agent in audit.agents]
    games = [gain.repetitions for one in agents for gain in (*one.copying, *one.showing)]
    played = " to ".join({f"{count:,}": None for count in (min(games), max(games))})
    tolerances = [one.tolerance for one in agents]
    entries = [
        ("Gain", "E[U(revenue)] less fees under the deviation, minus the same under the reference"),
        (
            "Verdict",
            "prone: some gain by copying has its lower limit above 0. No gain: all upper limits "
            f"are at most the tolerance ({brief(min(tolerances))} to {brief(max(tolerances))}, by "
            "agent and policy). Undecided: neither. Hiding or showing arms is not copying.",
        ),
        ("Confidence", f"{100 * first.confidence:g} %, for all gains of a policy and all stages"),
        (
            "Games",
            f"{played} of each strategy; {rounds:,} rounds in all, and at most "
            f"{max(audit.budget for audit in audits):,} for a policy",
        ),
        *(
            ("Limits", LIMIT_WORDS[kind])
            for kind in dict.fromkeys(audit.method for audit in audits)
        ),
        (
            "Luck",
            "common to both strategies: an agent's k-th play meets the same random number, so that "
            "copies which change nothing read exactly 0",
        ),
        (
            "Advantage",
            "how much more often the deviation passes some threshold of revenue; 0 if no attitude "
            "to risk prefers it",
        ),
    ]
    yield definitions(entries)
    seconds = sum(audit.seconds for audit in audits)
    yield element("p", f"The audits took {seconds:.1f} seconds.", class_="quiet timing")


def _market(market: Market) -> Iterator[Markup]:
    yield element("h2", "The market", id="market")
    discount = discount_words(market.discount)
    yield element("p", f"Fee per registered arm: {brief(market.fee)}. {discount}")
    rows = [(agent.name, arm_words(agent), utility_words(agent.utility)) for agent in market.agents]
    caption = "Means of each agent's arms × copies, as registered while another agent deviates."
    yield table(("Agent", "Arms", "Utility"), rows, numbers=False, caption=caption)


def _repeat(audits: Sequence[Audit], command: str | None) -> Iterator[Markup]:
    first = audits[0]
    yield element("h2", "To repeat it", id="repeat")
    if command is not None:
        yield element("pre", element("code", command))
    policies = ", ".join(audit.policy for audit in audits)
    entries = [
        ("Policies", policies),
        ("Horizon", f"{first.horizon:,}"),
        ("Seed", ", ".join(dict.fromkeys(str(audit.seed) for audit in audits))),
        ("Budget", ", ".join(dict.fromkeys(f"{a.budget:,} rounds" for a in audits))),
        ("Method", ", ".join(dict.fromkeys(audit.method for audit in audits))),
    ]
    yield definitions(entries)


def _open_questions(audits: Sequence[Audit], names: Sequence[str]) -> Iterator[Markup]:
    yield element("h2", "What this does not say", id="open")
    items = [element("li", text) for text in NOT_SAID]
    yield element("ul", Markup("\n".join(items)))
    rows: list[tuple[str, str, str]] = []
    for audit, name in zip(audits, names, strict=True):
        short = audit.policy.partition("(")[0]
        claims = [claim for row in CATALOGUE if row.name == short for claim in row.claims]
        rows += [(name, claim.status, claim.text) for claim in claims]
        if not claims:
            rows.append((name, "unknown", "nothing is known here about this policy"))
    caption = "What is known of the policies beyond this audit."
    yield table(("Policy", "Status", "Claim"), rows, numbers=False, caption=caption)
