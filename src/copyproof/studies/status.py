"""How far a study is, without loading anything that plays."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from copyproof.studies.folder import DATABASE, known_folder
from copyproof.studies.store import Status, Store


def status_of(folder: Path) -> tuple[Status, list[tuple[dict[str, Any], str]]]:
    """How far the study of a folder is, and what failed and why, also while it is run.

    Raises
    ------
    ValueError
        If the folder is not a study's.
    """
    store = Store(known_folder(folder) / DATABASE)
    try:
        return store.status(), store.failures()
    finally:
        store.close()


def told(identity: Mapping[str, Any]) -> str:
    """Which cell it is, for a line of text.

    Examples
    --------
    >>> told({"policy": "h-ucb", "market": "paper:2a", "strategy": "as given", "horizon": 10})
    'h-ucb on paper:2a, T = 10'
    """
    strategy = identity["strategy"]
    how = "" if strategy == "as given" else f" ({strategy})"
    return f"{identity['policy']} on {identity['market']}{how}, T = {identity['horizon']}"
