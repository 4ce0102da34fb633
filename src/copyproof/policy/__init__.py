"""Policies as data: rules, the catalogue of named policies, and their text and JSON forms."""

from copyproof.policy.baseline_rows import BASELINES
from copyproof.policy.baselines import (
    IMED,
    MOSS,
    DiscountedUCB,
    Exp3,
    MOSSAnytime,
    SlidingWindowUCB,
)
from copyproof.policy.catalogue import (
    ALIASES,
    CATALOGUE,
    PAPER_POLICIES,
    fair,
    row,
)
from copyproof.policy.claims import PolicyClaim
from copyproof.policy.defaults import with_market_defaults
from copyproof.policy.named_policy import NamedPolicy
from copyproof.policy.own_rules import SampledKLUCB, Trial, TrialArms
from copyproof.policy.records import (
    KLUCB,
    RULES,
    UCB,
    EpsilonDecreasing,
    EpsilonGreedy,
    ExploreThenCommit,
    Policy,
    Rule,
    Thompson,
    Uniform,
)
from copyproof.policy.sampling import (
    AllArms,
    FixedSample,
    GrowingSample,
    Restart,
    Sampling,
    Season,
)
from copyproof.policy.text import as_policy, from_dict, parse_policy, to_dict, to_text
from copyproof.policy.theorem import why_not_covered

__all__ = [
    "ALIASES",
    "BASELINES",
    "CATALOGUE",
    "IMED",
    "KLUCB",
    "MOSS",
    "PAPER_POLICIES",
    "RULES",
    "UCB",
    "AllArms",
    "DiscountedUCB",
    "EpsilonDecreasing",
    "EpsilonGreedy",
    "Exp3",
    "ExploreThenCommit",
    "FixedSample",
    "GrowingSample",
    "MOSSAnytime",
    "NamedPolicy",
    "Policy",
    "PolicyClaim",
    "Restart",
    "Rule",
    "SampledKLUCB",
    "Sampling",
    "Season",
    "SlidingWindowUCB",
    "Thompson",
    "Trial",
    "TrialArms",
    "Uniform",
    "as_policy",
    "fair",
    "from_dict",
    "parse_policy",
    "row",
    "to_dict",
    "to_text",
    "why_not_covered",
    "with_market_defaults",
]
