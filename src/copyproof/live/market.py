"""A market as its journal tells it: the state is a function of the events, and of nothing else.

``enter`` takes events one by one, ``settle`` carries them out. The principal makes an event out of
every request and enters it here; replay enters the same events again, many before it settles, and
arrives at the same state to the last bit (decisions that were made under other numerics are taken
from the journal). No clock is read, and no random number but keyed ones.

What events do to the statistics is gathered as operations first, and done with one call of the
kernel: what a call costs before it does anything is worth several decisions of 1 µs.
"""

import hashlib
import json
from collections.abc import Sequence
from itertools import zip_longest
from operator import attrgetter
from typing import Any, assert_never

import numpy as np

from copyproof.engine import live, live_records
from copyproof.engine.live import OPERATION, OUTCOME, serve
from copyproof.engine.live_records import BASE, EXPIRED, FORGOTTEN, ROUND
from copyproof.engine.repeated_calls import RepeatedCalls
from copyproof.engine.selection import EVERYONE
from copyproof.engine.version import NUMERICS
from copyproof.live import events
from copyproof.live.arrays import Arrays
from copyproof.live.arrays_copy import ArraysCopy
from copyproof.live.events import Asked, Diverged, GameEvent, MarketEvent, Rewarded
from copyproof.live.idempotency import Answers
from copyproof.live.outcomes import CarriedOut, answers_of
from copyproof.live.records import MarketConfig
from copyproof.live.registry import Among, Registry
from copyproof.live.terms import plan_of, terms_of
from copyproof.policy import Policy, parse_policy

# Of what ``words`` and ``export`` give; another one is not read, but replayed from the journal.
FORMAT = 2
_NONE = np.zeros(0, OUTCOME)
_NO_LISTS = np.zeros(0, np.int64)


