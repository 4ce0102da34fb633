"""What is kept of a log while it streams by: sums for each arm, and plays of agents over time.

Memory grows with the arms, and not with the rows. An arm is a pair (agent, name): if a name stands
under a second agent, that is an arm of its own, and its rows are counted as odd.
"""

import numpy as np
from numpy.typing import NDArray

from copyproof.inspect.problems import Problems

MOST_BINS = 128  # of time
LEAST_BINS = 8
MOST_CELLS = 1 << 22  # agents times bins, beyond the least bins
OPENING = 64  # rewards of each arm that are kept, in their order
SECOND_OWNER = "an arm that an earlier row has under another agent: counted as an arm of its own"
OUT_OF_ORDER = "a time before that of the row before"


class TimeBins:
    """Plays of each agent in spans of time, which double in width as the log goes on.

    There are 128 of them, and fewer with more than 32,768 agents, but 8 at least, so that memory is
    bounded: a million agents have 64 MB.
    """

    def __init__(self) -> None:
        self.width = 0.0
        self.plays: dict[int, NDArray[np.int64]] = {}

    def add(self, times: NDArray[np.float64], agents: NDArray[np.int64], count: int) -> None:
        """Count rows; ``count`` agents are known by now."""
        low, high = float(times.min()), float(times.max())
        most = max(LEAST_BINS, min(MOST_BINS, MOST_CELLS // count))
        if self.width == 0.0:
            self.width = (high - low) / (MOST_BINS // 2) or 1.0
        if self.plays:
            low = min(low, min(self.plays) * self.width)
            high = max(high, max(self.plays) * self.width)
        while np.floor(high / self.width) - np.floor(low / self.width) >= most:
            self.width *= 2
            merged: dict[int, NDArray[np.int64]] = {}
            for place, plays in self.plays.items():
                merged[place // 2] = _summed(merged.get(place // 2), plays)
            self.plays = merged
        places = np.floor(times / self.width).astype(np.int64)
        first = int(places.min())
        keys = (places - first) * count + agents
        size = (int(places.max()) - first + 1) * count
        rows = np.bincount(keys, minlength=size).reshape(-1, count)
        for place in np.flatnonzero(rows.any(axis=1)).tolist():
            self.plays[first + place] = _summed(self.plays.get(first + place), rows[place])

    def table(self, agents: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The starts of the spans, and the plays in each: a row for each span."""
        if not self.plays:
            return np.zeros(0), np.zeros((0, agents), np.int64)
        spans = range(min(self.plays), max(self.plays) + 1)
        none = np.zeros(agents, np.int64)
        rows = [_summed(none, self.plays.get(span, none)) for span in spans]
        return np.array(spans) * self.width, np.stack(rows)


def _summed(one: NDArray[np.int64] | None, other: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum of two rows, of which one may know fewer agents."""
    if one is None:
        return other.astype(np.int64)
    short, long = sorted((one, other), key=len)
    total = long.astype(np.int64)
    total[: len(short)] += short
    return total


class Tally:
    """Sums for each arm; arrays have an entry for each, in the order in which they came."""

    def __init__(self) -> None:
        self.count = 0
        self.owner = np.zeros(0, np.int64)
        self.name = np.zeros(0, np.int64)
        self.plays = np.zeros(0, np.int64)
        self.total = np.zeros(0)
        self.squares = np.zeros(0)
        self.first = np.zeros(0)
        self.last = np.zeros(0)
        self.opening = np.zeros((0, OPENING), np.float32)
        self.bins = TimeBins()
        self.rows = 0
        self.least, self.most, self.is_binary = np.inf, -np.inf, True
        self._arm_of_name = np.zeros(0, np.int64)
        self._arm_of_pair: dict[tuple[int, int], int] = {}
        self._last_time = -np.inf

    def arms(
        self,
        agents: NDArray[np.int64],
        names: NDArray[np.int64],
        rows: NDArray[np.int64],
        problems: Problems,
        before: int,
    ) -> NDArray[np.int64]:
        """The arms of a block's ``rows``, by the codes of their agents and of their names."""
        most = int(names.max()) + 1
        if most > len(self._arm_of_name):
            fresh = np.full(most - len(self._arm_of_name), -1, np.int64)
            self._arm_of_name = np.concatenate([self._arm_of_name, fresh])
        arms = self._arm_of_name[names]
        if (arms < 0).any():
            new, places = np.unique(np.where(arms < 0, names, -1), return_index=True)
            for code, place in zip(new.tolist(), places.tolist(), strict=True):
                if code >= 0:
                    self._arm_of_name[code] = self._grown(int(agents[place]), code)
            arms = self._arm_of_name[names]
        others = np.flatnonzero(self.owner[arms] != agents)
        if len(others):
            problems.add_rows(SECOND_OWNER, rows[others], before, left_out=False)
            pairs = np.stack([agents[others], names[others]], axis=1)
            different, places = np.unique(pairs, axis=0, return_inverse=True)
            found = [self._pair(agent, code) for agent, code in different.tolist()]
            arms = arms.copy()
            arms[others] = np.array(found)[places.ravel()]
        return arms

    def _pair(self, agent: int, code: int) -> int:
        if (agent, code) not in self._arm_of_pair:
            self._arm_of_pair[agent, code] = self._grown(agent, code)
        return self._arm_of_pair[agent, code]

    def _grown(self, agent: int, code: int) -> int:
        """Make room for one more arm, and return its number."""
        if self.count == len(self.owner):
            more = max(1024, self.count)
            for name, fill in _ENTRIES.items():
                array = getattr(self, name)
                fresh = np.full((more, *array.shape[1:]), fill, array.dtype)
                setattr(self, name, np.concatenate([array, fresh]))
        self.owner[self.count], self.name[self.count] = agent, code
        self.count += 1
        return self.count - 1

    def add(
        self,
        arms: NDArray[np.int64],
        rewards: NDArray[np.float64],
        times: NDArray[np.float64],
        agents: int,
    ) -> None:
        """Add rows; ``agents`` are known by now."""
        size = len(self.owner)
        self._keep_openings(arms, rewards)
        self.plays += np.bincount(arms, minlength=size)
        self.total += np.bincount(arms, rewards, minlength=size)
        self.squares += np.bincount(arms, rewards * rewards, minlength=size)
        np.minimum.at(self.first, arms, times)
        np.maximum.at(self.last, arms, times)
        self.bins.add(times, self.owner[arms], agents)
        before = {self.least, self.most} if self.rows else set()
        self.least = min(self.least, float(rewards.min()))
        self.most = max(self.most, float(rewards.max()))
        self.is_binary = (  # whether all rewards so far are the least or the most
            self.is_binary
            and before <= {self.least, self.most}
            and bool(((rewards == self.least) | (rewards == self.most)).all())
        )
        self.rows += len(arms)

    def check_order(
        self,
        times: NDArray[np.float64],
        rows: NDArray[np.int64],
        problems: Problems,
        before: int,
    ) -> None:
        """Count rows of a block whose time lies before that of the row before them."""
        earlier = np.concatenate([[self._last_time], times[:-1]])
        wrong = rows[times < earlier]
        problems.add_rows(OUT_OF_ORDER, wrong, before, left_out=False)
        self._last_time = float(times[-1])

    def _keep_openings(self, arms: NDArray[np.int64], rewards: NDArray[np.float64]) -> None:
        early = np.flatnonzero(self.plays[arms] < OPENING)
        if len(early) == 0:
            return
        some = arms[early]
        order = np.argsort(some, kind="stable")
        ranked = some[order]
        starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
        lengths = np.diff(np.concatenate([starts, [len(ranked)]]))
        rank = np.arange(len(ranked)) - np.repeat(starts, lengths)
        places = self.plays[ranked] + rank
        kept = places < OPENING
        self.opening[ranked[kept], places[kept]] = rewards[early][order][kept]


# What an arm has of each array before its first row.
_ENTRIES = {
    "owner": 0,
    "name": 0,
    "plays": 0,
    "total": 0.0,
    "squares": 0.0,
    "first": np.inf,
    "last": -np.inf,
    "opening": np.nan,
}
