"""The live principal: ``ask`` which arm to show, ``tell`` what came of it, and lose nothing.

Every request becomes an event; the event is carried out in memory and appended to the market's
journal; and only when the store has it for good is the answer given. What fails to be stored did
not happen: memory is rebuilt from the store before anything else is answered.

One market has one ``Principal`` at a time, which is used by one thread at a time.

The decisions are those of the simulated game (``engine.live``). The theorems on copies speak of
games in which every reward comes at once and all arms are there from the start: late rewards,
eligible subsets and arms that come and go are not covered by them. What holds there, and what pays,
is in ``docs/explanation/live.md``; ``guarantee`` says it of one market.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from copyproof.client.records import Statistics
from copyproof.live import events
from copyproof.live.estimates import Estimates, estimates
from copyproof.live.leading import leading
from copyproof.live.records import MarketConfig, checked_arms
from copyproof.live.reviewing import Reviewing
from copyproof.live.statistics import View
from copyproof.live.stores import Store, open_store
from copyproof.live.stores.blinding import TOKEN
from copyproof.live.terms import plan_of
from copyproof.policy import Policy, parse_policy
from copyproof.validation import FieldError, name, number, require, shown

_LATEST = 1e11  # seconds since 1970 that a clock may be set to: the year 5138


class Principal(Reviewing):
    """One market: which arm comes next, and what is known so far.

    Parameters
    ----------
    policy : Policy or str, optional
        For a new market, in place of ``config.policy``. For one that exists it must be the policy
        that it runs.
    store : Store or str
        Where the journal is kept, or its address: "memory:", "sqlite:PATH", "postgresql://…".
    market : str
        The market's name; it is created if the store does not have it.
    config : MarketConfig, optional
        For a new market. For one that exists it must be the one it has.
    clock : callable
        Gives the seconds since 1970. Times never go back within a market: a clock that is set
        back stands still for it.
    token : int, optional
        The fencing token of the market's lease, if it is leased.

    Examples
    --------
    >>> principal = Principal("h-ucb")
    >>> principal.register_arms([("ann", "a"), ("bob", "b")])
    2
    >>> [decision] = principal.ask()
    >>> principal.tell(decision.id, 1).status
    'counted'
    >>> principal.statistics().revenue
    1.0
    """

    def __init__(
        self,
        policy: Policy | str | None = None,
        store: Store | str = "memory:",
        *,
        market: str = "default",
        config: MarketConfig | None = None,
        clock: Callable[[], float] = time.time,
        token: int | None = None,
    ) -> None:
        opened = open_store(store) if isinstance(store, str) else store
        super().__init__(opened, market, clock, token)
        given = str(parse_policy(policy) if isinstance(policy, str) else policy or "")
        known = self.store.config(self.market)
        if known is None:
            settings = (config or MarketConfig()).to_dict()
            chosen = {"policy": given or settings["policy"]}
            fresh = MarketConfig.from_dict({**settings, **chosen}).seeded()
            plan_of(parse_policy(fresh.policy), fresh)
            try:
                self.store.create_market(self.market, fresh.to_dict())
            except ValueError:  # another process was faster, or the name is no good
                if self.store.config(self.market) is None:
                    raise
            known = self.store.config(self.market)
        assert known is not None
        self.config = MarketConfig.from_dict(known)
        if config is not None:
            # If a policy is given it stands for the config's, as it did when the market was new.
            wanted = replace(config, policy=self.config.policy) if given else config
            require(
                wanted.agrees_with(self.config),
                "config",
                config,
                f"the one of market {self.market!r}, which exists: {self.config}",
            )
        self._rebuild()
        if given:
            require(given == self.policy, "policy", given, f"{self.policy!r}: use set_policy")

    # --- who takes part --------------------------------------------------------------------

    def register_agent(
        self, agent: str, *, group: str | None = None, key: str | None = None
    ) -> bool:
        """Register an agent, maybe as one of the names of a group; whether it is new."""
        agent = name("agent", agent)
        changes = agent not in self._current().registry.agents
        if changes:
            self._check_new_agent("agent", agent)
        _, answered = self._keyed(key, [events.kind_of(events.AgentRegistered), {"agent": agent}])
        wanted = {"group": None if group is None else name("group", group)}
        with self.group():
            is_new = self._change(events.AgentRegistered, key, changes, wanted, agent=agent)
            if group is not None and not changes and not answered:
                self.bind([agent], group)
        return is_new

    def suspend_agent(self, agent: str, *, key: str | None = None) -> bool:
        """Keep an agent out of all choices, its statistics kept; whether that is a change."""
        registry = self._current().registry
        changes = not registry.suspended[registry.agent(agent)]
        return self._change(events.Suspended, key, changes, agent=agent)

    def resume_agent(self, agent: str, *, key: str | None = None) -> bool:
        """Let a suspended agent back in; whether that is a change."""
        registry = self._current().registry
        changes = registry.suspended[registry.agent(agent)]
        return self._change(events.Resumed, key, changes, agent=agent)

    def suspend_arm(self, agent: str, arm: str, *, key: str | None = None) -> bool:
        """Keep one arm out of all choices, its statistics kept; whether that is a change.

        Its agent may retire it and register it again meanwhile, but not bring it back.
        """
        registry = self._current().registry
        changes = registry.arm(agent, arm) not in registry.withheld
        return self._change(events.Suspended, key, changes, agent=agent, arm=arm)

    def resume_arm(self, agent: str, arm: str, *, key: str | None = None) -> bool:
        """Let a suspended arm back in, if it is registered; whether that is a change."""
        registry = self._current().registry
        changes = registry.arm(agent, arm) in registry.withheld
        return self._change(events.Resumed, key, changes, agent=agent, arm=arm)

    def retire_arm(self, agent: str, arm: str, *, key: str | None = None) -> bool:
        """Withdraw an arm, its statistics kept; whether that is a change."""
        registry = self._current().registry
        changes = registry.is_registered(registry.arm(agent, arm))
        return self._change(events.ArmRetired, key, changes, agent=agent, arm=arm)

    def remove_agent(self, agent: str, *, key: str | None = None) -> bool:
        """Retire all arms of an agent, and suspend it; whether that is a change.

        What it has played and earned stays, as the others' shares are held against it.
        """
        keyed, found = self._keyed(key, ["remove", agent])
        if found:
            return bool(found.answer)
        registry = self._current().registry
        number = registry.agent(agent)
        arms = registry.arm_numbers[number]
        there = [arm for arm, each in arms.items() if registry.is_registered(each)]
        suspends = not registry.suspended[number]
        changes = suspends or bool(there)
        answer = None if keyed is None else keyed._replace(answer=changes)
        with self.group():
            for arm in there if suspends else there[:-1]:
                self.retire_arm(agent, arm)
            if suspends:
                self._write(events.Suspended(agent, self._time(), key=answer))
            elif there:
                self._write(events.ArmRetired(agent, there[-1], self._time(), key=answer))
            else:
                self._remember_unchanged(keyed, answer=False)
        return changes

    def set_clock(
        self,
        at: float | None = None,
        *,
        key: str | None = None,
        now: Callable[[], float] | None = None,
    ) -> float:
        """Set the market's clock, forward or back, as after a clock that went wrong; the time.

        Time goes on from there. Decisions whose time lies after it count as made now.

        Parameters
        ----------
        at : float, optional
            Seconds since 1970; what the clock says if it is not given.
        key : str, optional
            A key of the caller's choice.
        now : callable, optional
            In place of the market's clock, where no time is given.

        Examples
        --------
        >>> now = [1e9]
        >>> principal = Principal("h-ucb", clock=lambda: now[0])
        >>> principal.register_arm("ann", "a")
        True
        >>> now[0] = 1000.0
        >>> principal.ask()[0].round, principal.now
        (1, 1000000000.0)
        >>> principal.set_clock(), principal.now
        (1000.0, 1000.0)
        """
        if (answered := self.clock_answer(at, key)) is not None:
            return answered
        wanted = number("at", (now or self._clock)() if at is None else at)
        require(0.0 < wanted <= _LATEST, "at", wanted, f"seconds since 1970, up to {_LATEST:g}")
        keyed, _ = self._keyed(key, ["clock", at])
        answer = None if keyed is None else keyed._replace(answer=wanted)
        with self.group():
            self._write(events.ClockSet(wanted, answer))
        return self.now

    def clock_answer(self, at: float | None, key: str | None) -> float | None:
        """What ``set_clock`` answered to a key; None if it was not asked with it."""
        _, found = self._keyed(key, ["clock", at])
        return None if found is None else float(found.answer)

    @property
    def now(self) -> float:
        """The market's time, that of its last event: seconds since 1970, 0 if there was none."""
        return self._current().at

    def register_arm(
        self, agent: str, arm: str, *, content: str | None = None, key: str | None = None
    ) -> bool:
        """Register an arm, and its agent if it is not known; whether that is a change.

        An arm that was retired comes back with its statistics. ``content`` says what the arm is: a
        hash of the operator's choice, equal for what a visitor would call the same.
        """
        one = (agent, arm) if content is None else (agent, arm, content)
        return self.register_arms([one], key=key) > 0

    def register_arms(
        self, arms: Sequence[tuple[str, str] | tuple[str, str, str]], *, key: str | None = None
    ) -> int:
        """Register arms as (agent, arm), and agents that are not known; how many are a change.

        An arm may be given its content, as (agent, arm, content), when it is registered or later;
        once it has one it keeps it.
        """
        named = checked_arms(arms)
        keyed, found = self._keyed(key, ["arms", named])
        if found:
            return int(found.answer)
        registry = self._current().registry
        wanted: dict[tuple[str, str], list[str]] = {}
        new: dict[str, int] = {}
        for n, (agent, arm, *content) in enumerate(named):
            number = registry.agents.get(agent)
            known = None if number is None else registry.arm_numbers[number].get(arm)
            before = wanted[agent, arm][2:] if (agent, arm) in wanted else []
            if known is not None and known in registry.content:
                before = [registry.content[known]]
            if content and before and content != before:
                accepted = f"{shown(before[0])}, which the arm was registered with"
                raise FieldError(f"arms[{n}].content", content[0], accepted)
            says_more = bool(content) and not before
            is_there = known is not None and registry.is_registered(known)
            if not says_more and ((agent, arm) in wanted or is_there):
                continue
            if known is None and (agent, arm) not in wanted:
                if number is None and agent not in new:
                    self._check_new_agent(f"arms[{n}].agent", agent)
                _check_no_token(f"arms[{n}].arm", arm)
                new[agent] = new.get(agent, 0) + 1
            wanted[agent, arm] = [agent, arm, *(content if says_more else ())]
        self._check_most_arms(new)
        answer = None if keyed is None else keyed._replace(answer=len(wanted))
        with self.group():
            for agent in dict.fromkeys(agent for agent, _ in wanted):
                if agent not in registry.agents:
                    self._write(events.AgentRegistered(agent, self._time()))
            if wanted:
                listed = list(wanted.values())
                self._write(events.ArmsRegistered(listed, self._time(), answer))
            else:
                self._remember_unchanged(keyed, 0)
        return len(wanted)

    def _check_new_agent(self, field: str, agent: str) -> None:
        """Refuse a token, and the name of an agent that was forgotten."""
        _check_no_token(field, agent)
        is_free = not self._forgotten or self._blinding.token(agent) not in self._forgotten
        require(is_free, field, agent, "a name that may be used: its agent was forgotten")

    def _check_most_arms(self, new: Mapping[str, int]) -> None:
        """Refuse arms beyond those that an agent may ever register."""
        registry, most = self._current().registry, self.config.most_arms
        if most is None:
            return
        for agent, more in new.items():
            number = registry.agents.get(agent)
            names = [] if number is None else registry.identities.bound_with(number)
            ever = more + sum(len(registry.arm_numbers[one]) for one in names)
            accepted = f"at most {most}: arms that agent {shown(agent)} ever registered"
            require(ever <= most, "arms", ever, accepted)

    # --- what is known ---------------------------------------------------------------------

    def knows(self, agent: str, arm: str | None = None) -> bool:
        """Whether an agent is registered, or an arm of it is, or was."""
        registry = self._current().registry
        number = registry.agents.get(agent)
        return number is not None and (arm is None or arm in registry.arm_numbers[number])

    @property
    def policy(self) -> str:
        """The policy that is run now, in its text form."""
        return str(self._current().policy)

    @property
    def round(self) -> int:
        """How many decisions there have been."""
        return self._current().round

    def arm_numbers(self, agent: str) -> list[int]:
        """The arms of an agent, by number in order of registration: what the journal calls them."""
        registry = self._current().registry
        return [*registry.arm_numbers[registry.agent(agent)].values()]

    def owners(self, arms: Sequence[int]) -> dict[int, str]:
        """Whose arms are, by their numbers."""
        registry = self._current().registry
        return {arm: registry.name_of(arm)[0] for arm in arms}

    def statistics(self, agent: str | None = None, *, segment: str | None = None) -> Statistics:
        """Plays, rewards and shares: of all agents, or of one agent and its arms.

        With ``segment`` they are of its visitors alone, with "" of those without a segment.
        """
        return self.view(agent, segment=segment).statistics()

    def view(
        self,
        agent: str | None = None,
        after: str | None = None,
        limit: int | None = None,
        segment: str | None = None,
    ) -> View:
        """What ``statistics`` needs, taken now; its ``statistics()`` may run on another thread.

        With ``limit`` it is a page of agents, or of one agent's arms: the first, or the one after
        the agent, or arm, ``after``.
        """
        return View(self.market, self._current(), agent, after, limit, segment)

    def leading(
        self, limit: int, *, before: Any = None, named: Sequence[str] = ()
    ) -> tuple[Statistics, Any]:
        """Figures of the agents that lead just now, at once, and what the next look takes.

        Examples
        --------
        >>> principal = Principal("h-ucb")
        >>> principal.register_arms([("ann", "a"), ("bob", "b"), ("eve", "e")])
        3
        >>> decisions = principal.ask(10)
        >>> found, before = principal.leading(2)
        >>> found.plays, int(before.sum())
        (10, 10)
        """
        return leading(self.market, self._current(), limit, before=before, named=named)

    def estimates(self, most_agents: int, most_arms: int) -> Estimates:
        """What the arms that may be shown seem to pay, as a market of the laboratory."""
        return estimates(self._current(), most_agents, most_arms)

    def digest(self) -> str:
        """Digest of everything that is remembered, bit for bit."""
        return self._current().digest()


def _check_no_token(field: str, value: str) -> None:
    """Refuse a new name that reads like what stands for one that was forgotten."""
    if value[0] == "~" and TOKEN.fullmatch(value):
        raise FieldError(field, value, "a name: it stands for one that was forgotten")
