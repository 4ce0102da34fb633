"""Study files: the keys of every table, in pydantic, and errors with their places in the file.

.. code-block:: toml

    policies = ["ucb1", "trial", "river:UCB(delta=1)", "mine.py:Rule"]
    horizons = [1000, 10000]
    repetitions = 10
    seed = 1
    measure = ["regret", "lost"]

    [[markets]]
    market = "paper:2a"

    [[markets]]
    generator = "random"
    count = 100
    agents = [2, 20]

    [[strategies]]
    name = "as given"

    [[strategies]]
    name = "the worst agent copies"
    rank = -1
    copies = 100

The schema knows keys and types; what values mean is said by ``parts``, ``generators`` and
``strategies``, which Python uses, too. With ``[[parts]]`` a study is several products: what stands
above the parts holds for each of them that does not say otherwise.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, model_validator

from copyproof.game._schema import _error, _Table
from copyproof.simulation.run import DEVICES
from copyproof.studies.parts import Part, make_part
from copyproof.validation import FieldError, items, known
from copyproof.validation import name as checked_name


class _Shape(_Table):
    """A table of a study file: only its shape is checked here."""

    @property
    def record(self) -> None:
        """Nothing: records are made of all tables together."""


class MarketEntry(_Shape):
    """A market, a generator of many, or a market written out; a text alone is a market."""

    market: str | None = Field(None, description="a market file, or paper:FIGURE[:COPIES]")
    generator: str | None = Field(
        None, description="random, mixed, needles, zipf, or mine.py:drawn"
    )
    name: str | None = Field(None, description="what tables call it, or its markets begin with")
    count: int | None = Field(None, description="how many markets; may be left out of a function")
    seed: int | None = Field(None, description="of the draw, 0 if left out")
    agents: Any = Field(None, description="[least, most]; zipf: a number; or as in a market file")
    fee: Any = Field(None, description="of a market that is written out, as in a market file")
    discount: Any = Field(None, description="the same")
    arms: Any = Field(None, description="random: [least, most] arms of an agent")
    copies: Any = Field(None, description="random: how often an arm may be registered")
    low: Any = Field(None, description="random: the least mean")
    high: Any = Field(None, description="random: the largest mean")
    one_in: Any = Field(None, description="mixed: one in so many arms of a copier is good")
    best: Any = Field(None, description="mixed: [least, most] best mean; needles: the best mean")
    gap: Any = Field(None, description="mixed: [least, most] gap; needles: the gap")
    bad: Any = Field(None, description="needles: [least, most] bad arms of an agent")
    bad_mean: Any = Field(None, description="needles: the mean of bad arms")
    most: Any = Field(None, description="zipf: arms of the first agent")
    exponent: Any = Field(None, description="zipf: how fast arms become fewer")

    @model_validator(mode="before")
    @classmethod
    def _text_is_a_market(cls, given: Any) -> Any:
        return {"market": given} if isinstance(given, str) else given


class StrategyEntry(_Shape):
    """A strategy to vary."""

    name: str = Field(description="what tables call it")
    profile: str = Field("given", description="given, honest or truthful: where it starts from")
    agent: str | None = Field(None, description="who deviates, by name")
    rank: int | None = Field(None, description="who deviates: 1 is the best agent, -1 the worst")
    copies: Any = Field(None, description="of each arm, or one for each")
    hide: list[int] = Field([], description="originals that are not registered, from 0")
    renew_after: int | None = Field(
        None,
        description=(
            "an arm is new again after so many plays (this and the next two: policies of the "
            "catalogue only; others are listed as failed)"
        ),
    )
    renew_below: float | None = Field(None, description="... or when its mean is lower")
    churn: int | None = Field(None, description="all arms are new again every so many rounds")


class AuditEntry(_Shape):
    """What audits are given, as ``copyproof.audit`` takes it."""

    agent: str | None = Field(None, description="the one agent to audit; all if left out")
    reference: Any = Field(None, description="best, honest or market, or copy counts")
    deviations: list[list[int]] | None = Field(
        None, description="copy counts that are tried; the standard ones if left out"
    )
    most_copies: int | None = Field(None, description="the largest count that is tried")
    tolerance: float | None = Field(None, description="a gain that counts as none")
    confidence: float | None = Field(None, description="of all limits together")
    budget: int | None = Field(None, description="most rounds of one audit")
    method: str | None = Field(None, description="auto, exact, sampling")


class PartEntry(_Shape):
    """One product of a study."""

    name: str = Field("", description="what tables call the part")
    policies: list[str] | None = Field(
        None, description="texts; files are beside the study file (a)"
    )
    markets: list[MarketEntry] | None = Field(None, description="markets and generators")
    strategies: list[StrategyEntry] | None = Field(None, description="as given, if left out")
    horizons: Any = Field(None, description="T, one or several (a)")
    repetitions: Any = Field(None, description="games of each cell (a)")
    seed: Any = Field(None, description="one or several (a)")
    measure: list[str] | None = Field(
        None, description="of regret, revenue, shares, lost, audit, exact; regret if left out"
    )
    arrays: Any = Field(None, description="whether every repetition is kept")
    checkpoints: Any = Field(None, description="rounds at which arrays keep the regret")
    audit: AuditEntry | None = Field(None, description="how audits are made (a)")
    most_rounds: Any = Field(None, description="fewer games of a cell if it would have more")

    def given(self) -> dict[str, Any]:
        """What the table says, as plain data."""
        return self.model_dump(exclude_unset=True)


class StudyFile(PartEntry):
    """A whole study file; its keys are the defaults of its parts."""

    parts: list[PartEntry] | None = Field(None, description="several products")
    device: str | None = Field(None, description="what it is played on: cpu, cuda or auto")


def read_parts(path: Path) -> tuple[Part, ...]:
    """Read what a study file plays; see ``read_study``."""
    return read_study(path)[0]


def read_study(path: Path) -> tuple[tuple[Part, ...], str]:
    """Read a study file: its parts, and what it is played on.

    Raises
    ------
    FieldError
        One line: the file, the field, its value and what is accepted.
    """
    try:
        data = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise _refused(path, f"is not UTF-8 text at byte {error.start}") from None
    except OSError as error:
        raise _refused(path, f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise _refused(path, f"is not TOML: {error}") from None
    try:
        parts = parts_of(data, path.parent)
        return tuple(replace(part, source=str(path)) for part in parts), device_of(data)
    except FieldError as error:
        raise error.found_in(str(path)) from None


def device_of(data: Mapping[str, Any]) -> str:
    """What data of the shape of a study file are played on.

    Examples
    --------
    >>> device_of({"device": "gpu"})
    Traceback (most recent call last):
    copyproof.validation.FieldError: device = 'gpu' is not one of cpu, cuda, auto
    """
    return known("device", data.get("device", "cpu"), DEVICES)


def parts_of(data: dict[str, Any], folder: Path | None = None) -> tuple[Part, ...]:
    """The parts that data of the shape of a study file describes.

    Examples
    --------
    >>> data = {"policies": ["h-ucb"], "markets": ["paper:2a"], "horizons": 10}
    >>> (part,) = parts_of(data | {"repetitions": 2, "seed": [1, 2]})
    >>> [point.cell.seed for point in part.points()]
    [1, 2]
    >>> parts_of(data | {"repetitions": 2})
    Traceback (most recent call last):
    copyproof.validation.FieldError: seed is missing, and market 'paper:2a' has none...
    """
    try:
        file = StudyFile.model_validate(data)
    except ValidationError as problems:
        first, *others = problems.errors(include_url=False)
        error = _error(first)
        raise (error.noted(f"(and {len(others)} more)") if others else error) from None
    common = file.given()
    common.pop("device", None)  # how it is played is no part of what is played
    parts = common.pop("parts", None)
    if parts is None:
        return (_made(common, folder),)
    made = []
    for k, part in enumerate(items("parts", parts, "parts")):
        try:
            place = f"parts[{k}]" if "strategies" in part else ""
            made.append(replace(_made(common | part, folder), place=place))
            taken = [one.name for one in made[:-1]]
            if made[-1].name in taken:
                raise FieldError("name", made[-1].name, "a name of its own")
        except FieldError as error:
            is_common = any(error.field.startswith(key) for key in common if key not in part)
            raise error if is_common else error.within(f"parts[{k}]") from None
    return tuple(made)


def _made(given: dict[str, Any], folder: Path | None) -> Part:
    if "markets" not in given:
        raise FieldError("markets", None, "missing", "is missing")
    options = dict(given)
    label = options.pop("name", "")
    return make_part(checked_name("name", label) if label else "", folder=folder, **options)


def _refused(path: Path, why: str) -> FieldError:
    return FieldError(str(path), None, "a study file", why)