class MarketState:
    """Names, keys and numbers of a market, and the operations that wait to be carried out.

    Examples
    --------
    >>> state = MarketState(MarketConfig(policy="h-ucb"))
    >>> state.enter(events.AgentRegistered("ann", at=0.0))
    >>> state.enter(events.ArmsRegistered([["ann", "a"]], at=0.0))
    >>> state.enter(Asked(round=1, arms=[0, 0], at=0.0))
    >>> outcomes = state.settle()
    >>> state.round
    2
    """

    def __init__(self, config: MarketConfig, policy: Policy | None = None) -> None:
        self.config = config = config.seeded()
        self.policy = parse_policy(config.policy) if policy is None else policy
        self.arrays = Arrays(plan_of(self.policy, config), estimates=config.estimates)
        self.registry = Registry(config.per_agent, config.seen)
        self.answers = Answers()
        self._terms, self._call = terms_of(config), RepeatedCalls()
        self.at = 0.0
        # Whether decisions that are entered were made under other numerics, and are not made again.
        self.follows = config.numerics != NUMERICS
        self._operations: list[tuple[int, int, int, int, float]] = []
        self._one = np.zeros(1, OPERATION)  # the array of them, if there is one
        self._lists: list[int] = []
        self._decisions = 0
        self._done = 0  # operations that were carried out since the last ``settle``
        self._outcomes: list[Any] = []
        self._made: list[int] = []
        self._expected: list[int] = []
        self._keyed: list[tuple[GameEvent, int]] = []
        self.copying: ArraysCopy | None = None  # a copy that is being made, and told what changes

    # --- events ----------------------------------------------------------------------------

    def enter(self, event: GameEvent) -> None:
        """Take one event in; what it does to the statistics is done by ``settle``."""
        registry = self.registry
        match event:
            case Asked():
                among = registry.among(event.eligible, event.seen)
                if self.follows:
                    self._check_followed(event, among)
                self.gather(len(event.arms), event.at, among, event.slate)
                self._expected += event.arms
            case Rewarded():
                append, code = self._operations.append, live.TELL
                for number, reward in zip(event.rounds, event.rewards, strict=True):
                    append((code, number, 0, 0, reward))
            case events.Expired():
                self._gather(live.EXPIRE, event.upto, event.forgotten)
            case events.AgentRegistered():
                self._run()
                registry.add_agent(event.agent)
                self._gather(live.AGENT, self.arrays.add_agent())
            case events.ArmsRegistered():
                self._register(event.arms)
            case events.ArmRetired():
                arm = registry.arm(event.agent, event.arm)
                self._follow(arm, registry.set_registered(arm, registered=False))
            case events.Suspended() | events.Resumed():
                self._suspend(event.agent, event.arm, isinstance(event, events.Suspended))
            case events.PolicyChanged():
                self._change_policy(parse_policy(event.policy))
            case events.ClockSet():
                self._set_clock(event.at)
            case events.Fingerprinted() | events.Bound() | events.Reviewed():
                registry.identities.enter(event)
            case events.Unchanged():
                pass
            case _:
                assert_never(event)
        self.at = max(self.at, event.at)
        if event.key is not None:
            self._keyed.append((event, self.waiting))

    def settle(self) -> Any:
        """Carry out what was entered; the outcome of every operation."""
        self._run()
        outcomes = self._joined_outcomes()
        if self._made != self._expected:
            raise Diverged(
                f"decisions from round {self.round - len(self._made) + 1} on are not those of the "
                "journal: it was written by another version of copyproof, or is damaged; open it "
                "with the version that wrote it and take a snapshot there"
            )
        self._outcomes, self._made, self._expected, self._done = [], [], [], 0
        for event, end in self._keyed:
            self.keep_settled(event, outcomes[:end])
        self._keyed = []
        return outcomes

    def first_difference(self) -> tuple[int, int | None, int | None] | None:
        """Where decisions and the journal part, after ``Diverged``: place, journal's arm, ours."""
        both = enumerate(zip_longest(self._expected, self._made))
        return next((n, theirs, ours) for n, (theirs, ours) in both if theirs != ours)

    def decide(self, plays: int, at: float, among: Among | None, slate: bool) -> list[int]:
        """Make decisions; the arms, for the event. What became of rewards before is not told."""
        self.gather(plays, at, among, slate)
        return self.carry_out().arms

    def carry_out(self) -> CarriedOut:
        """Carry out what was gathered or entered, with one call of the kernel."""
        self._run()
        done = CarriedOut(self._joined_outcomes(), self._made)
        self._outcomes, self._made, self._done = [], [], 0
        return done

    def _joined_outcomes(self) -> Any:
        found = self._outcomes
        return found[0] if len(found) == 1 else np.concatenate([_NONE, *found])

    def keep_settled(self, event: MarketEvent, outcomes: Any) -> None:
        """Keep the answer to a key; ``outcomes`` end with those of the event."""
        told: list[list[Any]] = []
        if isinstance(event, Rewarded):
            told = answers_of(outcomes[len(outcomes) - len(event.rounds) :])
        self.keep_answer(event, told)

    def keep_answer(self, event: MarketEvent, told: Sequence[Sequence[Any]] = ()) -> None:
        """Keep the answer to a key; ``told`` is what became of its rewards."""
        assert event.key is not None
        match event:
            case Asked():
                answer: Any = [event.round, event.arms]
            case Rewarded():
                answer = [event.rounds, told]
            case _:
                answer = event.key.answer
        self.answers.put(event.key.key, event.at, event.key.request, answer)

    # --- operations ------------------------------------------------------------------------

    def _gather(self, code: int, first: int, start: int = 0, stop: int = 0) -> None:
        self._operations.append((code, first, start, stop, 0.0))

    def gather(
        self, count: int, at: float, among: Among | None = None, slate: bool = False
    ) -> None:
        """Have decisions made with the next call of the kernel."""
        start = stop = -1
        code = live.SLATE if slate else live.ASK
        if among is not None:
            start, item_of = len(self._lists), self.arrays.item_of
            numbers, ruled_out = (
                [one if one >= 0 else item_of(-1 - one) for one in some]
                for some in (among.listed or (), among.ruled_out)
            )
            self._lists += [EVERYONE] if among.listed is None else numbers
            self._lists += [-2 - number for number in ruled_out]
            stop = len(self._lists)
            code = live.SLATE if slate else live.AMONG
        self._operations.append((code, count, start, stop, at))
        self._decisions += count
        self.at = max(self.at, at)

    def _run(self, follows: int | None = None) -> None:
        """Carry out what was gathered; ``follows`` is said where somebody else has decided."""
        if not self._operations:
            return
        arrays, waiting = self.arrays, self._operations
        operations = self._one if len(waiting) == 1 else np.array(waiting, OPERATION)
        operations[0] = waiting[0]
        if follows is None:
            follows = live_records.FOLLOWS if self.follows else live_records.DECIDES
        behind = self._decisions if follows == live_records.SHADOWS else 0
        outcomes = np.zeros(len(waiting) + behind, OUTCOME)
        lists = np.array(self._lists, np.int64) if self._lists else _NO_LISTS
        counters = arrays.counters.tolist()
        before, base, expired = counters[ROUND], counters[BASE], counters[EXPIRED]
        if before - base + self._decisions > len(arrays.log):
            arrays.fit_log(self._decisions)
            base = int(arrays.counters[BASE])
        if arrays.stale:
            arrays.show()
        self._operations, self._lists, self._decisions = [], [], 0
        terms = self._terms._replace(follows=follows) if follows else self._terms
        if follows:
            self._recall(arrays.log["arm"][before - base :])
        self._call(serve, arrays.shown, terms, operations, lists, outcomes)
        self._done += len(waiting)
        self._outcomes.append(outcomes)
        made = int(arrays.counters[ROUND])
        self._made += arrays.log["arm"][before - base : made - base].tolist()
        if self.copying is not None:
            told = operations["first"][operations["code"] == live.TELL]
            self.copying.note(told, expired, before)

    def _recall(self, log: Any) -> None:
        """Write decisions as the journal has them where the kernel looks; ``log`` is modified."""
        recorded = self._expected[len(self._made) :]
        log[: len(recorded)] = recorded

    def _check_followed(self, event: Asked, among: Among | None) -> None:
        """Refuse decisions that no policy can have made: they are followed, and not made again."""
        registry = self.registry
        if among is not None:  # many arms are looked up in it
            listed = None if among.listed is None else frozenset(among.listed)
            among = Among(listed, frozenset(among.ruled_out))
        for place, arm in enumerate(event.arms):
            if type(arm) is not int or not registry.may_be_chosen(arm, among):
                what = "that is not registered, or not eligible"
            elif event.slate and arm in event.arms[:place]:
                what = "twice in a slate"
            else:
                continue
            decides = f"the journal decides in round {event.round + place}"
            raise Diverged(f"{decides} for an arm {what}: it is damaged")

    def _register(self, arms: Sequence[Sequence[str]]) -> None:
        """Let arms come, or come back; what they are may stand behind their names."""
        registry = self.registry
        more: dict[int, int] = {}
        for agent, name, *_ in arms:
            number = registry.agents[agent]
            if name not in registry.arm_numbers[number]:
                pool = self.arrays.pool_of(number)
                more[pool] = more.get(pool, 0) + 1
        for pool, count in more.items():
            if not self.arrays.has_room(pool, count):
                self._run()
                self.arrays.make_room(pool, count)
        for agent, name, *content in arms:
            number = registry.agents[agent]
            arm = registry.arm_numbers[number].get(name)
            if arm is None:
                arm = len(registry.arm_names)
                registry.add_arm(number, name)
                self._gather(live.ADMIT, *self.arrays.add_arm(number), number)
            else:
                self._follow(arm, registry.set_registered(arm, registered=True))
            if content:
                registry.set_content(arm, *content)

    def _suspend(self, agent: str, arm: str | None, suspended: bool) -> None:
        """Suspend an agent, or one of its arms, or end that."""
        if arm is not None:
            number = self.registry.arm(agent, arm)
            self._follow(number, self.registry.withhold(number, withheld=suspended))
            return
        number = self.registry.agent(agent)
        if self.registry.set_suspended(number, suspended=suspended):
            self._gather(live.SUSPEND if suspended else live.RESUME, number)

    def _follow(self, arm: int, changed: bool) -> None:
        """Let the arrays follow the registry, if an arm came or went."""
        if changed:
            code = live.RETURN if self.registry.there[arm] else live.RETIRE
            self._gather(code, self.arrays.item_of(arm))

    def _change_policy(self, policy: Policy) -> None:
        """Change the policy; samples stay if the sampling rule does, else they are drawn anew."""
        plan = plan_of(policy, self.config)
        self._run()
        self.copying = None
        before, self.policy = self.policy, policy
        drawing = attrgetter("sampling", "is_flat", "brings_fresh_arms")
        self.arrays.change_plan(plan, drawn=drawing(policy) != drawing(before))

    def _set_clock(self, at: float) -> None:
        """Set the clock. What lies after it, as only a clock set back can have it, happened now."""
        self.settle()
        self.copying = None
        self.at = at
        self.arrays.log["at"] = np.minimum(self.arrays.log["at"], at)
        self.answers.set_clock(at)

    # --- what is known -----------------------------------------------------------------------

    @property
    def waiting(self) -> int:
        """How many operations there are since the last ``settle``."""
        return self._done + len(self._operations)

    @property
    def round(self) -> int:
        """Decisions so far, those that wait to be made left out."""
        return int(self.arrays.counters[ROUND])

    @property
    def gathered_round(self) -> int:
        """Decisions so far, with those that wait to be made."""
        return int(self.arrays.counters[ROUND]) + self._decisions

    def decided(self, round_: int) -> int | None:
        """The arm of a decision; None if it is forgotten."""
        if round_ <= int(self.arrays.counters[FORGOTTEN]):
            return None
        return int(self.arrays.log["arm"][round_ - 1 - int(self.arrays.counters[BASE])])

    @property
    def arrays_by_segment(self) -> dict[str, Arrays]:
        """What is known in each game of the market; "" is that of visitors without a segment."""
        return {"": self.arrays}

    @property
    def pending(self) -> int:
        """How many decisions wait for their reward."""
        return sum(one.pending for one in self.arrays_by_segment.values())

    def due(self, at: float) -> tuple[int, int] | None:
        """What expires by a time: up to which round, and up to which one is forgotten; or None."""
        counters, asked = self.arrays.counters, self.arrays.log["at"]
        expired, made, base = (int(counters[each]) for each in (EXPIRED, ROUND, BASE))
        limit = at - self.config.reward_window
        if expired == made or asked[expired - base] > limit:
            return None
        waiting = asked[expired - base : made - base]
        upto = expired + int(np.searchsorted(waiting, limit, side="right"))
        if self.config.late == "refuse":
            return upto, upto
        forgotten = int(counters[FORGOTTEN])
        limit -= self.config.correction_window
        kept = asked[forgotten - base : upto - base]
        return upto, forgotten + int(np.searchsorted(kept, limit, side="right"))

    def export(self) -> dict[str, Any]:
        """The arrays, and the answers by idempotency key."""
        return {**self.arrays.export(), "keys": self.answers.export()}

    def words(self) -> dict[str, Any]:
        """Everything else, ready for JSON."""
        registry = self.registry
        return {
            "format": FORMAT,
            "config": self.config.to_dict(),
            "policy": str(self.policy),
            "agents": registry.agent_names,
            "arms": registry.arm_names,
            "withheld": list(registry.withheld.items()),
            "at": self.at,
            **registry.words(),
        }

    def digest(self) -> str:
        """Digest of everything that is remembered, bit for bit."""
        digest = hashlib.sha256(json.dumps(self.words(), sort_keys=True).encode())
        for name, array in sorted(self.export().items()):
            digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
            digest.update(array.tobytes())
        return digest.hexdigest()

    @classmethod
    def restore(cls, words: dict[str, Any], saved: dict[str, Any]) -> "MarketState":
        """Make a state of what ``words`` and ``export`` gave."""
        state = cls(MarketConfig.from_dict(words["config"]), parse_policy(words["policy"]))
        state.arrays.load(saved, state.arrays.plan)
        config = state.config
        state.registry = Registry.restore(words, saved, config.per_agent, config.seen)
        state.at = words["at"]
        state.follows = words.get("numerics", 1) != NUMERICS
        state.answers.load(saved["keys"])
        return state
