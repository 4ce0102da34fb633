"""The public names: lazy, complete, and the same wherever they are listed."""

import ast
import importlib
import pydoc
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

import copyproof

ROOT = Path(__file__).parents[1]
API = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
NAMES: list[str] = sorted(vars(copyproof)["__all__"])


def imports_for_type_checkers() -> dict[str, str]:
    """The names that the TYPE_CHECKING block imports, and from where."""
    tree = ast.parse(Path(copyproof.__file__).read_text(encoding="utf-8"))
    [block] = [
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    found: dict[str, str] = {}
    for node in block.body:
        assert isinstance(node, ast.ImportFrom)
        assert node.module is not None
        # Else type checkers take a name for an import of the package's own.
        assert [alias.asname for alias in node.names] == [alias.name for alias in node.names]
        found |= {alias.name: node.module for alias in node.names}
    return found


def test_lists_agree() -> None:
    assert sorted(copyproof._HOME) == NAMES
    assert imports_for_type_checkers() == copyproof._HOME
    assert set(NAMES) <= set(dir(copyproof))


@pytest.mark.parametrize("name", NAMES)
def test_every_name_resolves(name: str) -> None:
    value = getattr(copyproof, name)
    assert value is getattr(importlib.import_module(copyproof._HOME[name]), name)
    assert not isinstance(value, ModuleType)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="module 'copyproof' has no attribute 'simulat'"):
        copyproof.simulat  # type: ignore[attr-defined]  # noqa: B018


def test_help_lists_every_name() -> None:
    text = pydoc.plain(pydoc.render_doc(copyproof))
    assert [name for name in NAMES if not re.search(rf"\b{name}\b", text)] == []


def loaded_by(statement: str) -> set[str]:
    """The packages from outside the standard library that a statement loads."""
    code = (
        f"import sys; before = {{*sys.modules}}; {statement}\n"
        "packages = {name.partition('.')[0] for name in {*sys.modules} - before}\n"
        "print(*packages - sys.stdlib_module_names)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


def test_importing_the_package_loads_the_standard_library_alone() -> None:
    assert loaded_by("import copyproof") == {"copyproof"}


def test_the_version_is_that_of_the_metadata() -> None:
    assert copyproof.__version__ == version("copyproof")
    assert "__version__" in dir(copyproof)


def test_importing_the_client_loads_the_standard_library_alone() -> None:
    assert loaded_by("import copyproof.client") == {"copyproof"}


def test_reference_documents_every_name() -> None:
    documented = re.findall(r"^\.\. auto(?:class|function|data):: copyproof\.(\w+)$", API, re.M)
    assert sorted(documented) == NAMES


def test_reference_names_only_what_exists() -> None:
    blocks = re.findall(r"^\.\. automodule:: (\S+)\n   :members:(.*)$", API, re.M)
    assert blocks
    for module, members in blocks:
        for name in filter(None, members.strip().split(", ")):
            assert hasattr(importlib.import_module(module), name), f"{module}.{name}"
