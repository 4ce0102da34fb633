"""``copyproof audit``: whether policies pay for copies."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copyproof.cli import options
from copyproof.cli.examination import examine
from copyproof.cli.output import check_outputs, emit_answer
from copyproof.defaults import CONFIDENCE, METHOD, MOST_COPIES, REFERENCE, SEED
from copyproof.game import ByName, Market, as_market, principal_of
from copyproof.plots import check_format, save_figure
from copyproof.validation import FieldError, did_you_mean

if TYPE_CHECKING:
    from copyproof.auditing import Audit

_REFERENCES = ("best", "honest", "market")
_USUAL = {
    "reference": REFERENCE,
    "most_copies": MOST_COPIES,
    "confidence": CONFIDENCE,
    "method": METHOD,
}


def audit(
    market: options.MarketName,
    policy: options.Policies,
    horizon: options.Horizon,
    seed: options.Seed = SEED,
    agent: Annotated[
        str | None, options.optional("The one agent to audit; all if not given.", "NAME")
    ] = None,
    reference: Annotated[
        str,
        typer.Option(
            help="What deviations are held against: best (the best arm once; every arm once, for "
            "an agent who knows only a prior), honest (every arm once), market (as its file says), "
            "or copy counts such as 1,0,2.",
            metavar="R",
        ),
    ] = REFERENCE,
    deviation: Annotated[
        list[str] | None,
        options.optional(
            "Copy counts to try, such as 2,0; may be repeated. If none is given: 1, 2, 5, 10, ... "
            "copies of the best arm, the worst, all; mixed; hiding.",
            "C,C",
        ),
    ] = None,
    most_copies: Annotated[
        int, options.whole("Most copies that are tried of an arm.")
    ] = MOST_COPIES,
    tolerance: Annotated[
        float | None,
        options.optional(
            "A gain that counts as none; 0.1 % of the reference's revenue, and at least 0.001, if "
            "not given.",
            "X",
        ),
    ] = None,
    confidence: options.Confidence = CONFIDENCE,
    budget: options.Budget = None,
    method: Annotated[
        str,
        typer.Option(help="auto (exact where that is quick), exact or sampling.", metavar="M"),
    ] = METHOD,
    workers: options.Workers = None,
    device: options.Device = "cpu",
    as_json: options.AsJson = False,
    plot: Annotated[
        Path | None,
        options.optional(
            "Draw the gains against the number of copies into a .png, .svg or .pdf file.", "FILE"
        ),
    ] = None,
    report: Annotated[
        Path | None, options.optional("Write a page about it: .html.", "FILE")
    ] = None,
) -> None:
    """Find out whether a policy pays agents for copies.

    A policy is prone if some copying surely gains, no-gain if none gains more than the tolerance,
    and undecided if the budget of rounds does not tell. Every verdict is a success: status 0.
    """
    _check_files(market, plot, report)
    asked: dict[str, Any] = {
        "budget": budget,
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
        "device": device,
    }
    game = as_market(market)
    if plot is not None and asked["deviations"] is not None:
        _check_drawable(game, agent, asked["deviations"])
    from copyproof.auditing import audit as find

    audits = examine(find, game, policy, **asked)
    _write_files(audits, plot, report, _command(market, policy, asked))
    found = [one.to_dict() for one in audits]
    answer = found[0] if len(found) == 1 else {"audits": found}
    from copyproof.cli.audit_tables import audit_tables

    emit_answer(as_json, lambda: answer, audit_tables(audits))


def _check_files(market: str, plot: Path | None, report: Path | None) -> None:
    """Refuse, before any work, files that could not be written."""
    if plot is not None:
        check_format(plot)
    if report is not None and report.suffix.lower() not in (".html", ".htm"):
        said = f"{report} does not end in .html: no other page is written"
        raise FieldError("--report", report, "an .html file", said)
    check_outputs(market, plot=plot, report=report)


def _write_files(
    audits: "list[Audit]", plot: Path | None, report: Path | None, command: str
) -> None:
    if plot is not None:
        from copyproof.auditing.report import plot_gains

        figure = plot_gains(audits)[0].get_figure(root=True)
        assert figure is not None
        save_figure(figure, plot)
    if report is not None:
        from copyproof.auditing.report import write_audit_report

        write_audit_report(audits, report, command=command)


def _counts(option: str, text: str) -> tuple[int, ...]:
    """Read copy counts such as ``1,0,2``."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() for part in parts):
        counts = "copy counts such as 1,0,2"
        if option == "--reference":
            suggestion = did_you_mean(text, _REFERENCES)
            raise FieldError(option, text, f"{', '.join(_REFERENCES)}, or {counts}{suggestion}")
        raise FieldError(option, text, counts)
    return tuple(map(int, parts))


def _check_drawable(market: Market, agent: str | None, deviations: list[tuple[int, ...]]) -> None:
    """Refuse, before any work, a figure that would show nothing."""
    from copyproof.auditing.report.captions import best_only, copied_words

    principals = market.quotient
    agents = principals.agents
    if agent is not None:
        agents = ByName([principals.agent(principal_of(market, agent))])
    for one in agents:
        for copies in deviations:
            if len(copies) == len(one.arms) and best_only(one, copies) is not None:
                return
    alone = f"copies of {copied_words(agents)} alone"
    said = f"shows {alone}, and no --deviation is of them"
    raise FieldError("--plot", deviations, alone, said)


def _command(market: str, policies: list[str], asked: dict[str, Any]) -> str:
    """Return what to type to find the same again; files are named without their folders."""
    words = ["copyproof", "audit", market if market.startswith("paper:") else Path(market).name]
    for text in policies:
        words += ["--policy", text]
    for name, value in asked.items():
        if (
            name in ("deviations", "workers", "device")
            or value is None
            or _USUAL.get(name) == value
        ):
            continue
        words += [f"--{name.replace('_', '-')}", _written(value)]
    for copies in asked["deviations"] or ():
        words += ["--deviation", _written(copies)]
    return shlex.join(words)


def _written(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
