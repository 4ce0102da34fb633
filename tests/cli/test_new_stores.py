"""A mistyped store is not made by ``serve`` or ``keys add``."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.service.serving import environment


@pytest.mark.parametrize("command", [["keys", "add", "operator"], ["serve", "--port", "0"]])
def test_a_store_that_is_not_there_is_made_only_if_it_is_said(
    command: list[str], tmp_path: Path
) -> None:
    arguments = [sys.executable, "-m", "copyproof", *command, "--store", "sqlite:lvie.db"]
    done = subprocess.run(
        arguments, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 2
    assert "--create makes a new store" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_new_store_is_made_with_create(tmp_path: Path) -> None:
    arguments = [sys.executable, "-m", "copyproof", "keys", "add", "operator", "--create"]
    done = subprocess.run(
        [*arguments, "--store", "sqlite:live.db"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "live.db").exists()
