"""The shape of a market file, in pydantic, and its errors with their places in the file.

The models know the keys of every table. What a value may be is said once, by the checks of
``copyproof.validation`` and by the records of this package, which every model builds while it is
checked. pydantic gathers the problems of all kinds.
"""

from collections.abc import Callable
from dataclasses import fields
from functools import cached_property
from typing import Annotated, Any, Self, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator
from pydantic_core import ErrorDetails

from copyproof.game.agent import Agent, Arm
from copyproof.game.changing import CHANGING, Changing
from copyproof.game.discount import NO_DISCOUNT, Discount, Explicit, Geometric
from copyproof.game.market import Market
from copyproof.game.priors import BetaPrior, ListPrior, Prior, UniformPrior
from copyproof.game.rewards import FAMILIES, Reward
from copyproof.game.utility import NEUTRAL, RiskAverse, RiskSeeking, Utility
from copyproof.validation import FieldError, did_you_mean, known, number, require, shown, whole

_EVERY = {**FAMILIES, **CHANGING}

# The checks leave the field empty: pydantic knows the place.
_Family = Annotated[str, BeforeValidator(lambda value: known("", value, _EVERY))]
_Number = Annotated[float, BeforeValidator(lambda value: number("", value))]
_Whole = Annotated[int, BeforeValidator(lambda value: whole("", value))]
_Numbers: TypeAlias = list[_Number]

# What is accepted where pydantic found something else, by its name for the error.
_NOT_A = {
    "bool_type": "true or false",
    "dict_type": "a table",
    "float_type": "a number",
    "int_type": "a whole number",
    "list_type": "a list",
    "model_type": "a table",
    "string_type": "text",
}


class _Table(BaseModel):
    """A table of a market file: strict about types, and knows all its keys."""

    model_config = ConfigDict(strict=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, given: Any) -> Any:
        keys = cls.model_fields
        for key in given if isinstance(given, dict) else ():
            if key not in keys:
                accepted = f"a known key: {', '.join(keys)} are accepted{did_you_mean(key, keys)}"
                raise FieldError(_key(key), given[key], accepted, f"is not {accepted}")
        return given

    @model_validator(mode="after")
    def _record_accepts(self) -> Self:
        _ = self.record
        return self

    @cached_property
    def record(self) -> Any:
        """What the table says, as a record of this package."""
        raise NotImplementedError


class PriorTable(_Table):
    """What is known of a mean that is drawn for every game."""

    beta: _Numbers = []
    uniform: _Numbers = []
    list: _Numbers = []

    @cached_property
    def record(self) -> Prior:
        """The prior; exactly one of the keys must be given."""
        if len(self.model_fields_set) != 1:
            said = "or uniform or list: exactly one of the three is needed"
            raise FieldError("beta", self.beta, "alone", said)
        (kind,) = self.model_fields_set
        if kind == "list":
            return _of_field(kind, lambda: ListPrior(self.list), means="")
        given = getattr(self, kind)
        names = ("alpha", "beta") if kind == "beta" else ("low", "high")
        accepted = f"two numbers, {' and '.join(names)}"
        require(len(given) == 2, kind, given, accepted)
        places = {name: f"[{k}]" for k, name in enumerate(names)}
        family = BetaPrior if kind == "beta" else UniformPrior
        return _of_field(kind, lambda: family(*given), **places)


class ComponentTable(_Table):
    """A family with its parameters: one component of a mixture, or all of an arm's but its copies.

    The parameters' defaults are never read: those of the family must be given, and no others.
    """

    family: _Family = "bernoulli"
    mean: _Number = 0.0
    sigma: _Number = 0.0
    alpha: _Number = 0.0
    beta: _Number = 0.0
    rewards: _Numbers = []

    @cached_property
    def record(self) -> Any:
        """The reward distribution."""
        accepted = "one that a mixture may have: any but a mixture and means that change"
        fits = self.family in FAMILIES and self.family != "mixture"
        require(fits, "family", self.family, accepted)
        return self._of_family()

    def _of_family(self) -> Reward | Changing:
        """The record of the family, of exactly its own parameters."""
        family = _EVERY[self.family]
        needed = [field.name for field in fields(family)]
        given = self.model_fields_set - {"family", "copies"}
        called = f"family {self.family!r}"
        for name in needed:
            if name not in given:
                raise FieldError(name, None, "missing", f"is missing: {called} needs it")
        for name in sorted(given - set(needed)):
            takes = " and ".join(needed)
            said = f"does not belong to {called}: it takes {takes}"
            raise FieldError(name, getattr(self, name), takes, said)
        values: dict[str, Any] = {name: getattr(self, name) for name in needed}
        if "components" in values:
            values["components"] = [one.record for one in values["components"]]
        return family(**values)


