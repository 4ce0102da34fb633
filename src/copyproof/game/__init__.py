"""The game: agents, arms, strategies, utilities, fees and discount.

Everything is a frozen record. ``Market`` and ``Agent`` are where to start; ``paper_market``
returns the markets of the paper's figures, and ``read_market`` that of a file.
"""

from copyproof.game.agent import Agent, Arm, Strategy
from copyproof.game.by_name import ByName
from copyproof.game.changing import Changing, Drift, Piecewise
from copyproof.game.discount import NO_DISCOUNT, Constant, Discount, Explicit, Geometric
from copyproof.game.files import (
    market_digest,
    market_from_dict,
    market_to_dict,
    read_market,
    write_market,
)
from copyproof.game.groups import Quotient, principal_of, quotient
from copyproof.game.identities import split
from copyproof.game.ledger import Change, Registrations, registrations
from copyproof.game.market import MOST_ARMS, Market, Profile
from copyproof.game.named import GivenMarket, as_market
from copyproof.game.paper import PAPER_FIGURES, paper_market
from copyproof.game.priors import BetaPrior, ListPrior, Prior, UniformPrior
from copyproof.game.rewards import (
    Bernoulli,
    Beta,
    Empirical,
    Exponential,
    Gaussian,
    Mixture,
    Poisson,
    Reward,
    as_reward,
)
from copyproof.game.schedule import Admit, Renew, Retire, Schedule, ScheduledChange, churn
from copyproof.game.utility import NEUTRAL, Custom, Neutral, RiskAverse, RiskSeeking, Utility

__all__ = [
    "MOST_ARMS",
    "NEUTRAL",
    "NO_DISCOUNT",
    "PAPER_FIGURES",
    "Admit",
    "Agent",
    "Arm",
    "Bernoulli",
    "Beta",
    "BetaPrior",
    "ByName",
    "Change",
    "Changing",
    "Constant",
    "Custom",
    "Discount",
    "Drift",
    "Empirical",
    "Explicit",
    "Exponential",
    "Gaussian",
    "Geometric",
    "GivenMarket",
    "ListPrior",
    "Market",
    "Mixture",
    "Neutral",
    "Piecewise",
    "Poisson",
    "Prior",
    "Profile",
    "Quotient",
    "Registrations",
    "Renew",
    "Retire",
    "Reward",
    "RiskAverse",
    "RiskSeeking",
    "Schedule",
    "ScheduledChange",
    "Strategy",
    "UniformPrior",
    "Utility",
    "as_market",
    "as_reward",
    "churn",
    "market_digest",
    "market_from_dict",
    "market_to_dict",
    "paper_market",
    "principal_of",
    "quotient",
    "read_market",
    "registrations",
    "split",
    "write_market",
]
