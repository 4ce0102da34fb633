"""The search that found ``grace``: variants of its family on the development suite.

    copyproof study run studies/search.toml --out out/studies/search
    python studies/search.py [--cells FOLDER] [--out FOLDER] [--redraw]

Every variant plays every case of ``markets.development()`` with the same luck; its regret is
divided by the better of H-UCB's and RH-UCB's on that case. Per variant:

- *all*: the geometric mean of that ratio over all cases, and *worst*, the largest;
- *rational*: the geometric mean over the cases in which every agent registers its best arm only;
- *replicators*: the largest ratio over the cases in which agents copy;
- *lost to replicators*: the largest regret over these cases as a share of the best revenue, μ*·T.

The *frontier* holds the variants that no other beats in both *rational* and *replicators*. Then the
variants near it are held against each other by their late runs on figure 2c (``late.py``).

Writes ``search.csv`` (a row for each case and variant), ``late.json``, ``late.md``,
``frontier.json``, ``.md``, ``.svg`` and ``.png``.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from copyproof._files import write_atomically
from copyproof.plots import save_figure
from copyproof.plots.canvas import new_axes, plain
from copyproof.plots.palette import INK, QUIET, colour_of, line_styles, name_of
from late import late_markdown, lates_of
from markets import Case, development
from runs import geometric_mean, read, regrets, rows_of, study_parser, table_of, write
from variants import BASELINES, DEFAULT, VARIANTS

NAMED: dict[str, tuple[Any, ...]] = {
    "h-ucb": (),
    "rh-ucb": (7, -3),
    "prh-ucb": (-7, -3, "right"),
    "grace": (2, -15),
    "doubt 0": (-6, -9, "right"),
    "doubt 0, mean": (-2, 6),
    "scale 0.7": (-6, -3, "right"),
    "arms: UCB": (),
    "arms: UCB, growing": (),
    "agents: UCB": (),
}
"""Variants with a name in the first panel, and where it stands."""
BESIDE: dict[str, tuple[Any, ...]] = {
    "grace": (8, -3),
    "doubt 1.5": (-6, -3, "right"),
    "Hoeffding": (-6, -3, "right"),
}
"""Where names stand in the second panel, unless to the right."""
Summary = dict[str, float | str | bool]


def summaries(
    cases: Sequence[Case], found: Mapping[str, Mapping[str, float]], variants: Iterable[str]
) -> list[Summary]:
    """One line for each variant, the best over all cases first."""
    table: list[Summary] = []
    for variant in variants:
        ratio = {}
        lost = []
        for case in cases:
            regret = found[case.name]
            ratio[case.name] = regret[variant] / min(regret["h-ucb"], regret["rh-ucb"])
            if case.kind == "replicators":
                lost.append(regret[variant] / (case.market.best_mean * case.horizon))
        of = {kind: [ratio[c.name] for c in cases if c.kind == kind] for kind in _kinds(cases)}
        worst = max(ratio, key=lambda name: ratio[name])
        table.append(
            {
                "variant": variant,
                "policy": str(VARIANTS[variant]),
                "all": geometric_mean(ratio.values()),
                "worst": ratio[worst],
                "worst market": worst,
                "rational": geometric_mean(of["rational"]),
                "replicators": max(of["replicators"]),
                "lost to replicators": max(lost),
            }
        )
    for line in table:
        line["frontier"] = not any(
            all(other[k] <= line[k] for k in ("rational", "replicators"))
            and any(other[k] < line[k] for k in ("rational", "replicators"))
            for other in table
        )
    return sorted(table, key=lambda line: line["all"])


def _kinds(cases: Sequence[Case]) -> list[str]:
    return sorted({case.kind for case in cases})


def as_markdown(table: Sequence[Summary]) -> str:
    """The table of the documentation."""
    lines = [
        "| variant | all | worst | rational | replicators | lost to replicators |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for line in table:
        name = f"{line['variant']} *" if line["frontier"] else str(line["variant"])
        numbers = [f"{line[key]:.2f}" for key in ("all", "worst", "rational", "replicators")]
        cells = [f"**{name}**" if line["variant"] == DEFAULT else name, *numbers]
        lines.append("| " + " | ".join([*cells, f"{line['lost to replicators']:.1%}"]) + " |")
    return "\n".join(lines).replace("%", " %") + "\n"


def draw(table: Sequence[Summary], lates: Sequence[dict[str, Any]], out: Path) -> None:
    """The frontier; and for variants near it, how often they write the best agent off."""
    whole, near = new_axes(3.7, columns=2, width=9.6)
    lines = {str(line["variant"]): line for line in table}
    for name, line in lines.items():
        whole.plot(line["rational"], line["replicators"], "o", **_look(name))
        if line["frontier"] or name in NAMED:
            text = f"{name_of(name)}, h-ucb-t-free" if name == "h-ucb" else name_of(name)
            _name_beside(whole, (line["rational"], line["replicators"]), text, *NAMED.get(name, ()))
    front = sorted((one for one in table if one["frontier"]), key=lambda one: one["rational"])
    x, y = ([one[key] for one in front] for key in ("rational", "replicators"))
    whole.step(x, y, where="post", color=QUIET, linewidth=0.9, zorder=1)
    whole.set_xscale("log")
    whole.set_yscale("log")
    whole.set_ylim(bottom=0.6)
    whole.set_ylabel("replicators: largest ratio", fontsize=9)
    for axis, ticks in ((whole.xaxis, (0.3, 1, 3, 10)), (whole.yaxis, (1, 3, 10, 30))):
        axis.set_major_locator(FixedLocator(ticks))
        axis.set_major_formatter(FixedFormatter([f"{tick:g}" for tick in ticks]))
        axis.set_minor_locator(NullLocator())
    for one in lates:
        name = one["variant"]
        place = (lines[name]["rational"], 100 * one["late"])
        near.errorbar(*place, yerr=100 * one["stderr of late"], ecolor="#bbbbbb", elinewidth=1.0)
        near.plot(*place, "o", **_look(name))
        _name_beside(near, place, name, *BESIDE.get(name, ()))
    near.set_ylim(bottom=0)
    near.set_ylabel("late runs on figure 2c, T = 30,000 (%)", fontsize=9)
    for ax in (whole, near):
        plain(ax)
        ax.grid(axis="x", color="#dddddd", linewidth=0.6)
        ax.set_xlabel("rational agents: geometric mean of the ratio", fontsize=9)
        ax.tick_params(labelsize=8)
        ax.margins(x=0.12)
    figure = whole.get_figure(root=True)
    save_figure(figure, out / "frontier.svg")
    save_figure(figure, out / "frontier.png")


def _name_beside(
    ax: "Axes", place: tuple[float, float], text: str, x: float = 5, y: float = -3, ha: str = "left"
) -> None:
    ax.annotate(
        text, place, xytext=(x, y), textcoords="offset points", fontsize=8, color=INK, ha=ha
    )


def _look(name: str) -> dict[str, object]:
    """Baselines in their colours everywhere, ``grace`` large, variants small and grey."""
    if name in BASELINES and name != "h-ucb-t-free":
        return {"color": colour_of(name), "markersize": 6, "zorder": 3}
    if name == DEFAULT:
        return {
            "color": line_styles([DEFAULT])[0][0],
            "markersize": 7,
            "markeredgecolor": INK,
            "zorder": 4,
        }
    return {"color": QUIET, "markersize": 4, "zorder": 3}


def main() -> None:
    parser = study_parser(__doc__)
    parser.add_argument("--redraw", action="store_true", help="from search.csv and late.json")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    path, late = options.out / "search.csv", options.out / "late.json"
    if options.redraw:
        rows, lates = read(path), json.loads(late.read_text())
    else:
        played = table_of(options.cells / "search")
        named = {name: str(policy) for name, policy in VARIANTS.items()}
        rows = rows_of(played[played["part"] == "search"], development(), named)
        lates = lates_of(played)
        write(path, rows)
        write_atomically(late, (json.dumps(lates, indent=1) + "\n").encode())
    found = regrets(rows)
    lines = summaries([case for case in development() if case.name in found], found, VARIANTS)
    (options.out / "frontier.json").write_text(json.dumps(lines, indent=1) + "\n")
    (options.out / "frontier.md").write_text(as_markdown(lines))
    (options.out / "late.md").write_text(late_markdown(lates))
    draw(lines, lates, options.out)
    print(as_markdown(lines))
    print(late_markdown(lates))


if __name__ == "__main__":
    main()
