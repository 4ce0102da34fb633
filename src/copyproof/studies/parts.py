"""A part of a study: policies × markets × strategies × horizons × seeds, and what is measured.

Everything that names something is turned into a record here, once, whether it came from a study
file or from Python; an error names its place. Points come market by market, and the policies of one
market one after the other.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from copyproof.game import Market, as_market, market_from_dict
from copyproof.policy.syntax import place_of
from copyproof.simulation.run import MOST_REPETITIONS, MOST_ROUNDS
from copyproof.studies.cases import Case, audit_options, drawn_by
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
MarketSource: TypeAlias = Generator | tuple[Case, ...]

# What a part need not say where each of its markets does, and what it is called there.
_OWN = {"policies": "policy", "horizons": "horizon", "repetitions": "repetitions", "seeds": "seed"}
_CALL = "FILE.py:FUNCTION(KEY=VALUE)"  # what a generator may be, too
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Part:
    """One product; what it does not say, such as horizons, its markets bring."""

    name: str
    policies: tuple[StudyPolicy, ...]
    markets: tuple[MarketSource, ...]
    strategies: tuple[Variation, ...]
    horizons: tuple[int, ...]
    repetitions: int  # 0: the market's own
    seeds: tuple[int, ...]
    terms: Terms
    most_rounds: int | None = None  # of a cell
    source: str = ""  # the study file
    place: str = ""  # whose strategies they are: a part of the file, or the whole
    folder: Path | None = None  # of the study file

    def points(self) -> Iterator[Point]:
        """All points in their order.

        Raises
        ------
        FieldError
            If a strategy does not fit a market.
        """
        for source in self.markets:
            for case in cases_of(source):
                for k in range(len(self.strategies)):
                    yield from self._of(case, k)

    def __len__(self) -> int:
        markets = sum(
            source.count if isinstance(source, Generator) else len(source)
            for source in self.markets
        )
        several = (self.strategies, self.horizons, self.seeds, self.policies)
        return markets * math.prod(max(1, len(one)) for one in several)

    def _of(self, case: Case, number: int) -> Iterator[Point]:
        strategy, digest = self.strategies[number], ""
        policies = self.policies or (study_policy(case.policy, self.folder),)
        terms = self.terms
        if case.audit and not terms.audit:
            terms = replace(terms, audit=case.audit)
        for horizon in self.horizons or _own(case.horizon):
            try:
                played, schedule = strategy.of(case.market, horizon)
            except FieldError as error:
                where = error.within(f"strategies[{number}]").within(self.place)
                note = f"(strategy '{strategy.name}' on market '{case.name}')"
                raise where.noted(note).found_in(self.source) from None
            digest = digest or digest_market(played)  # what is registered does not depend on T
            for seed in self.seeds or _own(case.seed):
                for policy in policies:
                    cell = make_cell(
                        played,
                        policy,
                        schedule,
                        horizon=horizon,
                        repetitions=self._games(case, horizon),
                        seed=seed,
                        terms=terms,
                        market_digest=digest,
                    )
                    yield Point(self.name, case.name, strategy.name, cell)

    def _games(self, case: Case, horizon: int) -> int:
        """The repetitions of a case, fewer if they would be too many rounds."""
        games = self.repetitions or case.repetitions or 1
        most = games if self.most_rounds is None else self.most_rounds // horizon
        return max(1, min(games, most))


def cases_of(source: MarketSource) -> Iterable[Case]:
    """The markets of a source.

    Examples
    --------
    >>> from copyproof import RandomMarkets
    >>> [case.name for case in cases_of(RandomMarkets(count=2))]
    ['random 1', 'random 2']
    """
    return (Case(*one) for one in source) if isinstance(source, Generator) else source


def _own(given: _T | None) -> tuple[_T, ...]:
    return () if given is None else (given,)


def make_part(
    name: str = "",
    *,
    policies: object = None,
    markets: object,
    horizons: object = None,
    repetitions: object = None,
    seed: object = None,
    measure: object = ("regret",),
    strategies: object = None,
    arrays: object = False,
    checkpoints: object = 200,
    audit: object = None,
    most_rounds: object = None,
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
        repetitions=(
            0 if repetitions is None else whole_in("repetitions", repetitions, 1, MOST_REPETITIONS)
        ),
        seeds=_wholes("seed", seed, 0, 2**64 - 1),
        terms=terms,
        most_rounds=None if most_rounds is None else whole("most_rounds", most_rounds, least=1),
        folder=folder and folder.resolve(),
    )
    _check_together(found)
    return found


def _check_together(part: Part) -> None:
    """Refuse what no cell of the part could do, or does not know how to."""
    for field, own in _OWN.items():
        every = (case for source in part.markets for case in cases_of(source))
        without = () if getattr(part, field) else (c for c in every if getattr(c, own) is None)
        for case in without:
            said = f"is missing, and market '{case.name}' has none of its own"
            raise FieldError("seed" if own == "seed" else field, None, "missing", said)
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
    if given is None:
        return ()
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
    if given is None:
        return ()
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
            found.append((Case(checked_name("markets", name), market),))
        require(bool(found), "markets", given, "at least one")
        return tuple(found)
    single = isinstance(given, str | Market | Generator | Case)
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
            return (Case(given.name or f"market {place + 1}", given),)
        case Case():
            return (given,)
        case str():
            return (Case(given, _read(given, folder)),)
        case Mapping():
            return _market_table(given, folder)
        case _ if isinstance(given, Generator):
            return given
        case _:
            raise FieldError("", given, "a Market, a Case, a generator, a file or paper:FIGURE")


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
        return (Case(label, _read(given["market"], folder)),)
    if "generator" not in given:
        written = {key: value for key, value in given.items() if key != "name"}
        market = market_from_dict(written, source="")
        return (Case(given.get("name", "market"), market),)
    text = given["generator"]
    is_own = isinstance(text, str) and place_of(text) is not None
    kind = None if is_own else GENERATORS[known("generator", text, [*GENERATORS, _CALL])]
    takes = ["count", "name"] if kind is None else [one.name for one in fields(kind)]
    parameters = {key: value for key, value in given.items() if key != "generator"}
    for key, value in parameters.items():
        if key not in takes:
            accepted = f"a parameter of generator '{text}': it takes "
            said = f"is not {accepted}{', '.join(takes)}{did_you_mean(key, takes)}"
            raise FieldError(key, value, accepted, said)
    if kind is None:
        return drawn_by(text, folder, **parameters)
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
        single = [source.label] if isinstance(source, Generator) else []
        for label in single or [case.name for case in cases_of(source)]:
            if label in seen:
                said = f"= {label!r} is the name of markets[{seen[label]}], too: give one another"
                raise FieldError(f"markets[{k}].name", label, "a name of its own", said)
            seen[label] = k


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
