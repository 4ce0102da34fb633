"""What an exact computation found: expectations and distributions, without errors.

Numbers are floats, or ``Fraction``s if they were asked for.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from copyproof.exact_values.state_count import Size
from copyproof.game import ByName, Market
from copyproof.plots.numbers import brief
from copyproof.policy import Policy, with_market_defaults
from copyproof.validation import shortened

if TYPE_CHECKING:
    import pandas as pd

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
        E[U_i(v_i)] − fee × registered arms. A float wherever U is not linear, and NaN of a name
        that is bound to a group of such a U: that utility is the group's.
    distribution : tuple of float or Fraction, or None
        The probability of the revenues 0, 1, …, T; None if there is a discount, and of a name that
        is bound to a group: the group has one.
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
        In the market's order; an agent that registers nothing is there, with zeros. By position or
        by name: ``agents[0]``, ``agents["ann"]``.
    groups : tuple of ExactAgent
        What each group can expect as one principal; empty where no agent is bound.
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
    agents: ByName[ExactAgent]
    groups: ByName[ExactAgent]
    size: Size
    states: int
    seconds: float

    @property
    def resolved_policy(self) -> Policy:
        """The policy with l or L filled in where none was asked for."""
        return with_market_defaults(self.policy, self.market.quotient)

    def _groups_dict(self) -> dict[str, Any]:
        members = self.market.groups
        rows = [{**one.to_dict(), "agents": list(members[one.name])} for one in self.groups]
        return {"groups": rows} if rows else {}

    def __repr__(self) -> str:
        """Say on one line what was computed, and the regret."""
        return f"<Exact {self._played}: T = {self.horizon:,}: regret {brief(float(self.regret))}>"

    @property
    def _played(self) -> str:
        return f"{shortened(str(self.policy))} on {shortened(self.market.label)}"

    def _repr_html_(self) -> str:
        """Show what every agent can expect in a notebook."""
        from copyproof.pages import notebook_table

        rows = [
            [one.name, *(brief(float(part)) for part in (one.revenue, one.plays, one.utility))]
            for one in self.agents
        ]
        note = f"T = {self.horizon:,}, exact values. Regret {brief(float(self.regret))}."
        head = ["agent", "revenue", "plays", "utility"]
        return notebook_table(head, rows, title=self._played, notes=[note])

    def to_frame(self) -> "pd.DataFrame":
        """A row per agent: expected revenue, plays and utility, and the game's expected regret.

        It opens with policy, market and horizon; there is no seed where nothing is drawn.

        Examples
        --------
        >>> from copyproof import Agent, exact
        >>> market = Market([Agent("half", [0.5], copies=[3]), Agent("better", [0.75])])
        >>> found = exact(market.named("two"), "ucb1", horizon=8, fractions=True)
        >>> print(found.to_frame().drop(columns=["utility", "regret"]).to_string(index=False))
        policy market  horizon  agent   revenue     plays
          ucb1    two        8   half 5707/2048 5707/1024
          ucb1    two        8 better 7455/4096 2485/1024
        """
        import pandas as pd

        rows = [
            {
                "policy": str(self.policy),
                "market": self.market.label,
                "horizon": self.horizon,
                "agent": one.name,
                "revenue": one.revenue,
                "plays": one.plays,
                "utility": one.utility,
                "regret": self.regret,
            }
            for one in self.agents
        ]
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """The summary that the command line prints as JSON; fractions become texts."""
        return {
            "policy": str(self.policy),
            "resolved_policy": str(self.resolved_policy),
            "horizon": self.horizon,
            "regret": _plain(self.regret),
            "agents": [agent.to_dict() for agent in self.agents],
            **self._groups_dict(),
            "states": self.states,
            "states_bound": self.size.total,
            "games": self.size.games,
            "seconds": self.seconds,
        }


def _plain(number: Number) -> float | str | None:
    if isinstance(number, Fraction):
        return str(number)
    return None if math.isnan(number) else float(number)
