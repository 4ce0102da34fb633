"""Market files: a market as TOML, or as the same structure in JSON.

.. code-block:: toml

    fee = 0.01                                   # per registered arm; 0 if left out
    discount = { factor = 0.999 }                # or { weights = [1.0, 0.5, 0.1] }

    [[agents]]
    name = "ann"
    arms = [{ mean = 0.5, copies = 1000 }, { mean = 0.2 }, { mean = 0.1, copies = 0 }]

    [[agents]]
    name = "bob"
    utility = { power = 0.5 }                    # U(v) = v^0.5; risk-neutral if left out
    arms = [
        { family = "beta", alpha = 2, beta = 3 },
        { family = "gaussian", mean = 0.5, sigma = 0.1 },
        { family = "poisson", mean = 3.0 },
        { family = "exponential", mean = 0.5 },
        { family = "empirical", rewards = [0.0, 0.5, 1.0] },
        { family = "mixture", weights = [9, 1], components = [
            { mean = 0 }, { family = "exponential", mean = 20 }] },
    ]

    [[agents]]
    name = "cat"                                 # knows no means: they are drawn for every game
    arms = [
        { prior = { beta = [2, 5] } },
        { prior = { uniform = [0.2, 0.6] }, copies = 3 },
        { prior = { list = [0.1, 0.9] } },
    ]

Names that are bound to one principal say so, and policies treat the group as one agent:

.. code-block:: toml

    [[agents]]
    name = "eve"
    group = "eve & co"
    arms = [{ mean = 0.5 }]

    [[agents]]
    name = "eva"
    group = "eve & co"
    arms = [{ mean = 0.5 }]

In a market without priors, means may change during the game:

.. code-block:: toml

    [[agents]]
    name = "dan"
    arms = [
        { family = "piecewise", means = [[1, 0.9], [5000, 0.1]] },    # from round 1, from 5000
        { family = "drift", start = 0.2, end = 0.8, first = 1000, last = 3000 },
    ]

An arm is Bernoulli unless it says a family, and registered once unless it says its copies; 0
hides it. Whatever is wrong with a file raises ``FieldError`` with one line: the file, the field,
its value, and what is accepted.
"""

import hashlib
import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, assert_never

import tomli_w

from copyproof._files import write_atomically
from copyproof.game.agent import Agent, Arm
from copyproof.game.changing import Changing
from copyproof.game.discount import Discount
from copyproof.game.market import Market
from copyproof.game.paper import PAPER_FIGURES
from copyproof.game.priors import BetaPrior, ListPrior, Prior, UniformPrior
from copyproof.game.rewards import Bernoulli, Mixture, Reward
from copyproof.game.utility import Custom, Utility
from copyproof.validation import FieldError, did_you_mean, file_path, require, shown


def read_market(path: str | os.PathLike[str]) -> Market:
    """Read a market file.

    Parameters
    ----------
    path : path
        Read as JSON if it ends in ``.json``, else as TOML; UTF-8 in both.

    Returns
    -------
    Market
        Its ``name`` is the file's, without folder and suffix.

    Raises
    ------
    ValueError
        One line, if the file cannot be read or is not a market.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "market.toml"
    ...     _ = file.write_text('agents = [{ name = "ann", arms = [{ mean = 0.5, copies = 7 }] }]')
    ...     read_market(file).registered
    7
    """
    path = file_path("path", path)
    try:
        written = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refused(path, f"is not UTF-8 text at byte {error.start}") from None
    except (OSError, ValueError) as error:
        raise _refused(path, f"cannot be read: {_reason(error)}{_paper_name(path)}") from None
    kind = "JSON" if _is_json(path) else "TOML"
    try:
        data = _from_json(written) if kind == "JSON" else tomllib.loads(written)
    except RecursionError:
        raise _refused(path, "is not a market: it is nested too deeply") from None
    except ValueError as error:
        raise _refused(path, f"is not {kind}: {error}") from None
    market = market_from_dict(data, source=_named(path))
    try:
        return market.named(path.stem)
    except FieldError:  # a file may be called what nothing can be shown as
        return market


def write_market(market: Market, path: str | os.PathLike[str]) -> None:
    """Write a market file that ``read_market`` reads back as an equal market.

    The file appears whole or not at all: it is written beside its place and then moved there.

    Parameters
    ----------
    market : Market
        Its utilities must not be the user's own functions.
    path : path
        Written as JSON if it ends in ``.json``, else as TOML.

    Raises
    ------
    ValueError
        One line, if a utility has no text form or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "market.json"
    ...     write_market(Market([Agent("ann", [0.5], copies=[7])]), file)
    ...     read_market(file).registered
    7
    """
    require(isinstance(market, Market), "market", market, "a Market")
    path = file_path("path", path)
    data = market_to_dict(market)
    if _is_json(path):
        written = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    else:
        written = tomli_w.dumps(data)
    try:
        write_atomically(path, written.encode())
    except (OSError, ValueError) as error:
        raise _refused(path, f"cannot be written: {_reason(error)}") from None


