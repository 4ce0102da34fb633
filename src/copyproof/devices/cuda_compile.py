"""From a shape to PTX: compiled once, without a GPU, and kept on disk.

The kernel is made of the engine's functions, specialised (``specialise``). Products and sums are
not fused, as the engine's numerics wants it: every result is then rounded as on a processor, and
decisions are the same. Tables are put into the device's memory, each once: its constant memory is
too small for them, and slow where neighbouring threads look at different places.
"""

import functools
import hashlib
import inspect
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any, NamedTuple

import numba
import numpy as np

from copyproof._files import write_atomically
from copyproof._machine import processors
from copyproof.devices.launch import ENTRY
from copyproof.devices.shape import Shape
from copyproof.devices.specialise import UNKNOWN, Rows, Sized, Specialiser
from copyproof.engine.cache import cache_folder, engine_digest
from copyproof.engine.distributions import BERNOULLI
from copyproof.engine.plan import Plan
from copyproof.engine.play import play

_config: Any = numba.config
CAPABILITY = (9, 0)  # that is usually compiled for; newer chips run it, too, and older ones do not
_MOST_REGISTERS = 128  # a thread: with more, too few games are in flight
_SCALARS = (int, float, bool, np.uint64)


class Usage(NamedTuple):
    """What a kernel takes of the chip, as NVIDIA's assembler says."""

    registers: int
    stack: int
    spilled: int


def known_of(shape: Shape) -> dict[str, Any]:
    """What is known of the arguments of ``play``."""
    some, none = Sized((1,)), Sized((0,))
    rewards: Any = UNKNOWN
    if shape.is_bernoulli:  # of the gap no more than that it is a number
        rewards = SimpleNamespace(originals=Rows(SimpleNamespace(family=BERNOULLI, gap=0.0)))
    agent, arm = shape.agent, shape.arm
    if shape.has_rules:
        agent, arm = (
            rule._replace(parameters=(UNKNOWN,) * 3, tries=UNKNOWN)  # type: ignore[arg-type]
            for rule in (agent, arm)
        )
    horizons = Sized((2,)) if shape.has_epochs else some
    plan = Plan(shape.is_flat, agent, arm, *shape[3:10], horizons, UNKNOWN)  # type: ignore[arg-type]
    return {
        "plan": plan._replace(factor=UNKNOWN),  # type: ignore[arg-type]
        "game": SimpleNamespace(
            rewards=rewards,
            discount_weights=some if shape.has_weights else none,
            tape=Sized((UNKNOWN, 1 if shape.has_tape else 0)),
            changes=SimpleNamespace(
                round=some if shape.has_changes else none,
                renew_after=some if shape.has_renewals else none,
            ),
        ),
    }


def kernel_function(shape: Shape) -> Any:
    """The kernel of a shape as a Python function, with the engine's functions specialised."""
    from copyproof.devices.cuda_source import build

    specialiser = Specialiser(device_function)
    return build(shape, specialiser.specialise(play, known_of(shape)), inlined)  # type: ignore[arg-type]


def device_function(function: FunctionType, original: Any) -> Any:
    """What a kernel can call: inlined if it is handed arrays, else as the compiler decides."""
    from numba import cuda

    if _config.ENABLE_CUDASIM:
        return function
    notes = inspect.get_annotations(original.py_func)
    scalars = all(note in _SCALARS for name, note in notes.items() if name != "return")
    inline = not scalars or bool(original.targetoptions.get("forceinline"))
    return cuda.jit(device=True, forceinline=inline)(function)


def inlined(function: Any) -> Any:
    """A function of a kernel's own, inlined."""
    from numba import cuda

    if _config.ENABLE_CUDASIM:
        return function
    return cuda.jit(device=True, forceinline=True)(function)


def compiled(shape: Shape, capability: tuple[int, int] = CAPABILITY) -> bytes:
    """The PTX of a shape's kernel, from the cache or compiled now."""
    from copyproof.devices.cuda_source import signature

    def kernel() -> Any:
        return kernel_function(kernel_shape(shape))

    return kept(_path(shape, capability), kernel, signature(), capability)


def kept(
    path: Path,
    kernel: Callable[[], Any],
    signature: tuple[Any, ...],
    capability: tuple[int, int] = CAPABILITY,
) -> bytes:
    """The PTX of a kernel for arguments of these types, compiled if it is not at the path."""
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, _ptx_of(kernel(), signature, capability).encode())
    return path.read_bytes()


