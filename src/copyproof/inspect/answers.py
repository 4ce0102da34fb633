r"""What copies cost, and what another policy would earn: games on the market of the log.

Every game draws the means anew from what the log tells of them, and plays a period as long as the
log. So the values x_1, …, x_R of the games vary for both reasons, what is not known and luck, and
the limits are those for *one more such period*: with k = ⌊0.025 (R + 1)⌋ they are the k-th smallest
and the k-th largest value, and one more game falls outside with a chance of 2k/(R + 1), at most
5 %.

What the log cannot say is not answered. If more than a tenth of a policy's plays go to originals
with fewer than 10 plays in the log, its games would be made of the prior, and not of the log. (A
policy that never explored leaves such a log behind.)
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from copyproof.auditing.result import plain_value
from copyproof.game import Market
from copyproof.inspect.estimated import EstimatedMarket
from copyproof.simulation import Interval, play

LEAST_PLAYS = 10  # from which on an original is known by the log
MOST_UNKNOWN = 0.1  # of a policy's plays that may go to others
LEAST_GAMES = 39  # with fewer there are no limits of 95 %

Question: TypeAlias = Literal["switch", "copies", "share", "like"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One question, and what the log says to it.

    Attributes
    ----------
    question : {"switch", "copies", "share", "like"}
        What another policy would earn more; what the copies cost; what share of plays an agent
        would have with one arm each; whether the log is like one of the policy.
    text : str
        Question and answer in words.
    policy : str
        The one that plays.
    agent : str or None
        Whose share.
    value : Interval or None
        In rewards of a period, or a share; None where the log cannot say.
    before : Interval or None
        The share with the copies.
    why : str or None
        Why it cannot say.
    """

    question: Question
    text: str
    policy: str
    agent: str | None = None
    value: Interval | None = None
    before: Interval | None = None
    why: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "question": self.question,
            "text": self.text,
            "policy": self.policy,
            "agent": self.agent,
            "value": plain_value(self.value),
            "before": plain_value(self.before),
            "why": self.why,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Games:
    """Games of one policy on one market: rewards in the log's units, and shares of plays.

    Of agents in every game, of originals in all games together.
    """

    policy: str
    rewards: NDArray[np.float64]
    shares: NDArray[np.float64]
    originals: NDArray[np.float64]
    unknown: float


