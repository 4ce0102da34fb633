"""The live principal: ask which arm to show, tell what came of it, and lose nothing."""

from copyproof.live.market import Diverged
from copyproof.live.principal import Principal
from copyproof.live.records import (
    AgentStatistics,
    ArmStatistics,
    Decision,
    KeyReused,
    MarketConfig,
    NoArm,
    Statistics,
    Suspicion,
    Told,
    Unknown,
)

__all__ = [
    "AgentStatistics",
    "ArmStatistics",
    "Decision",
    "Diverged",
    "KeyReused",
    "MarketConfig",
    "NoArm",
    "Principal",
    "Statistics",
    "Suspicion",
    "Told",
    "Unknown",
]
