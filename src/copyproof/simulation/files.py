"""Results in files: ``.npz`` archives of plain arrays, with a manifest as JSON.

The file appears whole or not at all. Nothing in it is ever run: arrays of Python objects, which
would have to be unpickled, are refused, and of an external policy the name and the text are kept.
"""

import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof._files import write_or_refuse
from copyproof.external import policy_from_dict, policy_to_dict
from copyproof.game import Market, Schedule, market_from_dict, market_to_dict
from copyproof.simulation.result import Result
from copyproof.validation import file_path

_FORMAT = 1
# What reading a damaged file may raise.
_DAMAGED = (
    KeyError, TypeError, ValueError, EOFError, AttributeError, RuntimeError, OSError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip
# What the manifest of a file repeats as it is.
_PLAIN = ("horizon", "repetitions", "seed", "seconds", "versions")
_ARRAYS = ("rounds", "regret_curves", "revenue", "plays", "original_plays")


def write_result(result: Result, path: str | Path) -> None:
    """Write everything into one file: the arrays, and a manifest."""
    place = file_path("path", path)
    manifest = {
        "format": _FORMAT,
        "market": market_to_dict(result.market),
        **({} if result.market.name is None else {"market_name": result.market.name}),
        "policy": policy_to_dict(result.policy),
        **{name: getattr(result, name) for name in _PLAIN},
        "numerics": result.numerics,
        "schedule": result.schedule and result.schedule.to_dict(),
    }
    arrays: dict[str, Any] = {name: getattr(result, name) for name in _ARRAYS}
    for name in ("new_arms", "means"):
        if getattr(result, name) is not None:
            arrays[name] = getattr(result, name)
    arrays["manifest"] = np.frombuffer(json.dumps(manifest).encode(), np.uint8)
    memory = io.BytesIO()
    np.savez_compressed(memory, **arrays)
    write_or_refuse(place, memory.getvalue())


def read_result(path: str | Path) -> Result:
    """Read what ``write_result`` wrote; ``ValueError``, one line, for any other file."""
    try:
        content = io.BytesIO(file_path("path", path).read_bytes())
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror or error}") from None
    try:
        return _read(content, str(path))
    except _DAMAGED as error:
        raise ValueError(f"{path} is not a saved simulation: {error}") from None


def _read(content: io.BytesIO, source: str) -> Result:
    with _Archive(content) as file:
        manifest = json.loads(file["manifest"].tobytes())
        arrays: dict[str, Any] = {name: file[name] for name in _ARRAYS}
        market = market_from_dict(manifest["market"], source=source)
        if (name := manifest.get("market_name")) is not None:
            market = market.named(name)
        schedule = manifest["schedule"]
        if schedule is not None:
            arrays["new_arms"] = file["new_arms"]
        if market.has_priors:
            arrays["means"] = file["means"]
    if manifest["format"] != _FORMAT:
        raise ValueError(f"format = {manifest['format']!r} is not {_FORMAT}")
    _check_shapes(arrays, market, manifest["repetitions"])
    for array in arrays.values():
        array.flags.writeable = False
    return Result(
        market=market,
        policy=policy_from_dict(manifest["policy"]),
        schedule=None if schedule is None else Schedule.from_dict(schedule),
        **{name: manifest[name] for name in _PLAIN},
        numerics=manifest["numerics"],
        **arrays,
    )


class _Archive(zipfile.ZipFile):
    """The plain arrays of an ``.npz`` file, by name; whatever else it holds is refused."""

    def __init__(self, content: io.BytesIO) -> None:
        if not zipfile.is_zipfile(content):
            raise ValueError("it is not an .npz file")
        super().__init__(content)

    def __getitem__(self, name: str) -> NDArray[Any]:
        try:
            member = self.open(f"{name}.npy")
        except KeyError:
            raise ValueError(f"it has no {name}") from None
        with member:
            try:
                found: NDArray[Any] = np.lib.format.read_array(member, allow_pickle=False)
            except ValueError:  # NumPy's message tells how to unpickle, which is not safe
                raise ValueError(f"its {name} is no array of plain numbers") from None
        return found


def _check_shapes(arrays: dict[str, NDArray[Any]], market: Market, repetitions: int) -> None:
    """Refuse arrays that are not of the shapes that ``Repetitions`` says."""
    agents, originals, checkpoints = len(market.agents), market.originals, arrays["rounds"].size
    columns = {"regret_curves": checkpoints, "revenue": agents, "plays": agents}
    columns |= {"original_plays": originals, "new_arms": agents, "means": originals}
    shapes = {"rounds": (checkpoints,)} | {name: (repetitions, n) for name, n in columns.items()}
    for name, array in arrays.items():
        if array.shape != shapes[name]:
            raise ValueError(f"{name} is of shape {array.shape}, not {shapes[name]}")
