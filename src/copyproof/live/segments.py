"""Segments: visitors of one kind are a game of their own, with its own statistics and streams.

A request may name the segment of its visitor (a country, a device, a topic: what the visitor is,
never what an arm is). Agents and arms register once and are in all segments; what is learnt, and
every random number, belongs to one segment, whose seed is made of the market's and its name. Where
the segments that come do not depend on what was decided, each is a game to which the theorems
apply, and what holds of each holds of their sum (``docs/explanation/live.md``).

Requests without a segment are a game as well, the one that a market without segments is. A segment
is made when it is first named, as if everyone had registered just then. Decisions are numbered
over the whole market; ``_game_of`` says which game each belongs to, and ``_rounds_of`` which rounds
of the market are the 1st, 2nd, … of a game. Both are kept from the first segment on.

A request is about one game, and what it takes does not grow with the number of segments. Who comes
and goes does so in all of them.
"""

import hashlib
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from copyproof.engine.live import OUTCOME
from copyproof.engine.live_records import BASE, EXPIRED, FORGOTTEN, REFUSED_LATE, ROUND
from copyproof.live import events
from copyproof.live.events import Asked, Expired, GameEvent, Rewarded
from copyproof.live.market import MarketState
from copyproof.live.records import MarketConfig
from copyproof.live.registry import Among
from copyproof.policy import Policy
from copyproof.validation import FieldError

_REFUSED = (REFUSED_LATE, np.nan)


