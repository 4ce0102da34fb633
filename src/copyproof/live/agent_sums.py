"""An agent's own plays and rewards, added up from what it is shown of a journal.

A ledger of its own in plain Python, that shares no line with the engine: what a play is worth
follows from the market's terms (``rewards``, ``late``, ``default_reward``) and the order of events.
"""

import math
from typing import Any

from copyproof.validation import require


class AgentSums:
    """Plays, answered plays and revenue of one agent.

    Examples
    --------
    >>> sums = AgentSums("~00", {"rewards": "max", "late": "refuse", "default_reward": 0.0})
    >>> sums.add(None, [[1, 0]])  # round 1 was decided for its arm 0; the rest is not shown
    >>> sums.add(None, [[1, 0.25], [1, 0.75]])  # two rewards of it
    >>> sums.to_dict()
    {'plays': 1, 'answered': 1, 'revenue': 0.75}
    """

    def __init__(self, agent: str, terms: dict[str, Any], *, complete: bool = True) -> None:
        for name in ("rewards", "late", "default_reward"):
            require(name in terms, "opening", name, "left out: the terms must be shown")
        self._agent, self._terms, self._complete = agent, terms, complete
        self._worth: dict[int, float | None] = {}
        self._defaulted: set[int] = set()
        self._rounds: list[int] = []
        self._seen = 0  # rounds that were looked at when plays expired
        self._expired = self._forgotten = 0

    @property
    def plays(self) -> int:
        """How many decisions were for its arms."""
        return len(self._worth)

    def to_dict(self) -> dict[str, float]:
        """The sums."""
        known = [worth for worth in self._worth.values() if worth is not None]
        return {"plays": self.plays, "answered": len(known), "revenue": math.fsum(known)}

    def add(self, common: Any, shown: list[Any]) -> str | None:
        """Take one event in: what concerns all, if it is shown, and the agent's own pieces.

        Returns
        -------
        str or None
            What is wrong with it.
        """
        if common is not None and common.get("kind") == "expired":
            self._expire(common["upto"], common["forgotten"])
        decided: list[int] = []
        for piece in shown:
            match piece:
                case [str(agent), str(), *_]:
                    if agent != self._agent:
                        return "an arm of somebody else is shown"
                case [int(), int(), *_] if {int}.issuperset(map(type, piece)):
                    decided += piece[1:]
                case [int(round_), float(reward)]:
                    if round_ in self._worth:
                        self._tell(round_, reward)
                    elif self._complete:
                        return f"round {round_} has a reward, and was not decided before"
                case _:
                    return "a piece is neither a decision, nor a reward, nor an arm"
        for round_ in sorted(decided):  # several arms of the agent have turns between each other
            if self._rounds and round_ <= self._rounds[-1]:
                return f"round {round_} is not after the ones before"
            self._rounds.append(round_)
            self._worth[round_] = None
        return None

    def _expire(self, upto: int, forgotten: int) -> None:
        while self._seen < len(self._rounds) and self._rounds[self._seen] <= upto:
            round_ = self._rounds[self._seen]
            self._seen += 1
            if self._worth[round_] is None:
                self._worth[round_] = float(self._terms["default_reward"])
                self._defaulted.add(round_)
        self._expired, self._forgotten = max(self._expired, upto), forgotten

    def _tell(self, round_: int, reward: float) -> None:
        late = round_ <= self._expired
        if round_ <= self._forgotten or (late and self._terms["late"] == "refuse"):
            return
        worth = self._worth[round_]
        if worth is None or round_ in self._defaulted:
            self._defaulted.discard(round_)
            self._worth[round_] = reward
            return
        match self._terms["rewards"]:
            case "last":
                self._worth[round_] = reward
            case "sum":
                self._worth[round_] = min(1.0, worth + reward)
            case "max":
                self._worth[round_] = max(worth, reward)
            case _:  # the first one counts
                pass
