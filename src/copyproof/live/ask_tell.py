"""Ask which arm to show, and tell what came of it: the two requests that come all the time.

A market in memory and its journal in a store are kept in step. What is written is carried out in
memory at once, staged, and committed at the end of a *group* with one append. If the store fails,
or the group ends with an error, nothing of it has happened, and memory is rebuilt from the store
before anything else is answered: also when it is not known whether the store has it
(``Uncertain``), as then the store decides.
"""

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import count as numbers_from
from typing import Any

from copyproof_client.records import Decision, Status, Told

from copyproof.live import events
from copyproof.live.events import Asked, Eligible, Expired, IdempotencyKey, MarketEvent, Seen
from copyproof.live.idempotency import Answer, Answers
from copyproof.live.ids import DecisionIds
from copyproof.live.market import answers_of, told_as
from copyproof.live.records import (
    MOST_DECISIONS,
    KeyReused,
    MarketConfig,
    checked_pairs,
    plain_eligible,
    unit_reward,
)
from copyproof.live.registry import nothing_among
from copyproof.live.replay import ids_of, recover
from copyproof.live.segments import SegmentedState
from copyproof.live.snapshots import to_bytes
from copyproof.live.stores import Store, StoreError
from copyproof.live.stores.blinding import TOKEN, Blinding
from copyproof.live.stores.chain import blinding_of
from copyproof.live.stores.texts import JSON
from copyproof.validation import FieldError, name, require, shown, whole_in

_MOST_UNCHANGED = 1000  # answers of one caller to requests that changed nothing
# What becomes of a reward that does nothing.
_WITHOUT_EFFECT: frozenset[Status] = frozenset(("ignored", "refused-late"))


