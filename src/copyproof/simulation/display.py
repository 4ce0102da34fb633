"""A result as people see it: on one line, as a table in a notebook, and as data frames.

Frames open with policy, market, seed and horizon, so that those of several results can be put
together.
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from copyproof.plots.numbers import with_error
from copyproof.validation import shortened

if TYPE_CHECKING:
    import pandas as pd

    from copyproof.simulation.result import Estimate, Result


def result_line(result: "Result") -> str:
    """What was played, and its regret.

    Examples
    --------
    >>> from copyproof import paper_market, simulate
    >>> simulate(paper_market("2a"), "h-ucb", horizon=1000, repetitions=10, seed=1)
    <Result h-ucb on paper:2a: T = 1,000, 10 games, seed 1: regret ...>
    """
    return f"{_played(result)}: {_size(result)}: regret {_estimate(result.regret)}"


def result_html(result: "Result") -> str:
    """What a notebook shows of a result: a row for each agent."""
    from copyproof.pages import notebook_table

    rows = [
        [agent.name, *(_estimate(one) for one in (agent.revenue, agent.plays, agent.utility))]
        for agent in result.agents
    ]
    lost = result.lost
    known = "" if lost is None else f"; {lost.count:,} of {lost.games:,} games lost"
    notes = [f"{_size(result)}. Regret {_estimate(result.regret)}{known}."]
    if result.repetitions > 1:
        notes.append("± one standard error of the mean.")
    head = ["agent", "revenue", "plays", "utility"]
    return notebook_table(head, rows, title=_played(result), notes=notes)


def repetitions_frame(result: "Result") -> "pd.DataFrame":
    """What ``Result.to_frame`` returns."""
    import pandas as pd

    agents, games = len(result.market.agents), result.repetitions
    return pd.DataFrame(
        _identity(result)
        | {
            "repetition": np.repeat(np.arange(games), agents),
            "agent": np.tile(np.array(result.market.names, dtype=object), games),
            "revenue": result.revenue.ravel(),
            "plays": result.plays.ravel(),
            "utility": result.utility.ravel(),
            "regret": np.repeat(result.regret_curves[:, -1], agents),
        }
    )


def curve_frame(result: "Result") -> "pd.DataFrame":
    """What ``Result.curve_frame`` returns."""
    import pandas as pd

    return pd.DataFrame(_identity(result) | result.curve_columns())


def _identity(result: "Result") -> dict[str, Any]:
    """What was played, as the first columns of every frame."""
    return {
        "policy": str(result.policy),
        "market": result.market.label,
        "seed": result.seed,
        "horizon": result.horizon,
    }


def _estimate(estimate: "Estimate") -> str:
    """A mean and its standard error, with digits enough for what is smaller than 1."""
    if estimate.mean == 0 or abs(estimate.mean) >= 1:
        return with_error(estimate)
    error = "" if math.isnan(estimate.stderr) else f" ± {estimate.stderr:.2g}"
    return f"{estimate.mean:.3g}{error}"


def _played(result: "Result") -> str:
    return f"{shortened(str(result.policy))} on {shortened(result.market.label)}"


def _size(result: "Result") -> str:
    games = f"{result.repetitions:,} game{'s' * (result.repetitions != 1)}"
    stop = f", stopped after {result.stop:,} rounds" if result.stop < result.horizon else ""
    return f"T = {result.horizon:,}{stop}, {games}, seed {result.seed}"