def compile_missing(
    shapes: Iterable[Shape],
    workers: int | None = None,
    capability: tuple[int, int] = CAPABILITY,
) -> int:
    """Compile the kernels that are not in the cache, several at a time; return how many.

    The compiler holds the GIL: every kernel is compiled in a process of its own.
    """
    missing = sorted({kernel_shape(one) for one in shapes if not _path(one, capability).exists()})
    if len(missing) < 2:
        return len([compiled(one, capability) for one in missing])

    def compile_apart(shape: Shape) -> None:
        code = "import pickle, sys; from copyproof.devices.cuda_compile import compiled; "
        code += "compiled(*pickle.load(sys.stdin.buffer))"
        given = pickle.dumps((shape, capability))
        done = subprocess.run([sys.executable, "-c", code], input=given, capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(f"a kernel was not compiled: {done.stderr.decode()[-2000:]}")

    with ThreadPoolExecutor(workers or processors()) as pool:
        list(pool.map(compile_apart, missing))
    return len(missing)


def kernel_shape(shape: Shape) -> Shape:
    """The shape as far as its kernel depends on it: large games lie outside of the kernel.

    Examples
    --------
    >>> from copyproof.engine.lower import lower
    >>> from copyproof.devices.batch import pack
    >>> from copyproof import paper_market, parse_policy
    >>> def shape_of(copies):
    ...     market = paper_market("1a", copies=copies)
    ...     one = lower(market, parse_policy("ucb1"), horizon=10, seed=1)
    ...     return pack([one], np.zeros(1), np.zeros(1), np.array([10])).shape
    >>> kernel_shape(shape_of(400)) == kernel_shape(shape_of(500))
    True
    """
    if not shape.has_means:
        shape = shape._replace(originals=1)
    return shape._replace(items=1, nodes=1, leaves=1) if shape.is_large else shape


def usage(ptx: bytes, capability: tuple[int, int] = CAPABILITY) -> Usage:
    """What the kernel takes of the chip: it is assembled by nvJitLink, as a driver would.

    Raises
    ------
    RuntimeError
        If it cannot be: the PTX is wrong, or is for newer chips.
    """
    from cuda.bindings import nvjitlink

    options = [f"-arch=sm_{capability[0]}{capability[1]}", "-verbose"]
    handle = nvjitlink.create(len(options), options)
    try:
        nvjitlink.add_data(handle, nvjitlink.InputType.PTX, ptx, len(ptx), ENTRY)
        nvjitlink.complete(handle)
        log = bytearray(nvjitlink.get_info_log_size(handle))
        nvjitlink.get_info_log(handle, log)
    except nvjitlink.nvJitLinkError as error:
        log = bytearray(nvjitlink.get_error_log_size(handle))
        nvjitlink.get_error_log(handle, log)
        said = log.decode(errors="replace").strip("\0 \n")
        raise RuntimeError(f"the kernel cannot be assembled: {said}") from error
    finally:
        nvjitlink.destroy(handle)
    said = log.decode(errors="replace")
    patterns = (r"Used (\d+) registers", r"(\d+) bytes stack", r"(\d+) bytes spill stores")
    return Usage(*(sum(int(one) for one in re.findall(pattern, said)) for pattern in patterns))


@functools.cache
def _sources() -> str:
    """What kernels are made of: these files, the engine's, and the compiler."""
    digest = hashlib.sha256()
    for name in ("cuda_compile", "cuda_source", "ensemble_source", "shape", "specialise"):
        digest.update((Path(__file__).parent / f"{name}.py").read_bytes())
    versions = []
    for package in ("numba", "numba-cuda"):
        try:
            versions.append(version(package))
        except PackageNotFoundError:
            versions.append("none")
    return "-".join([digest.hexdigest(), engine_digest(), *versions])


def kernel_folder() -> Path:
    """Where PTX is kept: it does not depend on where copyproof lies, and can be taken elsewhere."""
    own = cache_folder()
    return own.with_name("cuda") if own.parent.name == "copyproof" else own


def kernel_path(*key: object) -> Path:
    """The file of a kernel that is made of these sources and of what the key says."""
    digest = hashlib.sha256(f"{_sources()} {key!r}".encode()).hexdigest()[:24]
    return kernel_folder() / f"{digest}.ptx"


def _path(shape: Shape, capability: tuple[int, int]) -> Path:
    return kernel_path(capability, tuple(kernel_shape(shape)))


def _ptx_of(kernel: Any, signature: tuple[Any, ...], capability: tuple[int, int]) -> str:
    from numba import types
    from numba.cuda.compiler import compile_cuda, kernel_fixup
    from numba.cuda.cudadrv import nvvm

    options = {"fastmath": False, "opt": 3, "fma": 0}
    with _without_device(capability):
        made = compile_cuda(kernel, types.void, signature, nvvm_options=options, cc=capability)
    library, name = made.library, made.fndesc.llvm_func_name
    library._entry_name = name
    kernel_fixup(library.get_function(name), False)
    chip = f"compute_{capability[0]}{capability[1]}"  # Numba would ask a larger library for it
    ptx: bytes = nvvm.compile_ir(library.llvm_strs, arch=chip, **options)
    return _tidied(ptx.decode().strip("\0").strip().replace(name, ENTRY))


@contextmanager
def _without_device(capability: tuple[int, int]) -> Iterator[None]:
    """Let functions that kernels call be compiled where there is no device to ask."""
    from numba.cuda import dispatcher

    before = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability)
    try:
        yield
    finally:
        dispatcher.get_current_device = before


def _tidied(ptx: str) -> str:
    """One copy of each table, in the device's memory; no names of environments; few registers."""
    names: dict[str, str] = {}
    kept: dict[str, str] = {}
    lines: list[str] = []
    for line in ptx.split("\n"):
        table = re.match(r"\.const (\.align \d+ \.b8) ([\w$]+)(\[\d+\] = \{.*)$", line)
        if table:
            if table[3] not in kept:
                kept[table[3]] = f"table_{len(kept)}"
                lines.append(f".global {table[1]} {kept[table[3]]}{table[3]}")
            names[table[2]] = kept[table[3]]
        elif not line.startswith(".common .global"):
            lines.append(line)
    text = "\n".join(lines)
    text = re.sub(r"_cudapy_cmem[\w$]*", lambda found: names[found[0]], text)
    text = text.replace("ld.const", "ld.global.nc").replace("cvta.const", "cvta.global")
    head, entry, body = text.partition(f".entry {ENTRY}(")
    return head + entry + body.replace(")\n{", f")\n.maxnreg {_MOST_REGISTERS}\n{{", 1)
