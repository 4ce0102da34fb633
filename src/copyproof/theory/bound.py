"""What one theorem says about a market under a policy, as a record.

Every theorem is held against the market, the profile, the policy and the horizon. One that does not
apply has no value and says which condition fails; one that applies may still be vacuous, when it
allows more than the most regret there can be, T times the largest gap of a registered arm.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from copyproof.theory.conditions import Case, ConditionFails
from copyproof.validation import shortened

if TYPE_CHECKING:
    import pandas as pd

Kind: TypeAlias = Literal["upper", "lower", "asymptotic"]
Quantity: TypeAlias = Literal["regret", "probability", "lost games"]
Parameters: TypeAlias = Mapping[str, int | float]


@dataclass(frozen=True, slots=True)
class Bound:
    """What one theorem says about a market under a policy.

    Attributes
    ----------
    theorem : str
        Its name, such as ``"theorem 3"``.
    kind : {"upper", "lower", "asymptotic"}
        A bound from above or from below at the given horizon, or a statement about T → ∞: a lower
        bound if it has a value, an order without constants otherwise.
    value : float or None
        None if the theorem does not apply, or knows an order only.
    applies : bool
        Whether all its conditions hold.
    why : str
        The condition that fails, with its numbers; or what makes it apply.
    vacuous : bool
        Whether it applies and yet says nothing.
    of : {"regret", "probability", "lost games"}
        What is bounded: the regret, the probability that a sample holds no best arm, or the
        probability that a game is lost.
    parameters : mapping of str to number
        The numbers beyond the horizon that the value was computed from, by their symbols; empty if
        the theorem does not apply.
    proven : bool
        False for theorems 5, 6 and 7 of the paper. The constants of 5 and 6 as printed are
        unproven, though their orders can be repaired; of 7 there is a sketch by the same steps.
    policy, market, horizon
        What it was held against: the policy's text, the market's label, T. Bounds that say the same
        are equal, whatever it was.
    """

    theorem: str
    kind: Kind
    value: float | None
    applies: bool
    why: str
    vacuous: bool = False
    of: Quantity = "regret"
    parameters: Parameters = field(default_factory=dict, hash=False)
    proven: bool = True
    policy: str | None = field(default=None, compare=False)
    market: str | None = field(default=None, compare=False)
    horizon: int | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        """Say on one line what the theorem says."""
        return f"<Bound {self.theorem}: {self._said}>"

    @property
    def _said(self) -> str:
        """What is bounded and by how much, or why nothing is."""
        if not self.applies:
            return f"does not apply: {shortened(self.why)}"
        if self.value is None:
            return f"an order of the {self.of} alone"
        sign = "≤" if self.kind == "upper" else "≥"
        void = ", which says nothing" if self.vacuous else ""
        what = "share of lost games" if self.of == "lost games" else self.of
        return f"{what} {sign} {self.value:,.6g}{void}"

    def _repr_html_(self) -> str:
        """Show the theorem in a notebook."""
        return _notebook([self])

    def to_frame(self) -> "pd.DataFrame":
        """One row: policy, market, horizon, and what the theorem says; the parameters as a text."""
        return _frame([self])

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; a value too large for a float becomes None.

        Examples
        --------
        >>> Bound("theorem 3", "upper", 7.0, applies=True, why="it does").to_dict()["value"]
        7.0
        """
        finite = self.value is not None and math.isfinite(self.value)
        found = asdict(self) | {"value": self.value if finite else None}
        return {name: value for name, value in found.items() if name not in _ASKED}


class Bounds(tuple[Bound, ...]):
    """What every theorem says about one market under one policy, in a fixed order."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Show the theorems in a notebook, those that apply first."""
        return _notebook(sorted(self, key=lambda one: not one.applies))

    def to_frame(self) -> "pd.DataFrame":
        """A row per theorem: policy, market, horizon, and what it says.

        Examples
        --------
        >>> from copyproof import bounds, paper_market
        >>> frame = bounds(paper_market("1a"), "h-ucb", horizon=100_000).to_frame()
        >>> frame[frame["applies"]][["market", "theorem", "kind"]].iloc[0].tolist()
        ['paper:1a', 'theorem 3', 'upper']
        """
        return _frame(self)


# What a bound was asked for: in frames, and not in the JSON of each.
_ASKED = ("policy", "market", "horizon")
_SAID = ("theorem", "kind", "of", "value", "applies", "vacuous", "proven", "parameters", "why")


def _frame(found: Sequence[Bound]) -> "pd.DataFrame":
    import pandas as pd

    rows = [
        {name: getattr(one, name) for name in (*_ASKED, *_SAID)}
        | {"parameters": ", ".join(f"{name} = {n:g}" for name, n in one.parameters.items())}
        for one in found
    ]
    return pd.DataFrame(rows, columns=[*_ASKED, *_SAID]).astype({"value": float})


def _notebook(found: Sequence[Bound]) -> str:
    from copyproof.pages import notebook_table

    rows = [[one.theorem, one._said if one.applies else "does not apply", one.why] for one in found]
    asked = [one for one in found if one.policy is not None]
    title = f"{asked[0].policy} on {asked[0].market}: T = {asked[0].horizon:,}" if asked else ""
    head = ["theorem", "says", "why"]
    return notebook_table(head, rows, title=title, words=["says", "why"])


@dataclass(frozen=True, slots=True)
class Found:
    """What a theorem that applies says: its value, if it has one, why it applies, parameters."""

    value: float | None
    why: str
    parameters: Parameters = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem with the function that holds it against a case, raising ``ConditionFails``."""

    name: str
    kind: Kind
    check: Callable[[Case], Found]
    of: Quantity = "regret"
    proven: bool = True

    def held_against(self, case: Case) -> Bound:
        """What the theorem says of a case, or why it says nothing."""
        try:
            found = self.check(case)
        except ConditionFails as fails:
            return self._bound(None, str(fails), applies=False)
        value, why, vacuous = found.value, found.why, False
        if value is not None and self.of == "regret":
            too_high, most = value > case.most_regret, f"{case.most_regret:g}"
            if too_high and self.kind == "upper":
                why += f"; vacuous, as no regret is above T times the largest gap, {most}"
            elif too_high:
                why += f"; at this T no regret is above T times the largest gap, {most}"
            elif self.kind != "upper" and value == 0:
                why += "; 0 says nothing"
            vacuous = too_high or (self.kind != "upper" and value == 0)
        elif value is not None and self.of == "lost games" and value >= 1:
            why += "; vacuous, as no probability is above 1"
            vacuous = True
        return self._bound(value, why, applies=True, vacuous=vacuous, parameters=found.parameters)

    def _bound(self, value: float | None, why: str, **more: Any) -> Bound:
        return Bound(self.name, self.kind, value, why=why, of=self.of, proven=self.proven, **more)
