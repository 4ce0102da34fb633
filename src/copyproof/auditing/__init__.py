"""Auditing: whether a policy pays for copies, exactly or by sampling with honest limits."""

from copyproof.auditing.attacks import Attacks, attacks
from copyproof.auditing.audit import audit
from copyproof.auditing.equilibria import Equilibrium, equilibrium
from copyproof.auditing.result import AgentAudit, Audit, Gain

__all__ = [
    "AgentAudit",
    "Attacks",
    "Audit",
    "Equilibrium",
    "Gain",
    "attacks",
    "audit",
    "equilibrium",
]
