"""A market as its journal tells it: the state is a function of the events, and of nothing else.

``enter`` takes events one by one, ``settle`` carries them out. The principal makes an event out of
every request and enters it here; replay enters the same events again, many before it settles, and
arrives at the same state to the last bit. No clock is read, and no random number but keyed ones.
"""

import hashlib
import json
from collections.abc import Sequence
from itertools import zip_longest
from operator import attrgetter
from typing import Any, assert_never

import numpy as np

from copyproof.engine import live
from copyproof.engine.live_records import BASE, EXPIRED, FORGOTTEN, ROUND
from copyproof.live import events
from copyproof.live.events import Asked, Diverged, GameEvent, MarketEvent, Rewarded
from copyproof.live.idempotency import Answers
from copyproof.live.membership import Membership
from copyproof.live.outcomes import CarriedOut, answers_of
from copyproof.live.records import MarketConfig
from copyproof.live.registry import Among, Registry
from copyproof.live.terms import plan_of
from copyproof.policy import Policy, parse_policy

# Of what ``words`` and ``export`` give.
FORMAT = 1


class MarketState(Membership):
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
        super().__init__(config, policy)
        self.answers = Answers()
        self._keyed: list[tuple[GameEvent, int]] = []

    # --- events ----------------------------------------------------------------------------

    def enter(self, event: GameEvent) -> None:
        """Take one event in; what it does to the statistics is done by ``settle``."""
        registry = self.registry
        match event:
            case Asked():
                among = registry.among(event.eligible, event.seen)
                self.gather(len(event.arms), event.at, among, event.slate)
                self._expected += event.arms
            case Rewarded():
                append, code = self._operations.append, live.TELL
                for number, reward in zip(event.rounds, event.rewards, strict=True):
                    append((code, number, 0, 0, reward))
            case events.Expired():
                self._gather(live.EXPIRE, event.upto, event.forgotten)
            case events.AgentRegistered():
                self._add_agent(event)
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
            case events.Bound():
                self._bind(event)
            case events.Fingerprinted() | events.Reviewed():
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
    def games_by_segment(self) -> dict[str, "MarketState"]:
        """The games of the market; "" is that of visitors without a segment."""
        return {"": self}

    @property
    def pending(self) -> int:
        """How many decisions wait for their reward."""
        return sum(one.arrays.pending for one in self.games_by_segment.values())

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
        """The arrays, who is one in them, and the answers by idempotency key."""
        return {**self.arrays.export(), **self.registry.export(), "keys": self.answers.export()}

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
        state.answers.load(saved["keys"])
        return state
