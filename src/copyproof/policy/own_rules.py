"""Rules of our own: they see an agent's own plays and rewards, T and n, and never the round t.

Agents are chosen by ``Trial`` or ``SampledKLUCB``; ``TrialArms`` chooses among an agent's arms, and
brings in fresh ones by itself.
"""

import math
from dataclasses import dataclass

from copyproof.policy.sampling import check_number, set_whole
from copyproof.policy.traits import BaseRule, Traits
from copyproof.validation import require

# Of ``Trial`` and ``TrialArms``, measured:
SPARE = 1.25  # arms to try for each that theorem A′ asks for, as a good arm may fail at first
TURNS = 1.02  # plays in turn for each
SHARE = 0.3  # of the T/n rounds that an agent would have if all were alike: the most for trials
GATE = 0.5  # of ln(T/(n w)): how far search may bring the agent's mean below its champion's


@dataclass(frozen=True, slots=True)
class Trial(BaseRule):
    """Largest index that forgives an agent what its search for a good arm has cost.

    Every agent has q plays in turn. With N plays that have paid S it may claim

        x_N(S) = min(1, v^(1/1.2)),  v = (q + min(0.4 S, 0.3 q))/N,

    as a trial may cost about q rewards and 0.4 of what it has paid, up to 0.3 q. A claim is kept
    at each start d_j = ⌊q·2^(0.3 j)⌋, j ≤ 23; SHARE·T/n is the last start there can be, and q is at
    most T/(5 n). The index is the
    largest of x_N(S_N), until the last start, and of min(x_j, U_j) of all starts so far, x_j the
    claim at d_j, and U_j the largest u with w·kl(r, u) ≤ ln(15 T/(n w)) for the w = N − d_j plays
    since, of mean reward r (U_j = 1 while w = 0; no logarithm is less than 0).

    By theorem A′ an agent whose arms are good with a share c has played none of them after k plays
    of different arms with probability (1 − c)^k: k = ⌈ln lost / ln(1 − c)⌉ plays bring that down to
    ``lost``. q = ⌈TURNS·k⌉, and up to B = ⌈SPARE·k⌉ arms are tried (``TrialArms``).

    Parameters
    ----------
    c : float
        The smallest share of good arms that must not be overlooked.
    lost : float
        How often it may be.
    memory : int, optional
        W: each U_j is the least over windows of the agent's last W plays, W/4, W/16, …, down to 50.
        All after the first d_j count if it is not given. A window that reaches into those is not
        asked. Claims count no rewards then, S = 0.

    Examples
    --------
    >>> Trial().in_turn, Trial().tries
    (97, 119)
    >>> Trial(c=1 / 200).in_turn, Trial(c=1 / 200).tries
    (938, 1149)
    """

    traits = Traits(
        "trial",
        index="line",
        rewards="unit",
        memory="order",
        not_pathwise=None,
        needs_horizon=True,
        only_for="agents",
    )
    c: float = 1 / 21
    lost: float = 0.01
    memory: int | None = None

    def __post_init__(self) -> None:
        if self.memory is not None:
            set_whole(self, "memory", 2, "1e6")
        for name, least in (("c", 1e-12), ("lost", 1e-300)):
            value, accepted = getattr(self, name), f"a number in [{least:g}, 1)"
            check_number(name, value, accepted)
            require(least <= value < 1, name, value, accepted)

    @property
    def tries(self) -> int:
        """B, the arms of an agent that may be tried."""
        return _up(SPARE * self._needed)

    @property
    def in_turn(self) -> int:
        """The plays q that an agent has before it is judged."""
        return _up(TURNS * self._needed)

    @property
    def _needed(self) -> int:
        return _up(math.log(self.lost) / math.log1p(-self.c))


def _up(x: float) -> int:
    """⌈x⌉, where the last bits of x are not to be trusted."""
    return math.ceil(round(x, 9))


@dataclass(frozen=True, slots=True)
class TrialArms(BaseRule):
    """Searches while agents chosen by ``Trial`` are forgiven, then plays the best arm it has found.

    The champion is the tried arm of largest estimate m = (S + 1/2)/(n + 1); K arms are tried. A
    play fails if it takes the arm's shortfall n − S, rounded, over a whole number: one that pays 0
    does, one that pays 1 does not. The *trial* lasts until the first start whose claim is at most
    1.3 m (or 1), and no longer than to the last start; r is the agent's mean reward in the w plays
    since that start.

    1. *Gate*: if w > 0, r < m and w·kl(r, m) > GATE·ln(T/(n w)), the champion is played, so that
       search never brings the agent's index near its champion's mean.
    2. An arm other than the champion that was played last and did not fail is played again.
    3. *Trial*, while K < B and arms are left: the arm played last is played again if it did not
       fail. If it failed, and is not the champion, and K is a multiple of 8: the champion is, if
       its mean is at least 1 − (1 − μ)/3, where μ is the average estimate of the tried arms. Else a
       fresh arm is. With no fresh arm, or K ≥ B: the tried arm of largest upper bound by Wilson's
       interval, z² = 4.
    4. *After it*, while K < B and arms are left, a fresh arm is played if m ≤ 1/2, or if the
       champion was played last and failed.
    5. Otherwise the tried arms challenge in turn, one each time: arm a with n plays and mean r_a is
       played if n·kl(r_a, m) ≤ max(ln(N/(K n)), ln T/K); else the champion is.
    """

    traits = Traits(
        "trial-arms",
        index="line",
        rewards="unit",
        memory="order",
        not_pathwise="agent = trial-arms: it is a rule for arms",
        needs_horizon=True,
        only_for="arms",
        brings_fresh_arms=True,
    )


@dataclass(frozen=True, slots=True)
class SampledKLUCB(BaseRule):
    """Largest x with (N − κ)·kl(S/(N − κ), x) ≤ κ·ln T, for agents whose arms are sampled.

    With N plays of the agent that paid S in all; the index is 1 while N ≤ κ or S ≥ N − κ. κ is the
    bound of the sample, ⌊factor·(ln T)^power⌋, at least 1, and never the number of arms that the
    agent has: copies would raise it. Unplayed agents come first.

    If KL-UCB at the level ln T chooses among the sample, what the agent loses inside never brings
    its index below its best sampled mean, unless that arm is underestimated (theorem B).
    """

    traits = Traits(
        "sampled-kl-ucb",
        index="line",
        rewards="unit",
        memory="sums",
        not_pathwise=None,
        needs_horizon=True,
        only_for="agents",
    )
