"""What an inspection found: agents, arms, groups, the estimated market, and answers.

Concentration is Herfindahl's and Hirschman's index, the sum of squared shares (1 if one has all,
1/n if n have equal shares), and Gini's coefficient of the agents' plays (0 if all are equal).
A *newcomer* is an agent whose first play comes when four in five of the log's are over.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from copyproof.auditing.result import plain_value
from copyproof.game import BetaPrior, ByName, Market
from copyproof.inspect.answers import Answer
from copyproof.inspect.groups import Group
from copyproof.inspect.problems import Problem
from copyproof.inspect.propensities import OffPolicyValue
from copyproof.simulation import Interval

if TYPE_CHECKING:
    import pandas as pd


# Agents whose shares over time are printed as JSON.
_MOST_SHARES = 100


@dataclass(frozen=True, slots=True)
class LoggedArm:
    """One arm of a log.

    Attributes
    ----------
    agent, name : str
        Whose it is, and what it is called.
    plays : int
        Its rows.
    reward : Interval
        The mean, with limits of 95 %: Wilson's where rewards have two values.
    first, last : float
        When it was first and last shown, in the log's time.
    group : int or None
        Its place in ``Inspection.groups``.
    """

    agent: str
    name: str
    plays: int
    reward: Interval
    first: float
    last: float
    group: int | None


@dataclass(frozen=True, slots=True)
class LoggedAgent:
    """One agent of a log.

    Attributes
    ----------
    name : str
        What it is called.
    plays : int
        Of all its arms.
    share : float
        Of all plays.
    reward : Interval
        The mean of its plays, with limits of 95 %.
    first, last : float
        When it was first and last shown.
    newcomer : bool
        Whether that began with the last fifth of the log's plays.
    copies : int
        Arms beyond the first of each group of its own, by content and with rewards that agree.
    copied_share : float
        Share of all plays that arms of such groups had.
    arms : ByName of LoggedArm
        Its arms, the most played first.
    group : str or None
        The principal that the name is bound to, as a journal has it.
    """

    name: str
    plays: int
    share: float
    reward: Interval
    first: float
    last: float
    newcomer: bool
    copies: int
    copied_share: float
    arms: ByName[LoggedArm]
    group: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name,
            "plays": self.plays,
            "share": self.share,
            "reward": plain_value(self.reward),
            "first": self.first,
            "last": self.last,
            "newcomer": self.newcomer,
            "copies": self.copies,
            "copied_share": self.copied_share,
            "group": self.group,
            "arms": [
                {
                    "name": arm.name,
                    "plays": arm.plays,
                    "reward": plain_value(arm.reward),
                    "first": arm.first,
                    "last": arm.last,
                    "group": arm.group,
                }
                for arm in self.arms
            ],
        }


@dataclass(frozen=True, slots=True)
class Concentration:
    """How unevenly the plays are spread."""

    agents: float
    arms: float
    gini: float


@dataclass(frozen=True, slots=True, eq=False)
class Inspection:
    """What ``inspect_log`` found.

    Attributes
    ----------
    log : str
        The file's name.
    rows, used : int
        Rows read, and those that could be used.
    problems : tuple of Problem
        What is wrong with rows: bad ones are left out, odd ones are kept.
    agents : ByName of LoggedAgent
        The most played first; by position or by name.
    groups : tuple of Group
        Arms that seem to be the same thing, the most played first.
    concentration : Concentration
        Of the plays.
    spans, shares : array
        Starts of spans of time, and the agents' shares of the plays in each, a row for each span;
        agents in the order of ``agents``.
    market : Market
        Estimated from the log: means have priors, and are drawn anew for every game.
    prior : BetaPrior
        What the means of all arms are drawn from.
    answers : tuple of Answer
        What copies cost and what another policy would earn.
    off_policy : tuple of OffPolicyValue
        What other policies would have earned a round, where the log has propensities.
    notes : tuple of str
        What the log cannot say, and what was taken for granted.
    policy : str or None
        The policy that was running, if it was said.
    horizon, repetitions, seed : int
        Of the games behind the answers.
    seconds : float
        For all of it.
    """

    log: str
    rows: int
    used: int
    problems: tuple[Problem, ...]
    agents: ByName[LoggedAgent]
    groups: tuple[Group, ...]
    concentration: Concentration
    spans: NDArray[np.float64]
    shares: NDArray[np.float64]
    market: Market
    prior: BetaPrior
    answers: tuple[Answer, ...]
    off_policy: tuple[OffPolicyValue, ...]
    notes: tuple[str, ...]
    policy: str | None
    horizon: int
    repetitions: int
    seed: int
    seconds: float

    @property
    def copiers(self) -> tuple[LoggedAgent, ...]:
        """Agents that hold copies, those whose copies had most plays first."""
        found = [agent for agent in self.agents if agent.copies]
        return tuple(sorted(found, key=lambda agent: -agent.copied_share))

    def to_dict(self) -> dict[str, Any]:
        """The summary that the command line prints as JSON."""
        from copyproof.game.files import market_to_dict

        return {
            "rows": self.rows,
            "agents": [agent.to_dict() for agent in self.agents],
            "groups": [group.to_dict() for group in self.groups],
            "market": market_to_dict(self.market),
            "answers": [answer.to_dict() for answer in self.answers],
            "used": self.used,
            "problems": [problem.to_dict() for problem in self.problems],
            "concentration": {
                "agents": self.concentration.agents,
                "arms": self.concentration.arms,
                "gini": self.concentration.gini,
            },
            "shares": {
                "time": self.spans.tolist(),
                "agents": {
                    agent.name: self.shares[:, place].tolist()
                    for place, agent in enumerate(self.agents[:_MOST_SHARES])
                },
            },
            "prior": {"alpha": self.prior.alpha, "beta": self.prior.beta},
            "off_policy": [value.to_dict() for value in self.off_policy],
            "notes": list(self.notes),
            "policy": self.policy,
            "horizon": self.horizon,
            "repetitions": self.repetitions,
            "seed": self.seed,
            "seconds": self.seconds,
        }

    def to_frame(self) -> "pd.DataFrame":
        """A row per arm: plays, share, mean reward with its limits, first and last time, group."""
        from copyproof.inspect.display import inspection_frame

        return inspection_frame(self)

    def __repr__(self) -> str:
        """Say on one line what was found."""
        from copyproof.inspect.display import inspected

        return f"<Inspection {inspected(self)}>"

    def _repr_html_(self) -> str:
        """Show the agents in a notebook."""
        from copyproof.inspect.display import inspection_html

        return inspection_html(self)
