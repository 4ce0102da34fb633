"""A part of a study: policies × markets × strategies × horizons × seeds, and what is measured.

Everything that names something is turned into a record here, once, whether it came from a study
file or from Python; an error names its place. Points come market by market, and the policies of one
market one after the other.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeAlias

from copyproof.auditing.audit import METHODS, REFERENCES, check_numbers
from copyproof.game import Market, as_market, market_from_dict
from copyproof.simulation.run import MOST_REPETITIONS, MOST_ROUNDS
from copyproof.studies.cells import MEASURES, Point, Terms, digest_market, make_cell
from copyproof.studies.generators import GENERATORS, Generator
from copyproof.studies.policies import StudyPolicy, study_policy
from copyproof.studies.strategies import AS_GIVEN, Variation
from copyproof.validation import (
    FieldError,
    did_you_mean,
    items,
    known,
    require,
    shown,
    whole,
    whole_in,
)
from copyproof.validation import name as checked_name

# What gives markets with their names.
MarketSource: TypeAlias = Generator | tuple[tuple[str, Market], ...]

# What an audit of a study can be given.
AUDIT_KEYS = (
    "agent", "reference", "deviations", "most_copies", "tolerance", "confidence", "budget", "method"
)  # fmt: skip
_AUDIT_NUMBERS = ("deviations", "most_copies", "tolerance", "confidence", "budget")


@dataclass(frozen=True, slots=True)
class Part:
    """One product."""

    name: str
    policies: tuple[StudyPolicy, ...]
    markets: tuple[MarketSource, ...]
    strategies: tuple[Variation, ...]
    horizons: tuple[int, ...]
    repetitions: int
    seeds: tuple[int, ...]
    terms: Terms
    source: str = ""  # the study file
    place: str = ""  # whose strategies they are: a part of the file, or the whole

    def points(self) -> Iterator[Point]:
        """All points in their order.

        Raises
        ------
        FieldError
            If a strategy does not fit a market.
        """
        for source in self.markets:
            for name, market in source:
                for k in range(len(self.strategies)):
                    yield from self._of(name, market, k)

    def _of(self, name: str, market: Market, number: int) -> Iterator[Point]:
        strategy, digest = self.strategies[number], ""
        for horizon in self.horizons:
            try:
                played, schedule = strategy.of(market, horizon)
            except FieldError as error:
                where = error.within(f"strategies[{number}]").within(self.place)
                note = f"(strategy '{strategy.name}' on market '{name}')"
                raise where.noted(note).found_in(self.source) from None
            digest = digest or digest_market(played)  # what is registered does not depend on T
            for seed in self.seeds:
                for policy in self.policies:
                    cell = make_cell(
                        played,
                        policy,
                        schedule,
                        horizon=horizon,
                        repetitions=self.repetitions,
                        seed=seed,
                        terms=self.terms,
                        market_digest=digest,
                    )
                    yield Point(self.name, name, strategy.name, cell)


def make_part(
    name: str = "",
    *,
    policies: object,
    markets: object,
    horizons: object,
    repetitions: object,
    seed: object,
    measure: object = ("regret",),
    strategies: object = None,
    arrays: object = False,
    checkpoints: object = 200,
    audit: object = None,
    folder: Path | None = None,
) -> Part:
    """Check everything that a part is made of, and make it; see ``Study`` for what it takes."""
    require(isinstance(arrays, bool), "arrays", arrays, "true or false")
    measures = _measures(measure)
    options = audit_options(audit)
    terms = Terms(
        measures, bool(arrays), whole_in("checkpoints", checkpoints, 1, 1_000_000), options
    )
    found = Part(
        name=name,
        policies=_policies(policies, folder),
        markets=_markets(markets, folder),
        strategies=_strategies(strategies),
        horizons=_wholes("horizons", horizons, 1, MOST_ROUNDS),
        repetitions=whole_in("repetitions", repetitions, 1, MOST_REPETITIONS),
        seeds=_wholes("seed", seed, 0, 2**64 - 1),
        terms=terms,
    )
    _check_together(found)
    return found


def audit_options(given: object) -> dict[str, Any]:
    """What audits of a study are given, in the order of ``AUDIT_KEYS``.

    Examples
    --------
    >>> audit_options({"most_copies": 10})
    {'most_copies': 10}
    """
    if given is None:
        return {}
    require(isinstance(given, Mapping), "audit", given, "a table")
    assert isinstance(given, Mapping)
    for key in given:
        if key not in AUDIT_KEYS:
            accepted = f"a known key: {', '.join(AUDIT_KEYS)} are accepted"
            said = f"is not {accepted}{did_you_mean(key, AUDIT_KEYS)}"
            raise FieldError(f"audit.{key}", given[key], accepted, said)
    known("audit.method", given.get("method", "auto"), METHODS)
    reference = given.get("reference", "best")
    if isinstance(reference, str):
        known("audit.reference", reference, REFERENCES)
    else:
        for k, one in enumerate(items("audit.reference", reference, "copy counts")):
            whole(f"audit.reference[{k}]", one)
    try:
        check_numbers(**{key: given[key] for key in _AUDIT_NUMBERS if key in given})
    except FieldError as error:
        raise error.within("audit") from None
    return {key: given[key] for key in AUDIT_KEYS if key in given}


def _check_together(part: Part) -> None:
    """Refuse what no cell of the part could do."""
    others = [one for one in part.terms.measure if one in ("audit", "exact")]
    scheduled = [one.name for one in part.strategies if one.changes_during_the_game]
    if others and scheduled:
        said = f"= {others[0]!r} knows no arms that come and go: strategy {scheduled[0]!r} has them"
        raise FieldError("measure", others[0], "without schedules", said)


def _measures(given: Any) -> tuple[str, ...]:
    every: tuple[Any, ...] = items("measure", given, "measures")
    for k, one in enumerate(every):
        known(f"measure[{k}]", one, MEASURES)
    return tuple(one for one in MEASURES if one in every)


def _wholes(field: str, given: object, low: int, high: int) -> tuple[int, ...]:
    if not isinstance(given, Sequence) or isinstance(given, str):
        return (whole_in(field, given, low, high),)
    every = items(field, given, "whole numbers")
    found = tuple(whole_in(f"{field}[{k}]", one, low, high) for k, one in enumerate(every))
    _check_twins(field, found, found)
    return found


def _check_twins(field: str, given: Sequence[object], meant: Sequence[object]) -> None:
    """Refuse what is given twice: its cells would be counted twice."""
    seen: dict[str, int] = {}
    for k, one in enumerate(meant):
        first = seen.setdefault(repr(one), k)
        if first != k:
            said = f"= {shown(given[k])} is {field}[{first}] again"
            raise FieldError(f"{field}[{k}]", given[k], "given once", said)


def _policies(given: Any, folder: Path | None) -> tuple[StudyPolicy, ...]:
    single = isinstance(given, str) or not isinstance(given, Iterable)
    every: tuple[Any, ...] = (given,) if single else items("policies", given, "policies")
    found = []
    for k, one in enumerate(every):
        try:
            found.append(study_policy(one, folder))
        except FieldError as error:
            raise error.within(f"policies[{k}]") from None
    _check_twins("policies", [one.text for one in found], [one.identity for one in found])
    return tuple(found)


def _markets(given: Any, folder: Path | None) -> tuple[MarketSource, ...]:
    if isinstance(given, Mapping):
        found = []
        for name, market in given.items():
            where = f"markets[{name!r}]"
            require(isinstance(market, Market), where, market, "a Market")
            found.append(((checked_name("markets", name), market),))
        require(bool(found), "markets", given, "at least one")
        return tuple(found)
    single = isinstance(given, str | Market | Generator)
    every: tuple[Any, ...] = (given,) if single else items("markets", given, "markets")
    sources: list[MarketSource] = []
    for k, one in enumerate(every):
        try:
            sources.append(_market(one, k, folder))
        except FieldError as error:
            raise error.within(f"markets[{k}]") from None
    _check_names(sources)
    return tuple(sources)


def _market(given: Any, place: int, folder: Path | None) -> MarketSource:
    match given:
        case Market():
            return ((given.name or f"market {place + 1}", given),)
        case str():
            return ((given, _read(given, folder)),)
        case Mapping():
            return _market_table(given, folder)
        case _ if isinstance(given, Generator):
            return given
        case _:
            raise FieldError("", given, "a Market, a generator, a file or paper:FIGURE")


def _market_table(given: Mapping[str, Any], folder: Path | None) -> MarketSource:
    """A market of a study file: ``{ market }``, ``{ generator, … }``, or written out."""
    kinds = [kind for kind in ("market", "generator") if kind in given]
    if len(kinds) == 2 or not (kinds or "agents" in given):
        both = "; market and generator are given" if kinds else ""
        said = f"or generator or agents: exactly one of the three is needed{both}"
        raise FieldError("market", given.get("market"), "alone", said)
    if "market" in given:
        for key in given:
            if key not in ("market", "name"):
                said = "is not taken beside market, which is one and is what its file says: name is"
                raise FieldError(key, given[key], "left out", said)
        label = given.get("name", given["market"])
        return ((checked_name("name", label), _read(given["market"], folder)),)
    if "generator" not in given:
        written = {key: value for key, value in given.items() if key != "name"}
        market = market_from_dict(written, source="")
        return ((checked_name("name", given.get("name", "market")), market),)
    kind = GENERATORS[known("generator", given["generator"], GENERATORS)]
    takes = [one.name for one in fields(kind)]
    parameters = {key: value for key, value in given.items() if key != "generator"}
    for key, value in parameters.items():
        if key not in takes:
            accepted = f"a parameter of generator '{given['generator']}': it takes "
            said = f"is not {accepted}{', '.join(takes)}{did_you_mean(key, takes)}"
            raise FieldError(key, value, accepted, said)
    if "count" not in parameters:
        raise FieldError("count", None, "missing", "is missing: how many markets?")
    return kind(**parameters)


def _read(text: object, folder: Path | None) -> Market:
    require(isinstance(text, str), "market", text, "a file or paper:FIGURE")
    assert isinstance(text, str)
    is_file = not text.startswith("paper:")
    try:
        return as_market(str(folder / text) if is_file and folder is not None else text)
    except FieldError as error:
        raise FieldError("", text, "a market", f"= {text!r}: {error}") from None


def _check_names(sources: Sequence[MarketSource]) -> None:
    """Refuse two markets of one name: nobody could tell their rows apart."""
    seen: dict[str, int] = {}
    for k, source in enumerate(sources):
        label = source.label if isinstance(source, Generator) else source[0][0]
        first = seen.setdefault(label, k)
        if first != k:
            said = f"= {label!r} is the name of markets[{first}], too: give one of them another"
            raise FieldError(f"markets[{k}].name", label, "a name of its own", said)


def _strategies(given: Any) -> tuple[Variation, ...]:
    if given is None:
        return (AS_GIVEN,)
    every: tuple[Any, ...] = (
        (given,) if isinstance(given, Variation) else items("strategies", given, "strategies")
    )
    found = []
    for k, one in enumerate(every):
        if isinstance(one, Mapping):
            try:
                one = _variation(one)
            except FieldError as error:
                raise error.within(f"strategies[{k}]") from None
        require(isinstance(one, Variation), f"strategies[{k}]", one, "a Variation")
        found.append(one)
    names = [one.name for one in found]
    for k, label in enumerate(names):
        require(label not in names[:k], f"strategies[{k}].name", label, "a name of its own")
    return tuple(found)


def _variation(given: Mapping[str, Any]) -> Variation:
    """A strategy of a study file."""
    takes = [one.name for one in fields(Variation)]
    for key, value in given.items():
        if key not in takes:
            accepted = f"a key of a strategy: {', '.join(takes)} are accepted"
            raise FieldError(
                str(key), value, accepted, f"is not {accepted}{did_you_mean(key, takes)}"
            )
    if "name" not in given:
        raise FieldError("name", None, "missing", "is missing: what do tables call it?")
    return Variation(**given)
