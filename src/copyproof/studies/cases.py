"""Cases: markets that bring a horizon, a seed, a policy or the like, and who draws them.

A study file may name a function, ``generator = "mine.py:drawn(scale=2)"``, in the grammar of
policies of one's own. It is called once, when the file is read, and returns cases. What the file
says goes before what they bring.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from copyproof.auditing.audit import METHODS, check_numbers
from copyproof.auditing.strategies import REFERENCES
from copyproof.external import ExternalPolicy
from copyproof.external.text import not_loaded
from copyproof.external.worker import load
from copyproof.game import Market
from copyproof.policy import Policy
from copyproof.policy.syntax import Call, parse
from copyproof.simulation.run import MOST_REPETITIONS, MOST_ROUNDS
from copyproof.studies.policies import study_policy
from copyproof.validation import FieldError, did_you_mean, items, known, require, whole, whole_in
from copyproof.validation import name as checked_name

# What an audit of a study can be given.
AUDIT_KEYS = (
    "agent", "reference", "deviations", "most_copies", "tolerance", "confidence", "budget", "method"
)  # fmt: skip
_AUDIT_NUMBERS = ("deviations", "most_copies", "tolerance", "confidence", "budget")
# Of the study file whose function is being called: there are the files of its cases' policies.
_FOLDER: ContextVar[Path | None] = ContextVar("_FOLDER", default=None)


@dataclass(frozen=True, slots=True)
class Case:
    """A market of a study, and how it is played where the study does not say it for all.

    Parameters
    ----------
    name : str
        What tables call it.
    market : Market
        The market itself.
    horizon, repetitions, seed : int, optional
        Its own; used where the study has none.
    policy : str, Policy or ExternalPolicy, optional
        Likewise, the one that plays it. Its file is relative to the study file whose function makes
        the case, or else to the working directory.
    audit : mapping, optional
        Likewise, how audits of it are made.

    Examples
    --------
    >>> from copyproof import Study, paper_market
    >>> cases = [Case(f"2a, T = {T}", paper_market("2a"), horizon=T, seed=T) for T in (100, 200)]
    >>> frame = Study(["h-ucb"], cases, repetitions=2).run().frame()
    >>> frame[["market", "horizon", "seed"]].values.tolist()
    [['2a, T = 100', 100, 100], ['2a, T = 200', 200, 200]]
    """

    name: str
    market: Market
    horizon: int | None = None
    repetitions: int | None = None
    seed: int | None = None
    policy: str | Policy | ExternalPolicy | None = None
    audit: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        checked_name("name", self.name)
        require(isinstance(self.market, Market), "market", self.market, "a Market")
        most = {"horizon": MOST_ROUNDS, "repetitions": MOST_REPETITIONS, "seed": 2**64 - 1}
        for field, high in most.items():
            value = getattr(self, field)
            if value is not None:
                object.__setattr__(self, field, whole_in(field, value, int(field != "seed"), high))
        if self.policy is not None:
            try:
                study_policy(self.policy, _FOLDER.get())
            except FieldError as error:
                raise error.within("policy") from None
        if self.audit is not None:
            audit_options(self.audit)


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


def drawn_by(
    text: str, folder: Path | None, count: int | None = None, name: str | None = None
) -> tuple[Case, ...]:
    """The cases that a function returns, the first ``count`` of them; its file is in ``folder``.

    ``name`` is put in front of their names.

    Raises
    ------
    FieldError
        If there is no such function, it fails, or returns something else.
    """
    most = None if count is None else whole_in("count", count, 1, 10**9)
    prefix = "" if name is None else f"{checked_name('name', name)} "
    try:
        call = parse(text)
    except FieldError as error:
        raise error.renamed("generator") from None
    place = Path(folder or ".").resolve() / call.place
    where = str(place) if call.place.endswith(".py") else call.place
    beside = place.parent.resolve()
    try:
        with _called_from(folder, beside):
            made = load(where, call.name)(**call.parameters())
            if isinstance(made, Iterator):  # it may have no end
                made = islice(made, most)
            found = items("what it returns", made, "cases")[:most]
            for k, one in enumerate(found):
                require(isinstance(one, Case), f"[{k}]", one, "a Case")
            return tuple(replace(one, name=f"{prefix}{one.name}") for one in found)
    except (Exception, SystemExit) as error:
        why = _why(error, call, beside)
        raise FieldError("generator", text, "cases", f"= {text!r}: {why}") from error


@contextmanager
def _called_from(folder: Path | None, beside: Path) -> Iterator[None]:
    """Let a function of a study file in ``folder`` import what is ``beside`` its own file.

    These modules are forgotten afterwards: others may be called the same beside another study. What
    is printed goes to standard error, as standard output is for answers.
    """
    modules, path, token = set(sys.modules), [*sys.path], _FOLDER.set(folder)
    sys.path.append(str(beside))  # last: what is beside the file stands in for nothing else
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _FOLDER.reset(token)
        sys.path[:] = path
        new = sys.modules.keys() - modules
        tops = {one for one in new if "." not in one and _lies_in(beside, sys.modules[one])}
        for one in new:
            if one.partition(".")[0] in tops:
                del sys.modules[one]


def _lies_in(folder: Path, module: ModuleType) -> bool:
    """Whether a module's file, or a package's folder, is in a folder itself, not further below."""
    places = [*getattr(module, "__path__", ()), getattr(module, "__file__", None)]
    return any(one and Path(one).parent.resolve() == folder for one in places)


def _why(error: BaseException, call: Call, beside: Path) -> str:
    """What went wrong when a function was called, and in which line of its files."""
    why = str(error) if isinstance(error, FieldError) else not_loaded(error, call.place, call.name)
    frames = [(Path(one.filename), one.lineno) for one in extract_tb(error.__traceback__)]
    lines = [f"({file.name}, line {k})" for file, k in frames if file.parent.resolve() == beside]
    return " ".join([why, *lines[-1:]])
