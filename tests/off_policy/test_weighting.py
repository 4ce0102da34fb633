"""IPS, SNIPS and doubly robust: against known truth, and how often their limits miss."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from copyproof.off_policy import (
    Refusal,
    Value,
    arm_policy_values,
    doubly_robust,
    inverse_propensity,
    self_normalized,
)
from copyproof.off_policy.estimates import Floats, Terms
from copyproof.validation import FieldError

MEANS = np.array([0.05, 0.2, 0.1, 0.4, 0.3])
LOGGING = np.array([0.4, 0.25, 0.2, 0.1, 0.05])
TARGET = np.array([0.05, 0.1, 0.15, 0.3, 0.4])
TRUTH = float(TARGET @ MEANS)


def log_of(
    rng: np.random.Generator, rows: int, means: Floats = MEANS
) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Arms, rewards and propensities of a log that the logging policy wrote."""
    arms = rng.choice(len(LOGGING), size=rows, p=LOGGING)
    rewards = (rng.random(rows) < means[arms]).astype(float)
    return arms, rewards, LOGGING[arms]


def test_by_hand() -> None:
    terms = Terms(least_effective=2)
    rewards, logged, target = [1.0, 0.0, 1.0, 1.0], [0.5, 0.5, 0.25, 0.5], [0.25, 0.5, 0.5, 0.5]
    ips = inverse_propensity(rewards, logged, target, terms)
    snips = self_normalized(rewards, logged, target, terms)
    robust = doubly_robust(
        rewards, logged, target, predicted=[0.5] * 4, expected=[0.25] * 4, terms=terms
    )
    assert isinstance(ips, Value)
    assert isinstance(snips, Value)
    assert isinstance(robust, Value)
    assert ips.value.mean == (0.5 + 0 + 2 + 1) / 4
    assert snips.value.mean == 3.5 / 4.5
    assert robust.value.mean == 0.25 + (0.25 - 0.5 + 1 + 0.5) / 4
    assert ips.effective == 4.5**2 / (0.25 + 1 + 4 + 1)
    assert ips.mean_weight == 4.5 / 4


@pytest.mark.parametrize("means", [MEANS, MEANS / 30], ids=["rewards", "rare rewards"])
@pytest.mark.parametrize("rows", [1000, 10_000])
def test_the_limits_hold_as_often_as_they_say(rows: int, means: Floats) -> None:
    rng = np.random.default_rng(5)
    truth = float(TARGET @ means)
    logs, held = 500, np.zeros(3)
    estimates = np.zeros((logs, 3))
    for k in range(logs):
        found = list(arm_policy_values(*log_of(rng, rows, means), TARGET))
        estimates[k] = [one.value.mean for one in found]
        held += [one.value.low <= truth <= one.value.high for one in found]
    # 0.95 less three standard errors of a share of 500; the allowance for the unseen adds some.
    assert (held / logs >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / logs)).all(), held / logs
    error = estimates.mean(axis=0) - truth
    assert (np.abs(error) < 4 * estimates.std(axis=0) / math.sqrt(logs)).all()


def test_limits_by_the_largest_weight_hold_too_and_are_wider() -> None:
    rng = np.random.default_rng(6)
    bounded = Terms(most_weight=float((TARGET / LOGGING).max()))
    for _ in range(200):
        log = log_of(rng, 1000)
        for wide, narrow in zip(
            arm_policy_values(*log, TARGET, bounded), arm_policy_values(*log, TARGET), strict=True
        ):
            if wide.estimator == "snips":  # which has no such limits
                assert wide == narrow
                continue
            assert wide.value.low <= TRUTH <= wide.value.high
            assert wide.value.high > narrow.value.high


def test_a_weight_above_the_largest_is_named() -> None:
    with pytest.raises(FieldError, match=r"weight\[1\] = 4.0 is not at most most_weight = 3.0"):
        inverse_propensity([0, 1], [0.5, 0.25], [0.5, 1.0], Terms(most_weight=3.0))


def test_a_good_model_narrows_the_limits() -> None:
    rng = np.random.default_rng(7)
    widths = np.zeros(3)
    for _ in range(50):
        found = arm_policy_values(*log_of(rng, 5000), TARGET)
        widths += [one.value.high - one.value.low for one in found]
    ips, snips, robust = widths
    assert robust < ips
    assert snips < ips


@pytest.mark.parametrize("wrong", ["model", "probabilities"])
def test_either_the_model_or_the_probabilities_may_be_wrong(wrong: str) -> None:
    rng = np.random.default_rng(8)
    arms, rewards, logged = log_of(rng, 200_000)
    model = MEANS if wrong == "probabilities" else np.full(5, 0.9)
    logged = np.full_like(logged, 0.2) if wrong == "probabilities" else logged
    expected = np.full_like(rewards, TARGET @ model)
    found = doubly_robust(rewards, logged, TARGET[arms], predicted=model[arms], expected=expected)
    assert isinstance(found, Value)
    assert abs(found.value.mean - TRUTH) < 4 * found.value.mean / math.sqrt(found.effective)
    if wrong == "probabilities":  # which mislead the two that hang on them alone
        assert abs(inverse_propensity(rewards, logged, TARGET[arms]).value.mean - TRUTH) > 0.02  # type: ignore[union-attr]


