import inspect, time
from types import FunctionType, SimpleNamespace
from typing import Any
import numpy as np
from numba import cuda, types
from numba.core.dispatcher import Dispatcher
from numba.cuda.compiler import compile_cuda, kernel_fixup
from numba.cuda import dispatcher as dispatchers

from copyproof.devices import cuda_source
from copyproof.devices.cuda_source import build, signature
from copyproof.devices.shape import Shape
from copyproof.devices.specialise import Specialiser, Sized, Rows, UNKNOWN
from copyproof.engine.plan import Plan
from copyproof.engine.play import play
from copyproof.engine.distributions import BERNOULLI


def _device_function(function: FunctionType, original: Dispatcher) -> Any:
    notes = inspect.get_annotations(original.py_func)
    scalars = all(note in (int, float, bool, np.uint64) for key, note in notes.items() if key != "return")
    inline = not scalars or bool(original.targetoptions.get("forceinline"))
    return cuda.jit(device=True, forceinline=inline)(function)


def known_of(shape):
    plan = Plan(*shape[:10], Sized((1,)) if not shape.has_epochs else Sized((2,)), UNKNOWN)
    empty = Sized((0,))
    anything = Sized((1,))
    game = SimpleNamespace(
        rewards=UNKNOWN,
        discount_weights=anything if shape.has_weights else empty,
        tape=Sized((UNKNOWN, 1 if shape.has_tape else 0)),
        changes=SimpleNamespace(round=anything if shape.has_changes else empty, renew_after=anything if shape.has_renewals else empty),
    )
    if shape.is_bernoulli:
        game.rewards = SimpleNamespace(originals=Rows(SimpleNamespace(family=BERNOULLI, gap=0.0)))
    return {"plan": plan, "game": game}


def ptx_of(shape: Shape, cc=(9, 0), fma=0):
    class Dev: compute_capability = cc
    dispatchers.get_current_device = lambda: Dev
    t = time.time()
    sp = Specialiser(_device_function)
    fn = build(shape, sp.specialise(play, known_of(shape)))
    t1 = time.time()
    cres = compile_cuda(fn, types.void, signature(), nvvm_options={"fastmath": False, "opt": 3, "fma": fma}, cc=cc)
    t2 = time.time()
    lib = cres.library
    kernel = lib.get_function(cres.fndesc.llvm_func_name)
    lib._entry_name = cres.fndesc.llvm_func_name
    kernel_fixup(kernel, False)
    asm = lib.get_asm_str(cc=cc)
    print("specialise", t1-t, "numba", t2-t1, "nvvm", time.time()-t2, "functions", len(sp._made))
    return asm, cres.fndesc.llvm_func_name