class ArmTable(ComponentTable):
    """One original arm: a family with its parameters or a prior, and the number of copies."""

    components: list[ComponentTable] = []
    weights: _Numbers = []
    means: list[Any] = []
    start: _Number = 0.0
    end: _Number = 0.0
    first: _Whole = 0
    last: _Whole = 0
    prior: PriorTable | None = None
    copies: _Whole = 1

    @cached_property
    def record(self) -> Arm:
        """The reward distribution, the means that change, or the prior of the mean."""
        if self.prior is None:
            return self._of_family()
        for name in sorted(self.model_fields_set - {"prior", "copies"}):
            said = "does not belong to an arm with a prior: it pays 0 or 1, of a drawn mean"
            raise FieldError(name, getattr(self, name), "left out", said)
        found: Prior = self.prior.record
        return found


class UtilityTable(_Table):
    """U(v) = v^power."""

    power: _Number

    @cached_property
    def record(self) -> Utility:
        """Risk-averse below 1, neutral at 1, risk-seeking above."""
        require(self.power > 0, "power", self.power, "> 0")
        if self.power == 1:
            return NEUTRAL
        return RiskAverse(self.power) if self.power < 1 else RiskSeeking(self.power)


class DiscountTable(_Table):
    """γ: a factor, or the weights themselves."""

    factor: _Number = 1.0
    weights: _Numbers = []

    @cached_property
    def record(self) -> Discount:
        """The discount sequence; exactly one of the two keys must be given."""
        if len(self.model_fields_set) != 1:
            said = "or weights: exactly one of the two is needed"
            raise FieldError("factor", self.factor, "without weights", said)
        if "factor" in self.model_fields_set:
            return Geometric(self.factor)
        return Explicit(self.weights)


class AgentTable(_Table):
    """One agent."""

    name: str
    arms: list[ArmTable]
    utility: UtilityTable | None = None
    group: str | None = None

    @cached_property
    def record(self) -> Agent:
        """The agent with its strategy."""
        utility = NEUTRAL if self.utility is None else self.utility.record
        arms = [arm.record for arm in self.arms]
        return Agent(self.name, arms, [arm.copies for arm in self.arms], utility, self.group)


class MarketTable(_Table):
    """A whole market file."""

    fee: _Number = 0.0
    discount: DiscountTable | None = None
    agents: list[AgentTable]

    @cached_property
    def record(self) -> Market:
        """The market."""
        discount = NO_DISCOUNT if self.discount is None else self.discount.record
        return Market([agent.record for agent in self.agents], self.fee, discount)


def _of_field(field: str, made: Callable[[], Prior], **places: str) -> Prior:
    """Make a prior from a list; an error names the entry instead of the record's field."""
    try:
        return made()
    except FieldError as error:
        name, bracket, rest = error.field.partition("[")
        raise error.renamed(f"{field}{places[name]}{bracket}{rest}") from None


def read_table(data: object) -> Market:
    """Return the market that data of the shape of a market file describes.

    Raises ``FieldError`` with the first problem, which notes how many more there are.
    """
    try:
        return MarketTable.model_validate(data).record
    except ValidationError as problems:
        first, *others = problems.errors(include_url=False)
        error = _error(first)
        raise (error.noted(f"(and {len(others)} more)") if others else error) from None


def _error(problem: ErrorDetails) -> FieldError:
    """Return one problem: its place, the value found there, and what is accepted."""
    place = ""
    for step in problem["loc"]:
        place += f"[{step}]" if isinstance(step, int) else f".{_key(step)}"
    place = place.removeprefix(".")
    value = problem["input"]
    match problem["type"]:
        case "value_error":
            error: FieldError = problem["ctx"]["error"]
            return error.within(place)
        case "missing":
            return FieldError(place, value, "missing", "is missing")
        case kind:
            said = None if kind in _NOT_A else f"= {shown(value)} is refused: {problem['msg']}"
            return FieldError(place or "the whole", value, _NOT_A.get(kind, "accepted"), said)


def _key(key: object) -> str:
    """Return a key as a path shows it: quoted if it is not a plain word."""
    return key if isinstance(key, str) and key.isidentifier() else shown(key)
