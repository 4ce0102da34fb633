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
"""

import hashlib
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from copyproof.engine.live import OUTCOME
from copyproof.engine.live_records import EXPIRED, FORGOTTEN, REFUSED_LATE, ROUND
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
        self._follows = False
        self._game_of = array("i")
        self._rounds_of: list[Any] = [array("q")]
        self._before = [0]  # per game: its rounds before the first of ``_rounds_of``
        self._forgotten = 0  # rounds of the market before the first of ``_game_of``
        # Since the last ``settle``: of each reward its game, and its place among that one's
        # operations, or None if it was refused; and events with keys, with the rewards up to them.
        self._told: list[tuple[int, int] | None] = []
        self._answered: list[tuple[GameEvent, int]] = []
        super().__init__(config, policy)

    @property
    def follows(self) -> bool:
        """Whether decisions that are entered are not made again."""
        return self._follows

    @follows.setter
    def follows(self, follows: bool) -> None:
        self._follows = follows
        for one in self.segments.values():
            one.follows = follows

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
        return sum(int(one.arrays.counters[ROUND]) for one in self.games)

    @property
    def waiting(self) -> int:
        """How many operations there are since the last ``settle``."""
        return super().waiting + sum(one.waiting for one in self.segments.values())

    # --- events ----------------------------------------------------------------------------

    def check_segment(self, segment: str) -> None:
        """Refuse a segment that is one too many."""
        most = self.config.most_segments
        if segment not in self.segments and len(self.segments) >= most:
            raise FieldError("segment", segment, f"one of the {most} that the market may have")

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
                for number in range(len(self.games)):
                    self._enter_one(number, plain)
        self.at = max(self.at, event.at)
        if event.key is not None:
            self._answered.append((event, len(self._told)))

    def _enter_one(self, number: int, event: GameEvent) -> None:
        if number == 0:
            super().enter(event)
        else:
            self.games[number].enter(event)

    def settle(self) -> Any:
        """Carry out what was entered; with segments, the outcome of every reward."""
        if not self.segments:
            return MarketState.settle(self)
        found = [MarketState.settle(self), *(one.settle() for one in self.segments.values())]
        told = np.array(
            [_REFUSED if one is None else found[one[0]][one[1]].item() for one in self._told],
            OUTCOME,
        )
        for event, end in self._answered:
            self.keep_settled(event, told[:end])
        self._told, self._answered = [], []
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
            made = self.games[number].decide(plays, at, among, slate)
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
        return 0 if segment is None else 1 + list(self.segments).index(segment)

    def _game(self, segment: str) -> MarketState:
        """The game of a segment; one that is new has everyone who is registered."""
        found = self.segments.get(segment)
        if found is not None:
            return found
        if not self.segments:
            super().settle()
            made, forgotten = (int(self.arrays.counters[n]) for n in (ROUND, FORGOTTEN))
            self._forgotten, self._before = forgotten, [forgotten]
            self._game_of = array("i", bytes(4 * (made - forgotten)))
            self._rounds_of = [array("q", range(forgotten + 1, made + 1))]
        game = MarketState(self._config_of(segment), self.policy)
        game.follows = self.follows
        for event in self._everyone():
            game.enter(event)
        game.settle()
        self.segments[segment] = game
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
        waiting = super().waiting if number == 0 else self.games[number].waiting
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
        return super().decided(mine) if number == 0 else self.games[number].decided(mine)

    def due(self, at: float) -> tuple[int, int] | None:
        """What expires by a time, in rounds of the market; times never go back within it."""
        if not self.segments:
            return MarketState.due(self, at)
        ofgames = [super().due(at), *(one.due(at) for one in self.segments.values())]
        upto, forgotten = 0, self._forgotten
        for number, found in enumerate(ofgames):
            if found is not None:
                upto = max(upto, self._in_market(number, found[0]))
                forgotten = max(forgotten, self._in_market(number, found[1]))
        return (upto, forgotten) if upto else None

    def _in_market(self, number: int, round_: int) -> int:
        """The round of the market that is a round of a game; 0 if that is forgotten."""
        place = round_ - self._before[number] - 1
        return int(self._rounds_of[number][place]) if place >= 0 else 0

    def _expire(self, event: Expired) -> None:
        for number in range(len(self.games)):
            upto, forgotten = (
                self._in_game(number, round_) for round_ in (event.upto, event.forgotten)
            )
            counters = self.games[number].arrays.counters
            if (counters[EXPIRED], counters[FORGOTTEN]) != (upto, forgotten):
                self._enter_one(number, Expired(upto, forgotten, event.at))
        for number, rounds in enumerate(self._rounds_of):
            dropped = bisect_right(rounds, event.forgotten)
            del rounds[:dropped]
            self._before[number] += dropped
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
        for number, name in enumerate(words["segments"], 1):
            mine = {k.partition("/")[2]: v for k, v in saved.items() if k.startswith(f"{number}/")}
            config = state._config_of(name).to_dict()
            state.segments[name] = MarketState.restore({**words, "config": config}, mine)
        game_of = saved["game_of"]
        state._forgotten, state._game_of = words["forgotten"], array("i", game_of.tolist())
        rounds = [
            state._forgotten + 1 + np.flatnonzero(game_of == number)
            for number in range(len(state.games))
        ]
        state._rounds_of = [array("q", mine.tolist()) for mine in rounds]
        state._before = [
            int(one.arrays.counters[ROUND]) - len(mine)
            for one, mine in zip(state.games, rounds, strict=True)
        ]
        return state
