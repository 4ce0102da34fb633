"""What one sees in a figure, in words, for those who do not see it."""

from copyproof.paper import Figure as Runs
from copyproof.paper import growth_fits, misses, relative_regrets
from copyproof.report.copies_figure import copier, copies_lines
from copyproof.report.looks import name_of
from copyproof.report.markets_figure import MARKET_NAMES
from copyproof.report.parts_figures import ABLATION_NAMES

__all__ = ["what_one_sees"]

_LEVEL = 0.001


def what_one_sees(name: str, runs: Runs) -> str:
    """Describe a figure of the study by its own numbers."""
    match name:
        case "fig1a" | "fig1b":
            return _copies(runs)
        case "markets":
            return _markets(runs)
        case "ablation":
            return _ablation(runs)
        case "samples":
            return _samples(runs)
        case "growth":
            return _growth(runs)
        case _:
            return _curves(runs)


def _copies(runs: Runs) -> str:
    who = next(iter(runs.values())).market.agents[copier(runs)].name
    parts = []
    for policy, line in copies_lines(runs).items():
        first, last = float(line.mean[0]), float(line.mean[-1])
        moved = float(abs(line.mean - first).max()) > _LEVEL * abs(first)
        told = f"goes from {first:,.0f} to {last:,.0f}" if moved else f"stays at {first:,.0f}"
        parts.append(f"{name_of(policy)} {told}")
    copies = line.copies
    return (
        f"Lines of the revenue of the {who} against its number of copies, {copies[0]} to "
        f"{copies[-1]}: {'; '.join(parts)}."
    )


def _curves(runs: Runs) -> str:
    ends = sorted(((r.regret.mean, str(r.policy)) for r in runs.values()), reverse=True)
    T = max(result.horizon for result in runs.values())
    listed = ", ".join(f"{name_of(policy)} {regret:,.0f}" for regret, policy in ends)
    return f"Rising lines of the regret over {T:,} rounds. At the end, from the top: {listed}."


def _markets(runs: Runs) -> str:
    relative = relative_regrets(runs)
    parts = []
    for market in dict.fromkeys(market for market, _ in relative):
        dots = [
            f"{name_of(policy)} {ratio.mean:.3g}"
            for (one, policy), ratio in relative.items()
            if one == market
        ]
        parts.append(f"{MARKET_NAMES[market]}: {', '.join(dots)}")
    return (
        "Dots of the regret on five markets, as a multiple of that of the best of the paper's "
        f"three policies there. {'; '.join(parts)}."
    )


def _ablation(runs: Runs) -> str:
    parts = []
    for market in dict.fromkeys(str(key[0]) for key in runs):
        bars = [
            f"{ABLATION_NAMES[str(policy)]} {runs[market, policy].regret.mean:,.0f}"
            for one, policy in runs
            if one == market
        ]
        parts.append(f"Market of figure {market}: {', '.join(bars)}.")
    return f"Bars of the regret, four for each market. {' '.join(parts)}"


def _samples(runs: Runs) -> str:
    parts = [
        f"L = {L}: regret {result.regret.mean:,.0f}, {100 * misses(result).mean():.0f} % of the "
        "samples without a best arm"
        for (L,), result in runs.items()
    ]
    return (
        "Above, dots of the regret of each repetition for five sizes of the sample; below, how "
        f"often the sample holds none of the best arms. {'; '.join(parts)}."
    )


def _growth(runs: Runs) -> str:
    fits = growth_fits(runs)
    parts = []
    for market in dict.fromkeys(str(key[0]) for key in runs):
        rates = [f"{name_of(p)} {fits[m, p].mean:.2f}" for m, p in fits if m == market]
        parts.append(f"Market of figure {market}: {', '.join(rates)}.")
    return (
        "Lines of the regret against the horizon, both logarithmic, a panel for each of two "
        f"markets, with the fitted exponents. {' '.join(parts)}"
    )
