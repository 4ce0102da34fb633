"""``copyproof audit``: whether policies pay for copies."""

import json
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from copyproof.cli.examine import examined
from copyproof.cli.markets import named_market
from copyproof.cli.options import (
    AsJson,
    Budget,
    Confidence,
    Horizon,
    MarketName,
    Policies,
    Seed,
    Workers,
)
from copyproof.cli.output import check_outputs, emit, whole
from copyproof.game import Market
from copyproof.plots import check_format, save_figure

__all__ = ["audit"]

_REFERENCES = ("best", "honest", "market")


def audit(
    market: MarketName,
    policy: Policies,
    horizon: Horizon,
    seed: Seed = 0,
    agent: Annotated[
        str | None,
        typer.Option(
            help="The one agent to audit; all if not given.", metavar="NAME", show_default=False
        ),
    ] = None,
    reference: Annotated[
        str,
        typer.Option(
            help="What deviations are held against: best (the best arm once), honest (every arm "
            "once), market (as its file says), or copy counts such as 1,0,2.",
            metavar="R",
        ),
    ] = "best",
    deviation: Annotated[
        list[str] | None,
        typer.Option(
            help="Copy counts to try, such as 2,0; may be repeated. If none is given: 1, 2, 5, "
            "10, ... copies of the best arm, the worst, all; mixed; hiding.",
            metavar="C,C",
            show_default=False,
        ),
    ] = None,
    most_copies: Annotated[
        int,
        typer.Option(help="Most copies that are tried of an arm.", metavar="N", parser=whole),
    ] = 100,
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="A gain that counts as none; 0.1 % of the reference's revenue, and at least "
            "0.001, if not given.",
            metavar="X",
            show_default=False,
        ),
    ] = None,
    confidence: Confidence = 0.95,
    budget: Budget = None,
    method: Annotated[
        str,
        typer.Option(
            help="auto, exact, sampling, bounded (limits that are guaranteed) or large-sample.",
            metavar="M",
        ),
    ] = "auto",
    workers: Workers = None,
    as_json: AsJson = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            help="Draw the gains against the number of copies into a .png, .svg or .pdf file.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="Write a page about it: .html.", metavar="FILE", show_default=False),
    ] = None,
) -> None:
    """Find out whether a policy pays agents for copies.

    A policy is prone if some copying surely gains, no-gain if none gains more than the tolerance,
    and undecided if the budget of rounds does not tell. Every verdict is a success: status 0.
    """
    if plot is not None:
        check_format(plot)
    if report is not None and report.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"--report {report} does not end in .html: no other page is written")
    check_outputs(market, plot=plot, report=report)
    options: dict[str, Any] = {
        "horizon": horizon,
        "seed": seed,
        "agent": agent,
        "reference": reference if reference in _REFERENCES else _counts("--reference", reference),
        "deviations": [_counts("--deviation", one) for one in deviation] if deviation else None,
        "most_copies": most_copies,
        "tolerance": tolerance,
        "confidence": confidence,
        "method": method,
        "workers": workers,
    }
    game = named_market(market)
    if plot is not None and options["deviations"] is not None:
        _check_drawable(game, agent, options["deviations"])
    from copyproof.auditing import audit as find

    audits = examined(
        policy,
        budget,
        lambda asked, progress: find(game, asked, budget=budget, progress=progress, **options),
    )
    if plot is not None:
        from copyproof.auditing.report import plot_gains

        figure = plot_gains(audits)[0].get_figure(root=True)
        assert figure is not None
        save_figure(figure, plot)
    if report is not None:
        from copyproof.auditing.report import write_audit_report

        command = _command(market, policy, budget=budget, **options)
        write_audit_report(report, audits, command=command)
    if as_json:
        found = [one.to_dict() for one in audits]
        answer = found[0] if len(found) == 1 else {"audits": found}
        emit(json.dumps(answer, allow_nan=False) + "\n")
    else:
        from copyproof.cli.audit_tables import audit_tables

        emit(audit_tables(audits))


def _counts(option: str, text: str) -> tuple[int, ...]:
    """Read copy counts such as ``1,0,2``."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() for part in parts):
        names = f"{', '.join(_REFERENCES)}, or " if option == "--reference" else ""
        raise ValueError(f"{option} = {text!r} is not {names}copy counts such as 1,0,2")
    return tuple(map(int, parts))


def _check_drawable(market: Market, agent: str | None, deviations: list[tuple[int, ...]]) -> None:
    """Refuse, before any work, a figure that would show nothing."""
    agents = market.agents if agent is None else (market.agent(agent),)
    for one in agents:
        for copies in deviations:
            if len(copies) == len(one.arms) and copies[one.best_arm] == sum(copies):
                return
    raise ValueError("--plot shows copies of the best arm alone, and no --deviation is of them")


def _command(market: str, policies: list[str], **options: Any) -> str:
    """What to type to find the same again; files are named without their folders."""
    words = ["copyproof", "audit", market if market.startswith("paper:") else Path(market).name]
    for text in policies:
        words += ["--policy", text]
    usual = {"reference": "best", "most_copies": 100, "confidence": 0.95, "method": "auto"}
    for name, value in options.items():
        if name in ("deviations", "workers") or value is None or usual.get(name) == value:
            continue
        written = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
        words += [f"--{name.replace('_', '-')}", written]
    for copies in options["deviations"] or ():
        words += ["--deviation", ",".join(map(str, copies))]
    return shlex.join(words)
