"""Strategies to vary: what one agent, or everybody, does differently from the market as it is.

A variation first takes a profile (the market's own, every arm once, or best arms only), then lets
one agent copy or hide arms, and may let it submit arms again as new during the game. The agent is
named, or chosen by the rank of its best mean, so that it exists in markets drawn at random: 1 is
the best agent, 2 the next, −1 the worst. Of equal ones the first in the market counts as better.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Literal, TypeAlias

from copyproof.game import Market, Renew, Schedule, churn
from copyproof.validation import FieldError, known, name, number, require, whole

Profile: TypeAlias = Literal["given", "honest", "truthful"]
PROFILES = ("given", "honest", "truthful")


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """A strategy to play a market with.

    Parameters
    ----------
    name : str
        How tables call it.
    profile : {"given", "honest", "truthful"}
        Where it starts from: the market as it is, every arm once, or best arms only.
    agent : str, optional
        Who deviates, by name.
    rank : int, optional
        Who deviates, by the rank of its best mean.
    copies : int or sequence of int, optional
        As ``Market.replicate`` takes them: for every arm that is registered, or one for each.
    hide : sequence of int
        Originals that are not registered, counted from 0.
    renew_after, renew_below : optional
        The agent submits an arm again as new after so many plays, or when its mean is lower.
    churn : int, optional
        The agent submits all its arms again as new every so many rounds.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> ten = Variation(name="the worst copies", rank=-1, copies=10)
    >>> market, schedule = ten.of(paper_market("1a"), horizon=1000)
    >>> market.profile
    ((10,), (1,), (1,), (1,), (1,))
    """

    name: str
    profile: Profile = "given"
    agent: str | None = None
    rank: int | None = None
    copies: int | Sequence[int] | None = None
    hide: Sequence[int] = ()
    renew_after: int | None = None
    renew_below: float | None = None
    churn: int | None = None

    def __post_init__(self) -> None:
        name("name", self.name)
        known("profile", self.profile, PROFILES)
        changes = ("copies", "hide", "renew_after", "renew_below", "churn")
        given = [one for one in changes if getattr(self, one) not in (None, (), [])]
        both = self.agent is not None and self.rank is not None
        require(not both, "rank", self.rank, "given together with agent")
        if given and self.agent is None and self.rank is None:
            said = f"or rank is missing: who has {given[0]}?"
            raise FieldError("agent", None, "missing", said)
        if self.agent is not None:
            name("agent", self.agent)
        if self.rank is not None:
            accepted = "1, 2, … from the best, or −1, −2, … from the worst"
            rank: object = self.rank
            fits = not isinstance(rank, bool) and isinstance(rank, Integral) and rank != 0
            require(fits, "rank", rank, accepted)
        hide: object = self.hide
        fits = isinstance(hide, Iterable) and not isinstance(hide, str | bytes | Mapping)
        require(fits, "hide", hide, "a list of originals, counted from 0")
        for k, original in enumerate(self.hide):
            whole(f"hide[{k}]", original)
        copies: object = self.copies
        if isinstance(copies, Iterable) and not isinstance(copies, str):
            for k, count in enumerate(copies):
                whole(f"copies[{k}]", count)
        elif copies is not None:
            whole("copies", copies, least=1)
        if self.churn is not None:
            whole("churn", self.churn, least=1)
        if self.renew_after is not None:
            whole("renew_after", self.renew_after, least=1)
        if self.renew_below is not None:
            number("renew_below", self.renew_below)

    @property
    def changes_during_the_game(self) -> bool:
        """Whether there is a schedule."""
        return not (self.renew_after is None and self.renew_below is None and self.churn is None)

    def of(self, market: Market, horizon: int) -> tuple[Market, Schedule | None]:
        """Return the market as it is played, and what happens during the game.

        Raises
        ------
        FieldError
            If the market has no such agent, or the agent no such arm.
        """
        played = market
        if self.profile != "given":
            played = market.honest() if self.profile == "honest" else market.truthful()
        who = self._who(played)
        if self.copies is not None:
            assert who is not None
            played = played.replicate(who, self.copies)
        if self.hide:
            assert who is not None
            counts = list(played.agent(who).copies)
            for k, original in enumerate(self.hide):
                require(original < len(counts), f"hide[{k}]", original, f"below {len(counts)}")
                counts[original] = 0
            played = played.with_strategy(who, counts)
        return played, self._schedule(played, who, horizon)

    def _who(self, market: Market) -> str | None:
        if self.rank is None:
            return None if self.agent is None else market.agent(self.agent).name
        ranked = sorted(market.agents, key=lambda agent: -agent.best_mean)
        fits = -len(ranked) <= self.rank <= len(ranked)
        require(fits, "rank", self.rank, f"within the {len(ranked)} agents of the market")
        return ranked[self.rank - (self.rank > 0)].name

    def _schedule(self, market: Market, who: str | None, horizon: int) -> Schedule | None:
        if who is None or not self.changes_during_the_game:
            return None
        changes = (
            churn(market, who, every=self.churn, horizon=horizon).changes if self.churn else ()
        )
        renews = self.renew_after is not None or self.renew_below is not None
        renewals = [Renew(who, self.renew_after, self.renew_below)] if renews else []
        return Schedule(changes, renewals)


#: The market as it is.
AS_GIVEN = Variation(name="as given")
