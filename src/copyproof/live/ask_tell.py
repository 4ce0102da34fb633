"""Ask which arm to show, and tell what came of it: the two requests that come all the time."""

from collections.abc import Callable, Mapping, Sequence
from itertools import count as numbers_from
from typing import Any

from copyproof.client.records import Decision, Status, Told
from copyproof.live import events
from copyproof.live.events import Asked, Eligible, IdempotencyKey, Rewarded, Seen
from copyproof.live.journaled import Later
from copyproof.live.outcomes import CarriedOut, told_as
from copyproof.live.records import (
    MOST_DECISIONS,
    TooManyPending,
    Undone,
    Unknown,
    checked_pairs,
    plain_eligible,
    unit_reward,
)
from copyproof.live.registry import Among, nothing_among
from copyproof.live.requests import Requests
from copyproof.live.switch import SwitchState
from copyproof.validation import FieldError, name, whole_in

# What becomes of a reward that does nothing.
_WITHOUT_EFFECT: frozenset[Status] = frozenset(("ignored", "refused-late"))


class AskTell(Requests):
    """One market, asked and told; ``Principal`` says who takes part.

    Attributes
    ----------
    most_pending : int or None
        How many plays may wait for their reward; None for no limit. It is not the market's, but
        that of whoever serves it: a replay makes all decisions again.
    """

    most_pending: int | None = None
    _room = 0  # for how many more decisions there is surely room

    def _rebuild(self) -> None:
        self._room = 0
        super()._rebuild()

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
        later = self.ask_rows(
            count, eligible=eligible, slate=slate, seen=seen, segment=segment, key=key
        )
        return [Decision(*row) for row in later()]

    def ask_rows(
        self,
        count: int = 1,
        *,
        eligible: Eligible | None = None,
        slate: bool = False,
        seen: Seen | None = None,
        segment: str | None = None,
        key: str | None = None,
        unknown: dict[str, Any] | None = None,
    ) -> Later:
        """Do as ``ask`` does, later; of each decision its fields, as making records takes a while.

        Within a group, decisions without conditions are made together with what follows.

        A request is told from another with the same key by all that it says but ``seen``: a page
        that is loaded again has seen more. With ``unknown``, what is not known of ``eligible`` and
        ``seen``, and a segment that is one too many, is left out and noted there, not refused.
        """
        if type(count) is not int or not 1 <= count <= MOST_DECISIONS:
            count = whole_in("count", count, 1, MOST_DECISIONS)
        if not isinstance(slate, bool):
            raise FieldError("slate", slate, "true or false")
        wanted = None if eligible is None else plain_eligible(eligible)
        had = None if seen is None else plain_eligible(seen, "seen")
        request = ["ask", count, wanted, slate]
        if segment is not None:
            request.append(name("segment", segment))
        keyed, found = (None, None) if key is None else self._keyed(key, request)
        later = Later(self)
        if found:
            later.rows = self._rows(*found.answer)
            return later
        state = self._rebuilt()
        if self.most_pending is not None:
            self._take_room(count, self.most_pending)
        is_plain = wanted is None and had is None and segment is None and not slate
        if is_plain and state.is_plain:
            self._ask_plainly(state, count, keyed, later)
            return later
        state = self._current()
        now = self._checked_rails(state) if state.watches else None
        if unknown is not None:
            wanted, had, segment = self._known(wanted, had, segment, unknown)
        if segment is not None:
            state.check_segment(segment)
        registry = state.registry
        arms_seen = None if had is None else self._arms_of(had)
        among = registry.among(wanted, arms_seen)
        choosable = registry.choosable(among, slate=slate)
        if choosable == 0:
            raise nothing_among(among)
        # A slate is as long as it can be, so that replay, which counts decisions, does the same.
        made = min(count, choosable) if slate else count
        with self.group():
            asked = Asked(0, [], self._expire_due(now), wanted, slate, keyed, arms_seen, segment)
            self._decide(state, made, among, asked, later)
        return later

    def _decide(
        self, state: SwitchState, made: int, among: Among | None, asked: Asked, later: Later
    ) -> None:
        """Make decisions under conditions, and write them down."""
        try:
            first = state.round + 1
            self._begun = self._ids.begin(first)
            arms = state.decide(made, asked.at, among, asked.slate, asked.segment)
            beside = state.beside._asdict()
            self._write_decisions(asked._replace(round=first, arms=arms, **beside), later)
        except BaseException:
            self._failed = True  # some of it may be carried out
            raise
        if state.watch.crossing is not None:
            self._cross_rail()

    def _take_room(self, count: int, most: int) -> None:
        """Refuse decisions beyond the plays that may wait; they are counted once in a while."""
        if self._room < count:
            with self.group():
                self._expire_due()
                self._room = most - self.pending
            if self._room < count:
                raise TooManyPending(most)
        self._room -= count

    def _ask_plainly(
        self, state: SwitchState, count: int, keyed: IdempotencyKey | None, later: Later
    ) -> None:
        """Have decisions without conditions made, with what else is gathered."""
        if state.registry.available == 0:
            raise nothing_among(None)
        with self.group():
            at = self._expire_due()
            first = state.gathered_round + 1
            self._begun = self._ids.begin(first)

            def finish(done: CarriedOut) -> None:
                arms = done.decisions(count)
                self._write_decisions(Asked(first, arms, at, key=keyed), later)

            self._gather(finish, keyed)
            state.gather(count, at)

    def _write_decisions(self, asked: Asked, later: Later) -> None:
        """Write down decisions that are made, and answer."""
        state = self._state
        if asked.key is not None:
            state.keep_answer(asked)
        self._staged.append(events.encode(asked))
        state.at = max(state.at, asked.at)
        later.rows = self._rows(asked.round, asked.arms)

    def _known(
        self, wanted: Any, had: Any, segment: str | None, unknown: dict[str, Any]
    ) -> tuple[Any, Any, str | None]:
        """What is known of a request; the rest is noted."""
        state = self._current()
        registry = state.registry
        if segment is not None and not state.has_room(segment):
            unknown["segment"], segment = segment, None
        if isinstance(had, list):
            known = [one for one in had if self._remembers(one)]
            if len(known) < len(had):
                unknown["seen"] = [one for one in had if one not in frozenset(known)]
            had = known
        elif had is not None:
            had, rest = registry.split(had)
            if rest:
                unknown["seen"] = rest
        if wanted is not None:
            wanted, rest = registry.split(wanted)
            if rest:
                unknown["eligible"] = rest
        return wanted, had, segment

    def _remembers(self, decision: str) -> bool:
        """Whether a decision is one of this market, and not forgotten."""
        state = self._current()
        try:
            return state.decided(self._ids.round(decision, state.round)) is not None
        except (Unknown, Undone):
            return False

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
        [row] = self.tell_row(decision, reward, key=key)()
        return Told(*row)

    def tell_many(
        self, rewards: Sequence[tuple[str, float]], *, key: str | None = None
    ) -> list[Told]:
        """Tell rewards as (decision, reward), up to 1000, one after another; all or none."""
        return [Told(*row) for row in self.tell_rows(rewards, key=key)()]

    def tell_row(self, decision: str, reward: float, *, key: str | None = None) -> Later:
        """Do as ``tell`` does, later; the fields of what became of it."""
        return self._tell([(decision, reward)], key, "decision", "reward")

    def tell_rows(self, rewards: Sequence[tuple[str, float]], *, key: str | None = None) -> Later:
        """Do as ``tell_many`` does, later; of each reward the fields of what became of it."""
        rewards = checked_pairs("rewards", rewards, "(decision, reward)")
        whole_in("len(rewards)", len(rewards), 1, MOST_DECISIONS)
        return self._tell(rewards, key, "rewards[{}].decision", "rewards[{}].reward")

    def _tell(
        self, rewards: Sequence[tuple[str, float]], key: str | None, first: str, second: str
    ) -> Later:
        """Tell rewards; the fields' names have a blank for the place in the list."""
        state = self._rebuilt()
        last, round_of = state.round, self._ids.round  # of what was gathered nobody knows the ids
        rounds = [round_of(decision, last, first, n) for n, (decision, _) in enumerate(rewards)]
        values = [unit_reward(second, reward, n) for n, (_, reward) in enumerate(rewards)]
        keyed, found = (None, None) if key is None else self._keyed(key, ["tell", rounds, values])
        later = Later(self)
        if found:
            later.rows = told_as(rewards, found.answer[1])
            return later
        with self.group():
            told = Rewarded(rounds, values, self._expire_due())

            def finish(done: CarriedOut) -> None:
                answers = done.rewards(len(rounds))
                self._write_rewards(told._replace(key=keyed), answers)
                later.rows = told_as(rewards, answers)

            if state.is_plain:
                self._gather(finish, keyed)
                state.enter(told)
            else:
                self._tell_watched(told, finish)
        return later

    def _tell_watched(self, told: Rewarded, finish: Callable[[CarriedOut], None]) -> None:
        """Tell rewards where there are segments, a candidate or guard rails."""
        state = self._current()
        before = state.at
        try:
            state.enter(told)
            done = CarriedOut(state.settle(), [])
            state.at = before
            finish(done)
        except BaseException:
            self._failed = True  # some of it may be carried out
            raise
        if state.watch.crossing is not None:
            self._cross_rail()

    def _write_rewards(self, told: Rewarded, answers: list[list[Any]]) -> None:
        """Write rewards down if one of them counts.

        A reward that is ignored or refused changes nothing, and never would: it is no event.
        """
        state = self._state
        if any(status not in _WITHOUT_EFFECT for status, _ in answers):
            if told.key is not None:
                state.keep_answer(told, answers)
            self._staged.append(events.encode(told))
            state.at = max(state.at, told.at)
        else:
            self._remember_unchanged(told.key, [told.rounds, answers])

    def expire(self, now: float | None = None) -> int:
        """Give decisions whose window is over the default reward; how many there were.

        ``ask`` and ``tell`` do it by themselves; call it now and then if none come.
        """
        with self.group():
            before = self.pending
            self._expire_due(now)
            return before - self.pending

    @property
    def has_expired(self) -> bool:
        """Whether there are decisions whose window is over by now."""
        return self._state.due(self._time()) is not None

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
