"""A market as its journal tells it: the state is a function of the events, and of nothing else.

``enter`` takes events one by one, ``settle`` carries them out. The principal makes an event out of
every request and enters it here; replay enters the same events again, many before it settles, and
arrives at the same state to the last bit. No clock is read, and no random number but keyed ones.

Kinds of events (names are texts; ``at`` is in seconds since 1970; arms in ``asked`` are numbers in
order of registration, decisions are numbered by rounds 1, 2, 3, …):

==========  ===================================================================================
policy      policy: the policy from now on, statistics kept
agent       agent: it registers
suspend     agent, or one of its arms: agent, arm
resume      the same
arms        arms = [[agent, arm], …]: they register; one that is known comes back
retire      agent, arm
asked       at, round = the first one, arms = what was decided; eligible, slate as asked for
told        at, rounds, rewards
expired     at, upto: what waits up to this round takes the default; forgotten
==========  ===================================================================================

Any event may have ``key``, ``request`` (a digest) and, with its ``at``, an ``answer``: the same key
gets the same answer again. Keys are kept for a day by the events' times.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from copyproof.engine.live import OUTCOME
from copyproof.live.kept import Keys
from copyproof.live.machine import Machine
from copyproof.live.records import STATUSES, MarketConfig, Unknown
from copyproof.policy import parse_policy

FORMAT = 2
"""Of what ``words`` and ``arrays`` give; another one is not read, but replayed from the journal."""
Event = dict[str, Any]
Eligible = Mapping[str, Sequence[str]] | Sequence[str]


class Diverged(RuntimeError):
    """The journal holds decisions that this engine does not make: another version wrote it."""


class MarketState:
    """Names, keys and numbers of a market.

    Examples
    --------
    >>> state = MarketState(MarketConfig(policy="h-ucb"))
    >>> state.enter({"kind": "agent", "agent": "ann"})
    >>> state.enter({"kind": "arms", "arms": [["ann", "a"]]})
    >>> state.enter({"kind": "asked", "at": 0.0, "round": 1, "arms": [0, 0]})
    >>> outcomes = state.settle()
    >>> state.machine.round
    2
    """

    def __init__(self, config: MarketConfig) -> None:
        self.config = config
        self.machine = Machine(parse_policy(config.policy), config)
        self.agents: dict[str, int] = {}
        self.agent_names: list[str] = []
        self.suspended: list[bool] = []
        self.arm_numbers: list[dict[str, int]] = []
        """Per agent: its arms ever registered, by name."""
        self.arm_names: list[str] = []
        self.arm_owner: list[int] = []
        self.there: list[bool] = []
        """Per arm: whether it is registered and not suspended itself."""
        self.withheld: dict[int, bool] = {}
        """Arms that are suspended, and whether they are registered."""
        self.present: list[int] = []
        """Per agent: how many of its arms are there."""
        self.available = 0
        """Arms that are there, of agents that are not suspended."""
        self.keys = Keys()
        self.at = 0.0
        self._keyed: list[tuple[Event, int]] = []
        self._expected: list[int] = []
        self._open: Event | None = None

    # --- events ----------------------------------------------------------------------------

    def enter(self, event: Event) -> None:
        """Take one event in; what it does to the statistics is done by ``settle``."""
        start = self.machine.gathered
        match event["kind"]:
            case "asked":
                self._enter_asked(event)
            case "told":
                self.machine.tell(event["rounds"], event["rewards"])
            case "expired":
                self.machine.expire(event["upto"], event["forgotten"])
            case "arms":
                self._enter_arms(event["arms"])
            case "retire":
                self._register(self.arm(event["agent"], event["arm"]), registered=False)
            case "agent":
                self._enter_agent(event["agent"])
            case "suspend" if "arm" in event:
                self._withhold(self.arm(event["agent"], event["arm"]))
            case "resume" if "arm" in event:
                self._release(self.arm(event["agent"], event["arm"]))
            case "suspend":
                self._suspend(self.agent(event["agent"]), suspended=True)
            case "resume":
                self._suspend(self.agent(event["agent"]), suspended=False)
            case "policy":
                self.machine.set_policy(parse_policy(event["policy"]))
            case "kept":
                pass
            case kind:
                raise Diverged(f"the journal holds an event of kind {kind!r}, which is not known")
        self.at = max(self.at, event.get("at", self.at))
        if "key" in event:
            self._keyed.append((event, start))

    def settle(self) -> Any:
        """Carry out what was entered; the outcome of every operation.

        An ``asked`` event that has a count instead of arms must come alone, and gets them.
        """
        outcomes, made = self.machine.flush()
        if self._open is not None:
            self._open["arms"] = made
            del self._open["count"]
            self._open = None
        elif made != self._expected:
            first = self.machine.round - len(made) + 1
            raise Diverged(
                f"decisions from round {first} on are not those of the journal: it was written by "
                "another version of copyproof, or is damaged; open it with the version that wrote "
                "it and take a snapshot there"
            )
        self._expected = []
        for event, start in self._keyed:
            self._keep(event, outcomes, start)
        self._keyed = []
        return outcomes

    def _keep(self, event: Event, outcomes: Any, start: int) -> None:
        match event["kind"]:
            case "asked":
                answer: Any = [event["round"], event["arms"]]
            case "told":
                mine = outcomes[start : start + len(event["rounds"])]
                answer = [event["rounds"], answers_of(mine)]
            case _:
                answer = event.get("answer")
        self.keys.put(event["key"], event["at"], event["request"], answer)

    def _enter_asked(self, event: Event) -> None:
        eligible = event.get("eligible")
        among = None if eligible is None else self.numbers_of(eligible)
        count = event["count"] if "count" in event else len(event["arms"])
        self.machine.ask(count, event["at"], among=among, slate=bool(event.get("slate")))
        if "arms" in event:
            self._expected += event["arms"]
        else:
            self._open = event

    def _enter_agent(self, name: str) -> None:
        self.agents[name] = self.machine.add_agent()
        self.agent_names.append(name)
        self.suspended.append(False)
        self.arm_numbers.append({})
        self.present.append(0)

    def _enter_arms(self, pairs: Sequence[Sequence[str]]) -> None:
        if len(pairs) > 1:
            more: dict[int, int] = {}
            for agent, _ in pairs:
                number = self.agents[agent]
                more[number] = more.get(number, 0) + 1
            for number, count in more.items():
                self.machine.make_room(number, count)
        for agent, name in pairs:
            number = self.agents[agent]
            arms = self.arm_numbers[number]
            arm = arms.get(name)
            if arm is None:
                arms[name] = self.machine.add_arm(number)
                self.arm_names.append(name)
                self.arm_owner.append(number)
                self.there.append(True)
                self.present[number] += 1
                self.available += not self.suspended[number]
            else:
                self._register(arm, registered=True)

    def _register(self, arm: int, *, registered: bool) -> None:
        """Let a known arm come back, or go; one that is suspended does so when that ends."""
        if arm in self.withheld:
            self.withheld[arm] = registered
        else:
            self._let(arm, there=registered)

    def _withhold(self, arm: int) -> None:
        if arm not in self.withheld:
            self.withheld[arm] = self.there[arm]
            self._let(arm, there=False)

    def _release(self, arm: int) -> None:
        if arm in self.withheld:
            self._let(arm, there=self.withheld.pop(arm))

    def _let(self, arm: int, *, there: bool) -> None:
        if self.there[arm] == there:
            return
        if there:
            self.machine.return_arm(arm)
        else:
            self.machine.retire_arm(arm)
        self.there[arm] = there
        owner = self.arm_owner[arm]
        more = 1 if there else -1
        self.present[owner] += more
        if not self.suspended[owner]:
            self.available += more

    def _suspend(self, agent: int, *, suspended: bool) -> None:
        if self.suspended[agent] == suspended:
            return
        self.suspended[agent] = suspended
        if suspended:
            self.machine.suspend(agent)
            self.available -= self.present[agent]
        else:
            self.machine.resume(agent)
            self.available += self.present[agent]

    # --- names -----------------------------------------------------------------------------

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

    def choosable(self, among: list[int] | None) -> int:
        """How many arms there are to choose among these, or among all."""
        if among is None:
            return self.available
        found = 0
        for one in among:
            if not self.suspended[one if one >= 0 else self.arm_owner[-1 - one]]:
                found += self.present[one] if one >= 0 else self.there[-1 - one]
        return found

    # --- the whole of it -------------------------------------------------------------------

    def arrays(self) -> dict[str, Any]:
        """The numbers (``Arena.export``), and the keys."""
        return {**self.machine.arena.export(), "keys": self.keys.export()}

    def words(self) -> dict[str, Any]:
        """Everything else, ready for JSON."""
        return {
            "format": FORMAT,
            "config": self.config.to_dict(),
            "policy": str(self.machine.policy),
            "agents": self.agent_names,
            "arms": self.arm_names,
            "withheld": list(self.withheld.items()),
            "at": self.at,
        }

    def digest(self) -> str:
        """Digest of everything that is remembered, bit for bit."""
        digest = hashlib.sha256(json.dumps(self.words(), sort_keys=True).encode())
        for name, array in sorted(self.arrays().items()):
            digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
            digest.update(array.tobytes())
        return digest.hexdigest()

    @classmethod
    def from_parts(cls, words: dict[str, Any], arrays: dict[str, Any]) -> "MarketState":
        """Make a state of what ``words`` and ``arrays`` gave."""
        state = cls(MarketConfig.from_dict(words["config"]))
        state.machine.load(parse_policy(words["policy"]), arrays)
        state.agent_names, state.arm_names = words["agents"], words["arms"]
        state.agents = {name: number for number, name in enumerate(state.agent_names)}
        state.suspended = [bool(one) for one in arrays["suspended"].tolist()]
        state.there = [bool(one) for one in arrays["registered"].tolist()]
        state.withheld = dict(words["withheld"])
        state.arm_owner = arrays["arms"]["owner"].tolist()
        state.arm_numbers = [{} for _ in state.agent_names]
        state.present = [0] * len(state.agent_names)
        for arm, (owner, name) in enumerate(zip(state.arm_owner, state.arm_names, strict=True)):
            state.arm_numbers[owner][name] = arm
            state.present[owner] += state.there[arm]
        state.available = sum(
            count
            for count, suspended in zip(state.present, state.suspended, strict=True)
            if not suspended
        )
        state.at = words["at"]
        state.keys.load(arrays["keys"])
        return state


def answers_of(outcomes: Any) -> list[list[Any]]:
    """Status and worth of told rewards, ready for JSON; None for a play that is forgotten."""
    assert outcomes.dtype == OUTCOME
    return [
        [STATUSES[status], value if value == value else None] for status, value in outcomes.tolist()
    ]
