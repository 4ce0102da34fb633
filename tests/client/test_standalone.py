"""The client loads the standard library, itself, and nothing else."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


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


def test_the_small_package_needs_the_standard_library_only() -> None:
    sources = ROOT / "client" / "src"
    found = _loaded(f"sys.path.insert(0, {str(sources)!r}); import copyproof_client", "-I", "-S")
    assert found - sys.stdlib_module_names == {"copyproof_client"}


def test_the_client_in_copyproof_loads_nothing_more() -> None:
    found = _loaded("import copyproof.client")
    assert found - sys.stdlib_module_names == {"copyproof"}


def test_both_are_made_of_the_same_files() -> None:
    small, big = (ROOT / "client/src/copyproof_client", ROOT / "src/copyproof/client")
    assert small.resolve() == big.resolve()
