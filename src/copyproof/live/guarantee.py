"""What a market promises about copies, in one line: of its policy, and of its settings.

Three degrees. A *flat* policy promises nothing: copies are arms, and arms are what it chooses
among. A *hierarchical* one chooses the agent by the agent's own plays and rewards, whatever arms it
has, so that copies of an agent's only arm leave every path unchanged (``docs/explanation/live.md``
has the proof): also with late rewards, with agents that may not be chosen, and on slates with one
arm of an agent. And where the *pathwise* theorem covers the policy (``policy.theorem``), nothing
that an agent registers earns it more than its best arm alone, on any path; the theorem asks for
an arm of the agent as every epoch begins, for rewards that come at once, for visitors who may all
see the same agents, and for rivals whose arms stay. Afterwards the agent may be away. Where
visitors may see different agents, worthless arms can pay, but not if each set of agents is a
segment, and the sets depend on no decision and no registration: ``docs/explanation/eligible.md``
has the proof.
Where nobody is waited for longer than for others, the default reward is 0, and no play is told as
more than it is in the end worth, those are the others' rewards: the agent's own may come whenever
they will.

An agent is a principal here: the names that are bound to one group are one (``principals``). Only
agents with an arm count in n. Names with a worthless arm each still do, and change what all others
may spend: how many of them a game bears, ``most_agents`` says.
"""

from copyproof.engine.trial import TURN_SHARE
from copyproof.live.records import MarketConfig
from copyproof.policy import Policy, own_rules
from copyproof.policy.theorem import why_not_covered


def guarantee(
    policy: Policy, config: MarketConfig, candidate: tuple[Policy, float] | None = None
) -> str:
    """Say what holds of a market that runs a policy, and what is known to pay.

    A ``candidate`` beside it changes nothing while its share is 0. With a share, the two are one
    game, in which who decides is drawn by the round: copies of an only arm change nothing if both
    policies are hierarchical, and the pathwise theorem, which asks for one index, says nothing.

    Examples
    --------
    >>> from copyproof.policy import parse_policy
    >>> guarantee(parse_policy("ucb1"), MarketConfig())
    'none: ucb1 is flat, it chooses among arms, and copies are arms'
    >>> print(guarantee(parse_policy("trial-anytime"), MarketConfig(per_agent=2)))
    proven: copies of an agent's only arm change nothing, ...; pays: copies on slates (per_agent =
    2); under some policies worthless arms, where visitors may see different agents, or others come
    and go; lists of eligible arms; several identities that are not bound to one group, ...
    """
    second, share = candidate or (policy, 0.0)
    for one in (policy, second) if 0.0 < share < 1.0 else (second if share == 1.0 else policy,):
        if one.agent is None:
            return f"none: {one} is flat, it chooses among arms, and copies are arms"
    slates = ", slates" if config.per_agent == 1 else ""
    seen = ", what was seen" if config.seen == "agent" else ""
    proven = [
        "copies of an agent's only arm change nothing, with late rewards, eligible "
        f"agents{slates}{seen} and segments, too",
        "names that are bound to one group before the first decision, or as they register, are one "
        "agent: they earn what one name with all their arms does, on every path",
    ]
    reason = why_not_covered(policy)
    if candidate is not None and share > 0.0:
        reason = f"{policy} and {second} learn from each other's decisions"
    waits_for_others = config.unanswered == "estimated"
    if reason is None:
        is_late = waits_for_others and config.default_reward == 0.0 and config.rewards != "last"
        whose = "all other agents' rewards" if is_late else "all rewards"
        proven.append(
            "an agent's best arm alone earns it most, on every path, where the agent has an arm as "
            f"every epoch begins (it may be away afterwards), {whose} are told before the next "
            "decision, every visitor may see the same agents (or each set of eligible agents is a "
            "segment, and the sets depend on no decision and no registration), the arms of all "
            "others stay and this policy has decided from the first decision on"
        )
        audited = "other strategies under other conditions"
    else:
        audited = f"other strategies, which no theorem covers here ({reason})"
    pays = []
    if config.per_agent != 1:
        most = "no limit" if config.per_agent is None else f"per_agent = {config.per_agent}"
        pays.append(f"copies on slates ({most})")
    if config.seen == "content":
        pays.append("copies that `seen` takes for another content, or for a rival's")
    sets = "where visitors may see different agents, or others come and go"
    pays.append(f"under some policies worthless arms, {sets}")
    identities = "several identities that are not bound to one group" + _worthless(policy, config)
    pays += ["lists of eligible arms", identities]
    others = ", where another one is, too" if waits_for_others else ""
    pays.append(f"to become worse and be told late{others}")
    if config.unanswered != "omitted":
        pays.append("to be told at once while all others are told late")
    if config.default_reward > 0.0:
        pays.append("failures of one agent alone that are not told: the default reward is above 0")
    if config.unanswered == "omitted":
        pays.append("zeros of one agent alone that are told late or never")
    return f"proven: {'; '.join(proven)}; audited only: {audited}; pays: {'; '.join(pays)}"


def most_agents(policy: Policy, horizon: int) -> int | None:
    """How many agents T rounds bear before n shortens their trials: ⌊TURN_SHARE·T/q⌋.

    None for a policy without trials.

    Examples
    --------
    >>> from copyproof.policy import parse_policy
    >>> most_agents(parse_policy("trial"), 100_000)
    206
    """
    if not isinstance(policy.agent, own_rules.Trial):
        return None
    return int(TURN_SHARE * horizon / policy.agent.in_turn)


def _worthless(policy: Policy, config: MarketConfig) -> str:
    """What identities with a worthless arm each do to n."""
    horizon = config.horizon if policy.restart is None else policy.restart.horizons(1)[0]
    most = None if horizon is None else most_agents(policy, horizon)
    if most is None:
        return ""
    where = f"where more than {most:,} agents share an epoch of {horizon:,} decisions"
    if most < 2:
        where = f"in an epoch of {horizon:,} decisions, which is too short for whole trials"
    return (
        f", also with a worthless arm each {where} (a limit on names stops these; in what was "
        "measured a fee of 40 rewards an arm)"
    )
