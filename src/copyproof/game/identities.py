"""Several identities: one person who takes part as m agents.

The principal knows who owns each arm, but not who stands behind an owner. No hierarchical policy is
proof against this: over identities it is UCB1 over agents again. What m identities gain, divided by
m − 1, is what verifying an identity must cost at least.
"""

from typing import Literal, TypeAlias

from copyproof.game.agent import Agent
from copyproof.game.market import Market
from copyproof.validation import FieldError, require, shown, whole

# What the identities register: the best arm each, or the agent's arms dealt out one by one.
How: TypeAlias = Literal["best", "deal"]


def split(
    market: Market, agent: str, identities: int, how: How = "best"
) -> tuple[Market, tuple[str, ...]]:
    """Return the market in which one agent takes part as several, and the names of these.

    The first identity keeps the agent's name, place and originals; the others, ``"ann#2"`` and so
    on, stand at the end of the market, so that everybody else keeps their place and their luck.
    Each identity has the agent's utility.

    Parameters
    ----------
    market : Market
        The market before.
    agent : str
        Who takes several identities.
    identities : int
        How many, the agent's own included.
    how : {"best", "deal"}
        ``"best"``: each identity registers the agent's best arm, once. ``"deal"``: the arms that
        the agent registers now, copies included, are dealt out to the identities in turn; there
        must be at least one for each.

    Examples
    --------
    >>> market = Market([Agent("ann", [0.5, 0.2], copies=[2, 1]), Agent("bob", [0.9])])
    >>> split(market, "ann", 3)[0].registered
    4
    >>> dealt, names = split(market, "ann", 2, "deal")
    >>> names
    ('ann', 'ann#2')
    >>> dealt.profile
    ((1, 1), (1,), (1,))
    """
    owner = market.agent(agent)
    identities = whole("identities", identities, least=1)
    require(how in ("best", "deal"), "how", how, "best or deal")
    if how == "best":
        shares = [list(owner.best_arm_only().copies) for _ in range(identities)]
    else:
        if identities > owner.registered:
            said = (
                f"= {identities} is more than the {owner.registered} arms that "
                f"{shown(agent)} registers: each identity needs one"
            )
            raise FieldError("identities", identities, f"<= {owner.registered}", said)
        shares = [[0] * len(owner.arms) for _ in range(identities)]
        originals = [k for k, copies in enumerate(owner.copies) for _ in range(copies)]
        for arm, original in enumerate(originals):
            shares[arm % identities][original] += 1
    others = [
        Agent(
            f"{agent}#{number}",
            [owner.arms[k] for k, copies in enumerate(share) if copies > 0],
            [copies for copies in share if copies > 0],
            owner.utility,
        )
        for number, share in enumerate(shares[1:], start=2)
    ]
    agents = [owner.with_copies(shares[0]) if one is owner else one for one in market.agents]
    names = (agent, *(other.name for other in others))
    return Market([*agents, *others], market.fee, market.discount), names
