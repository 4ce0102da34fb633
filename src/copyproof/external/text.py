"""Policies by text, for the command line.

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
interpreter. Parameters are Python literals.
"""

import ast
import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from copyproof.external.interpreter import interpreter_policy, smpybandits_policy
from copyproof.external.libraries import mabwiser_policy, river_policy
from copyproof.external.records import ExternalPolicy, Factory, Player, one_line
from copyproof.external.worker import load
from copyproof.policy import Policy, parse_policy

__all__ = ["named_policy"]

_LIBRARIES: dict[str, Callable[..., ExternalPolicy]] = {
    "river": river_policy,
    "mabwiser": mabwiser_policy,
    "smpybandits": smpybandits_policy,
}
_FORM = re.compile(r"(?P<where>.+?):(?P<call>[^\W\d]\w*\s*(\(.*\))?)\s*", re.DOTALL)
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
    >>> named_policy("rh-ucb(L=3)").sampling.factor
    3.0
    >>> len(named_policy("river:UCB(delta=1)").name)
    18
    """
    given: Any = text  # whatever a caller may give
    if not isinstance(given, str) or ":" not in given:
        return parse_policy(text)
    where, name, parameters = _parts(text)
    if where in _LIBRARIES:
        return ExternalPolicy(text, _LIBRARIES[where](name, **parameters).factory)
    if "python" in parameters:
        return ExternalPolicy(text, interpreter_policy(where, name, **parameters).factory)
    found = _resolve(text)
    return found if isinstance(found, Policy) else ExternalPolicy(text, _FromText(text, found))


@dataclass(frozen=True, slots=True, eq=False)
class _FromText:
    """A factory that can be sent to another process: it goes as its text, and is found anew."""

    text: str
    factory: Factory

    def __reduce__(self) -> tuple[Any, ...]:
        return (_from_text, (self.text,))

    def __call__(
        self, arms: Sequence[str], *, owners: Mapping[str, str], horizon: int, seed: int
    ) -> Player:
        return self.factory(arms, owners=owners, horizon=horizon, seed=seed)


def _from_text(text: str) -> _FromText:
    return _FromText(text, _resolve(text))


def _resolve(text: str) -> Any:
    """The policy record or the factory that a text of the last two forms stands for."""
    where, name, parameters = _parts(text)
    try:
        found = load(where, name)
    except (Exception, SystemExit) as error:
        wrong = one_line(error)
        if isinstance(error, ModuleNotFoundError) and f"{where}.".startswith(f"{error.name}."):
            wrong = f"there is no module {where}"
        elif isinstance(error, FileNotFoundError) and str(error).endswith(where):
            wrong = str(error)
        elif isinstance(error, AttributeError) and error.name == name:
            wrong = f"there is no {name} in {where}"
        raise ValueError(f"policy = {text!r}: {wrong}; {_ACCEPTED}") from error
    if isinstance(found, ExternalPolicy | Policy):
        if parameters:
            raise ValueError(f"policy = {text!r}: {name} is made already and takes no parameters")
        return found if isinstance(found, Policy) else found.factory
    if not callable(found):
        raise ValueError(
            f"policy = {text!r}: {name} is a {type(found).__name__}, not a Policy, an "
            "ExternalPolicy or a function make(arms, *, owners, horizon, seed)"
        )
    return functools.partial(found, **parameters)


def _parts(text: str) -> tuple[str, str, dict[str, Any]]:
    """Where to look, the name there, and the parameters."""
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"policy = {text!r} cannot be read; {_ACCEPTED}")
    try:
        call = ast.parse(match["call"].strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        call = None
    if isinstance(call, ast.Name):
        return match["where"], call.id, {}
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise ValueError(f"policy = {text!r} cannot be read; write NAME or NAME(KEY=VALUE, ...)")
    keys = [keyword.arg for keyword in call.keywords]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"policy = {text!r}: {key} is given twice")
    if call.args:
        written = ast.unparse(call.args[0])
        raise ValueError(f"policy = {text!r}: {written} needs a name, as in KEY=VALUE")
    return match["where"], call.func.id, dict(_literal(text, one) for one in call.keywords)


def _literal(text: str, keyword: ast.keyword) -> tuple[str, Any]:
    if keyword.arg is None:
        raise ValueError(f"policy = {text!r}: write KEY=VALUE instead of **")
    try:
        return keyword.arg, ast.literal_eval(keyword.value)
    except ValueError:
        raise ValueError(
            f"policy = {text!r}: {keyword.arg} = {ast.unparse(keyword.value)} is not a literal "
            "such as 1, 0.5, 'word', True, None or [1, 2]"
        ) from None
