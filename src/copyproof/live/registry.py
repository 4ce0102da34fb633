"""Who is in a market: agents and arms by name, and which of them may be chosen."""

from collections.abc import Collection, Mapping
from typing import Any

from copyproof.live.events import Eligible
from copyproof.live.records import Unknown


class Registry:
    """Names and numbers of agents and arms, both numbered in order of registration.

    Examples
    --------
    >>> registry = Registry()
    >>> registry.add_agent("ann")
    >>> registry.add_arm(0, "a")
    >>> registry.arm("ann", "a"), registry.choosable(None)
    (0, 1)
    """

    def __init__(self) -> None:
        self.agents: dict[str, int] = {}
        self.agent_names: list[str] = []
        self.suspended: list[bool] = []
        # Per agent: its arms ever registered, by name.
        self.arm_numbers: list[dict[str, int]] = []
        self.arm_names: list[str] = []
        self.arm_owner: list[int] = []
        # Per arm: whether it is registered and not suspended itself.
        self.there: list[bool] = []
        # Arms that are suspended, and whether they are registered.
        self.withheld: dict[int, bool] = {}
        # Per agent: how many of its arms are there.
        self.present: list[int] = []
        # Arms that are there, of agents that are not suspended.
        self.available = 0

    @classmethod
    def restore(cls, words: dict[str, Any], saved: dict[str, Any]) -> "Registry":
        """Make a registry of the words and arrays in which a market's state is saved."""
        found = cls()
        for name in words["agents"]:
            found.add_agent(name)
        found.suspended = saved["suspended"].astype(bool).tolist()
        owners, there = saved["arms"]["owner"].tolist(), saved["registered"].astype(bool).tolist()
        for owner, name, is_there in zip(owners, words["arms"], there, strict=True):
            found.add_arm(owner, name, there=is_there)
        found.withheld = dict(words["withheld"])
        return found

    def add_agent(self, name: str) -> None:
        """Add an agent."""
        self.agents[name] = len(self.agent_names)
        self.agent_names.append(name)
        self.suspended.append(False)
        self.arm_numbers.append({})
        self.present.append(0)

    def add_arm(self, agent: int, name: str, *, there: bool = True) -> None:
        """Add an arm that was not known."""
        self.arm_numbers[agent][name] = len(self.arm_names)
        self.arm_names.append(name)
        self.arm_owner.append(agent)
        self.there.append(False)
        if there:
            self._set_there(len(self.arm_names) - 1, there=True)

    def set_registered(self, arm: int, *, registered: bool) -> bool:
        """Let a known arm come back, or go; whether it is there now, and was not, or vice versa.

        One that is suspended comes or goes when that ends.
        """
        if arm in self.withheld:
            self.withheld[arm] = registered
            return False
        return self._set_there(arm, there=registered)

    def withhold(self, arm: int, *, withheld: bool) -> bool:
        """Suspend an arm, or end that; whether it went, or is there again."""
        if (arm in self.withheld) == withheld:
            return False
        if withheld:
            self.withheld[arm] = self.there[arm]
            return self._set_there(arm, there=False)
        return self._set_there(arm, there=self.withheld.pop(arm))

    def _set_there(self, arm: int, *, there: bool) -> bool:
        if self.there[arm] == there:
            return False
        self.there[arm] = there
        owner = self.arm_owner[arm]
        more = 1 if there else -1
        self.present[owner] += more
        if not self.suspended[owner]:
            self.available += more
        return True

    def set_suspended(self, agent: int, *, suspended: bool) -> bool:
        """Suspend an agent, or end that; whether it is a change."""
        if self.suspended[agent] == suspended:
            return False
        self.suspended[agent] = suspended
        self.available += -self.present[agent] if suspended else self.present[agent]
        return True

    def agent(self, name: object) -> int:
        """The number of an agent."""
        number = self.agents.get(name) if isinstance(name, str) else None
        if number is None:
            raise Unknown("agent", name)
        return number

    def arm(self, agent: object, name: object) -> int:
        """The number of an arm that is, or was, registered."""
        known = self.arm_numbers[self.agent(agent)]
        number = known.get(name) if isinstance(name, str) else None
        if number is None:
            raise Unknown("arm", name)
        return number

    def name_of(self, arm: int) -> tuple[str, str]:
        """Agent and name of an arm."""
        return self.agent_names[self.arm_owner[arm]], self.arm_names[arm]

    def is_registered(self, arm: int) -> bool:
        """Whether its agent has an arm registered, be it suspended or not."""
        return self.withheld.get(arm, self.there[arm])

    def numbers_of(self, eligible: Eligible) -> list[int]:
        """What is eligible as numbers: an agent a as a, an arm as −1 − arm."""
        for name in eligible:
            if name not in self.agents:
                raise Unknown("eligible", name)
        if not isinstance(eligible, Mapping):
            return [self.agents[name] for name in eligible]
        found: dict[int, None] = {}
        for agent, arms in eligible.items():
            known = self.arm_numbers[self.agents[agent]]
            for name in arms:
                if name not in known:
                    raise Unknown("eligible", name)
                found[-1 - known[name]] = None
        return list(found)

    def may_be_chosen(self, arm: int, among: Collection[int] | None) -> bool:
        """Whether a number is that of an arm to choose among these, or among all."""
        if not 0 <= arm < len(self.there):
            return False
        owner = self.arm_owner[arm]
        is_available = self.there[arm] and not self.suspended[owner]
        return is_available and (among is None or owner in among or -1 - arm in among)

    def choosable(self, among: list[int] | None) -> int:
        """How many arms there are to choose among these, or among all."""
        if among is None:
            return self.available
        found = 0
        for one in among:
            if not self.suspended[one if one >= 0 else self.arm_owner[-1 - one]]:
                found += self.present[one] if one >= 0 else self.there[-1 - one]
        return found
