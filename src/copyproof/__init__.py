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

from copyproof._version import __version__ as __version__

if TYPE_CHECKING:  # `as` tells type checkers that the names are public
    from copyproof.auditing import Attacks as Attacks
    from copyproof.auditing import Audit as Audit
    from copyproof.auditing import Equilibrium as Equilibrium
    from copyproof.auditing import attacks as attacks
    from copyproof.auditing import audit as audit
    from copyproof.auditing import equilibrium as equilibrium
    from copyproof.auditing.report import plot_gains as plot_gains
    from copyproof.auditing.report import plot_identity_price as plot_identity_price
    from copyproof.auditing.report import write_audit_report as write_audit_report
    from copyproof.comparison import Comparison as Comparison
    from copyproof.comparison import compare as compare
    from copyproof.comparison import plot_comparison as plot_comparison
    from copyproof.exact_values.result import Exact as Exact
    from copyproof.exact_values.run import exact as exact
    from copyproof.external.functions import function_policy as function_policy
    from copyproof.external.interpreter import smpybandits_policy as smpybandits_policy
    from copyproof.external.libraries import mabwiser_policy as mabwiser_policy
    from copyproof.external.libraries import river_policy as river_policy
    from copyproof.external.records import ExternalPolicy as ExternalPolicy
    from copyproof.game import Admit as Admit
    from copyproof.game import Agent as Agent
    from copyproof.game import Bernoulli as Bernoulli
    from copyproof.game import Beta as Beta
    from copyproof.game import BetaPrior as BetaPrior
    from copyproof.game import Custom as Custom
    from copyproof.game import Drift as Drift
    from copyproof.game import Empirical as Empirical
    from copyproof.game import Explicit as Explicit
    from copyproof.game import Exponential as Exponential
    from copyproof.game import Gaussian as Gaussian
    from copyproof.game import Geometric as Geometric
    from copyproof.game import ListPrior as ListPrior
    from copyproof.game import Market as Market
    from copyproof.game import Mixture as Mixture
    from copyproof.game import Piecewise as Piecewise
    from copyproof.game import Poisson as Poisson
    from copyproof.game import Renew as Renew
    from copyproof.game import Retire as Retire
    from copyproof.game import RiskAverse as RiskAverse
    from copyproof.game import RiskSeeking as RiskSeeking
    from copyproof.game import Schedule as Schedule
    from copyproof.game import UniformPrior as UniformPrior
    from copyproof.game import churn as churn
    from copyproof.game import paper_market as paper_market
    from copyproof.game import read_market as read_market
    from copyproof.game import split as split
    from copyproof.game import write_market as write_market
    from copyproof.inspect import Inspection as Inspection
    from copyproof.inspect import inspect_log as inspect_log
    from copyproof.inspect.report import write_inspection_report as write_inspection_report
    from copyproof.paper.figures.ablation import plot_ablation as plot_ablation
    from copyproof.paper.figures.copies import plot_copies as plot_copies
    from copyproof.paper.figures.frontier import plot_frontier as plot_frontier
    from copyproof.paper.figures.growth import plot_growth as plot_growth
    from copyproof.paper.figures.markets import plot_markets as plot_markets
    from copyproof.paper.figures.samples import plot_samples as plot_samples
    from copyproof.plots import plot_regret as plot_regret
    from copyproof.plots import save_figure as save_figure
    from copyproof.policy import CATALOGUE as CATALOGUE
    from copyproof.policy import Policy as Policy
    from copyproof.policy import parse_policy as parse_policy
    from copyproof.policy import why_not_covered as why_not_covered
    from copyproof.rare_events import LostProbability as LostProbability
    from copyproof.rare_events import lost_probability as lost_probability
    from copyproof.simulation.result import Result as Result
    from copyproof.simulation.run import simulate as simulate
    from copyproof.studies.cases import Case as Case
    from copyproof.studies.generators import MixedMarkets as MixedMarkets
    from copyproof.studies.generators import NeedlesMarkets as NeedlesMarkets
    from copyproof.studies.generators import RandomMarkets as RandomMarkets
    from copyproof.studies.generators import ZipfMarkets as ZipfMarkets
    from copyproof.studies.strategies import Variation as Variation
    from copyproof.studies.study import Study as Study
    from copyproof.theory import Bound as Bound
    from copyproof.theory import bounds as bounds

# Where each public name lives.
_HOME = {
    name: f"copyproof.{module}"
    for module, names in {
        "auditing": "Attacks Audit Equilibrium attacks audit equilibrium",
        "auditing.report": "plot_gains plot_identity_price write_audit_report",
        "comparison": "Comparison compare plot_comparison",
        "exact_values.result": "Exact",
        "exact_values.run": "exact",
        "external.functions": "function_policy",
        "external.interpreter": "smpybandits_policy",
        "external.libraries": "mabwiser_policy river_policy",
        "external.records": "ExternalPolicy",
        "game": (
            "Admit Agent Bernoulli Beta BetaPrior Custom Drift Empirical Explicit Exponential "
            "Gaussian Geometric ListPrior Market Mixture Piecewise Poisson Renew Retire "
            "RiskAverse RiskSeeking Schedule UniformPrior churn paper_market read_market split "
            "write_market"
        ),
        "inspect": "Inspection inspect_log",
        "inspect.report": "write_inspection_report",
        "paper.figures.ablation": "plot_ablation",
        "paper.figures.copies": "plot_copies",
        "paper.figures.growth": "plot_growth",
        "paper.figures.frontier": "plot_frontier",
        "paper.figures.markets": "plot_markets",
        "paper.figures.samples": "plot_samples",
        "plots": "plot_regret save_figure",
        "policy": "CATALOGUE Policy parse_policy why_not_covered",
        "rare_events": "LostProbability lost_probability",
        "simulation.result": "Result",
        "simulation.run": "simulate",
        "studies.cases": "Case",
        "studies.generators": "MixedMarkets NeedlesMarkets RandomMarkets ZipfMarkets",
        "studies.strategies": "Variation",
        "studies.study": "Study",
        "theory": "Bound bounds",
    }.items()
    for name in names.split()
}

if not TYPE_CHECKING:  # type checkers know every name, and report any other
    __all__ = sorted(_HOME)

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module 'copyproof' has no attribute {name!r}")
        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return [*sorted(_HOME), "__version__"]
