"""Which policies the pathwise theorem covers.

The theorem: on every path, for every T, every proper γ and every non-decreasing U, registering only
the best arm earns at least as much as any other strategy. It asks three things of a policy:

(a) phase 1 chooses the largest index, where the index of agent i is a function of i's own rewards
    so far and of constants such as T and n, never of the round t or of other agents, and
    non-decreasing in every one of these rewards;
(b) unplayed agents come first, and ties go by one order drawn at the start;
(c) inside an agent any rule may choose that sees only that agent's own plays, its rewards and
    random numbers keyed by them: never t, never other agents.

Of (c) nothing has to be asked of the arm rule: every clock of it counts the chosen agent's own
plays, or reads T, and its random numbers are keyed by (agent, own play). Only a sample that grows
with the round t of the game sees what it must not.

Epochs that each forget all statistics, with uniforms keyed by (agent, epoch, play in the epoch),
are games of their own, and what holds on every path of each holds of their sum: in an epoch the
k-th play of the agent that registers only its best arm comes no later than under any other
strategy, and pays no less, and a play that comes earlier in its epoch comes earlier in the whole
game, where γ weighs no less. All that this takes is that the lengths are fixed beforehand, so that
no strategy moves the end of an epoch: they may grow (``Restart``) or be equal (``Season``).

A memory (``memory=W``) keeps (a): which of an agent's plays its windows hold is a function of their
number alone, and the least of several non-decreasing indices is non-decreasing
(``engine.memory``).

And of the agent: it has one name, and an arm as every epoch begins, under both strategies. n counts
the agents with an arm as an epoch begins, so that n is then the same for all others. Afterwards the
agent may be away for a time, and its own rewards may be late, at any time and for as long as it
likes: neither raises its index at its k-th play. Without an arm as an epoch begins, or with a name
that registers later, the others' n is smaller for the whole epoch, and there are paths on which the
agent is ahead at some round (``tests/drills/test_lateness.py``).

And of the market: rewards are at least 0, an agent's best arm first-order dominates its others, as
with Bernoulli arms, and what an arm pays does not depend on the round. Where means change during
the game (``game.changing``) a play that comes earlier may be paid less, and the claim is false. All
agents may be chosen in every round. Where they differ by round, worthless arms can pay:
``docs/explanation/eligible.md`` says when.
"""

from copyproof.policy.records import Policy, clock_of
from copyproof.policy.sampling import GrowingSample


def why_not_covered(policy: Policy) -> str | None:
    """Why the pathwise theorem does not cover a policy; None if it does.

    Examples
    --------
    >>> from copyproof.policy import parse_policy
    >>> why_not_covered(parse_policy("h-ucb"))
    "agent.clock = 'round': the agents' indices see the round t; the theorem needs 'horizon'"
    >>> why_not_covered(parse_policy("rh-ucb-t-free(L=3)")) is None
    True
    """
    if policy.agent is None:
        return "agent = None: a flat policy chooses among arms, and copies are arms"
    if reason := policy.agent.traits.not_pathwise:
        return reason
    clock = clock_of(policy.agent)
    if clock not in (None, "horizon"):
        return _needs("agent.clock", clock, "the agents' indices see the round t", "horizon")
    if policy.ties != "priority":
        why = "ties between agents are broken anew by the round t"
        return _needs("ties", policy.ties, why, "priority")
    if isinstance(policy.sampling, GrowingSample) and policy.sampling.clock == "game":
        return _needs("sampling.clock", "game", "an agent's sample grows with the round t", "own")
    return None


def _needs(field: str, found: object, why: str, needed: str) -> str:
    return f"{field} = {found!r}: {why}; the theorem needs {needed!r}"
