"""Policies by text, and what code a text stands for.

======================================  =========================================================
text                                    policy
======================================  =========================================================
``h-ucb``, ``rh-ucb(L=3)``              ours, from the catalogue
``river:UCB(delta=1)``                  a class of ``river.bandit``
``mabwiser:UCB1(alpha=1)``              a learning policy of MABWiser
``smpybandits:UCB(python='…')``         a class of ``SMPyBandits.Policies``, in its interpreter
``path/to/file.py:name(scale=2)``       what a file calls ``name``
``package.module:name(scale=2)``        what a module calls ``name``
======================================  =========================================================

In the last two ``name`` is an ``ExternalPolicy``, one of our own ``Policy`` records or a factory (a
function or a class); a factory may be given parameters, and ``python='…'`` plays it in another
interpreter. The grammar is that of ``copyproof.policy.syntax``.
"""

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from copyproof.external.interpreter import (
    interpreter_policy,
    smpybandits_policy,
    source_there,
)
from copyproof.external.libraries import mabwiser_policy, river_policy
from copyproof.external.records import ExternalPolicy, Factory, Learner, one_line
from copyproof.external.worker import load, source
from copyproof.policy import Policy, parse_policy
from copyproof.policy.syntax import parse, place_of, refused
from copyproof.validation import FieldError, did_you_mean, require

# Ours or another's, as a record.
AnyPolicy: TypeAlias = Policy | ExternalPolicy

_LIBRARIES: dict[str, Callable[..., ExternalPolicy]] = {
    "river": river_policy,
    "mabwiser": mabwiser_policy,
    "smpybandits": smpybandits_policy,
}
_ACCEPTED = (
    "accepted are NAME(KEY=VALUE, ...) of the catalogue, river:CLASS, mabwiser:CLASS, "
    "smpybandits:CLASS, path/to/file.py:NAME and package.module:NAME"
)


def named_policy(text: str) -> Policy | ExternalPolicy:
    """Read a policy from a text: one of the catalogue, a library's, or one's own.

    Parameters
    ----------
    text : str
        See the table above.

    Returns
    -------
    Policy or ExternalPolicy

    Examples
    --------
    >>> named_policy("rh-ucb(L=3)").sampling
    FixedSample(factor=3.0, power=1.0)
    >>> named_policy("river:UCB(delta=1)").name
    'river:UCB(delta=1)'
    """
    given: Any = text  # whatever a caller may give
    if not isinstance(given, str) or ":" not in given:
        return parse_policy(text)
    where, name, parameters = _parts(text)
    if where in _LIBRARIES:
        return ExternalPolicy(text, _LIBRARIES[where](name, **parameters).factory, text)
    if "python" in parameters:
        return ExternalPolicy(text, interpreter_policy(where, name, **parameters).factory, text)
    found = _resolve(text)
    if isinstance(found, Policy):
        return found
    return ExternalPolicy(text, _FromText(text, found), text)


def any_policy(policy: "AnyPolicy | str") -> "AnyPolicy":
    """Take a record as it is, and read a text; anything else is refused.

    Examples
    --------
    >>> any_policy(5)
    Traceback (most recent call last):
    copyproof.validation.FieldError: policy = 5 is not a Policy, an ExternalPolicy or a text...
    """
    if isinstance(policy, Policy | ExternalPolicy):
        return policy
    accepted = "a Policy, an ExternalPolicy or a text such as 'h-ucb' or 'river:UCB(delta=1)'"
    require(isinstance(policy, str), "policy", policy, accepted)
    return named_policy(policy)


def code_of(policy: ExternalPolicy) -> dict[str, str]:
    """Where a policy's code is, and which: versions of packages and digests of files.

    The file or the module that the text names is looked at, and the package's version; not what
    these import.

    Examples
    --------
    >>> list(code_of(river_policy("UCB", delta=1)))
    ['river']
    """
    if policy.text is None:
        said = (
            f"= {policy.name!r} is an object of this program, and what it does cannot be told from "
            "outside: give it as a text, such as mine.py:NAME"
        )
        raise FieldError("policy", policy.name, "a policy with a text", said)
    where, _, parameters = _parts(policy.text)
    place = {"smpybandits": "SMPyBandits"}.get(where, where)
    if where == "smpybandits" or "python" in parameters:
        python = str(parameters.get("python", sys.executable))
        found = source_there(python, place)
    else:
        found = source(place)
    return {place: found.partition(" ")[0] if where in _LIBRARIES else found}


@dataclass(frozen=True, slots=True, eq=False)
class _FromText:
    """A factory that can be sent to another process: it goes as its text, and is found anew."""

    text: str
    factory: Factory

    def __reduce__(self) -> tuple[Any, ...]:
        return (_from_text, (self.text,))

    def __call__(self, *given: Any, **named: Any) -> Learner:
        return self.factory(*given, **named)


def _from_text(text: str) -> _FromText:
    return _FromText(text, _resolve(text))


def _resolve(text: str) -> Any:
    """The policy record or the factory that a text of the last two forms stands for."""
    where, name, parameters = _parts(text)
    try:
        found = load(where, name)
    except (Exception, SystemExit) as error:
        wrong = not_loaded(error, where, name)
        raise refused(text, f"{wrong}; {_ACCEPTED}{did_you_mean(where, _LIBRARIES)}") from error
    if isinstance(found, ExternalPolicy | Policy):
        if parameters:
            raise refused(text, f"{name} is made already and takes no parameters")
        return found if isinstance(found, Policy) else found.factory
    if not callable(found):
        kind = type(found).__name__
        accepted = "a Policy, an ExternalPolicy or a function make(arms, *, owners, horizon, seed)"
        raise refused(text, f"{name} is a {kind}, not {accepted}")
    return functools.partial(found, **parameters)


def not_loaded(error: BaseException, where: str, name: str) -> str:
    """Why ``load`` has not found a name, on one line.

    Examples
    --------
    >>> not_loaded(ModuleNotFoundError(name="mine"), "mine", "Rule")
    'there is no module mine'
    """
    if isinstance(error, ModuleNotFoundError) and f"{where}.".startswith(f"{error.name}."):
        return f"there is no module {where}"
    if isinstance(error, FileNotFoundError) and str(error).endswith(where):
        return str(error)
    if isinstance(error, AttributeError) and error.name == name:
        return f"there is no {name} in {where}"
    return one_line(error)


def _parts(text: str) -> tuple[str, str, dict[str, Any]]:
    """Where to look, the name there, and the parameters."""
    if place_of(text) is None:
        said = f"= {text!r} cannot be read; {_ACCEPTED}"
        raise FieldError("policy", text, _ACCEPTED, said)
    call = parse(text)
    try:
        return call.place, call.name, call.parameters()
    except FieldError as error:
        raise refused(text, error) from None
