"""Policies over arms: what the log never showed, and a model that never saw its own row."""

import numpy as np
import pytest

from copyproof.off_policy import Refusal, Value, arm_policy_values
from copyproof.off_policy.arm_policies import _means_by_fold
from copyproof.validation import FieldError


def test_no_row_is_predicted_from_its_own_reward() -> None:
    rng = np.random.default_rng(1)
    arms, rewards = rng.integers(0, 4, 103), rng.random(103)
    means, fold = _means_by_fold(arms, rewards, 4, 5)
    for row in (0, 7, 102):
        changed = rewards.copy()
        changed[row] = 1 - changed[row]
        again, _ = _means_by_fold(arms, changed, 4, 5)
        assert again[fold[row]].tolist() == pytest.approx(means[fold[row]].tolist())
        assert not np.allclose(again, means)


def test_a_log_that_shows_its_arms_in_turns() -> None:
    arms = np.tile([0, 0, 0, 0, 1], 400)  # as many in a turn as there are folds
    rewards, logged = np.where(arms == 1, 0.9, 0.1), np.where(arms == 1, 0.2, 0.8)
    found = arm_policy_values(arms, rewards, logged, [0.5, 0.5], folds=5).doubly_robust
    assert isinstance(found, Value)
    assert found.value.mean == pytest.approx(0.5, abs=0.005)


def test_arms_that_were_never_shown_widen_the_limits_and_then_refuse() -> None:
    rng = np.random.default_rng(2)
    arms = rng.integers(0, 2, 2000)
    rewards, logged = (rng.random(2000) < 0.5).astype(float), np.full(2000, 0.5)
    seen = arm_policy_values(arms, rewards, logged, [0.5, 0.5, 0.0])
    some = arm_policy_values(arms, rewards, logged, [0.49, 0.49, 0.02])
    many = arm_policy_values(arms, rewards, logged, [0.45, 0.45, 0.1])
    assert (seen.unseen, some.unseen) == (0.0, 0.02)
    for one, other, refused in zip(seen, some, many, strict=True):
        assert isinstance(one, Value)
        assert isinstance(other, Value)
        assert other.value.high - other.value.low > one.value.high - one.value.low + 0.035
        assert isinstance(refused, Refusal)
        assert refused.why.startswith("10.0% of the target policy's plays")
    assert [one["refused"] for one in some.to_dict()["estimates"]] == [None] * 3


@pytest.mark.parametrize(
    ("arms", "policy", "said"),
    [
        ([0, 2], [0.5, 0.5], r"arms\[1\] = 2.0 is not a whole number from 0 to 1"),
        ([0, 0.5], [0.5, 0.5], r"arms\[1\] = 0.5 is not a whole number"),
        ([0, 1], [0.5, 0.4], "policy adds up to 0.9, not to 1"),
        ([0, 1], [1.5, -0.5], "policy = -0.5 is not a probability for every arm"),
    ],
)
def test_bad_arms_and_policies_are_named(arms: list[float], policy: list[float], said: str) -> None:
    with pytest.raises(FieldError, match=said):
        arm_policy_values(arms, [0, 1], [0.5, 0.5], policy, folds=2)
