"""Audits as plain tables, for people: verdicts, then agent by agent what copying gains."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from copyproof.auditing import AgentAudit, Audit
from copyproof.auditing.report.captions import attitudes, fee_words, reference_words
from copyproof.cli.tables import MOST_AGENTS, new_console, new_table, quantity, trimmed
from copyproof.plots import brief, limits

__all__ = ["audit_tables"]

_LONGEST_NAME = 24
_MORE_BUDGET = 4
"""Times the rounds that halve the limits."""
_READING = (
    "revenue: under the reference. loss: what that copying adds to the regret.\n"
    "fee: per registered arm, from the estimate to one that surely ends all copying.\n"
    "dominance: for whom the reference is at least as good as all copying."
)
_SHOWN = {"prone": "gains", "no-gain": "no gain", "undecided": "undecided"}
"""Verdicts on strategies that do not copy."""


def audit_tables(audits: Sequence[Audit]) -> str:
    """Return the audits of several policies on one market as text.

    Parameters
    ----------
    audits : sequence of Audit
        Of one market, horizon, seed and reference.
    """
    first = audits[0]
    console = new_console()
    with console.capture() as text:
        console.print(
            f"{quantity(len(first.agents), 'agent')} of {len(first.market.agents)} audited; "
            f"{quantity(first.horizon, 'round')}, seed {first.seed}\n"
            f"reference: {reference_words(audits)}; all gains of a policy hold together, with "
            f"{100 * first.confidence:g} %\n"
        )
        console.print(_verdict_table(audits))
        for audit in audits:
            _print_agents(console, audit)
        console.print(f"\n{_READING}")
        for audit in audits:
            _print_hint(console, audit)
        left_out = len(first.agents) - MOST_AGENTS
        if left_out > 0:
            console.print(
                f"\n{quantity(left_out, 'more agent')} left out here; --json has all of them"
            )
    return trimmed(text.get())


def _verdict_table(audits: Sequence[Audit]) -> Table:
    table = new_table()
    table.add_column("policy", overflow="fold")
    table.add_column("verdict", no_wrap=True)
    table.add_column("method", no_wrap=True)
    for heading in ("rounds played", "of", "seconds"):
        table.add_column(heading, justify="right", no_wrap=True)
    for audit in audits:
        table.add_row(
            audit.policy,
            audit.verdict,
            audit.method,
            f"{audit.rounds:,}",
            f"{audit.budget:,}",
            f"{audit.seconds:.1f}",
        )
    return table


def _print_agents(console: Console, audit: Audit) -> None:
    agents = audit.agents[:MOST_AGENTS]
    console.print(f"\n{audit.policy}: what copying gains at best")
    table = _agent_table("verdict", "best copying")
    for heading in ("revenue", "gain [low, high]"):
        table.add_column(heading, justify="right", no_wrap=True)
    for agent in agents:
        best = agent.best_deviation
        table.add_row(
            agent.name,
            agent.verdict,
            best.deviation.name,
            brief(agent.revenue),
            limits(best.gain),
        )
    console.print(table)
    console.print(f"\n{audit.policy}: what that costs the principal, and what would stop it")
    table = _agent_table()
    table.add_column("loss [low, high]", justify="right", no_wrap=True)
    table.add_column("fee", justify="right", no_wrap=True)
    table.add_column("dominance", overflow="fold")
    for agent in agents:
        loss = limits(agent.best_deviation.loss)
        table.add_row(agent.name, loss, fee_words(agent), attitudes(agent))
    console.print(table)
    if any(agent.showing for agent in agents):
        _print_showing(console, audit, agents)


def _print_showing(console: Console, audit: Audit, agents: Sequence[AgentAudit]) -> None:
    console.print(f"\n{audit.policy}: what hiding or showing arms gains at best, without copies")
    table = _agent_table("verdict", "strategy")
    table.add_column("gain [low, high]", justify="right", no_wrap=True)
    for agent in agents:
        if agent.showing:
            best = max(agent.showing, key=lambda one: one.gain.mean)
            shown = _SHOWN[best.verdict]
            table.add_row(agent.name, shown, best.deviation.name, limits(best.gain))
    console.print(table)


def _agent_table(*columns: str) -> Table:
    table = new_table()
    table.add_column("agent", overflow="fold", max_width=_LONGEST_NAME)
    for heading in columns:
        table.add_column(heading, overflow="fold")
    return table


def _print_hint(console: Console, audit: Audit) -> None:
    """What to do about gains by copying that are still open."""
    if audit.verdict != "undecided":
        return
    gains = [gain for agent in audit.agents for gain in agent.copying]
    still = [gain for gain in gains if gain.verdict == "undecided"]
    hint = f"--budget {_MORE_BUDGET * audit.budget} may decide them"
    if not any(gain.repetitions for gain in still):
        hint = f"--budget {audit.budget} is too small to play each of them twice"
    console.print(f"\n{audit.policy}: {len(still)} of {len(gains)} gains are undecided; {hint}")
