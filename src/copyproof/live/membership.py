"""Who takes part in a game: agents and arms that come and go, and names that are bound.

The registry knows names, and the arrays principals (``principals``). A principal with one name is
suspended as a whole; of one with several the arms of the name that is suspended are withdrawn.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from copyproof.engine import live
from copyproof.engine.live_records import LAID
from copyproof.live.arrays import Arrays
from copyproof.live.events import AgentRegistered, Bound
from copyproof.live.operations import Operations
from copyproof.live.regrouping import regroup
from copyproof.live.terms import unanswered_of


class Membership(Operations):
    """A game, and who takes part in it."""

    def _add_agent(self, event: AgentRegistered) -> None:
        """Let an agent join, maybe as one more name of a principal."""
        self._run()
        registry, group = self.registry, event.group
        identities, principals = registry.identities, registry.principals
        members = [] if group is None else identities.members(group)
        joins = principals.number[members[0]] if principals.are_one(members) else None
        registry.add_agent(event.agent, joins)
        if joins is None:
            self._gather(live.AGENT, self.arrays.add_agent())
        if group is not None:
            number = registry.agents[event.agent]
            identities.bind([number], group)
            if joins is None:
                self._regroup([number], [*members, number])

    def _bind(self, event: Bound) -> None:
        """Bind names to one principal, or free them."""
        identities, group = self.registry.identities, event.group
        identities.enter(event)
        self._regroup(event.members, None if group is None else identities.members(group))

    def _regroup(self, moved: Sequence[int], together: Sequence[int] | None) -> None:
        """Let some names be one principal, or those that move be free."""
        self._run()
        registry = self.registry
        principals, before = registry.principals, list(registry.principals.number)
        principals.regroup(moved, together)
        if principals.number == before:
            return
        self.copying = None
        if not self.arrays.counters[LAID]:
            principals.number_anew()
            registry.regrouped()
            self._begin_anew()
            return
        registry.regrouped()
        arms, number = range(len(registry.arm_names)), principals.number
        regroup(
            self.arrays,
            owner=np.array([number[one] for one in registry.arm_owner], np.int32),
            registered=np.array([self._takes_part(arm) for arm in arms], np.int8),
            suspended=np.array([self._is_suspended(some) for some in principals.names], np.int8),
            vacant=np.array([not some for some in principals.names], bool),
        )

    def _begin_anew(self) -> None:
        """Lay out the arrays for the principals there are, before the first decision."""
        registry = self.registry
        number, names = registry.principals.number, registry.principals.names
        self.arrays = Arrays(self.arrays.plan, unanswered_of(self.config))
        for _ in names:
            self._run()
            self._gather(live.AGENT, self.arrays.add_agent())
        owners = [number[one] for one in registry.arm_owner]
        self._make_room(owners)
        for arm, owner in enumerate(owners):
            self._gather(live.ADMIT, *self.arrays.add_arm(owner), owner)
            if not self._takes_part(arm):
                self._gather(live.RETIRE, self.arrays.item_of(arm))
        for one, some in enumerate(names):
            if self._is_suspended(some):
                self._gather(live.SUSPEND, one)

    def _is_suspended(self, names: Sequence[int]) -> bool:
        """Whether a principal is suspended as a whole."""
        return len(names) == 1 and self.registry.suspended[names[0]]

    def _takes_part(self, arm: int) -> bool:
        """Whether an arm is there for its principal."""
        registry = self.registry
        owner = registry.arm_owner[arm]
        is_out = registry.suspended[owner] and not registry.principals.is_alone(owner)
        return registry.there[arm] and not is_out

    def _make_room(self, owners: Sequence[int]) -> None:
        """Make room for so many more arms of principals, each as often as it is there."""
        for pool, count in Counter(map(self.arrays.pool_of, owners)).items():
            if not self.arrays.has_room(pool, count):
                self._run()
                self.arrays.make_room(pool, count)

    def _register(self, arms: Sequence[Sequence[str]]) -> None:
        """Let arms come, or come back; what they are may stand behind their names."""
        registry = self.registry
        number = registry.principals.number
        named = [(registry.agents[agent], name, content) for agent, name, *content in arms]
        new = [number[one] for one, name, _ in named if name not in registry.arm_numbers[one]]
        self._make_room(new)
        for agent, name, content in named:
            arm = registry.arm_numbers[agent].get(name)
            if arm is None:
                arm = len(registry.arm_names)
                registry.add_arm(agent, name)
                owner = number[agent]
                self._gather(live.ADMIT, *self.arrays.add_arm(owner), owner)
                if not self._takes_part(arm):
                    self._gather(live.RETIRE, self.arrays.item_of(arm))
            else:
                self._follow(arm, registry.set_registered(arm, registered=True))
            if content:
                registry.set_content(arm, *content)

    def _suspend(self, agent: str, arm: str | None, suspended: bool) -> None:
        """Suspend an agent, or one of its arms, or end that."""
        registry = self.registry
        if arm is not None:
            number = registry.arm(agent, arm)
            self._follow(number, registry.withhold(number, withheld=suspended))
            return
        name = registry.agent(agent)
        if not registry.set_suspended(name, suspended=suspended):
            return
        if registry.principals.is_alone(name):
            number = registry.principals.number[name]
            self._gather(live.SUSPEND if suspended else live.RESUME, number)
            return
        for one in registry.arm_numbers[name].values():
            if registry.there[one]:
                code = live.RETIRE if suspended else live.RETURN
                self._gather(code, self.arrays.item_of(one))

    def _follow(self, arm: int, changed: bool) -> None:
        """Let the arrays follow the registry, if an arm came or went."""
        registry = self.registry
        owner = registry.arm_owner[arm]
        is_out = registry.suspended[owner] and not registry.principals.is_alone(owner)
        if changed and not is_out:
            code = live.RETURN if registry.there[arm] else live.RETIRE
            self._gather(code, self.arrays.item_of(arm))

    def rows_by_name(self) -> Any:
        """The statistics of all names, of all epochs; a copy.

        Of names that are bound to others, what their arms come to.
        """
        principals = self.registry.principals
        rows = self.arrays.agent_rows()
        if principals.is_trivial:
            return rows
        found = rows[principals.number]
        for name in range(len(found)):
            if not principals.is_alone(name):
                arms = np.array([*self.registry.arm_numbers[name].values()], np.int64)
                mine, _ = self.arrays.arm_rows(arms)
                for field in ("total", "plays", "answers"):
                    found[field][name] = mine[field].sum()
        return found
