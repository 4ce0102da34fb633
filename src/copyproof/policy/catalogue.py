"""The catalogue: every named policy is one row of data.

A row is a template record, the parameters that its text form takes (each the path of a field in
the record), where it comes from, and what is claimed of it, with the status of every claim
(``claims``). The docs' table is made from these rows. Baselines of the literature are in
``baseline_rows``.
"""

from copyproof.policy.baseline_rows import BASELINES
from copyproof.policy.claims import (
    BELIEVED_PRONE,
    PARTLY_ROBUST,
    PATHWISE,
    PATHWISE_EPOCHS,
    PRONE,
    PROOF_BY_ANALOGY,
    PROOF_IN_PART,
    PROVEN_REGRET,
    TRIAL_ANYTIME_MEASURED,
    TRIAL_MEASURED,
    measured,
    theorem,
    unproven,
)
from copyproof.policy.named_policy import SEASON, NamedPolicy
from copyproof.policy.own_rules import SampledKLUCB, Trial, TrialArms
from copyproof.policy.records import (
    KLUCB,
    UCB,
    EpsilonDecreasing,
    EpsilonGreedy,
    ExploreThenCommit,
    Policy,
    Thompson,
    Uniform,
)
from copyproof.policy.sampling import FixedSample, GrowingSample, Restart
from copyproof.validation import FieldError, did_you_mean

PAPER = "Shin, Lee, Ok: Multi-armed bandit algorithm against strategic replication, AISTATS 2022"
AUER = "Auer, Cesa-Bianchi, Fischer: Finite-time analysis of the multiarmed bandit problem, 2002"
GARIVIER = "Garivier, Cappé: The KL-UCB algorithm for bounded stochastic bandits, COLT 2011"
THOMPSON = "Thompson: On the likelihood that one unknown probability exceeds another, 1933"
LATTIMORE = "Lattimore, Szepesvári: Bandit Algorithms, 2020, chapter 6"
BAYESIAN = (
    "Shin, Esmaeili, Hajiaghayi: Replication-proof bandit mechanism design with Bayesian agents, "
    "AAAI 2025"
)


_SEASON = {"season": SEASON}
_EPOCHS = {"first": "restart.first", "factor": "restart.factor", "power": "restart.power"}
_TRIAL = {"c": "agent.c", "lost": "agent.lost", "memory": "agent.memory"}
_WIDTH = {"a": "agent.a", "b": "agent.b", "c": "agent.c"}
_INNER = UCB(clock="plays")
_ROBUST = UCB(a=1.0, b=0.5, c=1.0)
_ROBUST_T = UCB(a=1.0, b=0.5, c=1.0, clock="horizon")


def _analogue(name: str, policy: Policy, about: str, **parameters: str) -> NamedPolicy:
    """A variant of the paper's policies, whose proof is said to carry over."""
    return NamedPolicy(name, policy, about, PAPER, parameters, (PROOF_BY_ANALOGY,))


