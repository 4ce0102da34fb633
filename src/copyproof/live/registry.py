"""Who is in a market: agents and arms by name, and which of them may be chosen.

Agents here are names. Which of them are one is said by ``principals``: places on a slate are
counted by principal, and all else by name.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from copyproof.client.records import IdentitySuspicion
from copyproof.live.events import Bound, Eligible
from copyproof.live.identities import Identities
from copyproof.live.principals import NAMED_ARM, Principals
from copyproof.live.records import NoArm, SeenBy, Unknown


class Among(NamedTuple):
    """What may be chosen: an agent a as a, an arm as −1 − arm."""

    listed: Collection[int] | None  # None for all
    ruled_out: Collection[int]  # and is not to be chosen, though it is listed


def nothing_among(among: Among | None) -> NoArm:
    """Return the error that says why there is nothing to choose.

    Examples
    --------
    >>> nothing_among(Among(None, [3])).field
    'seen'
    """
    if among is None:
        return NoArm("no arm is registered")
    if among.listed is not None and not among.listed:
        return NoArm("eligible is empty: leave it out, or name agents, or arms by agent")
    if among.ruled_out:
        return NoArm("seen: nothing is left that this visitor has not had", "seen")
    return NoArm("eligible: no such arm is registered")


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

    def __init__(self, per_agent: int | None = None, seen: SeenBy = "agent") -> None:
        # How many arms of one agent a slate may hold, and what a ``seen`` list rules out.
        self.per_agent = per_agent
        self.seen = seen
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
        # Arms that are there, of agents that are not suspended: by principal, in all, and how many
        # of them fit a slate.
        self._shown: list[int] = []
        self.available = 0
        self.places = 0
        # What arms are, as far as it was said, and all arms of one content.
        self.content: dict[int, str] = {}
        self.of_content: dict[str, list[int]] = {}
        # Who may stand behind several names, and who is known to.
        self.identities = Identities()
        self.principals = Principals()

    @classmethod
    def restore(
        cls, words: dict[str, Any], saved: dict[str, Any], per_agent: int | None, seen: SeenBy
    ) -> "Registry":
        """Make a registry of the words and arrays in which a market's state is saved."""
        found = cls(per_agent, seen)
        for name in words["agents"]:
            found.add_agent(name)
        owners, there, suspended = saved["arms"]["owner"], saved["registered"], saved["suspended"]
        if "names" in saved:
            found.principals.load(saved["names"], len(saved["agents"]))
            found._shown = [0] * len(saved["agents"])
            suspended = saved["names"]["suspended"]
            owners, there = saved["named_arms"]["name"], saved["named_arms"]["there"]
        found.suspended = suspended.astype(bool).tolist()
        owners, there = owners.tolist(), there.astype(bool).tolist()
        for owner, name, is_there in zip(owners, words["arms"], there, strict=True):
            found.add_arm(owner, name, there=is_there)
        found.withheld = dict(words["withheld"])
        for arm, content in words.get("content", ()):
            found.set_content(arm, content)
        found.identities = Identities.restore(words)
        return found

    def words(self) -> dict[str, Any]:
        """What is known beyond names, ready for JSON; left out where there is none."""
        content = {"content": list(self.content.items())} if self.content else {}
        return content | self.identities.words()

    def export(self) -> dict[str, Any]:
        """Who is one, and what the arrays of a game then do not say of names; else nothing."""
        if self.principals.is_trivial:
            return {}
        arms = np.zeros(len(self.arm_names), NAMED_ARM)
        arms["name"], arms["there"] = self.arm_owner, self.there
        return {"names": self.principals.export(self.suspended), "named_arms": arms}

    def bindings(self, at: float) -> list[Bound]:
        """Who is bound to whom, as events of a market in which nobody is yet."""
        return [Bound([number], at, group) for number, group in self.identities.groups.items()]

    def suspicions(
        self, after: str | None = None, limit: int | None = None
    ) -> tuple[list[IdentitySuspicion], str | None]:
        """Arms of several agents that are alike, in pages, and what to ask for the next with."""
        return self.identities.suspicions(self.name_of, self.arm_owner, after, limit)

    def add_agent(self, name: str, joins: int | None = None) -> None:
        """Add an agent: a principal of its own, or one more name of one that is there."""
        self.agents[name] = len(self.agent_names)
        self.principals.add(joins)
        if joins is None:
            self._shown.append(0)
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

    def set_content(self, arm: int, content: str) -> None:
        """Say what an arm is, which nobody has said before."""
        self.content[arm] = content
        self.of_content.setdefault(content, []).append(arm)

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
            self._show(owner, more)
        return True

    def _show(self, agent: int, more: int) -> None:
        """Let more, or fewer, arms of an agent be there to choose."""
        number = self.principals.number[agent]
        before = self._fitting(self._shown[number])
        self._shown[number] += more
        self.available += more
        self.places += self._fitting(self._shown[number]) - before

    def regrouped(self) -> None:
        """Count again, after principals have changed."""
        self._shown = [0] * len(self.principals.names)
        self.available = self.places = 0
        for agent, present in enumerate(self.present):
            if not self.suspended[agent]:
                self._show(agent, present)

    def _fitting(self, arms: int) -> int:
        """How many of one principal's arms fit a slate."""
        return arms if self.per_agent is None else min(arms, self.per_agent)

    def set_suspended(self, agent: int, *, suspended: bool) -> bool:
        """Suspend an agent, or end that; whether it is a change."""
        if self.suspended[agent] == suspended:
            return False
        self.suspended[agent] = suspended
        self._show(agent, -self.present[agent] if suspended else self.present[agent])
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

    def numbers_of(self, eligible: Eligible, field: str = "eligible") -> list[int]:
        """What is named as numbers: an agent a as a, an arm as −1 − arm."""
        for n, name in enumerate(eligible):
            if name not in self.agents:
                place = "" if isinstance(eligible, Mapping) else f"[{n}]"
                raise Unknown(field + place, name)
        if not isinstance(eligible, Mapping):
            return [self.agents[name] for name in eligible]
        found: dict[int, None] = {}
        for agent, arms in eligible.items():
            known = self.arm_numbers[self.agents[agent]]
            for n, name in enumerate(arms):
                if name not in known:
                    raise Unknown(f"{field}.{agent}[{n}]", name)
                found[-1 - known[name]] = None
        return list(found)

    def split(self, named: Eligible) -> tuple[Any, Any]:
        """What of agents, or of arms by agent, is known, and what is not; both in its form.

        Examples
        --------
        >>> registry = Registry()
        >>> registry.split(["ann"]), registry.split({"ann": ["a"]})
        (([], ['ann']), ({}, {'ann': ['a']}))
        """
        if not isinstance(named, Mapping):
            rest = [one for one in named if one not in self.agents]
            return [one for one in named if one in self.agents], rest
        found: dict[str, list[str]] = {}
        unknown: dict[str, list[str]] = {}
        for agent, arms in named.items():
            number = self.agents.get(agent)
            known = {} if number is None else self.arm_numbers[number]
            if number is not None:
                found[agent] = [arm for arm in arms if arm in known]
            if number is None or len(found[agent]) < len(arms):
                unknown[agent] = [arm for arm in arms if arm not in known]
        return found, unknown

    def among(self, eligible: Eligible | None, seen: Sequence[int] | None) -> Among | None:
        """What may be chosen by a visitor who has seen some arms; None if that is everything."""
        ruled_out = self.ruled_out(seen) if seen else []
        if eligible is None:
            return Among(None, ruled_out) if ruled_out else None
        return Among(self.numbers_of(eligible), ruled_out)

    def ruled_out(self, seen: Sequence[int]) -> list[int]:
        """What is not shown again to a visitor who has seen some arms."""
        if self.seen == "agent":
            owners = dict.fromkeys(self.arm_owner[arm] for arm in seen)
            bound = self.identities.bound_with
            return list(dict.fromkeys(one for owner in owners for one in bound(owner)))
        found: dict[int, None] = {}
        for arm in seen:
            content = self.content.get(arm)
            for same in (arm,) if content is None else self.of_content[content]:
                found[-1 - same] = None
        return list(found)

    def may_be_chosen(self, arm: int, among: Among | None) -> bool:
        """Whether a number is that of an arm to choose among these, or among all."""
        if not 0 <= arm < len(self.there):
            return False
        owner = self.arm_owner[arm]
        if not self.there[arm] or self.suspended[owner]:
            return False
        if among is None:
            return True
        is_listed = among.listed is None or owner in among.listed or -1 - arm in among.listed
        return is_listed and not (owner in among.ruled_out or -1 - arm in among.ruled_out)

    def choosable(self, among: Among | None, *, slate: bool = False) -> int:
        """How many arms there are to choose among these, or among all; or how many fit a slate."""
        whole = self.places if slate else self.available
        if among is None:
            return whole
        found = 0
        number, names = self.principals.number, self.principals.names
        # Arms by agent: of all that are listed, or, if all are, of principals that lose some.
        arms: dict[int, int] = {}
        if among.listed is None:
            found = whole
            for one in {number[self._owner(one)] for one in among.ruled_out}:
                arms |= {agent: self.present[agent] for agent in names[one]}
                found -= self._fitting(self._shown[one]) if slate else self._shown[one]
        for one in among.listed or ():
            more = self.present[one] if one >= 0 else int(self.there[-1 - one])
            arms[self._owner(one)] = arms.get(self._owner(one), 0) + more
        listed = None if among.listed is None else frozenset(among.listed)
        for one in among.ruled_out:
            owner = self._owner(one)
            if one >= 0:
                arms.pop(one, None)
            elif self.there[-1 - one] and (listed is None or owner in listed or one in listed):
                arms[owner] -= 1
        left: dict[int, int] = {}
        for owner, count in arms.items():
            if not self.suspended[owner]:
                left[number[owner]] = left.get(number[owner], 0) + count
        return found + sum(self._fitting(count) if slate else count for count in left.values())

    def _owner(self, one: int) -> int:
        return one if one >= 0 else self.arm_owner[-1 - one]
