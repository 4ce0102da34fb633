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
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from copyproof._kept import kept_by_identity
from copyproof.game._fields import set_fields
from copyproof.game.agent import Agent, Strategy, check_groups
from copyproof.game.by_name import ByName, position_of
from copyproof.game.changing import Changing
from copyproof.game.discount import NO_DISCOUNT, Discount
from copyproof.game.priors import Prior
from copyproof.validation import FieldError, items, number, require, shortened, shown, whole
from copyproof.validation import name as checked_name

if TYPE_CHECKING:
    import pandas as pd

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

    agents: ByName[Agent]
    fee: float
    discount: Discount
    # Not part of the game: markets that differ in their names alone are equal.
    name: str | None = field(compare=False)

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
        set_fields(self, agents=members, fee=fee, discount=discount, name=None)
        if self.has_changing_means and self.has_priors:
            said = "have priors and means that change: a market has one or the other"
            raise FieldError("agents", members, "with one of the two", said)

    def named(self, name: str) -> "Market":
        """Return the same market with a name, by which tables and frames call it.

        The name is not part of the game: markets that differ in it alone are equal, and market
        files do not hold it. ``read_market`` calls a market by its file, ``paper_market`` by its
        figure; a market with another strategy is another market, and has no name.

        Examples
        --------
        >>> market = Market([Agent("ann", [0.5]), Agent("bob", [0.9])]).named("two shops")
        >>> market
        <Market two shops: 2 agents, 2 registered arms>
        >>> market.honest().name is None
        True
        """
        found = self._of(self.agents)
        set_fields(found, name=checked_name("name", name))
        return found

    @property
    def label(self) -> str:
        """The name, or ``market-`` and a digest of the market where it has none.

        Examples
        --------
        >>> from copyproof import paper_market
        >>> paper_market("1a", copies=100).label, paper_market("1a", copies=100).honest().label
        ('paper:1a:100', 'market-264cb635')
        """
        from copyproof.game.files import market_digest

        return self.name or f"market-{market_digest(self)[:8]}"

    @property
    def names(self) -> tuple[str, ...]:
        """The agents' names, in order."""
        return tuple(agent.name for agent in self.agents)

    @property
    def profile(self) -> Profile:
        """The strategies played, in the agents' order."""
        return tuple(agent.copies for agent in self.agents)

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """The names bound to each group, in the market's order; empty where none is bound."""
        found: dict[str, tuple[str, ...]] = {}
        for agent in self.agents:
            if agent.group is not None:
                found[agent.group] = (*found.get(agent.group, ()), agent.name)
        return found

    @property
    def quotient(self) -> "Market":
        """The market of the principals, on which policies run: a group is one agent.

        The market itself where no agent is bound; ``game.groups`` says how it is made.

        Examples
        --------
        >>> market = Market([Agent("ann", [0.5]), Agent("bob", [0.9]), Agent("anna", [0.5])])
        >>> market.bind(["ann", "anna"], "ann & co").quotient.names
        ('ann & co', 'bob')
        """
        from copyproof.game.groups import quotient

        return quotient(self).market

    @property
    @kept_by_identity
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

    def __getitem__(self, name: str) -> Agent:
        """Return the agent of that name, as ``agent`` does.

        Examples
        --------
        >>> Market([Agent("ann", [0.5]), Agent("bob", [0.9])])["bob"].best_mean
        0.9
        """
        return self.agent(name)

    __iter__ = None  # else Python would ask for the agents 0, 1, …

    def __repr__(self) -> str:
        """Say on one line which market it is, and how large."""
        called = f" {shortened(self.name)}" if self.name else ""
        agents, arms = len(self.agents), self.registered
        return (
            f"<Market{called}: {agents:,} agent{'s' * (agents != 1)}, "
            f"{arms:,} registered arm{'s' * (arms != 1)}>"
        )

    def _repr_html_(self) -> str:
        """Show the agents and their arms in a notebook."""
        from copyproof.game.display import market_html

        return market_html(self)

    def to_frame(self) -> "pd.DataFrame":
        """A row per original arm: its agent, its place there, its family, mean and copies.

        The mean is NaN where an arm has a prior instead, or a mean that changes.

        Examples
        --------
        >>> market = Market([Agent("ann", [0.5, 0.2], copies=[3, 0]), Agent("bob", [0.9])])
        >>> print(market.named("two shops").to_frame().to_string(index=False))
           market agent  arm    family  mean  copies
        two shops   ann    0 bernoulli   0.5       3
        two shops   ann    1 bernoulli   0.2       0
        two shops   bob    0 bernoulli   0.9       1
        """
        from copyproof.game.display import market_frame

        return market_frame(self)

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

    def bind(self, names: Iterable[str], group: str | None) -> "Market":
        """Return the market in which the agents of these names are one principal.

        Parameters
        ----------
        names : iterable of str
            Agents of this market, all of one utility.
        group : str or None
            What the principal is called: not as an agent that is not bound to it. None frees the
            agents, each to be a principal of its own.

        Examples
        --------
        >>> market = Market([Agent("ann", [0.5]), Agent("anna", [0.5]), Agent("bob", [0.9])])
        >>> bound = market.bind(["ann", "anna"], "ann & co")
        >>> bound.groups
        {'ann & co': ('ann', 'anna')}
        >>> bound.bind(["anna"], None).groups
        {'ann & co': ('ann',)}
        """
        chosen = {self._position(name) for name in items("names", names, "names of agents")}
        return self._of(
            agent.with_group(group) if place in chosen else agent
            for place, agent in enumerate(self.agents)
        )

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
        return position_of(name, self.names)


def _members(agents: Iterable[Agent]) -> ByName[Agent]:
    """Return the agents, checked as a group: names differ, and somebody takes part."""
    members = items("agents", agents, "agents")
    positions: dict[str, int] = {}
    for i, agent in enumerate(members):
        require(isinstance(agent, Agent), f"agents[{i}]", agent, "an Agent")
        first = positions.setdefault(agent.name, i)
        if first != i:
            said = f"= {shown(agent.name)} is taken by agents[{first}]"
            raise FieldError(f"agents[{i}].name", agent.name, "a name of its own", said)
    check_groups(members)
    registered = sum(agent.registered for agent in members)
    if registered == 0:
        said = "nobody registered an arm: every copies is 0, at least one must be >= 1"
        raise FieldError("", 0, "one arm or more", said)
    if registered > MOST_ARMS:
        accepted = f"at most {MOST_ARMS} are accepted"
        said = f"add up to {shown(registered)} registered arms: {accepted}"
        raise FieldError("copies", registered, accepted, said)
    return ByName(members)
