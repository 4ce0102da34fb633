"""What a comparison found: differences with their limits, verdicts, and ranks across markets.

A pair is written with the policy first whose mean is better, so that a difference is never below 0;
its limits may be. The **verdict** is *better* if they leave 0 out, *equal* if the two were equal in
every game, and else *open*.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from copyproof.auditing.result import plain_value
from copyproof.comparison.ranks import Ranking
from copyproof.simulation import Estimate, Interval
from copyproof.validation import shortened

if TYPE_CHECKING:
    import pandas as pd

Measure: TypeAlias = Literal["regret", "lost", "revenue"]
MEASURES: tuple[Measure, ...] = ("regret", "lost", "revenue")
Verdict: TypeAlias = Literal["better", "equal", "open"]


@dataclass(frozen=True, slots=True)
class Played:
    """The games on one market, in one setting, that all policies share the luck of.

    Attributes
    ----------
    market : str
        Its label.
    seed, horizon, games : int
        How they were played.
    means : tuple of Estimate
        Of what is measured, one for each policy.
    """

    market: str
    seed: int
    horizon: int
    games: int
    means: tuple[Estimate, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """Two policies on one market.

    Attributes
    ----------
    policy, against : str
        The one with the better mean first.
    played : Played
        Where.
    by : Interval
        By how much it is better, with limits that hold for all differences together.
    verdict : {"better", "equal", "open"}
        Whether that is certain.
    needed : int or None
        Games that would decide it, about; None where it is decided, or where no number would.
    """

    policy: str
    against: str
    played: Played
    by: Interval
    verdict: Verdict
    needed: int | None

    def to_dict(self) -> dict[str, Any]:
        """For JSON; limits that are not known are None."""
        where = {"market": self.played.market, "seed": self.played.seed}
        return {
            "policy": self.policy,
            "against": self.against,
            **where,
            "horizon": self.played.horizon,
            "by": plain_value(self.by.mean),
            "low": plain_value(self.by.low),
            "high": plain_value(self.by.high),
            "verdict": self.verdict,
            "games": self.played.games,
            "games_needed": self.needed,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """What ``compare`` found.

    Attributes
    ----------
    measure : {"regret", "lost", "revenue"}
        What is compared; less is better of the first two, more of the last.
    agent : str or None
        Whose revenue.
    policies : tuple of str
        In the order of the results.
    played : tuple of Played
        The markets, each with every horizon, seed and schedule, in the order of the results.
    differences : tuple of Difference
        Of all pairs in each of these.
    ranking : Ranking or None
        Across markets; None if there is one only.
    confidence : float
        With which all limits hold together, and with which no pair is told apart wrongly.
    unseen : bool
        Whether the limits allow for events that no game has shown.
    """

    measure: Measure
    agent: str | None
    policies: tuple[str, ...]
    played: tuple[Played, ...]
    differences: tuple[Difference, ...]
    ranking: Ranking | None
    confidence: float
    unseen: bool

    @property
    def measured(self) -> str:
        """What is compared, in words."""
        words = {"regret": "regret", "lost": "share of lost games"}
        return words.get(self.measure, f"revenue of {self.agent}")

    @property
    def best(self) -> str | None:
        """The policy that is better than, or equal to, every other on every market; else None.

        Examples
        --------
        >>> from copyproof import compare, paper_market, simulate
        >>> market, size = paper_market("2a"), {"horizon": 2000, "repetitions": 400, "seed": 1}
        >>> results = [simulate(market, policy, **size) for policy in ("ucb1", "h-ucb")]
        >>> compare(results).best
        'h-ucb'
        """
        behind = {one.against for one in self.differences if one.verdict != "equal"}
        unsure = {one.policy for one in self.differences if one.verdict == "open"}
        sure = [policy for policy in self.policies if policy not in behind | unsure]
        return sure[0] if sure else None

    def between(
        self,
        policy: str,
        against: str,
        market: str | None = None,
        *,
        horizon: int | None = None,
        seed: int | None = None,
    ) -> Difference:
        """The difference of two policies, in either order, on one market (its label).

        Raises ``LookupError`` if there is none, or if there are several and what was given does not
        choose one.
        """
        pair = {policy, against}
        found = [
            one
            for one in self.differences
            if {one.policy, one.against} == pair
            and market in (None, one.played.market)
            and horizon in (None, one.played.horizon)
            and seed in (None, one.played.seed)
        ]
        if len(found) != 1:
            where = "" if market is None else f" on {market}"
            others = "market, horizon or seed says which" if found else ", ".join(self.policies)
            said = f"{len(found)} differences of {policy} and {against}{where}, not one"
            raise LookupError(f"{said}: {others}{'' if found else ' are compared'}")
        return found[0]

    def to_frame(self) -> "pd.DataFrame":
        """A row per pair and market: policy, market, seed, horizon, and the difference.

        ``policy`` is the one that has the better mean; ``by`` how much better it is than
        ``against``.
        """
        import pandas as pd

        names = ["policy", "market", "seed", "horizon", "against", "measure", "by", "low", "high"]
        rows = [
            one.to_dict() | {"measure": self.measured, "low": one.by.low, "high": one.by.high}
            for one in self.differences
        ]
        frame = pd.DataFrame(rows, columns=[*names, "verdict", "games", "games_needed"])
        return frame.astype({"games_needed": "Int64"})

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "measure": self.measure,
            "agent": self.agent,
            "confidence": self.confidence,
            "unseen": self.unseen,
            "policies": list(self.policies),
            "differences": [one.to_dict() for one in self.differences],
            "ranking": None if self.ranking is None else self.ranking.to_dict(),
        }

    def to_markdown(self) -> str:
        """The table in Markdown: on one market the pairs with their limits, on several the ranks.

        Examples
        --------
        >>> from copyproof import compare, paper_market, simulate
        >>> market, size = paper_market("2a"), {"horizon": 2000, "repetitions": 400, "seed": 1}
        >>> results = [simulate(market, policy, **size) for policy in ("ucb1", "h-ucb")]
        >>> print(compare(results).to_markdown())
        regret on paper:2a: T = 2,000, 400 games, seed 1
        <BLANKLINE>
        | policy | is | other policy | by | note |
        | --- | --- | --- | ---: | --- |
        | h-ucb | better than | ucb1 | 678.1 [663.2, 680.5] |  |
        <BLANKLINE>
        Limits hold with 95 %, with an allowance for what no game has shown.
        <BLANKLINE>
        """
        from copyproof.comparison.tables import markdown

        return markdown(self)

    def to_latex(self) -> str:
        r"""The table in LaTeX, for ``\usepackage{booktabs}``; the caption is left to you."""
        from copyproof.comparison.tables import latex

        return latex(self)

    def __str__(self) -> str:
        """Give the table in Markdown."""
        return self.to_markdown()

    def __repr__(self) -> str:
        """Say on one line what was compared, and how much is decided."""
        policies, settings = len(self.policies), len(self.played)
        markets = 1 if self.ranking is None else self.ranking.markets
        where = (
            f"on {shortened(self.played[0].market)}" if markets == 1 else f"on {markets:,} markets"
        )
        where += f" in {settings:,} settings" if settings > markets else ""
        still = sum(one.verdict == "open" for one in self.differences)
        return (
            f"<Comparison of {policies} policies {where} by {shortened(self.measured)}: "
            f"{still:,} of {len(self.differences):,} differences open>"
        )

    def _repr_html_(self) -> str:
        """Show the table in a notebook."""
        from copyproof.comparison.tables import html

        return html(self)