def market_from_dict(data: Mapping[str, object], source: str = "market") -> Market:
    """Return the market that ``data``, shaped like a market file, describes.

    Parameters
    ----------
    data : mapping
        As ``market_to_dict`` returns it.
    source : str, optional
        What errors call the data, such as the file it came from.

    Raises
    ------
    ValueError
        One line: the source, the field, its value and what is accepted.

    Examples
    --------
    >>> market_from_dict({"agents": [{"name": "ann", "arms": [{"mean": 0.5}]}]}).best_mean
    0.5
    """
    from copyproof.game._schema import read_table  # loads pydantic

    try:
        return read_table(data)
    except FieldError as error:
        raise error.found_in(source) from None


def market_to_dict(market: Market) -> dict[str, Any]:
    """Return a market as the plain dicts and lists of a market file, defaults left out.

    Parameters
    ----------
    market : Market
        Its utilities must not be the user's own functions.

    Examples
    --------
    >>> data = market_to_dict(Market([Agent("ann", [0.5], copies=[7])]))
    >>> data["agents"][0]["arms"][0]["copies"]
    7
    """
    options = {"fee": market.fee, "discount": _table(market.discount)}
    given = {key: value for key, value in options.items() if value}
    return {**given, "agents": [_agent_table(agent) for agent in market.agents]}


def market_digest(market: Market) -> str:
    """Return a digest of everything in a market but its name, in 64 hexadecimal digits.

    Of a utility function of the user's own it is the function's name that counts.

    Examples
    --------
    >>> one, other = (Market([Agent("ann", [mean])]) for mean in (0.5, 0.6))
    >>> market_digest(one)[:8], market_digest(other)[:8]
    ('519b0422', '53144172')
    """
    own = [one.utility.name for one in market.agents if isinstance(one.utility, Custom)]
    plain = [
        Agent(one.name, one.arms, one.copies, group=one.group)
        if isinstance(one.utility, Custom)
        else one
        for one in market.agents
    ]
    written = market_to_dict(Market(plain, market.fee, market.discount))
    return hashlib.sha256(json.dumps([written, own]).encode()).hexdigest()


def _agent_table(agent: Agent) -> dict[str, Any]:
    """Return one agent as a table of the file."""
    if isinstance(agent.utility, Custom):
        said = (
            f"= {shown(agent.utility.name)} is a function of your own, which a market file "
            f"cannot hold: a power can be written (agent {shown(agent.name)})"
        )
        raise FieldError("utility", agent.utility, "a power", said)
    utility = _table(agent.utility)
    arms = map(_arm_table, agent.arms, agent.copies)
    options = {"group": agent.group, "utility": utility}
    given = {key: value for key, value in options.items() if value}
    return {"name": agent.name, **given, "arms": list(arms)}


def _arm_table(arm: Arm, copies: int) -> dict[str, Any]:
    """Return one arm as a table of the file."""
    counted = {} if copies == 1 else {"copies": copies}
    if isinstance(arm, Prior):
        return {"prior": _prior_table(arm)} | counted
    return _family_table(arm) | counted


def _family_table(arm: Reward | Changing) -> dict[str, Any]:
    """Return a family and its parameters as a table of the file."""
    family = {} if isinstance(arm, Bernoulli) else {"family": type(arm).__name__.lower()}
    if isinstance(arm, Mixture):
        parts = [_family_table(one) for one in arm.components]
        return family | {"components": parts, "weights": list(arm.weights)}
    return family | _table(arm)


def _prior_table(prior: Prior) -> dict[str, list[float]]:
    """Return a prior as a table of the file: one key, and its numbers."""
    match prior:
        case BetaPrior(alpha, beta):
            return {"beta": [alpha, beta]}
        case UniformPrior(low, high):
            return {"uniform": [low, high]}
        case ListPrior(means):
            return {"list": list(means)}
        case _:
            assert_never(prior)


def _table(record: Reward | Changing | Discount | Utility) -> dict[str, Any]:
    """Return the fields of a record as a table; γ ≡ 1 and U(v) = v have none."""
    kind: Any = type(record)
    return {name: _plain(getattr(record, name)) for name in _names(kind)}


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _plain(value: Any) -> Any:
    """Return tuples as lists, at every depth."""
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


def _is_json(path: Path) -> bool:
    """Say whether a file is JSON, by its name."""
    return path.suffix.lower() == ".json"


def _from_json(written: str) -> Any:
    """Parse JSON, refusing a key that appears twice, as TOML does."""

    def table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise FieldError("the key", key, "new", f"{shown(key)} appears twice in one table")
            found[key] = value
        return found

    return json.loads(written, object_pairs_hook=table)


def _refused(path: Path, said: str) -> FieldError:
    """Return the error about a file as a whole."""
    return FieldError("", str(path), "a market file", said, source=_named(path))


def _reason(error: OSError | ValueError) -> str:
    """Return what is wrong with a file, or with a path that no file can have."""
    return error.strerror or "" if isinstance(error, OSError) else str(error)


def _paper_name(path: Path) -> str:
    """Return a suggestion for a file that is missing and looks like a market of the paper."""
    name = str(path)
    figures = [f"paper:{figure}" for figure in PAPER_FIGURES]
    return did_you_mean(f"paper:{name}" if name.lower() in PAPER_FIGURES else name, figures)


def _named(path: Path) -> str:
    """Return a path as errors show it, on one line."""
    return str(path) if str(path).isprintable() else shown(str(path))
