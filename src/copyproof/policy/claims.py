"""What is claimed of policies, and what is really known of each claim.

Statuses: ``theorem`` (a complete proof is known), ``partly`` (proven in the stated part only),
``measured`` (seen in experiments that a command of this project repeats),
``unproven`` (claimed, or believed; no complete proof is known), ``false``.
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

ClaimStatus: TypeAlias = Literal["theorem", "partly", "measured", "unproven", "false"]

PATHWISE_BEGINS = "pathwise replication-proof"


@dataclass(frozen=True, slots=True)
class PolicyClaim:
    """A statement about a policy, and what is really known of it."""

    text: str
    status: ClaimStatus


theorem = partial(PolicyClaim, status="theorem")
measured = partial(PolicyClaim, status="measured")
unproven = partial(PolicyClaim, status="unproven")
PRONE = theorem(
    "replication-prone: copies of the best arm pay without limit (theorem 1; n ≥ 2, others "
    "non-empty, best mean > 0)"
)
BELIEVED_PRONE = unproven("replication-prone (the paper believes its proof carries over)")
PROOF = "replication-proof: registering only the best arm is dominant ({})"
PROOF_IN_PART = PolicyClaim(
    PROOF.format("proven for n = 2; for n ≥ 3 the printed proof is invalid"), "partly"
)
PROOF_BY_ANALOGY = unproven(PROOF.format("by analogy; no complete proof"))
PATHWISE = theorem(
    f"{PATHWISE_BEGINS} for any n, given rewards ≥ 0 that are reported at once and do not "
    "depend on the round, all agents eligible in every round, rivals whose arms stay, one name for "
    "one person, an arm of the agent as every epoch begins, and a best arm that the agent knows "
    "and that first-order dominates its others: on every path, registering only the best arm "
    "earns at least as much as any other strategy"
)
PATHWISE_EPOCHS = theorem(
    PATHWISE.text + "; the epochs' lengths are fixed, and each epoch is a game of its own"
)
TRIAL_MEASURED = measured(
    "at most 1 % of games lost on 2c, 2c with a rational 0.8-agent and two markets of one "
    "replicator against rational agents, at regret below 0.45 of H-UCB's on five truthful agents "
    "(T = 100,000; `make study`); that a share c of good arms is overlooked with probability at "
    "most `lost` is measured, not proven"
)
TRIAL_ANYTIME_MEASURED = measured(
    "at most 1 % of games lost on the same markets, at regret below 0.75 of H-UCB's on five "
    "truthful agents (T = 100,000; `make study`)"
)
PARTLY_ROBUST = PolicyClaim(
    "regret O(√T ln T) with replicators, unique best agent, L ≥ 1/c (theorem 5) and "
    "O(T^{3/4} ln T) for any problem (theorem 6): the orders hold, the printed constants are "
    "unproven, as Markov's and Hoeffding's inequalities are applied at a random N as if it were "
    "fixed; peeling repairs the order",
    "partly",
)
PROVEN_REGRET = theorem(
    "regret ≤ √(nκT ln T/2) + n(κ + 1) + e⌈ln² T⌉ + T(1 − c)^κ where the best agent's arms are "
    "best with a share of at least c (T ≥ 2; theorem B; `copyproof bounds`)"
)
