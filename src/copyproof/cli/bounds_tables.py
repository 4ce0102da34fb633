"""What the theorems say as plain tables, for people."""

from collections.abc import Iterator, Sequence

from rich.table import Table

from copyproof.cli import tables
from copyproof.game import Market
from copyproof.theory import Bound, Sample


def bounds_tables(
    market: Market,
    policy: str,
    horizon: int,
    bounds: Sequence[Bound],
    samples: Sequence[Sample],
) -> str:
    """Return what the theorems say as text, with the samples of every agent if there are any.

    Parameters
    ----------
    market : Market
        The market that was asked about.
    policy : str
        The policy's text form.
    horizon : int
        T.
    bounds : sequence of Bound
        What ``copyproof.bounds`` found.
    samples : sequence of Sample
        What the policy draws of every agent that takes part; may be empty.
    """
    title = f"{policy}; {tables.summary(market, horizon)}\n"
    columns = (tables.word("theorem"), tables.number("value"), tables.text("why"))
    table = tables.new_table(columns, ((one.theorem, _value(one), one.why) for one in bounds))
    return tables.printed([title, table, *_sample_parts(samples)])


def _sample_parts(samples: Sequence[Sample]) -> Iterator[str | Table]:
    if samples:
        yield "\nsamples, and the probability that they hold no best arm"
        columns = (
            tables.agent(),
            *map(tables.number, ("arms", "best", "sample", "exact", "bound")),
        )
        yield tables.new_table(columns, map(_sample_row, samples[: tables.MOST_AGENTS]))
    yield from tables.left_out(len(samples))


def _sample_row(one: Sample) -> tuple[str, ...]:
    counts = (f"{count:,}" for count in (one.arms, one.best, one.size))
    return one.agent, *counts, f"{one.miss:.4g}", f"{one.bound:.4g}"


def _value(bound: Bound) -> str:
    """Return the value with its sign, or what there is instead."""
    if not bound.applies:
        return "-"
    if bound.value is None:
        return bound.kind
    if bound.kind == "probability":
        return f"{bound.value:.4g}"
    shown = f"{bound.value:,.1f}" if bound.value < 1e9 else f"{bound.value:.3g}"
    return f"{'≤' if bound.kind == 'upper' else '≥'} {shown}"
