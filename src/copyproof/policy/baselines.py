"""Rules of the literature that a reviewer asks for: MOSS, also anytime, IMED, SW-UCB, D-UCB, Exp3.

All are for rewards in [0, 1]. With N plays of the pool's owner so far, an item with n plays and
mean r. The last three keep statistics of their own, beside plays and sums of rewards: they need all
arms to be in play from the start to the end, and every reward before the next choice. So they are
simulated, and not served by a live market.
"""

from dataclasses import dataclass

from copyproof.policy.sampling import check_number, set_whole
from copyproof.policy.traits import BaseRule, Traits

_NEEDS_ORDER = "it has to know every reward before the next choice, and which came when"


@dataclass(frozen=True, slots=True)
class MOSS(BaseRule):
    """Largest r + √(max(0, ln(T/(K n)))/n) (Audibert, Bubeck 2009); unplayed ones first.

    Parameters
    ----------
    arms : int, optional
        K, a constant. If it is not given, the market says: among agents their number, among all
        arms the number of originals, and inside an agent the largest number of originals of one
        agent; never the number of copies.

    Examples
    --------
    >>> MOSS(arms=5).arms
    5
    """

    traits = Traits(
        "moss",
        index="line",
        rewards="unit",
        memory="sums",
        not_pathwise=None,
        needs_horizon=True,
    )
    arms: int | None = None

    def __post_init__(self) -> None:
        if self.arms is not None:
            set_whole(self, "arms", 1, "1e9")


@dataclass(frozen=True, slots=True)
class MOSSAnytime(BaseRule):
    """Largest r + √((1 + α)/2·max(0, ln(t/(K n)))/n) (Degenne, Perchet 2016); unplayed ones first.

    t is the round of the pool's own game, N + 1: MOSS without a horizon.

    Parameters
    ----------
    arms : int, optional
        K, as for ``MOSS``.
    alpha : float
        α, 0 or more. 1.35 is the value that the documentation of SMPyBandits, which has the same
        index, says seems to be the best; its own default is 1. The values that the paper's theorem
        is about were not checked against the paper, and no bound on the regret is claimed here.

    Examples
    --------
    >>> MOSSAnytime(arms=5).alpha
    1.35
    """

    traits = Traits(
        "moss-anytime",
        index="computed",
        rewards="unit",
        memory="sums",
        not_pathwise="agent = MOSS-anytime: an agent's index sees the round t",
    )
    arms: int | None = None
    alpha: float = 1.35

    def __post_init__(self) -> None:
        if self.arms is not None:
            set_whole(self, "arms", 1, "1e9")
        check_number("alpha", self.alpha, "a number in [0, 1e6]", most=1e6)


@dataclass(frozen=True, slots=True)
class IMED(BaseRule):
    """Smallest n·kl(r, r*) + ln n, r* the largest mean (Honda, Takemura 2015); unplayed first."""

    traits = Traits(
        "imed",
        index="computed",
        rewards="unit",
        memory="sums",
        not_pathwise="agent = IMED: an agent's index sees the largest mean of all agents",
    )


@dataclass(frozen=True, slots=True)
class SlidingWindowUCB(BaseRule):
    """SW-UCB, largest r + √(xi·ln min(N + 1, W)/n) of the last W plays (Garivier, Moulines 2011).

    n and r are those of the item's plays among the pool's last W; an item with none comes first.

    Parameters
    ----------
    window : int
        W, the paper's τ.
    xi : float
        The paper's ξ, more than 1/2 in its theorem.

    Examples
    --------
    >>> SlidingWindowUCB(window=500).window
    500
    """

    traits = Traits(
        "sw-ucb",
        index="computed",
        rewards="unit",
        memory="order",
        not_pathwise="agent = SW-UCB: plays leave the window as the rounds t pass",
        not_live=_NEEDS_ORDER,
    )
    window: int = 1000
    xi: float = 0.6

    def __post_init__(self) -> None:
        set_whole(self, "window", 1, "1e7")
        check_number("xi", self.xi, "a number in [0, 1e6]", most=1e6)


@dataclass(frozen=True, slots=True)
class DiscountedUCB(BaseRule):
    """D-UCB, largest r + 2√(xi·ln n*/n), with plays that count γ^age (Garivier, Moulines 2011).

    n and r are the item's discounted number and mean, and n* is the sum of all n.

    Parameters
    ----------
    gamma : float
        γ, below 1.
    xi : float
        The paper's ξ, more than 1/2 in its theorem.

    Examples
    --------
    >>> DiscountedUCB(gamma=0.99).gamma
    0.99
    """

    traits = Traits(
        "d-ucb",
        index="computed",
        rewards="unit",
        memory="order",
        not_pathwise="agent = D-UCB: plays count less as the rounds t pass",
        not_live=_NEEDS_ORDER,
    )
    gamma: float = 0.999
    xi: float = 0.6

    def __post_init__(self) -> None:
        check_number("gamma", self.gamma, "a number in (0, 0.9999999]", most=1 - 1e-7)
        check_number("gamma", self.gamma, "a number in (0, 0.9999999]", above_zero=True)
        check_number("xi", self.xi, "a number in [0, 1e6]", most=1e6)


@dataclass(frozen=True, slots=True)
class Exp3(BaseRule):
    """Draws with chances (1 − γ)·e^(γŜ/K)/Σ + γ/K, Ŝ the sum of r/chance (Auer and others 2002).

    Parameters
    ----------
    gamma : float, optional
        γ. The paper's min(1, √(K ln K/((e − 1)T))) if it is not given, with the K items in play.

    Examples
    --------
    >>> Exp3(gamma=0.05).gamma
    0.05
    """

    traits = Traits(
        "exp3",
        index="computed",
        rewards="unit",
        memory="order",
        not_pathwise="agent = Exp3: agents are drawn anew in every round t",
        needs_horizon=True,
        not_live=_NEEDS_ORDER,
    )
    gamma: float | None = None

    def __post_init__(self) -> None:
        if self.gamma is not None:
            check_number("gamma", self.gamma, "a number in (0, 1]", most=1, above_zero=True)
