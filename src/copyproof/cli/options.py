"""Arguments and options, each defined once for all commands that have it.

Defaults that the library has, too, come from ``copyproof.defaults``.
"""

import math
import re
from typing import Annotated, Any, TypeAlias

import typer

from copyproof.defaults import BUDGET, EXTERNAL_BUDGET
from copyproof.validation import FieldError

DEFAULT_STORE = "sqlite:copyproof.db"
STORE_FORMS = "sqlite:FILE or postgresql://USER:PASSWORD@HOST/DATABASE."


def group(name: str, help: str) -> typer.Typer:
    """Return a command that has commands of its own, and shows them if none is given."""
    return typer.Typer(name=name, help=help, no_args_is_help=True, rich_markup_mode=None)


def _whole(text: str) -> int:
    """Read the whole number of an option; what is none is shown as it was given."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a whole number") from None


def whole(help: str, metavar: str = "N", *, show_default: bool = True) -> Any:
    """Return an option that takes a whole number."""
    return typer.Option(help=help, metavar=metavar, parser=_whole, show_default=show_default)


_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}


def duration(option: str, text: str) -> float:
    """Return the seconds of a duration such as 90s, 15m, 6h, 30d or 4w.

    Examples
    --------
    >>> duration("--every", "1.5h")
    5400.0
    """
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([smhdw])", text.strip())
    seconds = float(found[1]) * _UNITS[found[2]] if found else 0.0
    if not 0.0 < seconds <= 1e10 or not math.isfinite(seconds):
        accepted = "a duration such as 90s, 15m, 6h, 30d or 4w"
        raise FieldError(option, text, accepted, f"= {text!r} is not {accepted}")
    return seconds


def refused(option: str, value: float, accepted: str) -> FieldError:
    """Return the error about the value of an option."""
    return FieldError(option, value, accepted, f"{value} is not {accepted}")


def optional(help: str, metavar: str, *names: str) -> Any:
    """Return an option that may be left out, whose help says what happens then."""
    return typer.Option(*names, help=help, metavar=metavar, show_default=False)


def policies(more: str) -> Any:
    """Return the option ``--policy``; its help goes on after two examples."""
    return optional(f"A policy such as h-ucb or 'rh-ucb(L=3)'{more}", "P", "--policy")


MarketName: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="MARKET",
        help="A market file (.toml, .json), or a market of the paper: paper:2a, or paper:1a:100 "
        "with 100 copies.",
        show_default=False,
    ),
]
Policies: TypeAlias = Annotated[
    list[str], policies(", or another's such as 'river:UCB(delta=1)'; may be repeated.")
]
Horizon: TypeAlias = Annotated[int, whole("Rounds of a game.", "T", show_default=False)]
Seed: TypeAlias = Annotated[int, whole("Equal seeds share their luck.", "S")]
Confidence: TypeAlias = Annotated[
    float,
    typer.Option(help="With which the limits of all gains of a policy hold together.", metavar="X"),
]
Budget: TypeAlias = Annotated[
    int | None,
    whole(
        f"Most rounds for each policy: {BUDGET} if not given, {EXTERNAL_BUDGET} for another's.",
        "ROUNDS",
        show_default=False,
    ),
]
Workers: TypeAlias = Annotated[
    int | None,
    whole(
        "Threads or processes, as many as there are processors if not given; no effect on the "
        "result.",
        show_default=False,
    ),
]
Device: TypeAlias = Annotated[
    str,
    typer.Option(
        help="What the games are played on: cpu, cuda (a GPU, where a game is a thread and decides "
        "the same), or auto.",
        metavar="DEVICE",
    ),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")]
Create: TypeAlias = Annotated[
    bool, typer.Option("--create", help="Make the store if there is no such file.")
]
StoreUrl: TypeAlias = Annotated[
    str,
    typer.Option(
        "--store",
        help=STORE_FORMS,
        metavar="URL",
        envvar="COPYPROOF_STORE",
        show_envvar=True,
    ),
]
