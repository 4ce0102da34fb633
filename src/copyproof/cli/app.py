"""The program: its commands, and how every ending is told to the shell.

Exit status 0: done. 2: bad input, with one line on standard error. 130: interrupted. 1: anything
else, with one line, or with the traceback if the environment says ``COPYPROOF_DEBUG=1``.

Importing this module loads neither the compiler nor the plotting or table libraries; commands do
when they need them, so that ``copyproof --help`` is quick.
"""

import io
import os
import sys
import traceback
from typing import Annotated

import typer

from copyproof._version import __version__
from copyproof.cli.attacks import attacks
from copyproof.cli.audit import audit
from copyproof.cli.bounds import bounds
from copyproof.cli.cite import cite
from copyproof.cli.data import data
from copyproof.cli.drill import drill
from copyproof.cli.equilibrium import equilibrium
from copyproof.cli.exact import exact
from copyproof.cli.forget import forget
from copyproof.cli.inspect import inspect
from copyproof.cli.keys import keys
from copyproof.cli.lab import lab
from copyproof.cli.lost import lost
from copyproof.cli.market import market
from copyproof.cli.output import one_line, say, silence_stdout
from copyproof.cli.paper import paper
from copyproof.cli.policies import policies
from copyproof.cli.serve import serve
from copyproof.cli.shadow import shadow
from copyproof.cli.simulate import simulate
from copyproof.cli.store import store
from copyproof.cli.study import study
from copyproof.cli.verify import verify

BAD_INPUT = 2
FAILED = 1
INTERRUPTED = 130

app = typer.Typer(
    name="copyproof",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    simulate, exact, lost, audit, equilibrium, attacks, inspect, drill, bounds, policies, paper,
    lab, serve, verify, cite,
):  # fmt: skip
    app.command()(command)
app.add_typer(data)
app.add_typer(keys)
app.add_typer(market)
store.command()(forget)
store.command()(shadow)
app.add_typer(store)
app.add_typer(study)


@app.callback(invoke_without_command=True)
def program(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Bandits whose arms belong to someone: what copies pay, and what to run instead."""
    if show_version:
        typer.echo(f"copyproof {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> int:
    """Run the program with the arguments of the process.

    Returns
    -------
    int
        The exit status.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # an unknown letter is no reason to fail
            stream.reconfigure(errors="replace")
    try:
        # Typer turns an interrupt inside a command into the status 130.
        status = app(prog_name="copyproof", standalone_mode=False) or 0
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED
    except Exception as error:
        status = _tell(error)
    finally:
        silence_stdout(if_closed=True)
    if status == INTERRUPTED:
        say("interrupted")
    return int(status)


def _tell(error: Exception) -> int:
    """Say on standard error what went wrong, and return the exit status for it."""
    # Typer's errors about arguments write their own message; it exports no name for their kind.
    usage = getattr(error, "format_message", None)
    if usage is not None:
        text, status = usage(), BAD_INPUT
    elif isinstance(error, MemoryError):
        text, status = "not enough memory", FAILED
    elif isinstance(error, ValueError):
        text, status = str(error), BAD_INPUT
    else:
        # Our own errors are whole sentences; of others the kind is half of what they say.
        is_ours = type(error).__module__.startswith("copyproof")
        text, status = str(error) if is_ours else f"{type(error).__name__}: {error}", FAILED
    if os.environ.get("COPYPROOF_DEBUG") == "1":
        traceback.print_exception(error)
    say(f"error: {one_line(text)}")
    return status
