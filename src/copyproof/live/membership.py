"""Who takes part in a market: agents and arms are registered, retired, suspended and resumed.

The part of the principal's interface that is seldom called. What it writes is written by the
principal, like everything else.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeAlias

from copyproof.live.events import (
    AgentRegistered,
    ArmRetired,
    ArmsRegistered,
    Key,
    MarketEvent,
    PolicyChanged,
    Resumed,
    Suspended,
    Unchanged,
    kind_of,
)
from copyproof.live.idempotency import Answer
from copyproof.live.market import MarketState, plan_of
from copyproof.live.records import MarketConfig, checked_pairs
from copyproof.policy import Policy, parse_policy
from copyproof.validation import name, require, shown

_Change: TypeAlias = AgentRegistered | Suspended | Resumed | ArmRetired | PolicyChanged


class Membership(ABC):
    """Requests that change who may be chosen, or by which policy."""

    config: MarketConfig

    @abstractmethod
    def group(self) -> AbstractContextManager[None]:
        """Commit all that is written within together."""

    @abstractmethod
    def _current(self) -> MarketState:
        """The state as the store has it."""

    @abstractmethod
    def _time(self) -> float:
        """The time of an event that is written now."""

    @abstractmethod
    def _keyed(self, key: str | None, request: Any) -> Key | None:
        """A key with the digest of its request."""

    @abstractmethod
    def _answered(self, key: Key | None) -> Answer | None:
        """What was answered to a key before."""

    @abstractmethod
    def _write(self, event: MarketEvent) -> Any:
        """Carry an event out, and have it stored."""

    def register_agent(self, agent: str, *, key: str | None = None) -> bool:
        """Register an agent; whether it is new."""
        agent = name("agent", agent)
        changes = agent not in self._current().registry.agents
        return self._change(AgentRegistered, key, changes, agent=agent)

    def suspend_agent(self, agent: str, *, key: str | None = None) -> bool:
        """Keep an agent out of all choices, its statistics kept; whether that is a change."""
        registry = self._current().registry
        changes = not registry.suspended[registry.agent(agent)]
        return self._change(Suspended, key, changes, agent=agent)

    def resume_agent(self, agent: str, *, key: str | None = None) -> bool:
        """Let a suspended agent back in; whether that is a change."""
        registry = self._current().registry
        changes = registry.suspended[registry.agent(agent)]
        return self._change(Resumed, key, changes, agent=agent)

    def suspend_arm(self, agent: str, arm: str, *, key: str | None = None) -> bool:
        """Keep one arm out of all choices, its statistics kept; whether that is a change.

        Its agent may retire it and register it again meanwhile, but not bring it back.
        """
        registry = self._current().registry
        changes = registry.arm(agent, arm) not in registry.withheld
        return self._change(Suspended, key, changes, agent=agent, arm=arm)

    def resume_arm(self, agent: str, arm: str, *, key: str | None = None) -> bool:
        """Let a suspended arm back in, if it is registered; whether that is a change."""
        registry = self._current().registry
        changes = registry.arm(agent, arm) in registry.withheld
        return self._change(Resumed, key, changes, agent=agent, arm=arm)

    def retire_arm(self, agent: str, arm: str, *, key: str | None = None) -> bool:
        """Withdraw an arm, its statistics kept; whether that is a change."""
        registry = self._current().registry
        changes = registry.is_registered(registry.arm(agent, arm))
        return self._change(ArmRetired, key, changes, agent=agent, arm=arm)

    def set_policy(self, policy: Policy | str, *, key: str | None = None) -> bool:
        """Run another policy from now on, all statistics kept; whether that is a change."""
        wanted = parse_policy(policy) if isinstance(policy, str) else policy
        require(isinstance(wanted, Policy), "policy", policy, "a policy or its text")
        plan_of(wanted, self.config)
        changes = str(wanted) != str(self._current().policy)
        return self._change(PolicyChanged, key, changes, policy=str(wanted))

    def register_arm(self, agent: str, arm: str, *, key: str | None = None) -> bool:
        """Register an arm, and its agent if it is not known; whether that is a change.

        An arm that was retired comes back with its statistics.
        """
        return self.register_arms([(agent, arm)], key=key) > 0

    def register_arms(self, pairs: Sequence[tuple[str, str]], *, key: str | None = None) -> int:
        """Register arms as (agent, arm), and agents that are not known; how many are a change."""
        named = [
            [name(f"arms[{n}].agent", agent), name(f"arms[{n}].arm", arm)]
            for n, (agent, arm) in enumerate(checked_pairs("arms", pairs, "(agent, arm)"))
        ]
        keyed = self._keyed(key, ["arms", named])
        if found := self._answered(keyed):
            return int(found.answer)
        registry = self._current().registry
        wanted: dict[tuple[str, str], None] = {}
        new: dict[str, int] = {}
        for agent, arm in named:
            number = registry.agents.get(agent)
            known = None if number is None else registry.arm_numbers[number].get(arm)
            if (agent, arm) in wanted or (known is not None and registry.is_registered(known)):
                continue
            wanted[agent, arm] = None
            if known is None:
                new[agent] = new.get(agent, 0) + 1
        self._check_most_arms(new)
        answer = None if keyed is None else Key(keyed.key, keyed.request, len(wanted))
        with self.group():
            for agent in dict.fromkeys(agent for agent, _ in wanted):
                if agent not in registry.agents:
                    self._write(AgentRegistered(agent, self._time()))
            if wanted:
                arms = [list(pair) for pair in wanted]
                self._write(ArmsRegistered(arms, self._time(), answer))
            elif answer is not None:
                self._write(Unchanged(self._time(), answer))
        return len(wanted)

    def _check_most_arms(self, new: Mapping[str, int]) -> None:
        """Refuse arms beyond those that an agent may ever register."""
        registry, most = self._current().registry, self.config.most_arms
        if most is None:
            return
        for agent, more in new.items():
            number = registry.agents.get(agent)
            ever = more + (0 if number is None else len(registry.arm_numbers[number]))
            accepted = f"at most {most}: arms that agent {shown(agent)} ever registered"
            require(ever <= most, "arms", ever, accepted)

    def _change(self, record: type[_Change], key: str | None, changes: bool, **values: Any) -> bool:
        """Write one change, or, if there is none, the answer to a key; whether there is one."""
        keyed = self._keyed(key, [kind_of(record), values])
        if found := self._answered(keyed):
            return bool(found.answer)
        answer = None if keyed is None else Key(keyed.key, keyed.request, changes)
        if changes or answer is not None:
            with self.group():
                at = self._time()
                if changes:
                    self._write(record(**values, at=at, key=answer))
                elif answer is not None:
                    self._write(Unchanged(at, answer))
        return changes
