"""Parts are linked into kernels, and can be called from Python."""

from typing import Any

import numpy as np

from copyproof.engine.cache import inlined, kernel, part


@part
def half(x: float) -> float:
    """A part."""
    return x / 2.0


@inlined
def quarter(x: float) -> float:
    """An inlined part that calls another part."""
    return half(half(x))


@kernel
def halves(values: Any) -> None:
    """A kernel that calls both; ``values`` is modified."""
    for n in range(values.shape[0]):
        values[n] = half(values[n]) + quarter(values[n])


def test_a_kernel_is_linked_with_the_parts_of_its_parts() -> None:
    """The code of all of them is in the kernel's library, and no part has machine code."""
    values = np.array([4.0, 8.0])
    halves(values)
    assert values.tolist() == [3.0, 6.0]
    quarter(4.0)  # translates both parts, where the kernel was found on disk
    compiled: Any = half
    (translated,) = compiled.overloads.values()
    assert translated.library.get_pointer_to_function(translated.fndesc.llvm_func_name) == 0


@part
def first_half(x: float) -> float:
    """A part that calls another one."""
    return half(x) + 1.0


@part
def second_half(x: float) -> float:
    """A part that calls the same one."""
    return half(x) + 2.0


@part
def both_halves(x: float) -> float:
    """A part that calls both."""
    return first_half(x) + second_half(x)


def test_a_part_is_linked_after_all_that_call_it() -> None:
    """LLVM leaves out what nothing refers to yet: a later call would go to address 0."""
    assert both_halves(4.0) == 7.0
    compiled: Any = both_halves
    (linked,) = compiled._for_python.overloads.values()
    names = [library.name for library in linked.library._linking_libraries]
    assert names.index("half") > max(names.index("first_half"), names.index("second_half"))


def test_python_may_call_a_part_before_and_after_kernels_do() -> None:
    """It gets machine code of its own, whichever comes first."""
    assert quarter(4.0) == 1.0
    halves(np.ones(1))
    assert half(3.0) == 1.5
    assert quarter(4.0) == 1.0


def test_what_an_inlined_function_calls_is_not_inlined_by_force() -> None:
    """Numba hands the wish to inline on, unless a part says otherwise."""
    halves(np.ones(1))
    compiled: Any = half
    flags = [overload.fndesc.inline for overload in compiled.overloads.values()]
    assert flags == [False]
    compiled = quarter
    assert all(overload.fndesc.inline for overload in compiled.overloads.values())
