"""The figure of ``who_gains.py``: python studies/who_gains_figure.py [--out FOLDER] [--to FILE].

A panel for each policy (columns) and strategy (rows). Colours are the gain in a cell as a share of
what the truthful strategy earns there: sums over all markets of the cell. Cells of fewer than 100
markets are left out; dots mark cells whose gain is above 0 by more than four standard errors.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import SymLogNorm
from matplotlib.figure import Figure

from copyproof.plots import save_figure
from copyproof.plots.canvas import fix_ticks
from copyproof.plots.palette import INK, name_of
from who_gains import AGENTS, EDGES, GAMES, POLICIES, RESULTS

ROWS = {1: "copies of its best arm", 2: "copies of all its arms"}
LEAST = 100
"""Markets of a cell."""
CERTAIN = 4.0
"""Standard errors."""
LARGEST = 10.0
"""Of the scale: ten times as much again; larger gains have the same colour."""
TICKS = (-0.3, -0.03, 0, 0.03, 0.3, 3)


def share_of(cells: dict[str, Any], strategy: int) -> tuple[Any, Any]:
    """The gain of each cell as a share, and whether it is surely above 0."""
    of = {name: np.array(array)[strategy] for name, array in cells.items()}
    with np.errstate(all="ignore"):
        mean = of["gain"] / of["markets"]
        error = np.sqrt((of["gain squared"] / of["markets"] - mean**2) / of["markets"])
        share = np.where(of["markets"] >= LEAST, of["gain"] / of["truthful"], np.nan)
        return share, (mean > CERTAIN * error) & (of["markets"] >= LEAST)


def draw(state: dict[str, Any]) -> Figure:
    """All panels."""
    figure = Figure(figsize=(9.6, 4.6), dpi=200, layout="constrained")
    axes = figure.subplots(len(ROWS), len(POLICIES), sharex=True, sharey=True)
    norm = SymLogNorm(0.01, vmin=-LARGEST, vmax=LARGEST, base=10)
    for row, (strategy, said) in enumerate(ROWS.items()):
        for column, policy in enumerate(POLICIES):
            ax: Axes = axes[row][column]
            share, certain = share_of(state["cells"][policy], strategy)
            edges = np.arange(AGENTS[0] - 0.5, AGENTS[-1] + 1)
            drawn = ax.pcolormesh(EDGES, edges, share, cmap="PuOr_r", norm=norm)
            n, gap = np.nonzero(certain)
            middle = (EDGES[1:] + EDGES[:-1]) / 2
            ax.plot(middle[gap], AGENTS[0] + n, ".", color=INK, markersize=2)
            ax.axvline(0, color=INK, linewidth=0.6)
            ax.set_facecolor("#c8c8c8")
            ax.tick_params(labelsize=8)
            if row == 0:
                ax.set_title(name_of(policy), fontsize=9, loc="left")
            if column == 0:
                ax.set_ylabel(f"{said}\nagents", fontsize=8)
    fix_ticks(axes[0][0].xaxis, (-0.5, 0, 0.5), ("−0.5", "0", "0.5"))
    figure.supxlabel("best mean of the copying agent, less the best of all others", fontsize=8)
    bar = figure.colorbar(drawn, ax=axes, aspect=30, pad=0.01, ticks=TICKS)
    bar.ax.set_yticklabels([f"{100 * tick:+.0f} %".replace("-", "−") if tick else "0"
                            for tick in TICKS])  # fmt: skip
    bar.ax.tick_params(labelsize=8)
    bar.set_label("gain over registering the best arm once", fontsize=8)
    return figure


def as_markdown(state: dict[str, Any]) -> str:
    """Sums over all markets, and the cells with the largest and the least gain."""
    text = [
        "| policy | copies of | gain | in the best cell | in the worst | markets with a gain | "
        "games with a gain | with a loss |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for policy in POLICIES:
        cells = state["cells"][policy]
        for strategy, said in ROWS.items():
            of = {name: float(np.array(a)[strategy].sum()) for name, a in cells.items()}
            games = of["markets"] * GAMES
            share, _ = share_of(cells, strategy)
            cell = [
                name_of(policy),
                said.removeprefix("copies of its ").removeprefix("copies of "),
                *map(_percent, (of["gain"] / of["truthful"], np.nanmax(share), np.nanmin(share))),
                f"{100 * of['markets with a gain'] / of['markets']:.1f} %",
                f"{of['games with a gain']:,.0f} of {games:,.0f}",
                f"{of['games with a loss']:,.0f}",
            ]
            text.append("| " + " | ".join(cell) + " |")
    return "\n".join(text) + "\n"


def _percent(share: float) -> str:
    return f"{100 * share:+.1f} %".replace("-", "−") if share else "0"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS, help="where who_gains.json is")
    parser.add_argument("--to", type=Path, help="a picture; who_gains.png beside it by default")
    options = parser.parse_args()
    state = json.loads((options.out / "who_gains.json").read_text())
    figure = draw(state)
    save_figure(figure, options.to or options.out / "who_gains.png")
    (options.out / "who_gains.md").write_text(as_markdown(state))
    print(as_markdown(state))


if __name__ == "__main__":
    main()
