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
    Admit,
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
    Renew,
    Retire,
    RiskAverse,
    RiskSeeking,
    Schedule,
    churn,
    paper_market,
    split,
)
from copyproof.policy import CATALOGUE, Policy, parse_policy, why_not_covered

if TYPE_CHECKING:
    from copyproof.auditing import Attacks, Audit, Equilibrium, attacks, audit, equilibrium
    from copyproof.auditing.report import plot_gains, write_audit_report
    from copyproof.exact_values import Exact, exact
    from copyproof.external import (
        ExternalPolicy,
        function_policy,
        mabwiser_policy,
        river_policy,
        smpybandits_policy,
    )
    from copyproof.game.files import read_market, write_market
    from copyproof.paper.figures.ablation import plot_ablation
    from copyproof.paper.figures.copies import plot_copies
    from copyproof.paper.figures.growth import plot_growth
    from copyproof.paper.figures.markets import plot_markets
    from copyproof.paper.figures.samples import plot_samples
    from copyproof.plots import plot_regret, save_figure
    from copyproof.simulation import Result, simulate
    from copyproof.theory import Bound, bounds

__all__ = [
    "CATALOGUE",
    "Admit",
    "Agent",
    "Attacks",
    "Audit",
    "Bernoulli",
    "Beta",
    "Bound",
    "Custom",
    "Empirical",
    "Equilibrium",
    "Exact",
    "Explicit",
    "Exponential",
    "ExternalPolicy",
    "Gaussian",
    "Geometric",
    "Market",
    "Poisson",
    "Policy",
    "Renew",
    "Result",
    "Retire",
    "RiskAverse",
    "RiskSeeking",
    "Schedule",
    "attacks",
    "audit",
    "bounds",
    "churn",
    "equilibrium",
    "exact",
    "function_policy",
    "mabwiser_policy",
    "paper_market",
    "parse_policy",
    "plot_ablation",
    "plot_copies",
    "plot_gains",
    "plot_growth",
    "plot_markets",
    "plot_regret",
    "plot_samples",
    "read_market",
    "river_policy",
    "save_figure",
    "simulate",
    "smpybandits_policy",
    "split",
    "why_not_covered",
    "write_audit_report",
    "write_market",
]

# Loaded when first asked for: the compiler and the file formats cost more time than the rest.
_LATER = {
    "Attacks": "copyproof.auditing",
    "attacks": "copyproof.auditing",
    "Audit": "copyproof.auditing",
    "Equilibrium": "copyproof.auditing",
    "audit": "copyproof.auditing",
    "equilibrium": "copyproof.auditing",
    "Bound": "copyproof.theory",
    "ExternalPolicy": "copyproof.external.records",
    "Result": "copyproof.simulation.result",
    "bounds": "copyproof.theory",
    "function_policy": "copyproof.external.functions",
    "mabwiser_policy": "copyproof.external.libraries",
    "Exact": "copyproof.exact_values.result",
    "exact": "copyproof.exact_values.run",
    "plot_ablation": "copyproof.paper.figures.ablation",
    "plot_copies": "copyproof.paper.figures.copies",
    "plot_gains": "copyproof.auditing.report",
    "write_audit_report": "copyproof.auditing.report",
    "plot_growth": "copyproof.paper.figures.growth",
    "plot_markets": "copyproof.paper.figures.markets",
    "plot_regret": "copyproof.plots",
    "plot_samples": "copyproof.paper.figures.samples",
    "save_figure": "copyproof.plots",
    "read_market": "copyproof.game.files",
    "river_policy": "copyproof.external.libraries",
    "simulate": "copyproof.simulation.run",
    "smpybandits_policy": "copyproof.external.interpreter",
    "write_market": "copyproof.game.files",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        value = getattr(importlib.import_module(_LATER[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'copyproof' has no attribute {name!r}")