class AskTell:
    """One market, asked and told; ``Principal`` says who takes part.

    Attributes
    ----------
    last : int
        The number of the last event that is stored.
    saved : int
        The event after which the newest snapshot was taken that is known to be good.
    """

    config: MarketConfig
    _ids: DecisionIds
    _blinding: Blinding
    _forgotten: set[str]
    _state: SegmentedState
    last: int
    saved: int

    def __init__(
        self, store: Store, market: str, clock: Callable[[], float], token: int | None
    ) -> None:
        self.store = store
        self.market = name("market", market)
        self.token = token
        self._clock = clock
        self._staged: list[dict[str, Any]] = []
        self._begun: tuple[int, str] | None = None  # a generation of ids, to be stored
        self._depth = 0
        self._failed = False
        # Answers to requests that changed nothing: they are no events, and end with the process.
        self._unchanged = Answers(_MOST_UNCHANGED)

    def ask(
        self,
        count: int = 1,
        *,
        eligible: Eligible | None = None,
        slate: bool = False,
        seen: Seen | None = None,
        segment: str | None = None,
        key: str | None = None,
    ) -> list[Decision]:
        """Decide what to show.

        Parameters
        ----------
        count : int
            How many plays, one after another, up to 1000.
        eligible : sequence of str or mapping of str to sequence of str, optional
            The agents that may be chosen, or arms by agent. Which arms are eligible must not
            depend on how many copies there are: by agent it does not, by arm it does.
        slate : bool
            Whether all arms must be different, and at most ``per_agent`` of one agent; there are
            fewer decisions than ``count`` if nothing is left for the other places.
        seen : sequence of str or mapping of str to sequence of str, optional
            What this visitor has had: decisions, or arms by agent. It is not shown again, nor is
            anything of the same agents or of the same content, as the market is configured.
        segment : str, optional
            What this visitor is, such as "de/mobile": each segment is a game of its own.
        key : str, optional
            A key of the caller's choice: the same key gives the same decisions again.

        Raises
        ------
        NoArm
            If there is nothing to choose.
        """
        rows = self.ask_rows(
            count, eligible=eligible, slate=slate, seen=seen, segment=segment, key=key
        )
        return [Decision(*row) for row in rows]

    def ask_rows(
        self,
        count: int = 1,
        *,
        eligible: Eligible | None = None,
        slate: bool = False,
        seen: Seen | None = None,
        segment: str | None = None,
        key: str | None = None,
    ) -> list[tuple[str, str, str, int]]:
        """Do as ``ask`` does; of each decision its fields, as making records takes a while."""
        if type(count) is not int or not 1 <= count <= MOST_DECISIONS:
            count = whole_in("count", count, 1, MOST_DECISIONS)
        if not isinstance(slate, bool):
            raise FieldError("slate", slate, "true or false")
        wanted = None if eligible is None else plain_eligible(eligible)
        had = None if seen is None else plain_eligible(seen, "seen")
        request = ["ask", count, wanted, slate]
        if had is not None or segment is not None:
            request += [had, None if segment is None else name("segment", segment)]
        keyed, found = self._keyed(key, request)
        if found:
            return self._rows(*found.answer)
        state = self._current()
        if segment is not None:
            state.check_segment(segment)
        registry = state.registry
        arms_seen = None if had is None else self._arms_of(had)
        if wanted is None and had is None:  # the short way for most
            among, choosable = None, registry.places if slate else registry.available
        else:
            among = registry.among(wanted, arms_seen)
            choosable = registry.choosable(among, slate=slate)
        if choosable == 0:
            raise nothing_among(among)
        # A slate is as long as it can be, so that replay, which counts decisions, does the same.
        made = min(count, choosable) if slate else count
        with self.group():
            at = self._expire_due()
            try:
                first = state.round + 1
                self._begun = self._ids.begin(first)
                arms = state.decide(made, at, among, slate, segment)
                asked = Asked(first, arms, at, wanted, slate, keyed, arms_seen, segment)
                if keyed is not None:
                    state.keep_answer(asked)
            except BaseException:
                self._failed = True  # some of it may be carried out
                raise
            self._staged.append(events.encode(asked))
        return self._rows(first, arms)

    def _arms_of(self, seen: Any) -> list[int]:
        """The numbers of arms that a visitor has had, given as decisions or by name."""
        state = self._current()
        if isinstance(seen, Mapping):
            return [-1 - one for one in state.registry.numbers_of(seen, "seen")]
        found: dict[int, None] = {}
        for n, decision in enumerate(seen):
            arm = state.decided(self._ids.round(decision, state.round, "seen[{}]", n))
            if arm is None:
                accepted = "a decision that is remembered: name its arm, as {agent: [arm]}"
                raise FieldError(f"seen[{n}]", decision, accepted)
            found[arm] = None
        return list(found)

    def tell(self, decision: str, reward: float, *, key: str | None = None) -> Told:
        """Tell the reward of a decision, a number in [0, 1]."""
        [row] = self._tell([(decision, reward)], key, "decision", "reward")
        return Told(*row)

    def tell_many(
        self, rewards: Sequence[tuple[str, float]], *, key: str | None = None
    ) -> list[Told]:
        """Tell rewards as (decision, reward), up to 1000, one after another; all or none."""
        return [Told(*row) for row in self.tell_rows(rewards, key=key)]

    def tell_rows(
        self, rewards: Sequence[tuple[str, float]], *, key: str | None = None
    ) -> list[tuple[str, Status, float | None]]:
        """Do as ``tell_many`` does; of each reward the fields of what became of it."""
        rewards = checked_pairs("rewards", rewards, "(decision, reward)")
        whole_in("len(rewards)", len(rewards), 1, MOST_DECISIONS)
        return self._tell(rewards, key, "rewards[{}].decision", "rewards[{}].reward")

    def _tell(
        self, rewards: Sequence[tuple[str, float]], key: str | None, first: str, second: str
    ) -> list[tuple[str, Status, float | None]]:
        """Tell rewards; the fields' names have a blank for the place in the list."""
        last, round_of = self._current().round, self._ids.round
        rounds = [round_of(decision, last, first, n) for n, (decision, _) in enumerate(rewards)]
        values = [unit_reward(second, reward, n) for n, (_, reward) in enumerate(rewards)]
        keyed, found = self._keyed(key, ["tell", rounds, values])
        if found:
            return told_as(rewards, found.answer[1])
        with self.group():
            told = events.Rewarded(rounds, values, self._expire_due(), keyed)
            answers = self._write_rewards(told)
        return told_as(rewards, answers)

    def _write_rewards(self, told: events.Rewarded) -> list[list[Any]]:
        """Write rewards down if one of them counts; what became of each.

        A reward that is ignored or refused changes nothing, and never would: it is no event.
        """
        state, before = self._state, self._state.at
        self._staged.append(events.encode(told))
        state.enter(told if told.key is None else told._replace(key=None))
        outcomes = state.settle()
        answers = answers_of(outcomes)
        for status, _ in answers:
            if status not in _WITHOUT_EFFECT:
                if told.key is not None:
                    state.keep_answer(told, outcomes)
                return answers
        self._staged.pop()
        state.at = before  # time goes on by events alone
        self._remember_unchanged(told.key, [told.rounds, answers])
        return answers

    def expire(self, now: float | None = None) -> int:
        """Give decisions whose window is over the default reward; how many there were.

        ``ask`` and ``tell`` do it by themselves; call it now and then if none come.
        """
        with self.group():
            before = self.pending
            self._expire_due(now)
            return before - self.pending

    def _expire_due(self, now: float | None = None) -> float:
        """Write down what has expired by now; the time."""
        at = self._time(now)
        due = self._state.due(at)
        if due is not None:
            self._write(Expired(*due, at))
        return at

    def _rows(self, first: int, arms: Sequence[int]) -> list[tuple[str, str, str, int]]:
        """The fields of decisions."""
        registry, ids = self._state.registry, self._ids.ids(first, len(arms))
        agents, owners, names = registry.agent_names, registry.arm_owner, registry.arm_names
        return [
            (decision, agents[owners[arm]], names[arm], number)
            for number, decision, arm in zip(numbers_from(first), ids, arms, strict=False)
        ]

    @property
    def pending(self) -> int:
        """How many decisions wait for their reward."""
        return self._current().pending

    # --- the journal -----------------------------------------------------------------------

    def group(self) -> AbstractContextManager[None]:
        """Commit all that is written within together, at the end, with one sync.

        Nothing that was answered within may be passed on before the end. If the store fails, or
        the block ends with an error, nothing of the group has happened.
        """
        return _Group(self)

    def _enter_group(self) -> int:
        """Begin a group; how many events of a larger one are staged already."""
        self._current()
        self._depth += 1
        return len(self._staged) if self._depth > 1 else 0

    def _leave_group(self, before: int, failed: bool) -> None:
        """End a group, and commit if it is the largest."""
        try:
            if not failed and self._depth == 1:
                failed = True
                self._commit()
                failed = False
        finally:
            # An error that comes before anything is written leaves a larger group as it is.
            if failed and len(self._staged) > before:
                self._failed = True
            self._depth -= 1
            if self._depth == 0 and self._failed:
                self._staged = []

    def snapshot(self) -> None:
        """Save the state, so that the next start need not replay what came before."""
        require(self._depth == 0, "snapshot", "within a group", "possible: end the group first")
        self.store.save_snapshot(self.market, self.last, to_bytes(self._current()))
        self.saved = self.last

    def compact(self) -> None:
        """Save the state, and drop the journal before the last snapshot but this one.

        So there are always two ways back, should a snapshot be damaged.
        """
        self.snapshot()
        older = self.store.snapshot(self.market, before=self.last)
        if older is not None:
            self.store.compact(self.market, older[0])

    def _current(self) -> SegmentedState:
        """The state; rebuilt from the store first, if something failed."""
        if self._failed:
            if self._depth > 0:
                raise StoreError("this group has failed: nothing of it is stored")
            self._rebuild()
        return self._state

    def _rebuild(self) -> None:
        self._failed = True
        self._staged = []
        self._unchanged = Answers(_MOST_UNCHANGED)  # what did nothing may have seen what is undone
        self._state, self.last, self.saved = recover(self.store, self.market, self.config)
        self._ids = ids_of(self.store, self.market, self.config)
        self._blinding = blinding_of(self.store.chain(self.market).secret)
        # Tokens of agents whose names were forgotten: none comes as long as the market is open.
        agents = self._state.registry.agents
        self._forgotten = {agent for agent in agents if TOKEN.fullmatch(agent)}
        self._begun = None
        self._failed = False

    def _commit(self) -> None:
        self._current()
        if self._staged:
            first, begun = self.last + 1, self._begun
            self.store.append(self.market, first, self._staged, token=self.token, generation=begun)
            if begun is not None:
                self._begun = None
                self._ids.stored()
            self.last += len(self._staged)
            self._staged = []

    def _time(self, now: float | None = None) -> float:
        at = float(self._clock() if now is None else now)
        if not math.isfinite(at):
            raise FieldError("now", at, "a finite number")
        return max(at, self._state.at)

    def _write(self, event: MarketEvent) -> Any:
        """Carry an event out in memory, and have it committed at the end of the group."""
        self._staged.append(events.encode(event))
        self._state.enter(event)
        return self._state.settle()

    def _keyed(self, key: str | None, request: Any) -> tuple[IdempotencyKey | None, Answer | None]:
        """A caller's key with the digest of its request, and what was answered to it before.

        KeyReused if that was the answer to another request.
        """
        if key is None:
            return None, None
        key = name("key", key)
        digest = hashlib.sha256("".join(JSON(request, 0)).encode()).hexdigest()[:32]
        found = self._current().answers.get(key) or self._unchanged.get(key)
        # A token stands for the digest if a name was forgotten since.
        if found and found.request not in (digest, self._blinding.token(digest)):
            raise KeyReused(f"key = {shown(key)} is not free: it came with another request before")
        return IdempotencyKey(key, digest), found

    def _remember_unchanged(self, keyed: IdempotencyKey | None, answer: Any) -> None:
        """Remember the answer to a request that changed nothing, without writing anything.

        Once it is forgotten, as after a restart, the same request is carried out as a new one: it
        did nothing the first time, so nothing is done twice.
        """
        if keyed is not None:
            self._unchanged.put(keyed.key, self._time(), keyed.request, answer)


class _Group(AbstractContextManager[None]):
    """What lies within is committed together."""

    __slots__ = ("_before", "_of")

    def __init__(self, of: AskTell) -> None:
        self._of = of

    def __enter__(self) -> None:
        self._before = self._of._enter_group()

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._of._leave_group(self._before, kind is not None)
