"""PTX without a GPU: what it must not hold, and what it takes of the chip."""

import shutil

import numpy as np
import pytest

from copyproof import paper_market, parse_policy
from copyproof.devices.batch import Batch, pack
from copyproof.devices.cuda_compile import compiled, usage
from copyproof.engine.lower import lower


def batch_of(policy: str, figure: str) -> Batch:
    lowered = lower(paper_market(figure), parse_policy(policy), horizon=1000, seed=1)
    return pack([lowered], np.zeros(4, np.int32), np.arange(4), np.array([1000]))


@pytest.mark.parametrize(("policy", "figure"), [("h-ucb", "1a"), ("trial", "2c")])
def test_no_products_are_fused_and_no_register_is_spilled_beyond_measure(
    policy: str, figure: str
) -> None:
    ptx = compiled(batch_of(policy, figure).shape)
    assert b".entry games(" in ptx
    assert b"fma." not in ptx
    assert b".const" not in ptx
    if shutil.which("ptxas") is None:
        pytest.skip("no ptxas on this machine: how many registers the kernel takes is not checked")
    taken = usage(ptx)
    assert taken is not None
    assert taken.registers <= 128
    assert taken.spilled <= (0 if policy == "h-ucb" else 400)


def test_a_kernel_is_compiled_once() -> None:
    shape = batch_of("h-ucb", "1a").shape
    assert compiled(shape) is not compiled(shape)
    assert compiled(shape) == compiled(shape)


def test_shapes_of_small_and_large_games() -> None:
    assert batch_of("h-ucb", "1a").shape.is_large == 0
    assert batch_of("h-ucb", "2c").shape.is_large == 1
