"""What ``make setup`` does after the packages are there: which kernels, and which caches go."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import copyproof
from copyproof.engine.cache import cache_folder
from tools import compile_kernels

ROOT = Path(__file__).parents[1]


def test_kernels_are_those_of_the_sources() -> None:
    sources = "".join(path.read_text("utf-8") for path in compile_kernels.SOURCES.rglob("*.py"))
    names = compile_kernels.kernels()
    assert len(names) == sources.count("\n@kernel\n")
    assert {"play", "serve", "play_ensembles", "play_log"} <= names


def test_only_folders_of_this_checkout_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = [tmp_path / name for name in ("new-here-1", "old-here-1", "old-there-1", "cuda")]
    for folder in folders:
        folder.mkdir()
    monkeypatch.setattr(compile_kernels, "cache_folder", lambda: folders[0])
    assert compile_kernels.stale_folders() == [folders[1]]
    assert cache_folder().name.count("-") >= 2  # what the name is taken apart by


def test_without_a_cache_that_can_be_written_nothing_is_compiled(tmp_path: Path) -> None:
    blocked = tmp_path / "file"  # a folder cannot be made below a file, even by root
    blocked.write_text("")
    variables = {"NUMBA_CACHE_DIR": str(blocked), "XDG_CACHE_HOME": str(blocked)}
    done = subprocess.run(
        [sys.executable, "-m", "tools.compile_kernels"],
        cwd=ROOT,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.startswith("warning: kernels cannot be kept")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow  # compiles all kernels
def test_every_kernel_is_compiled_by_two_at_once(tmp_path: Path) -> None:
    stale = "0" * 20
    script = (
        "from tools import compile_kernels as c; c.main(); import sys; "
        "sys.exit(len(c.kernels() - c.compiled()))"
    )
    variables = {"NUMBA_CACHE_DIR": str(tmp_path)}
    name = subprocess.check_output(
        [sys.executable, "-c", "from copyproof.engine.cache import *; print(cache_folder())"],
        cwd=ROOT,
        env=os.environ | variables,
        text=True,
    ).strip()
    before = Path(name).with_name(f"{stale}-{'-'.join(Path(name).name.split('-')[1:])}")
    before.mkdir()
    pair = [
        subprocess.Popen(
            [sys.executable, "-c", script],
            cwd=ROOT,
            env=os.environ | variables,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said = [process.communicate()[1] for process in pair]
    assert [process.returncode for process in pair] == [0, 0], said
    assert sum("Waiting for another process" in text for text in said) == 1
    assert not before.exists()
    assert copyproof.__file__.startswith(str(ROOT / "src"))
