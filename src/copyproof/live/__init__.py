"""The live principal: ask which arm to show, tell what came of it, and lose nothing."""

from copyproof.client.records import (
    AgentStatistics,
    ArmStatistics,
    CandidateStatistics,
    Decision,
    Estimate,
    RailCrossing,
    RailStatistics,
    Statistics,
    Suspicion,
    Told,
)
from copyproof.live.events import Diverged
from copyproof.live.principal import Principal
from copyproof.live.rails import Rail
from copyproof.live.records import KeyReused, MarketConfig, MarketPaused, NoArm, Undone, Unknown

__all__ = [
    "AgentStatistics",
    "ArmStatistics",
    "CandidateStatistics",
    "Decision",
    "Diverged",
    "Estimate",
    "KeyReused",
    "MarketConfig",
    "MarketPaused",
    "NoArm",
    "Principal",
    "Rail",
    "RailCrossing",
    "RailStatistics",
    "Statistics",
    "Suspicion",
    "Told",
    "Undone",
    "Unknown",
]
