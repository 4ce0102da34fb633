"""What plays are worth for good: the state of a market, with the rounds whose worth is settled.

A play's worth is known when its first reward comes, where the first one counts, else when its
reward window is over; what corrects it later still is left out.
"""

from typing import Any

from copyproof.engine.live_records import BASE, EXPIRED, FORGOTTEN, PENDING
from copyproof.live.events import Rewarded
from copyproof.live.segments import SegmentedState


class WorthState(SegmentedState):
    """A market's state, that knows what its plays are worth; all events before being settled."""

    def row_of(self, round_: int) -> Any:
        """What is remembered of a decision, in its game; None if it is forgotten."""
        number, mine = 0, round_
        if self.segments:
            if round_ <= self._forgotten:
                return None
            number = self._game_of[round_ - self._forgotten - 1]
            mine = self._in_game(number, round_)
        arrays = (self if number == 0 else self.games[number]).arrays
        if mine <= int(arrays.counters[FORGOTTEN]):
            return None
        return arrays.log[mine - 1 - int(arrays.counters[BASE])]

    def first_rewards(self, event: Rewarded) -> list[tuple[int, float]]:
        """Rewards that say for good what their plays are worth."""
        if self.config.rewards != "first":
            return []
        found: dict[int, float] = {}
        for round_, reward in zip(event.rounds, event.rewards, strict=True):
            row = self.row_of(round_)
            if row is not None and row["told"] == PENDING:
                found.setdefault(round_, reward)
        return list(found.items())

    def known_by(self, upto: int) -> list[tuple[int, float]]:
        """Plays whose worth is known for good now that their window is over."""
        found = []
        for round_ in range(self.expired + 1, upto + 1):
            row = self.row_of(round_)
            if row is not None and (row["told"] == PENDING or self.config.rewards != "first"):
                found.append((round_, self.worth_of(row)))
        return found

    def worth_of(self, row: Any) -> float:
        """What a play is worth when its window is over."""
        return self.config.default_reward if row["told"] == PENDING else float(row["value"])

    @property
    def expired(self) -> int:
        """The last round of the market whose window is over."""
        if not self.segments:
            return int(self.arrays.counters[EXPIRED])
        ends = [int(one.arrays.counters[EXPIRED]) for one in self.games]
        return max(self._forgotten, *(self._in_market(n, end) for n, end in enumerate(ends)))
