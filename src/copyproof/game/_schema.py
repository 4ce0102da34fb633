"""The shape of a market file, in pydantic, and its errors in one line.

The models check shapes and types: unknown keys, numbers that are text or bools, copies that are
not whole. What a value may be is said once, by the records of this package, which every model
builds while it is checked. pydantic therefore gathers the problems of both kinds with their
places in the file.
"""

from dataclasses import fields
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from copyproof.game.discount import NO_DISCOUNT, Discount, Explicit, Geometric
from copyproof.game.market import Agent, Market
from copyproof.game.rewards import (
    Bernoulli,
    Beta,
    Empirical,
    Exponential,
    Gaussian,
    Poisson,
    Reward,
)
from copyproof.game.utility import NEUTRAL, RiskAverse, RiskSeeking, Utility
from copyproof.validation import shown

__all__ = ["FAMILIES", "MarketTable", "one_line"]

FAMILIES: dict[str, type[Reward]] = {
    "bernoulli": Bernoulli,
    "beta": Beta,
    "gaussian": Gaussian,
    "poisson": Poisson,
    "exponential": Exponential,
    "empirical": Empirical,
}
"""What an arm's ``family`` may say."""

_NOT_A = {
    "dict_type": "a table",
    "finite_number": "a finite number",
    "float_type": "a number",
    "greater_than_equal": "a whole number >= 0",
    "int_from_float": "a whole number >= 0",
    "int_type": "a whole number >= 0",
    "list_type": "a list",
    "literal_error": f"one of {', '.join(FAMILIES)}",
    "model_type": "a table",
    "string_type": "text",
}
"""What is accepted where pydantic found something else, by its name for the error."""


class _Table(BaseModel):
    """A table of a market file: strict about types, and knows all its keys."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, given: Any) -> Any:
        if isinstance(given, dict):
            for key in given:
                if key not in cls.model_fields:
                    known = ", ".join(cls.model_fields)
                    raise ValueError(f"{_key(key)} is not a known key: {known} are accepted")
        return given

    @model_validator(mode="after")
    def _record_accepts(self) -> Self:
        _ = self.record
        return self

    @cached_property
    def record(self) -> Any:
        """What the table says, as a record of this package."""
        raise NotImplementedError


class ArmTable(_Table):
    """One original arm: a family with its parameters, and the number of copies.

    The parameters' defaults are never read: those of the family must be given, and no others.
    """

    family: Literal["bernoulli", "beta", "gaussian", "poisson", "exponential", "empirical"] = (
        "bernoulli"
    )
    mean: float = 0.0
    sigma: float = 0.0
    alpha: float = 0.0
    beta: float = 0.0
    rewards: list[float] = []
    copies: Annotated[int, Field(ge=0)] = 1

    @cached_property
    def record(self) -> Reward:
        """The reward distribution."""
        family = FAMILIES[self.family]
        needed = [field.name for field in fields(family)]
        given = self.model_fields_set - {"family", "copies"}
        for name in needed:
            if name not in given:
                raise ValueError(f"{name} is missing: family {self.family!r} needs it")
        for name in sorted(given - set(needed)):
            takes = " and ".join(needed)
            raise ValueError(f"{name} does not belong to family {self.family!r}: it takes {takes}")
        return family(**{name: getattr(self, name) for name in needed})


class UtilityTable(_Table):
    """U(v) = v^power."""

    power: float

    @cached_property
    def record(self) -> Utility:
        """Risk-averse below 1, neutral at 1, risk-seeking above."""
        if self.power <= 0:
            raise ValueError(f"power = {self.power} is not > 0")
        if self.power == 1:
            return NEUTRAL
        return RiskAverse(self.power) if self.power < 1 else RiskSeeking(self.power)


class DiscountTable(_Table):
    """γ: a factor, or the weights themselves."""

    factor: float = 1.0
    weights: list[float] = []

    @cached_property
    def record(self) -> Discount:
        """The discount sequence; exactly one of the two keys must be given."""
        if len(self.model_fields_set) != 1:
            raise ValueError("factor or weights: exactly one of the two is needed")
        if "factor" in self.model_fields_set:
            return Geometric(self.factor)
        return Explicit(self.weights)


class AgentTable(_Table):
    """One agent."""

    name: str
    arms: list[ArmTable]
    utility: UtilityTable | None = None

    @cached_property
    def record(self) -> Agent:
        """The agent with its strategy."""
        utility = NEUTRAL if self.utility is None else self.utility.record
        arms = [arm.record for arm in self.arms]
        return Agent(self.name, arms, [arm.copies for arm in self.arms], utility)


class MarketTable(_Table):
    """A whole market file."""

    fee: float = 0.0
    discount: DiscountTable | None = None
    agents: list[AgentTable]

    @cached_property
    def record(self) -> Market:
        """The market."""
        discount = NO_DISCOUNT if self.discount is None else self.discount.record
        return Market([agent.record for agent in self.agents], self.fee, discount)


def one_line(problems: ValidationError) -> str:
    """Return the first problem in one line, and how many more there are."""
    found = problems.errors(include_url=False)
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"{_said(found[0])}{more}"


def _said(problem: ErrorDetails) -> str:
    """Return one problem: its place, the value found there, and what is accepted."""
    place = ""
    for step in problem["loc"]:
        place += f"[{step}]" if isinstance(step, int) else f".{_key(step)}"
    place = place.removeprefix(".")
    if problem["type"] == "value_error":
        said = str(problem["ctx"]["error"])
        return f"{place}.{said}" if place else said
    if problem["type"] == "missing":
        return f"{place} is missing"
    accepted = _NOT_A.get(problem["type"])
    verdict = f"is not {accepted}" if accepted else f"is refused: {problem['msg']}"
    return f"{place or 'the whole'} = {shown(problem['input'])} {verdict}"


def _key(key: object) -> str:
    """Return a key as a path shows it: quoted if it is not a plain word."""
    return key if isinstance(key, str) and key.isidentifier() else shown(key)
