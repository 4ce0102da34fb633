"""Off-policy values: what a policy would have earned, from a log that another policy wrote."""

from copyproof.off_policy.arm_policies import ArmPolicyValues, arm_policy_values
from copyproof.off_policy.estimates import LEAST_EFFECTIVE, Refusal, Terms, Value, effective_size
from copyproof.off_policy.replay import replay
from copyproof.off_policy.weighting import (
    doubly_robust,
    inverse_propensity,
    self_normalized,
)

__all__ = [
    "LEAST_EFFECTIVE",
    "ArmPolicyValues",
    "Refusal",
    "Terms",
    "Value",
    "arm_policy_values",
    "doubly_robust",
    "effective_size",
    "inverse_propensity",
    "replay",
    "self_normalized",
]
