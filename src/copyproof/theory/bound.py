"""What one theorem says about a market under a policy, as a record.

Every theorem is held against the market, the profile, the policy and the horizon. One that does not
apply has no value and says which condition fails; one that applies may still be vacuous, when it
allows more than the most regret there can be, T times the largest gap of a registered arm.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from copyproof.theory.conditions import Case, ConditionFails

Kind: TypeAlias = Literal["upper", "lower", "asymptotic"]
Quantity: TypeAlias = Literal["regret", "probability"]
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
    of : {"regret", "probability"}
        What is bounded: the regret, or the probability that a sample holds no best arm.
    parameters : mapping of str to number
        The numbers beyond the horizon that the value was computed from, by their symbols; empty if
        the theorem does not apply.
    proven : bool
        False for theorems 5, 6 and 7 of the paper. The constants of 5 and 6 as printed are
        unproven, though their orders can be repaired; of 7 there is a sketch by the same steps.
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

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; a value too large for a float becomes None.

        Examples
        --------
        >>> Bound("theorem 3", "upper", 7.0, applies=True, why="it does").to_dict()["value"]
        7.0
        """
        finite = self.value is not None and math.isfinite(self.value)
        return asdict(self) | {"value": self.value if finite else None}


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
        return self._bound(value, why, applies=True, vacuous=vacuous, parameters=found.parameters)

    def _bound(self, value: float | None, why: str, **more: Any) -> Bound:
        return Bound(self.name, self.kind, value, why=why, of=self.of, proven=self.proven, **more)
