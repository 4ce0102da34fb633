"""``copyproof bounds``: what the theorems promise for a market under a policy."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from copyproof.cli import options, tables
from copyproof.cli.output import emit_answer
from copyproof.game import as_market
from copyproof.policy import as_policy, with_market_defaults
from copyproof.validation import FieldError

if TYPE_CHECKING:
    from copyproof.theory import Bound, Sample

# The options by the symbols that the library knows them by.
_OPTIONS = {"K": "--arms", "g": "--good", "c": "--share", "lost": "--lost", "plays": "--plays"}


def bounds(
    market: options.MarketName,
    policy: Annotated[list[str], options.policies("; `copyproof policies` lists all.")],
    horizon: options.Horizon,
    arms: Annotated[
        int | None, options.whole("Arms that one agent may register.", "K", show_default=False)
    ] = None,
    good: Annotated[
        int | None, options.whole("How many of them may be good.", "G", show_default=False)
    ] = None,
    share: Annotated[
        float | None, options.optional("A share of good arms among however many.", "C", "--share")
    ] = None,
    lost: Annotated[
        float | None, options.optional("Share of games that may be lost.", "X", "--lost")
    ] = None,
    plays: Annotated[
        float | None,
        options.optional("Plays of the best agent with a bad arm alone.", "N", "--plays"),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Show what the theorems promise.

    Every theorem is held against the market, what its agents register, the policy and the horizon:
    its value, or the condition that fails. --arms, --good, --share, --lost and --plays are numbers
    that theorems A and A′ take.
    """
    if len(policy) != 1:
        said = f"is given {len(policy)} times: bounds takes one policy"
        raise FieldError("--policy", policy, "given once", said)
    asked = as_policy(policy[0])
    game = as_market(market).quotient
    from copyproof.theory import bounds as find
    from copyproof.theory import samples

    try:
        found = find(game, asked, horizon, K=arms, g=good, c=share, lost=lost, plays=plays)
    except FieldError as error:
        raise error.renamed(_OPTIONS.get(error.field, error.field)) from None
    resolved = with_market_defaults(asked, game)
    drawn = samples(game, resolved, horizon)
    answer = {
        "policy": str(asked),
        "resolved_policy": str(resolved),
        "horizon": horizon,
        "bounds": [bound.to_dict() for bound in found],
        "samples": [asdict(sample) for sample in drawn],
    }
    title = f"{resolved}; {tables.summary(game, horizon)}\n"
    columns = (tables.word("theorem"), tables.number("value"), tables.text("why"))
    table = tables.TextTable(columns, ((one.theorem, _value(one), one.why) for one in found))
    emit_answer(as_json, lambda: answer, [title, table, *_sample_parts(drawn)])


def _sample_parts(samples: "Sequence[Sample]") -> Iterator[tables.Part]:
    if samples:
        yield "\nsamples, and the probability that they hold no best arm"
        numbers = ("arms", "best", "sample", "exact", "bound")
        columns = (tables.agent(), *map(tables.number, numbers))
        yield tables.TextTable(columns, map(_sample_row, samples[: tables.MOST_AGENTS]))
    yield from tables.left_out(len(samples))


def _sample_row(one: "Sample") -> tuple[str, ...]:
    counts = (f"{count:,}" for count in (one.arms, one.best, one.size))
    return one.agent, *counts, f"{one.miss:.4g}", f"{one.bound:.4g}"


def _value(bound: "Bound") -> str:
    """Return the value with its sign, or what there is instead."""
    if not bound.applies:
        return "-"
    if bound.value is None:
        return "order"
    if bound.of == "probability":
        return f"{bound.value:.4g}"
    if bound.of == "lost games":
        return f"≤ {bound.value:.2g}"
    shown = f"{bound.value:,.1f}" if bound.value < 1e9 else f"{bound.value:.3g}"
    return f"{'≤' if bound.kind == 'upper' else '≥'} {shown}"
