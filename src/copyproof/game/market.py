"""The game: agents with their arms and strategies, a fee per arm, and a discount sequence.

n agents each own original arms O_i and register copies of them. A profile is one strategy per
agent. Agent i earns v_i = Σ_t γ_t R_t 1[A_t is owned by i], and its utility is
u_i = E[U_i(v_i)] − fee × registered arms. Regret is measured against μ*, the best mean over ALL
originals, hidden ones included: Σ_t (μ* − μ(A_t)). Where means change during the game
(``changing``), every round has a μ* of its own.

A market never changes. Every ``with_…`` method, and ``honest``, ``truthful``, ``replicate`` and
``best_arm_only``, return a new market that differs in strategies only.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from copyproof.game._fields import set_fields
from copyproof.game.agent import Agent, Strategy
from copyproof.game.changing import Changing
from copyproof.game.discount import NO_DISCOUNT, Discount
from copyproof.game.priors import Prior
from copyproof.validation import FieldError, did_you_mean, items, number, require, shown, whole

# One strategy per agent.
Profile: TypeAlias = tuple[Strategy, ...]

# The most registered arms a market may have, copies included.
MOST_ARMS = 50_000_000


@dataclass(frozen=True, slots=True, init=False)
class Market:
    """Agents, a registration fee and a discount sequence: a whole game but for the policy.

    Parameters
    ----------
    agents : iterable of Agent
        At least one, with different names; one of them at least registers an arm.
    fee : float, optional
        What each registered arm costs its owner, >= 0.
    discount : Discount, optional
        γ, proper for this number of agents; γ ≡ 1 by default.

    Examples
    --------
    >>> market = Market([Agent("ann", [0.5], copies=[1000]), Agent("bob", [0.9, 0.2])])
    >>> market.registered
    1002
    >>> market.best_mean
    0.9
    """

    agents: tuple[Agent, ...]
    fee: float
    discount: Discount

    def __init__(
        self, agents: Iterable[Agent], fee: float = 0.0, discount: Discount = NO_DISCOUNT
    ) -> None:
        members = _members(agents)
        fee = number("fee", fee)
        require(0 <= fee <= 1e12, "fee", fee, "in [0, 1e12]")
        require(isinstance(discount, Discount), "discount", discount, "a discount record")
        try:
            discount.check_proper(len(members))
        except FieldError as error:
            raise error.within("discount") from None
        set_fields(self, agents=members, fee=fee, discount=discount)
        if self.has_changing_means and self.has_priors:
            said = "have priors and means that change: a market has one or the other"
            raise FieldError("agents", members, "with one of the two", said)

    @property
    def names(self) -> tuple[str, ...]:
        """The agents' names, in order."""
        return tuple(agent.name for agent in self.agents)

    @property
    def profile(self) -> Profile:
        """The strategies played, in the agents' order."""
        return tuple(agent.copies for agent in self.agents)

    @property
    def has_priors(self) -> bool:
        """Whether means are drawn for every game: some agent knows only a prior."""
        return not all(agent.is_informed for agent in self.agents)

    @property
    def has_changing_means(self) -> bool:
        """Whether the mean of some arm changes during the game."""
        kinds = {type(arm) for agent in self.agents for arm in agent.arms}
        return any(issubclass(kind, Changing) for kind in kinds)

    @property
    def best_mean(self) -> float:
        """The mean μ*: the largest over all originals, hidden ones included.

        Raises ``FieldError`` for a market with priors, where every game has a μ* of its own, and
        for one whose means change, where every round has.
        """
        return max(agent.best_mean for agent in self.agents)

    @property
    def registered(self) -> int:
        """The number of registered arms, copies included."""
        return sum(agent.registered for agent in self.agents)

    @property
    def originals(self) -> int:
        """The number of original arms, hidden ones included."""
        return sum(len(agent.arms) for agent in self.agents)

    def agent(self, name: str) -> Agent:
        """Return the agent of that name.

        Examples
        --------
        >>> Market([Agent("ann", [0.5]), Agent("bob", [0.9])]).agent("bob").best_mean
        0.9
        """
        return self.agents[self._position(name)]

    def require_known_means(self, what: str) -> None:
        """Refuse a market with priors, or with means that change, where ``what`` takes neither.

        Examples
        --------
        >>> from copyproof.game import UniformPrior
        >>> Market([Agent("ann", [UniformPrior(0, 1)])]).require_known_means("exact")
        Traceback (most recent call last):
        copyproof.validation.FieldError: agents[0].arms[0] has a prior: exact takes known means only
        """
        for i, agent in enumerate(self.agents):
            for k, arm in enumerate(agent.arms):
                if isinstance(arm, Prior | Changing):
                    said = f"has a prior: {what} takes known means only"
                    if isinstance(arm, Changing):
                        said = f"has a mean that changes: {what} takes fixed means only"
                    raise FieldError(f"agents[{i}].arms[{k}]", arm, "a known, fixed mean", said)

    def with_profile(self, profile: Iterable[Iterable[int]]) -> "Market":
        """Return the market in which every agent plays its strategy in ``profile``.

        Examples
        --------
        >>> Market([Agent("ann", [0.5]), Agent("bob", [0.9])]).with_profile([[3], [2]]).registered
        5
        """
        strategies = items("profile", profile, "strategies")
        if len(strategies) != len(self.agents):
            counts = f"{len(strategies)} strategies for {len(self.agents)} agents"
            said = f"has {counts}: one per agent is needed"
            raise FieldError("profile", strategies, "one per agent", said)
        return self._of(
            agent.with_copies(copies) for agent, copies in zip(self.agents, strategies, strict=True)
        )

    def with_strategy(self, name: str, copies: Iterable[int]) -> "Market":
        """Return the market in which one agent registers ``copies``, one count per original.

        Examples
        --------
        >>> Market([Agent("ann", [0.5]), Agent("bob", [0.9])]).with_strategy("bob", [7]).registered
        8
        """
        position = self._position(name)
        changed = self.agents[position].with_copies(copies)
        return self._of((*self.agents[:position], changed, *self.agents[position + 1 :]))

    def honest(self) -> "Market":
        """Return the market in which every agent registers every original once.

        Examples
        --------
        >>> Market([Agent("ann", [0.5, 0.2], copies=[1000, 0])]).honest().registered
        2
        """
        return self._of(agent.with_copies([1] * len(agent.arms)) for agent in self.agents)

    def truthful(self) -> "Market":
        """Return the market in which every agent registers its best arm only, once.

        It is the profile that theorem 2 calls dominant under H-UCB.

        Examples
        --------
        >>> Market([Agent("ann", [0.5, 0.2], copies=[1000, 1])]).truthful().registered
        1
        """
        return self._of(agent.best_arm_only() for agent in self.agents)

    def best_arm_only(self, name: str) -> "Market":
        """Return the market in which one agent registers its best arm only, once.

        Examples
        --------
        >>> market = Market([Agent("ann", [0.5, 0.2]), Agent("bob", [0.9, 0.1])])
        >>> market.best_arm_only("ann").registered
        3
        """
        return self.with_strategy(name, self.agent(name).best_arm_only().copies)

    def replicate(self, name: str, copies: int | Iterable[int]) -> "Market":
        """Return the market in which one agent replicates.

        Parameters
        ----------
        name : str
            The agent.
        copies : int or iterable of int
            A whole number >= 1 for every arm that the agent registers now (hidden arms stay
            hidden), or one count per original.

        Examples
        --------
        >>> Market([Agent("ann", [0.5, 0.2]), Agent("bob", [0.9])]).replicate("ann", 100).registered
        201
        """
        agent = self.agent(name)
        if isinstance(copies, Iterable):
            return self.with_strategy(name, copies)
        count = whole("copies", copies, least=1)
        if not agent.takes_part:
            said = f"{shown(name)} registers no arm that could be replicated"
            raise FieldError("agent", name, "one who takes part", said)
        return self.with_strategy(name, [count if now else 0 for now in agent.copies])

    def _of(self, agents: Iterable[Agent]) -> "Market":
        """Return a market of other agents with the same fee and discount."""
        return Market(agents, self.fee, self.discount)

    def _position(self, name: str) -> int:
        """Return where in the market the agent of that name stands."""
        if name in self.names:
            return self.names.index(name)
        known = ", ".join(shown(known) for known in self.names[:10])
        more = f" and {len(self.agents) - 10} more" if len(self.agents) > 10 else ""
        suggestion = did_you_mean(name, self.names)
        raise FieldError("agent", name, f"one of {known}{more}{suggestion}")


def _members(agents: Iterable[Agent]) -> tuple[Agent, ...]:
    """Return the agents, checked as a group: names differ, and somebody takes part."""
    members = items("agents", agents, "agents")
    positions: dict[str, int] = {}
    for i, agent in enumerate(members):
        require(isinstance(agent, Agent), f"agents[{i}]", agent, "an Agent")
        first = positions.setdefault(agent.name, i)
        if first != i:
            said = f"= {shown(agent.name)} is taken by agents[{first}]"
            raise FieldError(f"agents[{i}].name", agent.name, "a name of its own", said)
    registered = sum(agent.registered for agent in members)
    if registered == 0:
        said = "nobody registered an arm: every copies is 0, at least one must be >= 1"
        raise FieldError("", 0, "one arm or more", said)
    if registered > MOST_ARMS:
        accepted = f"at most {MOST_ARMS} are accepted"
        said = f"add up to {shown(registered)} registered arms: {accepted}"
        raise FieldError("copies", registered, accepted, said)
    return members
