"""The variants that the search compares: ``grace`` with one thing changed, and the baselines."""

from dataclasses import replace

from copyproof import Policy, parse_policy
from copyproof.policy import (
    KLUCB,
    UCB,
    AllArms,
    Champion,
    FixedSample,
    GrowingSample,
    OwnIndex,
    Thompson,
)

BASELINES = ("h-ucb", "rh-ucb", "prh-ucb", "h-ucb-t-free")
DEFAULT = "grace"
_HERE = parse_policy(DEFAULT)
_ALL = AllArms()
_SAMPLE = FixedSample(6.0)
"""⌊6 ln T⌋ arms: 69 at T = 100,000, about as many as the champion needs on figure 2c."""


def _agents(agent: OwnIndex) -> Policy:
    return replace(_HERE, agent=agent)


def _arms(
    arm: Champion | Thompson | UCB | KLUCB,
    sampling: AllArms | FixedSample | GrowingSample = _ALL,
) -> Policy:
    return Policy(OwnIndex(), arm, sampling, ties="priority")


VARIANTS: dict[str, Policy] = {
    **{name: parse_policy(name) for name in BASELINES},
    DEFAULT: _HERE,
    "mean of all plays": _agents(OwnIndex(statistic="mean")),
    "Hoeffding": _agents(OwnIndex(width="hoeffding")),
    "Hoeffding, mean": _agents(OwnIndex(width="hoeffding", statistic="mean")),
    **{f"scale {s:g}": _agents(OwnIndex(scale=s)) for s in (0.7, 1.5, 2.0)},
    **{f"doubt {d:g}": _agents(OwnIndex(doubt=d)) for d in (0.0, 1.0, 1.5, 3.0)},
    "doubt 0, mean": _agents(OwnIndex(doubt=0.0, statistic="mean")),
    **{f"turns {m:g}": _agents(OwnIndex(doubt=0.0, turns=m)) for m in (1.0, 2.0)},
    "turns 1, mean": _agents(OwnIndex(doubt=0.0, turns=1.0, statistic="mean")),
    **{f"fresh {f:g}": _arms(Champion(fresh=f)) for f in (2.0, 8.0)},
    **{f"threshold {x:g}": _arms(Champion(threshold=x)) for x in (0.4, 0.6)},
    "arms: Thompson": _arms(Thompson(), _SAMPLE),
    "arms: UCB": _arms(UCB(clock="plays"), _SAMPLE),
    "arms: UCB, growing": _arms(UCB(clock="plays"), GrowingSample(1.0, 2.0, "own")),
    "arms: KL-UCB": _arms(KLUCB(clock="plays"), _SAMPLE),
    "agents: UCB": Policy(UCB(clock="horizon"), Champion(), ties="priority"),
    "grace-anytime": parse_policy("grace-anytime"),
}
