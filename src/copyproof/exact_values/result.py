"""What an exact computation found: expectations and distributions, without errors.

Numbers are floats, or ``Fraction``s if they were asked for.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from copyproof.exact_values.state_count import Size
from copyproof.game import Market
from copyproof.policy import Policy, with_market_defaults

__all__ = ["Exact", "ExactAgent", "Number"]

Number: TypeAlias = float | Fraction


@dataclass(frozen=True, slots=True)
class ExactAgent:
    """What one agent can expect.

    Attributes
    ----------
    name : str
        The agent's name.
    revenue, plays : float or Fraction
        Expected discounted revenue E[v_i], and expected plays.
    utility : float or Fraction
        E[U_i(v_i)] − fee × registered arms. A float wherever U is not linear.
    distribution : tuple of float or Fraction, or None
        The probability of the revenues 0, 1, …, T; None if there is a discount.
    """

    name: str
    revenue: Number
    plays: Number
    utility: Number
    distribution: tuple[Number, ...] | None

    def to_dict(self) -> dict[str, Any]:
        """The agent's part of the JSON that the command line prints."""
        known = self.distribution
        return {
            "name": self.name,
            "revenue": _plain(self.revenue),
            "plays": _plain(self.plays),
            "utility": _plain(self.utility),
            "distribution": None if known is None else [_plain(chance) for chance in known],
        }


@dataclass(frozen=True, slots=True)
class Exact:
    """What ``exact`` found.

    Attributes
    ----------
    market, policy, horizon
        What was computed; the policy as it was asked for.
    fractions : bool
        Whether numbers are fractions.
    regret : float or Fraction
        Expected regret Σ_t (μ* − μ(A_t)) after T rounds.
    agents : tuple of ExactAgent
        In the market's order; an agent that registers nothing is there, with zeros.
    size : Size
        The upper bounds that were known beforehand.
    states : int
        How many states there were, over all rounds and games.
    seconds : float
        Time for the games, with compilation if it was due.
    """

    market: Market
    policy: Policy
    horizon: int
    fractions: bool
    regret: Number
    agents: tuple[ExactAgent, ...]
    size: Size
    states: int
    seconds: float

    @property
    def resolved_policy(self) -> Policy:
        """The policy with l or L filled in where none was asked for."""
        return with_market_defaults(self.policy, self.market)

    def to_dict(self) -> dict[str, Any]:
        """The summary that the command line prints as JSON; fractions become texts."""
        return {
            "policy": str(self.policy),
            "resolved_policy": str(self.resolved_policy),
            "horizon": self.horizon,
            "regret": _plain(self.regret),
            "agents": [agent.to_dict() for agent in self.agents],
            "states": self.states,
            "states_bound": self.size.total,
            "games": self.size.games,
            "seconds": self.seconds,
        }


def _plain(number: Number) -> float | str:
    return str(number) if isinstance(number, Fraction) else float(number)