#: Every named policy. ``fair`` takes a flat policy in its text form, ``fair(ucb1)`` by default.
CATALOGUE: tuple[NamedPolicy, ...] = (
    NamedPolicy(
        "ucb1",
        Policy(None, UCB()),
        "all arms in one pool, largest r + √(2 ln t / n)",
        AUER,
        {"a": "arm.a", "b": "arm.b", "c": "arm.c", "clock": "arm.clock"},
        (PRONE,),
    ),
    NamedPolicy(
        "s-ucb",
        Policy(None, UCB(), FixedSample()),
        "UCB1 on a uniform sample of ⌊l ln T⌋ of all arms",
        PAPER,
        {"l": "sampling.factor", **_SEASON},
        (measured("copies pay on the market of the paper's figure 1a (`copyproof paper`)"),),
    ),
    NamedPolicy(
        "h-ucb",
        Policy(UCB(), _INNER),
        "UCB over agents, then UCB over the chosen agent's arms",
        PAPER,
        _WIDTH,
        (
            PROOF_IN_PART,
            theorem("at that equilibrium regret ≤ Σ 8 ln T / Δ_i + (1 + π²/3) Σ Δ_i"),
        ),
    ),
    NamedPolicy(
        "rh-ucb",
        Policy(_ROBUST, _INNER, FixedSample()),
        "width √t ln t over agents, then UCB on a sample of ⌊L ln T⌋ of the agent's arms",
        PAPER,
        {"L": "sampling.factor", **_WIDTH, **_SEASON},
        (PROOF_IN_PART, PARTLY_ROBUST),
    ),
    NamedPolicy(
        "prh-ucb",
        Policy(UCB(a=1.0, b=0.5, c=1.5), _INNER, GrowingSample(factor=1.0, power=2.0)),
        "width √(t ln³ t) over agents; the sample of arms grows up to ln² t; needs no T",
        PAPER,
        claims=(
            PROOF_BY_ANALOGY,
            unproven(
                "regret O(n c⁻² √(T ln³ T)) when T ln³ T ≥ e^{2/c} (theorem 7, orders only; its "
                "proof goes the way of those of theorems 5 and 6)"
            ),
        ),
    ),
    _analogue(
        "rh-ucb-online",
        Policy(_ROBUST, _INNER, GrowingSample()),
        "RH-UCB with the growing bound L ln t; needs no T",
        L="sampling.factor",
        **_WIDTH,
    ),
    _analogue(
        "rh-ucb-ln2",
        Policy(_ROBUST, _INNER, FixedSample(factor=1.0, power=2.0)),
        "RH-UCB with samples of ⌊ln² T⌋ arms, for an unknown share c of best arms",
        **_WIDTH,
        **_SEASON,
    ),
    _analogue(
        "rh-ucb-all",
        Policy(_ROBUST, _INNER),
        "RH-UCB without sampling, for honest agents",
        **_WIDTH,
    ),
    NamedPolicy(
        "h-ucb-t-free",
        Policy(UCB(clock="horizon"), _INNER, ties="priority"),
        "H-UCB with ln T for ln t in phase 1, and priority ties",
        "copyproof",
        _WIDTH | _SEASON,
        (PATHWISE,),
    ),
    NamedPolicy(
        "rh-ucb-t-free",
        Policy(_ROBUST_T, _INNER, FixedSample(), ties="priority"),
        "RH-UCB with √T ln T for √t ln t in phase 1, and priority ties",
        "copyproof",
        {"L": "sampling.factor", **_WIDTH, **_SEASON},
        (PATHWISE,),
    ),
    NamedPolicy(
        "trial",
        Policy(Trial(), TrialArms(), ties="priority"),
        "every agent has a trial first, whose cost its index forgets; inside an agent a search "
        "while that lasts, then a champion and its challengers",
        "copyproof",
        _TRIAL | _SEASON,
        (PATHWISE, TRIAL_MEASURED),
    ),
    NamedPolicy(
        "trial-anytime",
        Policy(Trial(), TrialArms(), ties="priority", restart=Restart(first=500, power=3.0)),
        "trial in epochs of 500 rounds, of 125 million, and one without end; needs no T",
        "copyproof",
        _TRIAL | _EPOCHS,
        (PATHWISE_EPOCHS, TRIAL_ANYTIME_MEASURED),
    ),
    NamedPolicy(
        "rh-kl-ucb",
        Policy(SampledKLUCB(), KLUCB(clock="horizon"), FixedSample(factor=21.0), ties="priority"),
        "a sample of κ = ⌊L ln T⌋ of each agent's arms, KL-UCB at level ln T among them, and at "
        "level κ ln T among agents",
        "copyproof",
        {"L": "sampling.factor", "power": "sampling.power", **_SEASON},
        (PATHWISE, PROVEN_REGRET),
    ),
    _analogue(
        "h-ucb-kl",
        Policy(UCB(), KLUCB(clock="plays")),
        "H-UCB with KL-UCB in phase 2",
        scale="arm.scale",
    ),
    NamedPolicy(
        "h-kl-ucb",
        Policy(KLUCB(), KLUCB(clock="plays")),
        "KL-UCB at both levels",
        GARIVIER,
        {"agent": "agent.scale", "arm": "arm.scale"},
        (PROOF_BY_ANALOGY,),
    ),
    _analogue(
        "h-epsilon-greedy",
        Policy(EpsilonGreedy(), EpsilonGreedy()),
        "ε-greedy at both levels",
        agent="agent.epsilon",
        arm="arm.epsilon",
    ),
    _analogue(
        "h-epsilon-decreasing",
        Policy(EpsilonDecreasing(), EpsilonDecreasing(clock="plays")),
        "ε-greedy with ε = min(1, scale/τ) at both levels",
        agent="agent.scale",
        arm="arm.scale",
    ),
    _analogue("h-thompson", Policy(Thompson(), Thompson()), "Thompson sampling at both levels"),
    NamedPolicy(
        "h-etc",
        Policy(UCB(), ExploreThenCommit()),
        "UCB over agents; inside an agent explore-then-commit: every arm m times, then the best",
        BAYESIAN,
        {"plays": "arm.plays", **_WIDTH},
        (
            PROOF_BY_ANALOGY,
            unproven(
                "replication-proof for agents that know only a prior over their arms' means: "
                "proven by Shin, Esmaeili and Hajiaghayi for H-ETC-R, which has a restarting round "
                "that this row does not have"
            ),
        ),
    ),
    NamedPolicy(
        "etc",
        Policy(None, ExploreThenCommit()),
        "all arms in one pool, explore-then-commit: every arm m times, then the best for ever",
        LATTIMORE,
        {"plays": "arm.plays"},
        (
            theorem(
                "replication-prone: copies of the best arm pay without limit (with far more copies "
                "than rounds nearly all of the first T arms explored are copies; n ≥ 2, others "
                "non-empty, best mean > 0)"
            ),
        ),
    ),
    NamedPolicy(
        "kl-ucb",
        Policy(None, KLUCB()),
        "all arms in one pool, largest q with n·kl(r, q) ≤ scale·ln t",
        GARIVIER,
        {"scale": "arm.scale"},
        (BELIEVED_PRONE,),
    ),
    NamedPolicy(
        "epsilon-greedy",
        Policy(None, EpsilonGreedy()),
        "all arms in one pool, ε-greedy",
        AUER,
        {"epsilon": "arm.epsilon"},
        (BELIEVED_PRONE,),
    ),
    NamedPolicy(
        "epsilon-decreasing",
        Policy(None, EpsilonDecreasing()),
        "all arms in one pool, ε-greedy with ε = min(1, scale/t)",
        AUER,
        {"scale": "arm.scale"},
        (BELIEVED_PRONE,),
    ),
    NamedPolicy(
        "thompson",
        Policy(None, Thompson()),
        "all arms in one pool, Thompson sampling",
        THOMPSON,
        claims=(BELIEVED_PRONE,),
    ),
    NamedPolicy(
        "fair",
        Policy(Uniform(), UCB()),
        "a uniform agent, then the agent's own copy of a flat policy A: fair(A)",
        PAPER,
        claims=(
            theorem("replication-proof: what an agent registers never changes who is asked"),
            theorem("linear regret unless all agents' best means are equal"),
        ),
    ),
    *BASELINES,
)


