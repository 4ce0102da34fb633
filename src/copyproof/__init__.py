"""copyproof: bandits whose arms belong to someone.

A bandit that decides what is shown pays every submission for being explored, so people submit
copies. copyproof plays that game: markets of agents who own, hide and copy arms, policies that pick
an arm a round, and what comes of it for the agents and for the principal.

``read_market`` or ``Market`` make a market, ``parse_policy`` or ``Policy`` a policy, and
``simulate`` plays them; ``exact`` computes small games without sampling; ``bounds`` says what the
theorems promise.

Every name is loaded when it is first asked for: ``import copyproof`` loads nothing but the standard
library.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from copyproof.auditing import Attacks, Audit, Equilibrium, attacks, audit, equilibrium
    from copyproof.auditing.report import plot_gains, write_audit_report
    from copyproof.exact_values.result import Exact
    from copyproof.exact_values.run import exact
    from copyproof.external.functions import function_policy
    from copyproof.external.interpreter import smpybandits_policy
    from copyproof.external.libraries import mabwiser_policy, river_policy
    from copyproof.external.records import ExternalPolicy
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
    from copyproof.game.files import read_market, write_market
    from copyproof.paper.figures.ablation import plot_ablation
    from copyproof.paper.figures.copies import plot_copies
    from copyproof.paper.figures.growth import plot_growth
    from copyproof.paper.figures.markets import plot_markets
    from copyproof.paper.figures.samples import plot_samples
    from copyproof.plots import plot_regret, save_figure
    from copyproof.policy import CATALOGUE, Policy, parse_policy, why_not_covered
    from copyproof.simulation.result import Result
    from copyproof.simulation.run import simulate
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

_HOME = {
    "CATALOGUE": "copyproof.policy",
    "Admit": "copyproof.game",
    "Agent": "copyproof.game",
    "Attacks": "copyproof.auditing",
    "Audit": "copyproof.auditing",
    "Bernoulli": "copyproof.game",
    "Beta": "copyproof.game",
    "Bound": "copyproof.theory",
    "Custom": "copyproof.game",
    "Empirical": "copyproof.game",
    "Equilibrium": "copyproof.auditing",
    "Exact": "copyproof.exact_values.result",
    "Explicit": "copyproof.game",
    "Exponential": "copyproof.game",
    "ExternalPolicy": "copyproof.external.records",
    "Gaussian": "copyproof.game",
    "Geometric": "copyproof.game",
    "Market": "copyproof.game",
    "Poisson": "copyproof.game",
    "Policy": "copyproof.policy",
    "Renew": "copyproof.game",
    "Result": "copyproof.simulation.result",
    "Retire": "copyproof.game",
    "RiskAverse": "copyproof.game",
    "RiskSeeking": "copyproof.game",
    "Schedule": "copyproof.game",
    "attacks": "copyproof.auditing",
    "audit": "copyproof.auditing",
    "bounds": "copyproof.theory",
    "churn": "copyproof.game",
    "equilibrium": "copyproof.auditing",
    "exact": "copyproof.exact_values.run",
    "function_policy": "copyproof.external.functions",
    "mabwiser_policy": "copyproof.external.libraries",
    "paper_market": "copyproof.game",
    "parse_policy": "copyproof.policy",
    "plot_ablation": "copyproof.paper.figures.ablation",
    "plot_copies": "copyproof.paper.figures.copies",
    "plot_gains": "copyproof.auditing.report",
    "plot_growth": "copyproof.paper.figures.growth",
    "plot_markets": "copyproof.paper.figures.markets",
    "plot_regret": "copyproof.plots",
    "plot_samples": "copyproof.paper.figures.samples",
    "read_market": "copyproof.game.files",
    "river_policy": "copyproof.external.libraries",
    "save_figure": "copyproof.plots",
    "simulate": "copyproof.simulation.run",
    "smpybandits_policy": "copyproof.external.interpreter",
    "split": "copyproof.game",
    "why_not_covered": "copyproof.policy",
    "write_audit_report": "copyproof.auditing.report",
    "write_market": "copyproof.game.files",
}
"""Where each public name lives."""


if not TYPE_CHECKING:  # type checkers know every name, and report any other

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module 'copyproof' has no attribute {name!r}")
        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
