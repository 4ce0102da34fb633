"""The client loads the standard library, itself, and nothing else."""

import json
import subprocess
import sys
from pathlib import Path

import copyproof_client

SOURCES = Path(copyproof_client.__file__).parents[1]


def _loaded(statement: str, *options: str) -> set[str]:
    """Names of the top-level modules that a fresh interpreter loads for a statement."""
    # What an environment's own .pth files load at the start is no part of it.
    program = (
        "import json, sys; before = set(sys.modules)\n"
        f"{statement}\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    said = subprocess.check_output([sys.executable, *options, "-c", program], text=True)
    return {name.partition(".")[0] for name in json.loads(said)}


def test_the_client_needs_the_standard_library_only() -> None:
    found = _loaded(f"sys.path.insert(0, {str(SOURCES)!r}); import copyproof_client", "-I", "-S")
    assert found - sys.stdlib_module_names == {"copyproof_client"}


def test_the_old_name_loads_nothing_more() -> None:
    found = _loaded("import copyproof.client")
    assert found - sys.stdlib_module_names == {"copyproof", "copyproof_client"}