class SegmentedState(MarketState):
    """A market's state with that of its segments.

    Examples
    --------
    >>> state = SegmentedState(MarketConfig(policy="h-ucb"))
    >>> state.enter(events.AgentRegistered("ann", at=0.0))
    >>> state.enter(events.ArmsRegistered([["ann", "a"]], at=0.0))
    >>> state.decide(2, 0.0, None, slate=False, segment="de"), state.round
    ([0, 0], 2)
    """

    def __init__(self, config: MarketConfig, policy: Policy | None = None) -> None:
        self.segments: dict[str, MarketState] = {}
        self._number_by_segment: dict[str, int] = {}  # by segment, from 1 on, in order
        self._in_order: list[MarketState] = []  # the segments' games: number 1, 2, …
        # Numbers of the segments for which something was entered since the last ``settle``.
        self._entered: set[int] = set()
        self._game_of = array("i")
        self._rounds_of: list[Any] = [array("q")]
        self._before = [0]  # per game: its rounds before the first of ``_rounds_of``
        self._forgotten = 0  # rounds of the market before the first of ``_game_of``
        self._expired = 0  # the last round of the market whose window is over
        # Since the last ``settle``: of each reward its game, and its place among that one's
        # operations, or None if it was refused; and events with keys, with the rewards up to them.
        self._told: list[tuple[int, int] | None] = []
        self._answered: list[tuple[GameEvent, int]] = []
        super().__init__(config, policy)

    @property
    def games(self) -> list[MarketState]:
        """The game of visitors without a segment, and those of the segments."""
        return [self, *self.segments.values()]

    @property
    def games_by_segment(self) -> dict[str, MarketState]:
        """The games; "" is that of visitors without a segment."""
        return {"": self, **self.segments}

    @property
    def round(self) -> int:
        """Decisions so far, in all segments."""
        if not self.segments:
            return int(self.arrays.counters[ROUND])
        return self._forgotten + len(self._game_of)

    @property
    def waiting(self) -> int:
        """How many operations there are since the last ``settle``."""
        return super().waiting + sum(self._in_order[n - 1].waiting for n in self._entered)

    # --- events ----------------------------------------------------------------------------

    def check_segment(self, segment: str) -> None:
        """Refuse a segment that is one too many."""
        if not self.has_room(segment):
            most = self.config.most_segments
            raise FieldError("segment", segment, f"one of the {most} that the market may have")

    def has_room(self, segment: str) -> bool:
        """Whether a segment is there, or may be."""
        return segment in self.segments or len(self.segments) < self.config.most_segments

    def enter(self, event: GameEvent) -> None:
        """Take one event in, for the games that it is about."""
        if type(event) is Asked and event.segment is not None:
            self._game(event.segment)
        if not self.segments:
            MarketState.enter(self, event)
            return
        plain: Any = event._replace(key=None)
        match event:
            case Asked():
                number = self._number(event.segment)
                plain = plain._replace(segment=None)
                self._enter_one(number, plain)
                self._note(number, event.round, len(event.arms))
            case Rewarded():
                for round_, reward in zip(event.rounds, event.rewards, strict=True):
                    self._reward(round_, reward, event.at)
            case Expired():
                self._expire(event)
            case _:
                for number in range(1 + len(self.segments)):
                    self._enter_one(number, plain)
        self.at = max(self.at, event.at)
        if event.key is not None:
            self._answered.append((event, len(self._told)))

    def _enter_one(self, number: int, event: GameEvent) -> None:
        if number == 0:
            super().enter(event)
        else:
            self._in_order[number - 1].enter(event)
            self._entered.add(number)

    def settle(self) -> Any:
        """Carry out what was entered; with segments, the outcome of every reward."""
        if not self.segments:
            return MarketState.settle(self)
        found = {0: MarketState.settle(self)}
        found |= {n: self._in_order[n - 1].settle() for n in sorted(self._entered)}
        told = np.array(
            [_REFUSED if one is None else found[one[0]][one[1]].item() for one in self._told],
            OUTCOME,
        )
        for event, end in self._answered:
            self.keep_settled(event, told[:end])
        self._told, self._answered = [], []
        self._entered.clear()
        return told

    def decide(
        self,
        plays: int,
        at: float,
        among: Among | None,
        slate: bool,
        segment: str | None = None,
    ) -> list[int]:
        """Make decisions in a segment; rewards that were entered are carried out, unanswered."""
        if segment is not None:
            self._game(segment)
        if not self.segments:
            return MarketState.decide(self, plays, at, among, slate)
        number, first = self._number(segment), self.round + 1
        if number == 0:
            made = super().decide(plays, at, among, slate)
        else:
            made = self._in_order[number - 1].decide(plays, at, among, slate)
        self._note(number, first, len(made))
        self._told = []
        self.at = max(self.at, at)
        return made

    def first_difference(self) -> tuple[int, int | None, int | None] | None:
        """Where decisions and the journal part, after ``Diverged``, in whichever game they do."""
        parted = next((one for one in self.games if one._made != one._expected), None)
        return None if parted is None else MarketState.first_difference(parted)

    # --- games -----------------------------------------------------------------------------

    def _number(self, segment: str | None) -> int:
        return 0 if segment is None else self._number_by_segment[segment]

    def _add(self, segment: str, game: MarketState) -> None:
        """Let a game be the one of a segment that is new."""
        self.segments[segment] = game
        self._in_order.append(game)
        self._number_by_segment[segment] = len(self._in_order)

    def _game(self, segment: str) -> MarketState:
        """The game of a segment; one that is new has everyone who is registered."""
        found = self.segments.get(segment)
        if found is not None:
            return found
        if not self.segments:
            super().settle()
            counters = self.arrays.counters
            made, self._expired, forgotten = (int(counters[n]) for n in (ROUND, EXPIRED, FORGOTTEN))
            self._forgotten, self._before = forgotten, [forgotten]
            self._game_of = array("i", bytes(4 * (made - forgotten)))
            self._rounds_of = [array("q", range(forgotten + 1, made + 1))]
        game = MarketState(self._config_of(segment), self.policy)
        for event in self._everyone():
            game.enter(event)
        game.settle()
        self._add(segment, game)
        self.copying = None  # which does not know of it
        self._rounds_of.append(array("q"))
        self._before.append(0)
        return game

    def _config_of(self, segment: str) -> MarketConfig:
        """The market's, with a seed of the segment's own."""
        text = f"{self.config.seed} {segment}".encode()
        seed = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")
        return replace(self.config, seed=seed)

    def _everyone(self) -> Sequence[GameEvent]:
        """Who is registered, as events."""
        registry, at = self.registry, self.at
        found: list[GameEvent] = [
            events.AgentRegistered(agent, at) for agent in registry.agent_names
        ]
        named = [registry.name_of(arm) for arm in range(len(registry.arm_names))]
        with_content = [
            [*name, *([registry.content[arm]] if arm in registry.content else ())]
            for arm, name in enumerate(named)
        ]
        if named:
            found.append(events.ArmsRegistered(with_content, at))
        found += registry.bindings(at)
        found += [
            events.ArmRetired(agent, name, at)
            for (agent, name), there in zip(named, registry.there, strict=True)
            if not there
        ]
        found += [
            events.Suspended(agent, at)
            for agent, suspended in zip(registry.agent_names, registry.suspended, strict=True)
            if suspended
        ]
        for arm, registered in registry.withheld.items():
            agent, name = named[arm]
            found.append(events.Suspended(agent, at, name))
            if registered:
                found.append(events.ArmsRegistered([[agent, name]], at))
        return found

    # --- rounds ----------------------------------------------------------------------------

    def _note(self, number: int, first: int, count: int) -> None:
        """Note whose the next rounds of the market are."""
        self._game_of.extend([number] * count)
        self._rounds_of[number].extend(range(first, first + count))

    def _in_game(self, number: int, round_: int) -> int:
        """How many rounds of a game there were up to a round of the market."""
        return self._before[number] + bisect_right(self._rounds_of[number], round_)

    def _reward(self, round_: int, reward: float, at: float) -> None:
        if round_ <= self._forgotten:
            self._told.append(None)
            return
        number = self._game_of[round_ - self._forgotten - 1]
        waiting = super().waiting if number == 0 else self._in_order[number - 1].waiting
        self._told.append((number, waiting))
        self._enter_one(number, Rewarded([self._in_game(number, round_)], [reward], at))

    def decided(self, round_: int) -> int | None:
        """The arm of a decision; None if it is forgotten."""
        if not self.segments:
            return super().decided(round_)
        if round_ <= self._forgotten:
            return None
        number = self._game_of[round_ - self._forgotten - 1]
        mine = self._in_game(number, round_)
        return self._in_order[number - 1].decided(mine) if number else super().decided(mine)

    def due(self, at: float) -> tuple[int, int] | None:
        """What expires by a time, in rounds of the market; times never go back within it."""
        if not self.segments:
            return MarketState.due(self, at)
        waiting, limit = range(self._expired + 1, self.round + 1), at - self.config.reward_window
        if not waiting or self._asked_at(waiting[0]) > limit:
            return None
        upto = self._expired + bisect_right(waiting, limit, key=self._asked_at)
        forgotten = self._forgotten
        for number in self._games_of(self._expired, upto):
            found = self._in_order[number - 1].due(at) if number else super().due(at)
            assert found is not None
            forgotten = max(forgotten, self._in_market(number, found[1]))
        return upto, forgotten

    def _asked_at(self, round_: int) -> float:
        """When a decision was made that is remembered."""
        number = self._game_of[round_ - self._forgotten - 1]
        arrays = (self._in_order[number - 1] if number else self).arrays
        return float(arrays.log["at"][self._in_game(number, round_) - 1 - arrays.counters[BASE]])

    def _games_of(self, after: int, upto: int) -> set[int]:
        """Return the numbers of the games of the market's rounds after one, up to another."""
        return set(self._game_of[max(after - self._forgotten, 0) : max(upto - self._forgotten, 0)])

    def _in_market(self, number: int, round_: int) -> int:
        """The round of the market that is a round of a game; 0 if that is forgotten."""
        place = round_ - self._before[number] - 1
        return int(self._rounds_of[number][place]) if place >= 0 else 0

    def _expire(self, event: Expired) -> None:
        dropping = self._games_of(self._forgotten, event.forgotten)
        for number in sorted(dropping | self._games_of(self._expired, event.upto)):
            upto, forgotten = (
                self._in_game(number, round_) for round_ in (event.upto, event.forgotten)
            )
            self._enter_one(number, Expired(upto, forgotten, event.at))
        for number in dropping:
            rounds = self._rounds_of[number]
            dropped = bisect_right(rounds, event.forgotten)
            del rounds[:dropped]
            self._before[number] += dropped
        self._expired = max(self._expired, event.upto)
        del self._game_of[: max(event.forgotten - self._forgotten, 0)]
        self._forgotten = max(self._forgotten, event.forgotten)

    # --- what is kept ----------------------------------------------------------------------

    def export(self) -> dict[str, Any]:
        """The arrays of all games, and the answers by idempotency key."""
        found = super().export()
        for number, one in enumerate(self.segments.values(), 1):
            found |= {f"{number}/{name}": rows for name, rows in one.export().items()}
        return found | self.export_rest()

    def export_rest(self) -> dict[str, Any]:
        """The arrays that are of no one game: of each decision that is remembered, its game."""
        return {"game_of": np.array(self._game_of, np.int32)} if self.segments else {}

    def words(self) -> dict[str, Any]:
        """Everything else, ready for JSON."""
        words = super().words()
        if self.segments:
            words |= {"segments": list(self.segments), "forgotten": self._forgotten}
        return words

    @classmethod
    def restore(cls, words: dict[str, Any], saved: dict[str, Any]) -> "SegmentedState":
        """Make a state of what ``words`` and ``export`` gave."""
        state = super().restore(words, {k: v for k, v in saved.items() if "/" not in k})
        assert isinstance(state, SegmentedState)
        if "segments" not in words:
            return state
        parts: dict[str, dict[str, Any]] = {}  # the arrays of each game
        for key, rows in saved.items():
            number, _, name = key.partition("/")
            parts.setdefault(number, {})[name] = rows
        for n, segment in enumerate(words["segments"], 1):
            config = state._config_of(segment).to_dict()
            state._add(segment, MarketState.restore({**words, "config": config}, parts[str(n)]))
        game_of = saved["game_of"]
        state._forgotten, state._game_of = words["forgotten"], array("i", game_of.tolist())
        ends = np.cumsum(np.bincount(game_of, minlength=len(state.games)))
        order = np.argsort(game_of, kind="stable")
        rounds = np.split(state._forgotten + 1 + order, ends[:-1])
        state._rounds_of = [array("q", mine.tolist()) for mine in rounds]
        state._before = [
            int(one.arrays.counters[ROUND]) - len(mine)
            for one, mine in zip(state.games, rounds, strict=True)
        ]
        ended = (int(one.arrays.counters[EXPIRED]) for one in state.games)
        last = [state._in_market(number, end) for number, end in enumerate(ended)]
        state._expired = max(state._forgotten, *last)
        return state
