"""Which theorems speak about a market under a policy, and what they say there."""

from dataclasses import replace
from typing import Any

from copyproof.game import GivenMarket, as_market
from copyproof.policy import Policy, as_policy, with_market_defaults
from copyproof.theory.bound import Bounds
from copyproof.theory.conditions import Assumed, Case
from copyproof.theory.own_theorems import OWN_THEOREMS
from copyproof.theory.paper_theorems import PAPER_THEOREMS
from copyproof.validation import FieldError, number, require, whole, whole_in

LONGEST_HORIZON = 10**100


def bounds(
    market: GivenMarket,
    policy: Policy | str,
    horizon: int,
    *,
    K: int | None = None,
    g: int | None = None,
    c: float | None = None,
    lost: float | None = None,
    plays: float | None = None,
) -> Bounds:
    """Hold every theorem against a market, its profile, a policy and a horizon.

    Parameters
    ----------
    market : Market, path or str
        Agents, their arms and how they register them; or the path of their file, or ``"paper:2a"``.
    policy : Policy or str
        A record, or its text form such as ``"rh-ucb(L=3)"``.
    horizon : int
        T, from 1 to 10^100.
    K : int, optional
        Theorem A: up to how many arms an agent may register without being overlooked; the κ of the
        policy if not given. Theorem A′: the arms that an agent may register.
    g : int, optional
        Theorem A′: how many of the K arms may be the only good ones.
    c : float, optional
        Theorem A′: the share of good arms, among however many, in place of K and g.
    lost : float, optional
        Theorem A′: the share of games in which all good arms may be overlooked.
    plays : float, optional
        Theorem A′: the plays in expectation, under this policy, of the agent with the good arms
        where it registers its best bad arm alone.

    Returns
    -------
    Bounds
        A tuple of ``Bound``, with a ``to_frame`` of its own.
        Theorems 3, 5, 6 and 7 and lemma 1 of Shin, Lee, Ok (2022), the exact probability that
        lemma 1 bounds, the lower bound of Lai, Robbins (1985), and theorems A, A′ (for truthful
        agents, and where good arms are few), B (whatever the gaps, and with the gaps) and D (lost
        games) of this package: always in this order.

    Raises
    ------
    ValueError
        If the policy cannot be read, a number is not accepted, or the market has priors.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> first, *_ = bounds(paper_market("1a"), "h-ucb", horizon=100_000)
    >>> first.theorem, first.applies, round(first.value, 1)
    ('theorem 3', True, 1923.1)

    What it costs five truthful agents that no more than 1 % of games are lost where one arm in 21
    is good, under any policy whose agents gain nothing by copies:

    >>> found = bounds(paper_market("1a"), "h-ucb", 100_000, c=1 / 21, lost=0.01)
    >>> [round(one.value, 1) for one in found if one.theorem == "theorem A′, truthful"]
    [94.4]
    """
    market, asked = as_market(market).quotient, as_policy(policy)
    market.require_known_means("bounds")
    assumed = _accepted(Assumed(K, g, c, lost, plays))
    resolved = with_market_defaults(asked, market)
    case = Case(market, resolved, _whole_horizon(horizon), assumed)
    held: dict[str, Any] = {"policy": str(asked), "market": market.label, "horizon": case.T}
    theorems = (*PAPER_THEOREMS, *OWN_THEOREMS)
    return Bounds(replace(theorem.held_against(case), **held) for theorem in theorems)


def _whole_horizon(value: object) -> int:
    try:
        return whole_in("horizon", value, 1, LONGEST_HORIZON)
    except FieldError:  # a bound of 101 digits is not for reading
        accepted = "a whole number from 1 to 10^100"
        raise FieldError("horizon", value, accepted, f"= {value!r} is not {accepted}") from None


def _accepted(given: Assumed) -> Assumed:
    """The same numbers, if they are accepted and fit together."""
    K, g, c = given.K, given.g, given.c
    if K is not None:
        K = whole_in("K", K, 1, 10**15)
    if g is not None:
        g = whole("g", g, 1)
        if K is None or g > K:
            arms = "which is not given" if K is None else K
            said = f"= {g} is not from 1 to the number of arms, {arms}"
            raise FieldError("g", g, "at most K", said)
        if c is not None:
            raise FieldError(
                "c", c, "left out", "is given besides the number of good arms: one of them says it"
            )
    if c is not None:
        c = _between("c", c)
    lost = None if given.lost is None else _between("lost", given.lost)
    plays = given.plays
    if plays is not None:
        plays = number("plays", plays)
        require(plays >= 0, "plays", plays, "a number >= 0")
    return Assumed(K, g, c, lost, plays)


def _between(field: str, value: object) -> float:
    found = number(field, value)
    require(0 < found < 1, field, value, "a number between 0 and 1")
    return found
