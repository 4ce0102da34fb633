"""The live principal: ask which arm to show, tell what came of it, and lose nothing."""

from copyproof_client.records import (
    AgentStatistics,
    ArmStatistics,
    Decision,
    Statistics,
    Suspicion,
    Told,
)

from copyproof.live.events import Diverged
from copyproof.live.principal import Principal
from copyproof.live.records import KeyReused, MarketConfig, NoArm, Undone, Unknown

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
    "Undone",
    "Unknown",
]
