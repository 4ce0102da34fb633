"""Compile a kernel together with all that it calls, once.

By itself Numba optimises every function, turns it into machine code with an entry for Python, and
does all of it again for each function that calls it. Between a kernel and a logarithm lie ten
calls: nearly all of the compiler's work would be thrown away. Here a part is only translated to
LLVM's language. A kernel gathers the parts that it calls, and theirs, and the whole is optimised
and turned into machine code. What is computed does not depend on it, to the last bit.

A part that Python calls, as tests do, is compiled as a small kernel of its own.

The classes derive from Numba's own, and rely on what its documentation does not promise: that a
function's code is a library, which lists those that it calls (``_linking_libraries``) and is
finished (``finalize``) before another one is linked with it. ``tests/engine/test_linking.py`` fails
where that has changed.
"""

import functools
from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher


class _PartLibrary(JITCodeLibrary):
    """The code of one part, as translated: neither optimised nor linked with what it calls."""

    def finalize(self) -> None:
        """Leave the code as it is."""
        self._finalized = True


class _KernelLibrary(JITCodeLibrary):
    """The code of a kernel and of all parts below it."""

    def finalize(self) -> None:
        """Link what is called, and what that calls; each part after all those that call it.

        LLVM leaves out a part that nothing linked so far refers to. A part may be listed by one
        whose call of it was found to be dead, and needed by another one.
        """
        callees_first: dict[Any, None] = {}
        for library in self._linking_libraries:
            _gather(library, callees_first)
        self._linking_libraries = list(reversed(callees_first))
        super().finalize()  # type: ignore[no-untyped-call]


def _gather(library: Any, callees_first: dict[Any, None]) -> None:
    """Add a library and all below it, each after those that it calls."""
    if library in callees_first:
        return
    if isinstance(library, _PartLibrary):
        for called in library._linking_libraries:
            _gather(called, callees_first)
    callees_first[library] = None


class _PartCompiler(Compiler):
    """Stops before machine code."""

    def compile_extra(self, func: Callable[..., object]) -> Any:
        """Translate a function for the types of its arguments."""
        state = self.state
        codegen = state.targetctx.codegen()
        state.library = _PartLibrary(codegen, func.__qualname__)  # type: ignore[no-untyped-call]
        state.flags.no_compile = True
        compiled = super().compile_extra(func)  # type: ignore[no-untyped-call]
        name = object()  # callers find the part by it, in place of its machine code
        state.targetctx.insert_user_function(name, compiled.fndesc, [compiled.library])
        return compiled._replace(entry_point=name)


class KernelCompiler(Compiler):
    """Compiles a function together with the parts that it calls."""

    def compile_extra(self, func: Callable[..., object]) -> Any:
        """Compile a function for the types of its arguments."""
        state = self.state
        codegen = state.targetctx.codegen()
        state.library = _KernelLibrary(codegen, func.__qualname__)  # type: ignore[no-untyped-call]
        state.library.enable_object_caching()
        return super().compile_extra(func)  # type: ignore[no-untyped-call]


class Part(CPUDispatcher):
    """A function that kernels call."""

    def __init__(self, function: Callable[..., object], options: dict[str, Any]) -> None:
        wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        super().__init__(
            function,
            targetoptions={"nopython": True, **wrappers, **options},
            pipeline_class=_PartCompiler,
        )
        self._options = options

    def add_overload(self, compiled: Any) -> None:
        """Keep a translation for callers; Numba would offer it to Python, too."""
        self.overloads[tuple(compiled.signature.args)] = compiled

    def __call__(self, *args: object) -> Any:
        """Call it from Python."""
        return self._for_python(*args)

    @functools.cached_property
    def _for_python(self) -> Callable[..., Any]:
        compile_: Any = njit(pipeline_class=KernelCompiler, **self._options)
        compiled: Callable[..., Any] = compile_(self.py_func)
        return compiled
