"""Baselines of the literature as rows of the catalogue, at either level.

The hierarchical ones choose agents by the rule, and the chosen agent's arms by the rule, too, on
the clock of the agent's own plays. None is the paper's; what is known of each, its claims say.
"""

from copyproof.policy.baselines import (
    IMED,
    MOSS,
    DiscountedUCB,
    Exp3,
    MOSSAnytime,
    SlidingWindowUCB,
)
from copyproof.policy.claims import BELIEVED_PRONE, PATHWISE, unproven
from copyproof.policy.named_policy import SEASON, NamedPolicy
from copyproof.policy.records import Policy

AUDIBERT = "Audibert, Bubeck: Minimax policies for adversarial and stochastic bandits, COLT 2009"
DEGENNE = (
    "Degenne, Perchet: Anytime optimal algorithms in stochastic multi-armed bandits, ICML 2016"
)
HONDA = (
    "Honda, Takemura: Non-asymptotic analysis of a new bandit algorithm for semi-bounded rewards, "
    "JMLR 2015"
)
MOULINES = (
    "Garivier, Moulines: On upper-confidence bound policies for switching bandit problems, ALT 2011"
)
EXP3 = (
    "Auer, Cesa-Bianchi, Freund, Schapire: The nonstochastic multiarmed bandit problem, "
    "SIAM J. Comput. 2002"
)
_SEASON = {"season": SEASON}
_OPEN = unproven("replication-proof (nothing is known but that agents are compared, not arms)")


#: Named policies that are here to be compared with.
BASELINES: tuple[NamedPolicy, ...] = (
    NamedPolicy(
        "moss",
        Policy(None, MOSS()),
        "all arms in one pool, largest r + √(max(0, ln(T/(K n)))/n)",
        AUDIBERT,
        {"K": "arm.arms", **_SEASON},
        (BELIEVED_PRONE,),
    ),
    NamedPolicy(
        "h-moss",
        Policy(MOSS(), MOSS(), ties="priority"),
        "MOSS at both levels, K the number of agents or the largest number of one agent's "
        "originals, and priority ties",
        AUDIBERT,
        {"agents": "agent.arms", "K": "arm.arms", **_SEASON},
        (PATHWISE,),
    ),
    NamedPolicy(
        "moss-anytime",
        Policy(None, MOSSAnytime()),
        "all arms in one pool, largest r + √((1 + α)/2·max(0, ln(t/(K n)))/n): MOSS without T",
        DEGENNE,
        {"K": "arm.arms", "alpha": "arm.alpha"},
        (BELIEVED_PRONE,),
    ),
    NamedPolicy(
        "h-moss-anytime",
        Policy(MOSSAnytime(), MOSSAnytime()),
        "MOSS-anytime at both levels, inside an agent on the clock of its own plays",
        DEGENNE,
        {"agents": "agent.arms", "K": "arm.arms"},
        (_OPEN,),
    ),
    NamedPolicy(
        "imed",
        Policy(None, IMED()),
        "all arms in one pool, smallest n·kl(r, r*) + ln n, r* the largest mean",
        HONDA,
        claims=(BELIEVED_PRONE,),
    ),
    NamedPolicy("h-imed", Policy(IMED(), IMED()), "IMED at both levels", HONDA, claims=(_OPEN,)),
    NamedPolicy(
        "sw-ucb",
        Policy(None, SlidingWindowUCB()),
        "all arms in one pool, UCB on the last W plays, for means that change",
        MOULINES,
        {"W": "arm.window", "xi": "arm.xi"},
        (BELIEVED_PRONE,),
    ),
    NamedPolicy(
        "h-sw-ucb",
        Policy(SlidingWindowUCB(), SlidingWindowUCB()),
        "sliding-window UCB at both levels: the last W rounds, and the agent's last plays",
        MOULINES,
        {"W": "agent.window", "plays": "arm.window", "xi": "agent.xi"},
        (_OPEN,),
    ),
    NamedPolicy(
        "d-ucb",
        Policy(None, DiscountedUCB()),
        "all arms in one pool, UCB on plays that count γ^age, for means that change",
        MOULINES,
        {"gamma": "arm.gamma", "xi": "arm.xi"},
        (BELIEVED_PRONE,),
    ),
    NamedPolicy(
        "h-d-ucb",
        Policy(DiscountedUCB(), DiscountedUCB()),
        "discounted UCB at both levels, by the rounds and by the agent's own plays",
        MOULINES,
        {"agent": "agent.gamma", "arm": "arm.gamma", "xi": "agent.xi"},
        (_OPEN,),
    ),
    NamedPolicy(
        "exp3",
        Policy(None, Exp3()),
        "all arms in one pool, drawn with chances (1 − γ)·e^(γŜ/K)/Σ + γ/K, for any rewards",
        EXP3,
        {"gamma": "arm.gamma", **_SEASON},
        (BELIEVED_PRONE,),
    ),
    NamedPolicy(
        "h-exp3",
        Policy(Exp3(), Exp3()),
        "Exp3 at both levels",
        EXP3,
        {"agent": "agent.gamma", "arm": "arm.gamma", **_SEASON},
        (_OPEN,),
    ),
)
