"""From a shape to PTX: compiled once, without a GPU, and kept on disk.

The kernel is made of the engine's functions, specialised (``specialise``). Products and sums are
not fused, as the engine's numerics wants it: every result is then rounded as on a processor, and
decisions are the same. Tables are put into the device's memory, each once: its constant memory is
too small for them, and slow where neighbouring threads look at different places.
"""

import functools
import hashlib
import inspect
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any, NamedTuple

import numba
import numpy as np

from copyproof._files import write_atomically
from copyproof.devices.launch import ENTRY
from copyproof.devices.shape import Shape
from copyproof.devices.specialise import UNKNOWN, Rows, Sized, Specialiser
from copyproof.engine.cache import cache_folder, source_digest
from copyproof.engine.distributions import BERNOULLI
from copyproof.engine.plan import Plan
from copyproof.engine.play import play

_config: Any = numba.config
CAPABILITY = (9, 0)  # of the chip that is compiled for; newer ones run it, too
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
            rule._replace(parameters=(UNKNOWN,) * 3, form=UNKNOWN)  # type: ignore[arg-type]
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
    from numba import cuda

    from copyproof.devices.cuda_source import build

    def device_function(function: FunctionType, original: Any) -> Any:
        """Inline what is handed arrays; a call of numbers alone is the compiler's to decide."""
        if _config.ENABLE_CUDASIM:
            return function
        notes = inspect.get_annotations(original.py_func)
        scalars = all(note in _SCALARS for name, note in notes.items() if name != "return")
        inline = not scalars or bool(original.targetoptions.get("forceinline"))
        return cuda.jit(device=True, forceinline=inline)(function)

    def inline(function: Any) -> Any:
        return (
            function
            if _config.ENABLE_CUDASIM
            else cuda.jit(device=True, forceinline=True)(function)
        )

    specialiser = Specialiser(device_function)
    return build(shape, specialiser.specialise(play, known_of(shape)), inline)  # type: ignore[arg-type]


def compiled(shape: Shape, capability: tuple[int, int] = CAPABILITY) -> bytes:
    """The PTX of a shape's kernel, from the cache or compiled now."""
    path = cache_folder() / f"cuda-{_digest(shape, capability)}.ptx"
    if not path.exists():
        write_atomically(path, _ptx_of(shape, capability).encode())
    return path.read_bytes()


def usage(ptx: bytes, capability: tuple[int, int] = CAPABILITY) -> Usage | None:
    """What the kernel takes of the chip; None where there is no ``ptxas``."""
    program = shutil.which("ptxas")
    if program is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "games.ptx"
        source.write_bytes(ptx)
        chip = f"-arch=sm_{capability[0]}{capability[1]}"
        command = [program, "-v", chip, str(source), "-o", str(source.with_suffix(".cubin"))]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    numbers = [
        sum(int(one) for one in re.findall(pattern, said))
        for pattern in (r"Used (\d+) registers", r"(\d+) bytes stack", r"(\d+) bytes spill stores")
    ]
    return Usage(*numbers)


@functools.cache
def _sources() -> str:
    here = Path(__file__).parent
    names = ["numba", "numba-cuda"]
    versions = []
    for name in names:
        try:
            versions.append(version(name))
        except PackageNotFoundError:
            versions.append("none")
    return "-".join([source_digest(here), *versions])


def _digest(shape: Shape, capability: tuple[int, int]) -> str:
    text = f"{_sources()} {capability} {tuple(shape)!r}"
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _ptx_of(shape: Shape, capability: tuple[int, int]) -> str:
    from numba import types
    from numba.cuda.compiler import compile_cuda, kernel_fixup
    from numba.cuda.cudadrv import nvvm

    from copyproof.devices.cuda_source import signature

    options = {"fastmath": False, "opt": 3, "fma": 0}
    with _without_device(capability):
        made = compile_cuda(
            kernel_function(shape), types.void, signature(), nvvm_options=options, cc=capability
        )
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
