"""The reference of the Python API: no public name of a module that it shows is left out."""

import importlib
import re
from typing import TypeVar

import pytest

from tests.docs.site import ROOT, built

API = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
MODULES = dict(re.findall(r"^\.\. automodule:: (\S+)\n   :members:(.*)$", API, re.M))
BY_HAND = re.findall(r"^\.\. py:\w+:: (\w+).*\n   :module: (\S+)$", API, re.M)
ALONE = set(re.findall(r"^\.\. auto\w+:: (copyproof\.[\w.]+)", API, re.M)) - {*MODULES}
ALONE |= {f"{module}.{name}" for name, module in BY_HAND}


def public(module: str) -> set[str]:
    """The names that a module lists, or those that it defines where it has no list."""
    found = importlib.import_module(module)
    own = {
        name
        for name, value in vars(found).items()
        if not name.startswith("_")
        and getattr(value, "__module__", None) == module
        and not isinstance(value, TypeVar)
    }
    return set(getattr(found, "__all__", own))


def members(module: str) -> set[str]:
    """The names that the reference lists of a module; all of them, where it lists none."""
    return set(filter(None, MODULES[module].strip().split(", "))) or public(module)


def place(module: str, name: str) -> str:
    """Under what an entry is filed: where a thing is defined, if it knows."""
    value = getattr(importlib.import_module(module), name)
    return f"{getattr(value, '__module__', None) or module}.{name}"


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_of_a_module(module: str) -> None:
    """Each is among its members, or has an entry elsewhere: of its own, or with another module."""
    elsewhere = {place(each, name) for each in MODULES for name in members(each)}
    missing = {
        name
        for name in public(module)
        if not {f"copyproof.{name}", f"{module}.{name}"} & ALONE
        and place(module, name) not in elsewhere
    }
    assert missing == set()
    assert members(module) - public(module) == set()


def test_every_entry_is_built() -> None:
    """What has no docstring Sphinx leaves out without a word."""
    site = built()
    from sphinx.util.inventory import InventoryFile  # not in the environment of ``make dev``

    with (site / "objects.inv").open("rb") as file:
        found = InventoryFile.load(file, "", lambda _, path: path)
    entries = {name for kind, each in found.items() if kind.startswith("py:") for name in each}
    missing = {
        f"{module}.{name}"
        for module in MODULES
        for name in members(module)
        if not {f"{module}.{name}", place(module, name)} & entries
    }
    assert missing | (ALONE - entries) == set()
