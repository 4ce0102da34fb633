"""PTX without a GPU: what it must not hold, and what it takes of the chip."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from copyproof import Agent, Market, paper_market, parse_policy
from copyproof.devices import cuda_compile
from copyproof.devices.batch import Batch, pack
from copyproof.devices.cuda_compile import compile_missing, compiled, usage
from copyproof.devices.ensemble_source import ensemble_ptx, shape_of
from copyproof.devices.gpus import LEAST_CAPABILITY
from copyproof.engine.lower import lower
from copyproof.game.rewards import Beta, Exponential, Gaussian, Mixture, Poisson


def batch_of(policy: str, figure: str) -> Batch:
    lowered = lower(paper_market(figure), parse_policy(policy), horizon=1000, seed=1)
    return pack([lowered], np.zeros(4, np.int32), np.arange(4), np.array([1000]))


def unrounded(ptx: bytes) -> list[bytes]:
    """Products and sums that an assembler may fuse: those that do not say how they are rounded."""
    made: list[bytes] = re.findall(rb"\b(?:mul|add|sub|mad)\.f(?:32|64)\b", ptx)
    return made


@pytest.mark.parametrize(("policy", "figure"), [("h-ucb", "1a"), ("trial", "2c")])
def test_no_products_are_fused_and_no_register_is_spilled_beyond_measure(
    policy: str, figure: str
) -> None:
    ptx = compiled(batch_of(policy, figure).shape)
    assert b".entry games(" in ptx
    assert b"fma." not in ptx
    assert b"add.rn.f64" in ptx
    assert unrounded(ptx) == []
    assert b".const" not in ptx
    taken = usage(ptx)
    assert taken.registers <= 128
    assert taken.spilled <= (0 if policy == "h-ucb" else 400)


def test_tables_of_rewards_have_a_kernel() -> None:
    arms: list[Any] = [
        Mixture([Beta(2.0, 3.0), 0.5]),
        Poisson(2.0),
        Gaussian(0.5, 0.1),
        Exponential(1.0),
    ]
    market = Market([Agent("a", arms), Agent("b", [0.5])])
    lowered = lower(market, parse_policy("h-ucb"), horizon=1000, seed=1)
    shape = pack([lowered], np.zeros(4, np.int32), np.arange(4), np.array([1000])).shape
    assert (shape.has_tables, shape.is_bernoulli) == (1, 0)
    ptx = compiled(shape)
    assert b"fma." not in ptx
    assert unrounded(ptx) == []


def test_rare_events_have_a_kernel() -> None:
    lowered = lower(paper_market("1a"), parse_policy("trial"), horizon=1000, seed=1)
    ptx = ensemble_ptx(shape_of(lowered.plan, lowered.game.rewards))
    assert b".entry games(" in ptx
    assert b"fma." not in ptx
    assert unrounded(ptx) == []


def test_an_older_chip_has_kernels_of_its_own() -> None:
    """The usual ones are not assembled for it, which is where a driver would end."""
    shape = batch_of("h-ucb", "1a").shape
    with pytest.raises(RuntimeError, match="target is higher than default SM version"):
        usage(compiled(shape), (7, 5))
    ptx = compiled(shape, LEAST_CAPABILITY)
    assert b".target sm_75" in ptx
    assert b"fma." not in ptx
    assert usage(ptx, (7, 5)).registers <= 128
    assert usage(ptx, (9, 0)).registers <= 128  # and newer ones run them


@pytest.mark.slow
def test_several_kernels_are_compiled_in_processes_of_their_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shapes = [batch_of("h-ucb", "1a").shape, batch_of("ucb1", "1a").shape]
    usual = compiled(shapes[0])
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    made = tmp_path / "copyproof" / "cuda"
    monkeypatch.setattr(cuda_compile, "kernel_folder", lambda: made)
    assert compile_missing(shapes, workers=2) == 2
    assert compile_missing(shapes) == 0
    assert compiled(shapes[0]) == usual


def test_a_kernel_is_compiled_once() -> None:
    shape = batch_of("h-ucb", "1a").shape
    assert compiled(shape) is not compiled(shape)
    assert compiled(shape) == compiled(shape)


def test_shapes_of_small_and_large_games() -> None:
    assert batch_of("h-ucb", "1a").shape.is_large == 0
    assert batch_of("h-ucb", "2c").shape.is_large == 1