@pytest.mark.parametrize("estimate", [inverse_propensity, self_normalized])
def test_no_reward_seen_is_not_certainty(estimate: object) -> None:
    found = estimate(np.zeros(1000), np.full(1000, 0.5), np.full(1000, 0.5))  # type: ignore[operator]
    assert found.value.mean == 0
    assert 0.003 < found.value.high < 0.01


def test_below_the_stated_size_nothing_is_said() -> None:
    rows = 10_000
    logged, target = np.full(rows, 0.5), np.full(rows, 1e-6)
    target[:3] = 0.5
    for found in (
        inverse_propensity(np.ones(rows), logged, target),
        self_normalized(np.ones(rows), logged, target),
    ):
        assert isinstance(found, Refusal)
        assert "10,000 rows are worth 3.0 rows" in found.why
        assert found.to_dict()["value"] is None
    none = self_normalized(np.ones(5), np.full(5, 0.5), np.zeros(5))
    assert isinstance(none, Refusal)
    assert none.effective == 0


columns = st.integers(2, 60).flatmap(
    lambda n: st.tuples(
        st.lists(st.floats(0, 1), min_size=n, max_size=n),
        st.lists(st.floats(0.01, 1), min_size=n, max_size=n),
        st.lists(st.floats(0, 1), min_size=n, max_size=n),
    )
)


@given(columns, st.floats(-3, 3))
def test_what_holds_for_every_log(log: tuple[list[float], ...], shift: float) -> None:
    rewards, logged, target = (np.array(one) for one in log)
    terms = Terms(least_effective=2)
    snips = self_normalized(rewards, logged, target, terms)
    ips = inverse_propensity(rewards, logged, target, terms)
    weights = target / logged
    assert ips.effective <= np.count_nonzero(weights) + 1e-9
    if isinstance(snips, Value) and isinstance(ips, Value):
        assert rewards.min() - 1e-9 <= snips.value.mean <= rewards.max() + 1e-9
        for one in (snips, ips):
            assert 0 <= one.value.low <= one.value.high <= 1
        assert ips.value.mean == pytest.approx(float(np.mean(weights * rewards)))
        moved = self_normalized(
            rewards + shift, logged, target, Terms(least_effective=2, rewards=(-3.0, 4.0))
        )
        assert isinstance(moved, Value)
        assert moved.value.mean == pytest.approx(snips.value.mean + shift, abs=1e-9)


@given(st.lists(st.floats(0, 1), min_size=4, max_size=60))
def test_the_logging_policy_itself_gets_the_mean_of_its_log(rewards: list[float]) -> None:
    logged = np.full(len(rewards), 0.3)
    for estimate in (inverse_propensity, self_normalized):
        found = estimate(rewards, logged, logged, Terms(least_effective=2))
        assert isinstance(found, Value)
        assert found.value.mean == pytest.approx(float(np.mean(rewards)))
        assert found.effective == pytest.approx(len(rewards))


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (([], [], []), "rewards is empty: at least one row is needed"),
        (([1, math.nan], [1, 1], [1, 1]), r"rewards\[1\] = nan is not a finite number"),
        (([1, 2], [1, 1], [1, 1]), r"rewards\[1\] = 2.0 is not in \[0.0, 1.0\]"),
        (([1, 1], [1, 1, 1], [1, 1]), "logged has 3 rows, but the log has 2"),
        (([1, 1], [1, 0], [1, 1]), r"logged\[1\] = 0.0 is not a probability in \(0, 1\]"),
        (([1, 1], [1, 1], [1, 1.5]), r"target\[1\] = 1.5 is not a probability in \[0, 1\]"),
        ((["a", 1], [1, 1], [1, 1]), r"rewards = \['a', 1\] is not a list of numbers"),
        (([1, 1], [1, 5e-324], [1, 1]), r"logged\[1\] = 5e-324 is not large enough"),
    ],
)
def test_bad_columns_are_named(
    columns: tuple[list[float], list[float], list[float]], said: str
) -> None:
    with pytest.raises(FieldError, match=said):
        self_normalized(*columns)


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"confidence": 1.0}, r"confidence = 1.0 is not in \(0, 1\)"),
        ({"least_effective": 1}, "least_effective = 1 is not >= 2"),
        ({"rewards": (1.0, 0.0)}, "rewards = .* is not two numbers"),
        ({"most_weight": 0}, "most_weight = 0 is not > 0"),
    ],
)
def test_bad_terms_are_named(terms: dict[str, object], said: str) -> None:
    with pytest.raises(FieldError, match=said):
        Terms(**terms)  # type: ignore[arg-type]
