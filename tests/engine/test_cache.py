"""A changed source is never answered from a stale cache; an unwritable cache is no obstacle."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import copyproof
from copyproof.engine.cache import source_digest

SOURCES = Path(copyproof.__file__).parent
SCRIPT = """
import sys
from copyproof import Agent, Market, simulate
from copyproof.engine.cache import is_cached
before = is_cached()
market = Market([Agent("a", [1.0]), Agent("b", [1.0])])
result = simulate(market, "h-ucb", horizon=10, repetitions=1, seed=0)
print(before, result.revenue.sum())
"""


def run(folder: Path, cache: Path, script: str = SCRIPT) -> str:
    environment = os.environ | {
        "PYTHONPATH": str(folder),
        "NUMBA_CACHE_DIR": str(cache),
        "XDG_CACHE_HOME": str(cache),
        "HOME": str(cache),
    }
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.slow  # compiles an engine
def test_a_change_in_a_file_that_the_kernel_calls_into_is_seen(tmp_path: Path) -> None:
    copy = tmp_path / "copyproof"
    shutil.copytree(SOURCES, copy, ignore=shutil.ignore_patterns("__pycache__"))
    cache = tmp_path / "cache"
    assert run(tmp_path, cache) == "False 10.0"
    assert run(tmp_path, cache) == "True 10.0"
    # The kernel lives in play.py. Change what it calls in quantiles.py, and keep size and time of
    # both files, which is all that Numba itself would look at.
    changed = copy / "engine" / "quantiles.py"
    stamp = changed.stat()
    text = changed.read_text()
    assert "return 1.0 if u >= first else 0.0" in text
    changed.write_text(text.replace("return 1.0 if u >=", "return 7.0 if u >="))
    os.utime(changed, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert run(tmp_path, cache) == "False 70.0"


def test_another_checkout_knows_that_it_has_to_compile(tmp_path: Path) -> None:
    asked = "from copyproof.engine.cache import cache_folder; print(cache_folder())"
    cache = tmp_path / "cache"
    folders = set()
    for name in ("one", "other"):
        shutil.copytree(
            SOURCES, tmp_path / name / "copyproof", ignore=shutil.ignore_patterns("__pycache__")
        )
        folders.add(run(tmp_path / name, cache, asked))
    assert len(folders) == 2


def test_the_digest_sees_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1")
    first = source_digest(tmp_path)
    (tmp_path / "a.py").write_text("x = 2")
    second = source_digest(tmp_path)
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    third = source_digest(tmp_path)
    assert len({first, second, third}) == 3
