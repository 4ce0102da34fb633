"""Options that several commands have in common."""

from typing import Annotated, TypeAlias

import typer

from copyproof.cli.markets import MARKET_HELP
from copyproof.cli.output import whole

__all__ = [
    "AsJson",
    "Budget",
    "Confidence",
    "Horizon",
    "MarketName",
    "Policies",
    "Seed",
    "Workers",
]

MarketName: TypeAlias = Annotated[
    str, typer.Argument(metavar="MARKET", help=MARKET_HELP, show_default=False)
]
Policies: TypeAlias = Annotated[
    list[str],
    typer.Option(
        "--policy",
        help="A policy such as h-ucb or 'rh-ucb(L=3)', or another's such as 'river:UCB(delta=1)'; "
        "may be repeated.",
        metavar="P",
        show_default=False,
    ),
]
Horizon: TypeAlias = Annotated[
    int, typer.Option(help="Rounds of a game.", metavar="T", parser=whole, show_default=False)
]
Seed: TypeAlias = Annotated[
    int, typer.Option(help="Equal seeds share their luck.", metavar="S", parser=whole)
]
Confidence: TypeAlias = Annotated[
    float,
    typer.Option(help="With which the limits of all gains of a policy hold together.", metavar="X"),
]
Budget: TypeAlias = Annotated[
    int | None,
    typer.Option(
        help="Most rounds for each policy: 300000000 if not given, 2000000 for another's.",
        metavar="ROUNDS",
        parser=whole,
        show_default=False,
    ),
]
Workers: TypeAlias = Annotated[
    int | None,
    typer.Option(
        help="Threads or processes, as many as there are processors if not given; no effect on "
        "the result.",
        metavar="N",
        parser=whole,
        show_default=False,
    ),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")]
