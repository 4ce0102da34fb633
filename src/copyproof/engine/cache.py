"""Compiled kernels kept on disk, and never answered from a stale copy.

Numba files a compiled kernel under the source file of the kernel alone: a change in another file
that the kernel calls into would go unnoticed. So the cache folder is named after a digest of all
the engine's sources, of the versions and of the processor: whatever changes, a new folder is used.
Numba looks at the path of the source file, too, so that every checkout has a folder of its own.

How a kernel is compiled together with the parts that it calls is said in ``linking``.

The folder lies below ``$NUMBA_CACHE_DIR``, else below the user's cache folder. Where neither can be
written, a private folder for this process alone is taken, and every process compiles anew.
"""

import atexit
import functools
import hashlib
import os
import platform
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba import njit

from copyproof.engine.linking import KernelCompiler, Part

P = ParamSpec("P")
R = TypeVar("R")

# No reference counting (so a kernel cannot allocate, and pays nothing for passing arrays on), and
# NumPy's floating-point division (no check for zero, no exception).
_OPTIONS: dict[str, Any] = {"_nrt": False, "error_model": "numpy"}


def source_digest(folder: Path) -> str:
    """Digest of every Python file in a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:20]


def engine_digest() -> str:
    """Digest of the engine's sources: results can only differ where it does."""
    return source_digest(Path(__file__).parent)


@functools.cache
def cache_folder() -> Path:
    """The folder for this version's compiled kernels; it exists and can be written."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    roots = [Path(home)]
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        roots.insert(0, Path(given))
    compiler = f"{numba.__version__}-{version('llvmlite')}-{platform.machine()}"
    checkout = hashlib.sha256(str(Path(__file__).parent).encode()).hexdigest()[:8]
    name = f"{engine_digest()}-{checkout}-{compiler}"
    for root in roots:
        folder = root / "copyproof" / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue  # not writable: try the next one
    folder = Path(tempfile.mkdtemp(prefix="copyproof-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def is_cached(name: str = "play") -> bool:
    """Whether a kernel of this version, by its function's name, has been compiled here before."""
    return any(cache_folder().rglob(f"*.{name}-*.nbc"))


@contextmanager
def _numba_cache_at(folder: Path) -> Iterator[None]:
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that Python calls: without the GIL, and cached on disk."""
    with _numba_cache_at(cache_folder()):
        compiled: Callable[P, R] = njit(
            cache=True, nogil=True, pipeline_class=KernelCompiler, **_OPTIONS
        )(function)
    return compiled


def part(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that kernels call; LLVM decides where it is inlined.

    Numba hands ``forceinline`` on to what a function calls, unless it is told otherwise: below a
    single inlined function all would be inlined, down to the logarithms.
    """
    return cast("Callable[P, R]", Part(function, {"forceinline": False, **_OPTIONS}))


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that kernels call in every round, and always inline it.

    Passing a whole state on costs as much as a small function does. But each call becomes a copy:
    of large functions only those that a round of some policy cannot do without are inlined.
    """
    return cast("Callable[P, R]", Part(function, {"forceinline": True, **_OPTIONS}))