class Asked:
    """The games behind the answers, each played once.

    Parameters
    ----------
    estimated : EstimatedMarket
        The market of the log.
    horizon, repetitions, seed, workers
        Of the games.
    progress : callable, optional
        Is told the rounds played so far.
    """

    def __init__(
        self,
        estimated: EstimatedMarket,
        *,
        horizon: int,
        repetitions: int,
        seed: int,
        workers: int | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.estimated, self.horizon, self.repetitions = estimated, horizon, repetitions
        self.seed, self.workers = seed, workers
        self._played: dict[tuple[str, bool], Games] = {}
        self._progress, self._rounds = progress, 0

    def games(self, policy: str, *, copies: bool) -> Games:
        """Play a policy, with the copies or with every original once."""
        if (policy, copies) not in self._played:
            market = self.estimated.market if copies else _once(self.estimated.market)
            before, tell = self._rounds, self._progress
            further = None if tell is None else lambda rounds: tell(before + rounds)
            played = play(
                market, policy, 0, self.repetitions, horizon=self.horizon, seed=self.seed,
                workers=self.workers, checkpoints=1, progress=further,
            )  # fmt: skip
            rounds = self.horizon * self.repetitions
            self._rounds += rounds
            few = self.estimated.plays < LEAST_PLAYS
            self._played[policy, copies] = Games(
                policy=policy,
                rewards=self.estimated.scale.up(played.revenue.sum(axis=1), self.horizon),
                shares=played.plays / self.horizon,
                originals=played.original_plays.sum(axis=0) / rounds,
                unknown=float(played.original_plays[:, few].sum()) / rounds,
            )
        return self._played[policy, copies]

    def difference(self, question: Question, words: str, one: Games, other: Games) -> Answer:
        """By how much one earns more than the other."""
        why = self.why_not(one, other)
        if why is not None:
            return Answer(question, f"{words}: the log cannot say.", one.policy, why=why)
        value = predicted(one.rewards - other.rewards)
        found = f"{_signed(value.mean)} [{_signed(value.low)}, {_signed(value.high)}]"
        whole = float(other.rewards.mean())
        share = f" ({100 * value.mean / whole:+.1f} %)" if whole > 0 else ""
        text = f"{words}: {found} in a period of {self.horizon:,} rounds{share}."
        return Answer(question, text, one.policy, value=value)

    def share(self, agent: str, once: Games, often: Games) -> Answer:
        """What share of plays an agent has with one arm each, and with its copies."""
        place = [one.name for one in self.estimated.market.agents].index(agent)
        words = f"What {agent} would have with one arm each under {once.policy}"
        why = self.why_not(once, often)
        if why is not None:
            return Answer("share", f"{words}: the log cannot say.", once.policy, agent, why=why)
        value, before = predicted(once.shares[:, place]), predicted(often.shares[:, place])
        text = f"{words}: {_percent(value)} of the plays; with the copies {_percent(before)}."
        return Answer("share", text, once.policy, agent, value, before)

    def why_not(self, *games: Games) -> str | None:
        """Why the log cannot answer from these games, if it cannot."""
        for one in games:
            if one.unknown > MOST_UNKNOWN:
                return (
                    f"{100 * one.unknown:.0f} % of the plays of {one.policy} would go to arms that "
                    f"the log has seen fewer than {LEAST_PLAYS} times"
                )
        return None

    def like(self, games: Games, shares: dict[str, float]) -> Answer:
        """Whether the agents' shares in the log are such as they are in the policy's games."""
        names = [one.name for one in self.estimated.market.agents]
        low, high = games.shares.min(axis=0), games.shares.max(axis=0)
        slack = 0.01
        away = [
            f"{name} had {100 * shares[name]:.1f} %, and {100 * low[k]:.1f} to "
            f"{100 * high[k]:.1f} % in the games"
            for k, name in enumerate(names)
            if not low[k] - slack <= shares[name] <= high[k] + slack
        ]
        words = f"Whether the log is like one of {games.policy}"
        if not away:
            text = f"{words}: yes, every agent's share of plays is as in some of the games."
            return Answer("like", text, games.policy)
        why = "; ".join(away[:3]) + (f"; and {len(away) - 3:,} more" if len(away) > 3 else "")
        text = f"{words}: no. What is said of {games.policy} here may not be what was running."
        return Answer("like", text, games.policy, why=why)


def predicted(values: NDArray[np.float64]) -> Interval:
    """The mean of games, and the limits for one more.

    Examples
    --------
    >>> predicted(np.arange(199.0))
    Interval(mean=99.0, low=4.0, high=194.0)
    """
    ordered = np.sort(values)
    k = math.floor(0.025 * (len(values) + 1) + 1e-9)
    low, high = (-math.inf, math.inf) if k == 0 else (ordered[k - 1], ordered[-k])
    return Interval(float(np.mean(values)), float(low), float(high))


def _once(market: Market) -> Market:
    return market.honest().named(f"{market.label}, every original once")


def _signed(value: float) -> str:
    """A number with its sign and four digits, or all those before the point up to 10⁹.

    Examples
    --------
    >>> _signed(51524.3), _signed(-0.012345), _signed(-2e9)
    ('+51,524', '-0.01235', '-2e+09')
    """
    return f"{value:+,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:+z.4g}"


def _percent(share: Interval) -> str:
    return f"{100 * share.mean:.1f} % [{100 * share.low:.1f}, {100 * share.high:.1f}]"
