"""Policies as data: rules, the catalogue of named policies, and their text and JSON forms."""

from copyproof.policy.catalogue import (
    ALIASES,
    CATALOGUE,
    PAPER_POLICIES,
    NamedPolicy,
    fair,
    row,
)
from copyproof.policy.claims import PolicyClaim
from copyproof.policy.defaults import with_market_defaults
from copyproof.policy.own_rules import Champion, OwnIndex, SampledKLUCB, Trial, TrialArms
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
    "CATALOGUE",
    "KLUCB",
    "PAPER_POLICIES",
    "RULES",
    "UCB",
    "AllArms",
    "Champion",
    "EpsilonDecreasing",
    "EpsilonGreedy",
    "ExploreThenCommit",
    "FixedSample",
    "GrowingSample",
    "NamedPolicy",
    "OwnIndex",
    "Policy",
    "PolicyClaim",
    "Restart",
    "Rule",
    "SampledKLUCB",
    "Sampling",
    "Season",
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
