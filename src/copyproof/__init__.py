"""copyproof: bandits whose arms belong to someone.

A bandit that decides what is shown pays every submission for being explored, so people submit
copies. copyproof plays that game: markets of agents who own, hide and copy arms, policies that pick
an arm a round, and what comes of it for the agents and for the principal.

``read_market`` or ``Market`` make a market, ``parse_policy`` or ``Policy`` a policy, and
``simulate`` plays them; ``exact`` computes small games without sampling; ``bounds`` says what the
theorems promise.
"""

import importlib
from typing import TYPE_CHECKING, Any

from copyproof.game import (
    Agent,
    Bernoulli,
    Beta,
    Custom,
    Empirical,
    Explicit,
    Exponential,
    Gaussian,
    Geometric,
    Market,
    Poisson,
    RiskAverse,
    RiskSeeking,
    paper_market,
)
from copyproof.policy import CATALOGUE, Policy, parse_policy

if TYPE_CHECKING:
    from copyproof.exactly import Exact, exact
    from copyproof.game.files import read_market, write_market
    from copyproof.report.figures import plot_regret, save_figure
    from copyproof.report.paper_figures import (
        plot_ablation,
        plot_copies,
        plot_growth,
        plot_samples,
    )
    from copyproof.simulation import Result, simulate
    from copyproof.theory import Bound, bounds

__all__ = [
    "CATALOGUE",
    "Agent",
    "Bernoulli",
    "Beta",
    "Bound",
    "Custom",
    "Empirical",
    "Exact",
    "Explicit",
    "Exponential",
    "Gaussian",
    "Geometric",
    "Market",
    "Poisson",
    "Policy",
    "Result",
    "RiskAverse",
    "RiskSeeking",
    "bounds",
    "exact",
    "paper_market",
    "parse_policy",
    "plot_ablation",
    "plot_copies",
    "plot_growth",
    "plot_regret",
    "plot_samples",
    "read_market",
    "save_figure",
    "simulate",
    "write_market",
]

# Loaded when first asked for: the compiler and the file formats cost more time than the rest.
_LATER = {
    "Bound": "copyproof.theory",
    "Exact": "copyproof.exactly.result",
    "Result": "copyproof.simulation.result",
    "bounds": "copyproof.theory",
    "exact": "copyproof.exactly.run",
    "plot_ablation": "copyproof.report.paper_figures",
    "plot_copies": "copyproof.report.paper_figures",
    "plot_growth": "copyproof.report.paper_figures",
    "plot_regret": "copyproof.report.figures",
    "plot_samples": "copyproof.report.paper_figures",
    "save_figure": "copyproof.report.figures",
    "read_market": "copyproof.game.files",
    "simulate": "copyproof.simulation.run",
    "write_market": "copyproof.game.files",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        value = getattr(importlib.import_module(_LATER[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'copyproof' has no attribute {name!r}")