# Other names in the text form: the policies to take if nothing speaks for another.
ALIASES = {"default": "trial", "default-anytime": "trial-anytime"}

# The six policies that the paper's experiments compare, in their text form.
PAPER_POLICIES = ("ucb1", "s-ucb", "fair(ucb1)", "h-ucb", "rh-ucb", "prh-ucb")


def row(name: str) -> NamedPolicy:
    """The row of a name.

    Examples
    --------
    >>> [claim.status for claim in row("h-ucb").claims]
    ['partly', 'theorem']
    """
    rows = {candidate.name: candidate for candidate in CATALOGUE}
    if name not in rows:
        names = [*rows, *ALIASES]
        accepted = f"known are {', '.join(names)}{did_you_mean(name, names)}"
        raise FieldError("policy", name, accepted, f"= {name!r} is not known; {accepted}")
    return rows[name]


def fair(policy: Policy) -> Policy:
    """Fair(A): a uniform agent, then the agent's own copy of the flat policy A.

    Examples
    --------
    >>> fair(row("ucb1").policy).arm.a
    2.0
    """
    if not policy.is_flat:
        said = f"takes a flat policy, such as ucb1, not {policy}"
        raise FieldError("fair", str(policy), "a flat policy", said)
    if policy.restart is not None:
        said = f"takes a flat policy without epochs or seasons, not {policy}"
        raise FieldError("fair", str(policy), "a flat policy", said)
    sampling = policy.sampling
    if isinstance(sampling, GrowingSample):
        sampling = GrowingSample(sampling.factor, sampling.power, clock="own")
    return Policy(Uniform(), policy.arm, sampling)
