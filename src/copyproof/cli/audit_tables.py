"""Audits as plain tables, for people: verdicts, then agent by agent what copying gains."""

from collections.abc import Iterator, Sequence

from copyproof.auditing import AgentAudit, Audit
from copyproof.auditing.report.captions import attitudes, fee_words, reference_words, remarks
from copyproof.auditing.result import WITHOUT_COPIES
from copyproof.cli import tables
from copyproof.plots import brief, limits

_READING = (
    "revenue: under the reference. loss: what that copying adds to the regret.\n"
    "fee: per registered arm, from the estimate to one that surely ends all copying.\n"
    "gain: over the best of the reference and all strategies without copies.\n"
    "dominance: for whom some strategy without copies is as good as each copying."
)


def audit_tables(audits: Sequence[Audit]) -> Iterator[tables.Part]:
    """Return the audits of several policies on one market as text.

    Parameters
    ----------
    audits : sequence of Audit
        Of one market, horizon, seed and reference.
    """
    first = audits[0]
    yield (
        f"{tables.quantity(len(first.agents), 'agent')} of {len(first.market.agents)} audited; "
        f"{tables.quantity(first.horizon, 'round')}, seed {first.seed}\n"
        f"reference: {reference_words(audits)}; all gains of a policy hold together, with "
        f"{100 * first.confidence:g} %\n"
    )
    for group, names in first.groups.items():
        yield f"{group} is one principal: {', '.join(names)}\n"
    words, numbers = ("verdict", "method"), ("rounds played", "of", "seconds")
    columns = (tables.text("policy"), *map(tables.word, words), *map(tables.number, numbers))
    yield tables.TextTable(columns, map(_verdict_row, audits))
    for audit in audits:
        yield from _agent_parts(audit)
    yield f"\n{_READING}"
    if remark := remarks(first.market):
        yield f"\n{remark}"
    for audit in audits:
        yield from _hint(audit)
    yield from tables.left_out(len(first.agents))


def _verdict_row(audit: Audit) -> tuple[str, ...]:
    rounds = (f"{count:,}" for count in (audit.rounds, audit.budget))
    return audit.policy, audit.verdict, audit.method, *rounds, f"{audit.seconds:.1f}"


def _agent_parts(audit: Audit) -> Iterator[tables.Part]:
    agents = audit.parties[: tables.MOST_AGENTS]
    gain = tables.number("gain [low, high]")
    yield f"\n{audit.policy}: what copying gains at best"
    texts = map(tables.text, ("verdict", "best copying"))
    columns: tuple[tables.Column, ...] = (tables.agent(), *texts, tables.number("revenue"), gain)
    yield tables.TextTable(columns, map(_copying_row, agents))
    yield f"\n{audit.policy}: what that costs the principal, and what would stop it"
    costs = map(tables.number, ("loss [low, high]", "fee"))
    columns = (tables.agent(), *costs, tables.text("dominance"))
    yield tables.TextTable(columns, map(_cost_row, agents))
    if any(one.showing for one in agents):
        yield f"\n{audit.policy}: what hiding or showing arms gains at best, without copies"
        columns = (tables.agent(), *map(tables.text, ("verdict", "strategy")), gain)
        yield tables.TextTable(columns, (_showing_row(one) for one in agents if one.showing))


def _copying_row(one: AgentAudit) -> tuple[str, ...]:
    best = one.best_deviation
    return one.name, one.verdict, best.deviation.name, brief(one.revenue), limits(best.gain)


def _cost_row(one: AgentAudit) -> tuple[str, ...]:
    return one.name, limits(one.best_deviation.loss), fee_words(one), attitudes(one)


def _showing_row(one: AgentAudit) -> tuple[str, ...]:
    best = one.without_copies
    if best is None:
        return one.name, "–", "–", "–"
    return one.name, WITHOUT_COPIES[best.verdict], best.deviation.name, limits(best.gain)


def _hint(audit: Audit) -> Iterator[str]:
    """What to do about gains by copying that are still open."""
    if audit.verdict != "undecided":
        return
    gains = [gain for agent in audit.parties for gain in agent.copying]
    still = [gain for gain in gains if gain.verdict == "undecided"]
    still_open = (
        f"{len(still)} of {len(gains)} gains {'is' if len(still) == 1 else 'are'} undecided"
    )
    yield f"\n{audit.policy}: {still_open}: {audit.why_undecided}"
    if audit.budget_needed is not None:
        yield f"--budget {audit.budget_needed} may decide them"
