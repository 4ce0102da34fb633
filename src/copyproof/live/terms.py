"""A market's configuration as numbers: the plan of its policy, and what was agreed on."""

from copyproof.engine import live_records
from copyproof.engine.live_records import NO_LIMIT, Terms
from copyproof.engine.lower import lower_policy
from copyproof.engine.plan import Plan
from copyproof.live.records import MarketConfig
from copyproof.policy import AllArms, Policy
from copyproof.policy.defaults import needs_arms
from copyproof.validation import FieldError

_REWARDS = {
    "first": live_records.FIRST,
    "last": live_records.LAST,
    "sum": live_records.SUM,
    "max": live_records.MAXIMUM,
}
_LATE = {"refuse": live_records.REFUSE, "correct": live_records.CORRECT}
_UNANSWERED = {
    "omitted": live_records.OMITTED,
    "estimated": live_records.UNTIL_DUE,
    "patient": live_records.PATIENT,
}
_NO_HORIZON = 2**47


def plan_of(policy: Policy, config: MarketConfig) -> Plan:
    """A policy as numbers, if it can be run live."""
    if policy.not_live:
        needed = f"cannot be served by a live market: {policy.not_live}"
        raise FieldError("policy", str(policy), needed, said=f"= '{policy}' {needed}")
    if policy.needs_horizon and config.horizon is None:
        needed = (
            "needs T: give the market's configuration a horizon, or take a policy that needs none, "
            "such as default-anytime, trial(season=N), prh-ucb or h-ucb"
        )
        raise FieldError("policy", str(policy), needed, said=f"= '{policy}' {needed}")
    if any(needs_arms(rule) for rule in policy.rules):
        raise FieldError(
            "policy",
            str(policy),
            "ready to run live: K of MOSS is left to the number of originals, which nobody knows "
            "here; give it, as in moss(K=50) or h-moss(agents=10, K=5)",
        )
    if not isinstance(policy.sampling, AllArms) and policy.sampling.factor is None:
        raise FieldError(
            "policy",
            str(policy),
            "ready to run live: the size of its sample is left to the number of originals, which "
            "nobody knows here; give it, as in rh-ucb(L=3) or s-ucb(l=5)",
        )
    seed = config.seeded().seed
    return lower_policy(policy, horizon=config.horizon or _NO_HORIZON, seed=seed or 0)


def unanswered_of(config: MarketConfig) -> int:
    """What unanswered plays count for in a market."""
    return _UNANSWERED[config.unanswered]


def terms_of(config: MarketConfig) -> Terms:
    """What a market agreed on; it makes its own decisions."""
    return Terms(
        _REWARDS[config.rewards],
        _LATE[config.late],
        config.default_reward,
        unanswered_of(config),
        shadows=0,
        per_agent=int(config.per_agent or NO_LIMIT),
    )
