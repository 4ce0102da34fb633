"""Games on a GPU, where there is one; where there is none, one clear line."""

import numpy as np
import pytest

from copyproof import simulate
from copyproof.devices.fill import is_there
from copyproof.validation import FieldError


@pytest.mark.skipif(is_there(), reason="this machine has a GPU")
def test_without_a_gpu_one_line_says_so() -> None:
    with pytest.raises(FieldError, match="device = 'cuda', but ") as error:
        simulate("paper:1a", "h-ucb", horizon=10, repetitions=1, seed=1, device="cuda")
    assert "\n" not in str(error.value)


def test_auto_takes_what_there_is() -> None:
    found = simulate("paper:1a", "h-ucb", horizon=100, repetitions=2, seed=1, device="auto")
    usual = simulate("paper:1a", "h-ucb", horizon=100, repetitions=2, seed=1)
    assert np.array_equal(found.revenue, usual.revenue)


def test_devices_that_nobody_knows() -> None:
    with pytest.raises(FieldError, match="device = 'gpu' is not one of cpu, cuda, auto"):
        simulate("paper:1a", "h-ucb", horizon=10, repetitions=1, seed=1, device="gpu")


def test_a_policy_that_is_not_ours_has_no_gpu() -> None:
    with pytest.raises(FieldError, match="for policies of ours alone"):
        simulate("paper:1a", "river:UCB(delta=1)", horizon=10, repetitions=1, seed=1, device="cuda")
