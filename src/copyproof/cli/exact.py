"""``copyproof exact``: what a market comes to under policies, with no sampling."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copyproof.cli import options, tables
from copyproof.cli.output import emit_results, say
from copyproof.cli.progress import in_turn, prompt_interrupt
from copyproof.game import Market, as_market
from copyproof.policy import Policy, as_policy

if TYPE_CHECKING:
    from copyproof.exact_values import Exact, ExactAgent

# States: what takes a second or more.
# Of a float; a fraction with more letters is shown as a float, too.
_DIGITS = 12
_LONGEST_FRACTION = 24
_WORTH_SAYING = 1_000_000


def exact(
    market: options.MarketName,
    policy: Annotated[
        list[str],
        options.policies(
            "; may be repeated. `copyproof policies` lists all; Thompson sampling cannot be exact."
        ),
    ],
    horizon: options.Horizon,
    fractions: Annotated[
        bool, typer.Option("--fractions", help="Compute in rational numbers: 0.9 is 9/10.")
    ] = False,
    limit: Annotated[
        int | None,
        options.whole(
            "The most states to keep of one round; what a quarter of the memory holds if not "
            "given.",
            show_default=False,
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Compute a short game exactly.

    Expected regret, and for every agent the expected plays, revenue and utility and the whole
    distribution of revenue, with no sampling. For Bernoulli arms, few of them different.
    """
    asked = [as_policy(text) for text in policy]
    results = _compute(as_market(market), asked, horizon, fractions, limit)
    emit_results(as_json, results, _parts(results))


def _compute(
    market: Market, asked: list[Policy], horizon: int, fractions: bool, limit: int | None
) -> "list[Exact]":
    """Compute the market under every policy, in their order; say before how many states it is."""
    with prompt_interrupt():  # the import takes its time, too
        from copyproof.exact_values import exact as compute
        from copyproof.exact_values import prepare
        from copyproof.exact_values.compiled import is_compiled

        how: dict[str, Any] = {"horizon": horizon, "fractions": fractions, "limit": limit}
        sizes = [prepare(market, policy, **how).size for policy in asked]
        for policy, size in zip(asked, sizes, strict=True):
            if size.total > _WORTH_SAYING:
                say(f"{policy}: up to {size.total:,} states, {size.layer:,} at a time")
        return in_turn(
            asked,
            [size.games * horizon for size in sizes],
            lambda policy, progress: compute(market, policy, **how, progress=progress),
            compiles=not is_compiled(fractions=fractions),
        )


def _parts(results: "Sequence[Exact]") -> Iterator[tables.Part]:
    market = results[0].market
    yield tables.summary(market, results[0].horizon)
    for result in results:
        yield f"\n{result.resolved_policy}: regret {_number(result.regret)}"
        states = tables.quantity(result.states, "state")
        games = f" in {tables.quantity(result.size.games, 'game')}" if result.size.games > 1 else ""
        yield f"({states}{games}, of {result.size.total:,} counted beforehand)\n"
        columns = (tables.agent(), *map(tables.number, ("revenue", "std.", "plays", "utility")))
        rows = (*result.agents[: tables.MOST_AGENTS], *result.groups[: tables.MOST_AGENTS])
        yield tables.TextTable(columns, map(_row, rows))
    yield from tables.bound(market)
    yield from tables.left_out(len(market.agents))


def _row(one: "ExactAgent") -> tuple[str, ...]:
    numbers = (_number(one.revenue), _deviation(one), _number(one.plays), _number(one.utility))
    return one.name, *numbers


def _number(value: float | Fraction) -> str:
    """Return a number in full, or in twelve digits where that is too long."""
    if isinstance(value, Fraction) and len(str(value)) <= _LONGEST_FRACTION:
        return str(value)
    return f"{float(value):.{_DIGITS}g}"


def _deviation(one: "ExactAgent") -> str:
    """Return the standard deviation of the revenue of one game, if its distribution is known."""
    if one.distribution is None:
        return "-"
    mean = float(one.revenue)
    chances = enumerate(one.distribution)
    variance = sum(float(chance) * (value - mean) ** 2 for value, chance in chances)
    return f"{variance**0.5:.4g}"
