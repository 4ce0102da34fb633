"""``copyproof inspect``: from a log to who copies, what that costs, and what would change."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copyproof.cli import options, tables
from copyproof.cli.output import check_outputs, emit_answer
from copyproof.cli.progress import in_turn, prompt_interrupt
from copyproof.defaults import BUDGET, SEED
from copyproof.validation import FieldError

if TYPE_CHECKING:
    from copyproof.inspect import Inspection

_MOST_GROUPS = 10
_MOST_NAMES = 3


def inspect(
    log: Annotated[
        str,
        typer.Argument(
            metavar="LOG",
            help="CSV, Parquet, lines of JSON, or a journal of `copyproof store export`, which "
            "needs no column names.",
            show_default=False,
        ),
    ],
    agent: Annotated[
        str, typer.Option(help="The column of who owned what was shown.", metavar="COL")
    ] = "agent",
    arm: Annotated[str, typer.Option(help="The column of what was shown.", metavar="COL")] = "arm",
    reward: Annotated[
        str, typer.Option(help="The column of what it earned.", metavar="COL")
    ] = "reward",
    time: Annotated[
        str | None,
        options.optional("The column of the time; the order of rows if not given.", "COL"),
    ] = None,
    content: Annotated[
        list[str] | None,
        options.optional("A column of the arm's content; may be repeated for texts.", "COL"),
    ] = None,
    content_kind: Annotated[
        str,
        typer.Option(
            help="What the content is: text, hash (64 bits), hashes (a set) or vector.",
            metavar="KIND",
        ),
    ] = "text",
    similar: Annotated[
        float | None,
        options.optional("From which similarity on contents are alike, in (0, 1].", "X"),
    ] = None,
    propensity: Annotated[
        str | None,
        options.optional("The column of the probability with which it was decided.", "COL"),
    ] = None,
    reward_range: Annotated[
        str | None,
        options.optional(
            "The least and the most that a row can pay; those of the log if not given.",
            "LOW,HIGH",
            "--range",
        ),
    ] = None,
    policy: Annotated[
        str | None, options.optional("The policy that was running, such as ucb1.", "P")
    ] = None,
    target: Annotated[
        str, typer.Option(help="The policy that might run instead.", metavar="P")
    ] = "default",
    horizon: Annotated[
        int | None,
        options.whole(
            "Rounds of a game: the rows of the log, and at most a million, if not given.",
            "T",
            show_default=False,
        ),
    ] = None,
    repetitions: Annotated[
        int | None,
        options.whole(
            "Games for each policy, at least 39; 199, or as many as the budget allows, if not "
            "given; 0 plays none.",
            "R",
            show_default=False,
        ),
    ] = None,
    seed: options.Seed = SEED,
    budget: Annotated[int, options.whole("Rounds of all games together.", "ROUNDS")] = BUDGET,
    workers: options.Workers = None,
    as_json: options.AsJson = False,
    report: Annotated[
        Path | None, options.optional("Write a page about it: .html.", "FILE")
    ] = None,
    market: Annotated[
        Path | None, options.optional("Write the estimated market: .toml or .json.", "FILE")
    ] = None,
) -> None:
    """Say from a log who copies, what that costs, and what another policy would earn.

    Every row is used or counted as bad. Copies are found by contents; without any, only equal
    reward histories can be seen. Answers have limits of 95 %, or say that the log cannot tell.
    """
    if report is not None and report.suffix.lower() not in (".html", ".htm"):
        said = f"{report} does not end in .html: no other page is written"
        raise FieldError("--report", report, "an .html file", said)
    if market is not None and market.suffix.lower() not in (".toml", ".json"):
        said = f"{market} ends neither in .toml nor in .json"
        raise FieldError("--market", market, "a .toml or .json file", said)
    check_outputs(log, "the log", report=report, market=market)
    asked: dict[str, Any] = {
        "agent": agent,
        "arm": arm,
        "reward": reward,
        "time": time,
        "content": tuple(content or ()),
        "content_kind": content_kind,
        "propensity": propensity,
        "reward_range": reward_range,
        "policy": policy,
        "target": target,
        "horizon": horizon,
        "repetitions": repetitions,
        "seed": seed,
        "budget": budget,
    }
    with prompt_interrupt():  # the import takes its time, too
        from copyproof.fingerprints import THRESHOLDS, Thresholds
        from copyproof.inspect import inspect_log
        from copyproof.simulation import is_compiled

        try:
            thresholds = THRESHOLDS if similar is None else Thresholds(*[similar] * 4)
            [found] = in_turn(
                [log],
                [budget],
                lambda one, progress: inspect_log(
                    one, thresholds=thresholds, workers=workers, progress=progress, **asked
                ),
                compiles=repetitions != 0 and not is_compiled(),
            )
        except FieldError as error:
            raise _of_option(error) from None
    if market is not None:
        from copyproof.game import write_market

        write_market(found.market, market)
    if report is not None:
        from copyproof.inspect.report import write_inspection_report

        write_inspection_report(found, report, command=_command(log, asked, similar))
    emit_answer(as_json, found.to_dict, _parts(found))


def _of_option(error: FieldError) -> FieldError:
    """Return an error about a column or the range as one about the option that names it."""
    if error.field in ("reward_range", "text"):  # the first threshold of four equal ones
        return error.renamed({"reward_range": "--range", "text": "--similar"}[error.field])
    if not error.accepted.startswith("a column of"):
        return error
    say = "" if error.accepted.endswith("?") else f": say {_option(error.field)} COL"
    return FieldError(_option(error.field), error.value, error.accepted + say)


def _option(field: str) -> str:
    """Return the option that sets a field."""
    return "--range" if field == "reward_range" else f"--{field.replace('_', '-')}"


def _command(log: str, asked: dict[str, Any], similar: float | None) -> str:
    """Return what to type to find the same again; the log is named without its folder."""
    words = ["copyproof", "inspect", Path(log).name]
    for name, value in {**asked, "similar": similar}.items():
        option = _option(name)
        if name == "content":
            words += [word for one in value for word in (option, one)]
        elif value is not None and value != _USUAL.get(name):
            words += [option, str(value)]
    return shlex.join(words)


_USUAL = {"content_kind": "text", "target": "default", "seed": SEED, "budget": BUDGET}


def _parts(found: "Inspection") -> Iterator[tables.Part]:
    """What people see."""
    from copyproof.inspect.display import counted, inspected
    from copyproof.plots import limits

    yield inspected(found)
    for problem in found.problems:
        yield f"! {problem}"
    yield ""
    columns = [tables.agent(), tables.number("arms"), tables.number("copies")]
    columns += [tables.number("plays"), tables.number("share"), tables.number("mean reward")]
    yield tables.TextTable(
        columns,
        [
            (
                f"{agent.name}{' (new)' if agent.newcomer else ''}",
                f"{len(agent.arms):,}",
                f"{agent.copies:,}" if agent.copies else "",
                f"{agent.plays:,}",
                f"{100 * agent.share:.1f} %",
                limits(agent.reward),
            )
            for agent in found.agents[: tables.MOST_AGENTS]
        ],
    )
    yield from tables.left_out(len(found.agents))
    spread = found.concentration
    yield (
        f"\nconcentration: agents {spread.agents:.3f}, arms {spread.arms:.3f} "
        f"(Herfindahl); Gini {spread.gini:.2f}"
    )
    if found.groups:
        yield "\ngroups of arms that seem to be the same thing"
        for group in found.groups[:_MOST_GROUPS]:
            names = ", ".join(f"{agent}/{arm}" for agent, arm in group.arms[:_MOST_NAMES])
            more = len(group.arms) - _MOST_NAMES
            names += f" and {more:,} more" if more > 0 else ""
            size = counted(len(group.arms), "arm")
            yield f"- {100 * group.share:.1f} % of plays, {size}: {names}"
            yield f"  {group.evidence}"
        if len(found.groups) > _MOST_GROUPS:
            yield f"  {len(found.groups) - _MOST_GROUPS:,} more; --json has all of them"
    if found.answers:
        yield "\nanswers, with limits for 95 of 100 such periods"
        for answer in found.answers:
            yield f"- {answer.text}" + (f" {answer.why}." if answer.why else "")
    if found.off_policy:
        yield "\nwhat would have been earned, by the probabilities that the log gives"
        yield from (f"- {value}" for value in found.off_policy)
    for note in found.notes:
        yield f"\n{note}"
