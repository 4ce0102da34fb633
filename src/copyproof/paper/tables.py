"""The numbers behind the figures, as tidy tables: one row per point.

Every table has means, standard deviations of one repetition and standard errors of the mean.
"""

from typing import TYPE_CHECKING, Any

from copyproof.paper.judges import Figure, Figures
from copyproof.paper.measures import exponent, fitted_growth, misses, regret_ratio
from copyproof.paper.study import ABLATION, OURS, POLICIES
from copyproof.simulation import Estimate, Interval
from copyproof.theory import sample_misses_best, sample_size

if TYPE_CHECKING:
    import pandas as pd


def table(figure: str, figures: Figures) -> "pd.DataFrame":
    """The table of a figure."""
    import pandas as pd

    runs = figures[figure]
    match figure:
        case "fig1a" | "fig1b":
            rows = _copies_rows(runs, agent=0 if figure == "fig1a" else -1)
        case "fig2a" | "fig2b" | "fig2c":
            rows = _curve_rows(runs)
        case "markets":
            rows = _market_rows(runs)
        case "ablation":
            rows = _ablation_rows(runs)
        case "samples":
            rows = _sample_rows(runs)
        case _:
            rows = _growth_rows(runs)
    return pd.DataFrame(rows)


def growth_fits(runs: Figure) -> dict[tuple[str, str], Any]:
    """The fitted b of regret ~ T^b of every market and policy, over the last two decades of T."""
    fits = {}
    for market in ("2a", "2c"):
        for policy in POLICIES:
            of_policy = [r for key, r in runs.items() if key[:2] == (market, policy)]
            long = sorted(of_policy, key=lambda result: result.horizon)[-5:]
            fits[market, policy] = fitted_growth(long)
    return fits


def relative_regrets(runs: Figure) -> dict[tuple[str, str], Interval]:
    """The regret of every market and policy, as a multiple of the best of the paper's policies."""
    found: dict[tuple[str, str], Interval] = {}
    for market in dict.fromkeys(str(key[0]) for key in runs):
        here = {str(policy): result for (name, policy), result in runs.items() if name == market}
        best = min((r for p, r in here.items() if p != OURS), key=lambda r: r.regret.mean)
        found |= {(market, policy): regret_ratio(r, best) for policy, r in here.items()}
    return found


def _estimate(name: str, estimate: Estimate) -> dict[str, float]:
    return {
        f"{name}_mean": estimate.mean,
        f"{name}_std": estimate.std,
        f"{name}_stderr": estimate.stderr,
    }


def _copies_rows(runs: Figure, agent: int) -> list[dict[str, Any]]:
    return [
        {"copies": copies, "policy": policy} | _estimate("revenue", result.agents[agent].revenue)
        for (copies, policy), result in runs.items()
    ]


def _curve_rows(runs: Figure) -> list[dict[str, Any]]:
    return [
        {"policy": policy, **{str(column): value for column, value in row.items()}}
        for (policy,), result in runs.items()
        for row in result.curve_frame().to_dict("records")
    ]


def _market_rows(runs: Figure) -> list[dict[str, Any]]:
    relative = relative_regrets(runs)
    return [
        {"market": market, "policy": policy}
        | _estimate("regret", runs[market, policy].regret)
        | {"relative": ratio.mean, "relative_low": ratio.low, "relative_high": ratio.high}
        for (market, policy), ratio in relative.items()
    ]


def _ablation_rows(runs: Figure) -> list[dict[str, Any]]:
    rows = []
    for (market, policy), result in runs.items():
        place = ABLATION.index(str(policy))
        b = exponent(result)
        rows.append(
            {
                "market": market,
                "policy": policy,
                "hierarchy": place >= 2,
                "sampling": place % 2 == 1,
            }
            | _estimate("regret", result.regret)
            | {"exponent": b.mean, "exponent_low": b.low, "exponent_high": b.high}
        )
    return rows


def _sample_rows(runs: Figure) -> list[dict[str, Any]]:
    rows = []
    for (L,), result in runs.items():
        best = len(result.market.agents) - 1
        missed = misses(result)
        arms = result.market.agents[best].registered
        rows.append(
            {"L": L, "sample": sample_size(int(L), result.horizon, arms)}
            | _estimate("regret", result.regret)
            | {
                "missed": float(missed.mean()),
                "missed_exact": sample_misses_best(result.market, best, int(L), result.horizon),
            }
        )
    return rows


def _growth_rows(runs: Figure) -> list[dict[str, Any]]:
    return [
        {"market": market, "policy": policy, "horizon": horizon, "repetitions": result.repetitions}
        | _estimate("regret", result.regret)
        for (market, policy, horizon), result in runs.items()
    ]
