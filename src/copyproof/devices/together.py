"""Games of many markets and policies on a GPU, in as few launches as can be.

A chip wants many games at once, and those of one study or audit come in small portions: a hundred
repetitions of each market. Here portions are put together. Games that share a plan, T and a seed
(``batch.shared``) and are about as large are one batch, with a row of its table for each market;
batches are played side by side, those with the most rounds of a game first.

Threads of a warp wait for each other. Games of one batch have the same length; within a batch they
lie in the order of what a round costs, the largest markets first and the repetitions of a market
together, so that neighbours do the same. A game depends on its market and its repetition alone, and
results go to the rows of those who asked: neither the order nor the company changes them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from copyproof.devices import launch
from copyproof.devices.batch import Batch, is_large, pack, shared
from copyproof.devices.cuda_compile import compile_missing, compiled, kernel_shape
from copyproof.devices.gpus import target
from copyproof.devices.side_by_side import play_many
from copyproof.engine.distributions import BERNOULLI
from copyproof.engine.lower import Lowered
from copyproof.engine.play import Record

# Rounds, games and bytes of results of one launch: between two of them a run can be broken off.
_LAUNCH_ROUNDS = 20_000_000_000
_LAUNCH_GAMES = 1 << 20
_LAUNCH_BYTES = 1 << 30
# Small games that are worth a kernel of their own.
_MANY_GAMES = 4096

# What one launch plays: numbers of portions, with the first and the last row + 1 of each.
_Part: TypeAlias = list[tuple[int, int, int]]


@dataclass(frozen=True, slots=True, eq=False)
class Portion:
    """Repetitions ``first``, ``first`` + 1, … of a market under a policy: a row of the record each.

    ``record`` is modified when they are played; ``means`` has a row for each repetition if they are
    drawn.
    """

    lowered: Lowered
    checkpoints: NDArray[np.int64]
    record: Record
    first: int = 0
    means: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.record.revenue)

    def rows(self, begin: int, end: int) -> "Portion":
        """Some of its repetitions."""
        return Portion(
            self.lowered,
            self.checkpoints,
            Record(*(array[begin:end] for array in self.record)),
            self.first + begin,
            None if self.means is None else self.means[begin:end],
        )


@dataclass(frozen=True, slots=True)
class DeviceTime:
    """What a device had to do.

    Attributes
    ----------
    seconds : float
        In which a kernel was on the device; several may be there side by side.
    kernel_seconds : float
        Of all kernels, added up.
    launches, games : int
        How many.
    """

    seconds: float = 0.0
    kernel_seconds: float = 0.0
    launches: int = 0
    games: int = 0

    def __add__(self, other: "DeviceTime") -> "DeviceTime":
        return DeviceTime(
            self.seconds + other.seconds,
            self.kernel_seconds + other.kernel_seconds,
            self.launches + other.launches,
            self.games + other.games,
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        names = ("seconds", "kernel_seconds", "launches", "games")
        return {name: getattr(self, name) for name in names}


def fill_together(
    portions: Sequence[Portion], *, progress: Callable[[int], None] | None = None
) -> tuple[DeviceTime, list[int]]:
    """Play portions; return the time of the device, and a status for each: 0, or why it ended.

    ``progress`` is told the number of rounds played so far.
    """
    statuses = [0] * len(portions)
    batches = _batches(portions)
    time, rounds = DeviceTime(), 0
    for number, found in play_batches([batch for _, batch, _ in batches]):
        part, batch, order = batches[number]
        if (found["status"] == launch.UNPLAYED).any():
            raise RuntimeError("the device ended before all games were played")
        back = np.argsort(order)
        row = 0
        for which, begin, end in part:
            rows = back[row : row + end - begin]
            row += end - begin
            for name, array in portions[which].record._asdict().items():
                array[begin:end] = found[name][rows, : array.shape[1]]
            failed = found["status"][rows]
            statuses[which] = statuses[which] or int(next(iter(failed[failed != 0]), 0))
        time += DeviceTime(found["busy"], found["seconds"], 1, row)
        rounds += row * int(batch.arrays["checkpoints"][-1])
        if progress is not None:
            progress(rounds)
    return time, statuses


def batches_of(portions: Sequence[Portion]) -> list[Batch]:
    """What ``fill_together`` would have played, long games first."""
    return [batch for _, batch, _ in _batches(portions)]


def _batches(portions: Sequence[Portion]) -> list[tuple[_Part, Batch, NDArray[np.int64]]]:
    return [
        (part, *_batch_of([portions[number].rows(begin, end) for number, begin, end in part]))
        for part in _parts(portions)
    ]


def play_batches(batches: Sequence[Batch]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Play batches on the GPU: the number of a batch, and what its games left behind, as they come.

    What else plays batches, such as a simulator, takes the place of this function, and is held to
    the same conformance tests.
    """
    shapes, capability = [kernel_shape(batch.shape) for batch in batches], target()
    compile_missing(shapes, capability=capability)
    kernels = launch.loaded([compiled(shape, capability) for shape in shapes])
    yield from play_many([batch.arrays for batch in batches], kernels)


def _parts(portions: Sequence[Portion]) -> list[_Part]:
    """Portions that can be played in one launch, long first; what is too much is cut."""
    groups: dict[Any, dict[int, list[int]]] = {}
    keys: dict[int, Any] = {}  # portions of one market and policy share what was lowered
    for number, one in enumerate(portions):
        if id(one.lowered) not in keys:
            keys[id(one.lowered)] = _key(one.lowered)
        own = (one.checkpoints.tobytes(), one.record.choices.shape[1], one.means is None)
        group = groups.setdefault((keys[id(one.lowered)], *own), {})
        group.setdefault(_size_class(one.lowered), []).append(number)
    parts = [
        part
        for group in groups.values()
        for numbers in _classes(group, portions)
        for part in _cut(numbers, portions)
    ]
    return sorted(parts, key=lambda part: -portions[part[0][0]].lowered.horizon)


def _key(lowered: Lowered) -> Any:
    """Equal for games that one kernel can play, without carrying what only others need."""
    families = lowered.game.rewards.originals["family"]
    return shared(lowered), bool((families == BERNOULLI).all())


def _size_class(lowered: Lowered) -> int:
    """0 for a game in a thread's own memory; of larger ones, within a class at most eightfold."""
    if not is_large(lowered):
        return 0
    return 1 + (len(lowered.counts) + len(lowered.originals)).bit_length() // 3


def _classes(group: dict[int, list[int]], portions: Sequence[Portion]) -> list[list[int]]:
    """The portions of each size class; few small games go along with larger ones.

    A kernel for small games has to be compiled, too, and is faster where they are many.
    """
    small = group.get(0, [])
    if small and len(group) > 1 and sum(len(portions[one]) for one in small) < _MANY_GAMES:
        least = min(one for one in group if one)
        group = {**group, least: small + group[least]}
        del group[0]
    return list(group.values())


def _cut(numbers: Sequence[int], portions: Sequence[Portion]) -> list[_Part]:
    """Portions of one kernel, launch by launch."""
    parts: list[_Part] = [[]]
    room = most = _most_games(portions[numbers[0]])
    for number in numbers:
        begin, count = 0, len(portions[number])
        while begin < count:
            if room == 0:
                parts.append([])
                room = most
            end = min(count, begin + room)
            parts[-1].append((number, begin, end))
            room -= end - begin
            begin = end
    return parts


def _most_games(one: Portion) -> int:
    """How many games like those of a portion one launch may have."""
    each = sum(int(array[:1].nbytes) for array in one.record)
    by_rounds = _LAUNCH_ROUNDS // one.lowered.horizon
    return max(1, min(by_rounds, _LAUNCH_GAMES, _LAUNCH_BYTES // max(each, 1)))


def _batch_of(portions: Sequence[Portion]) -> tuple[Batch, NDArray[np.int64]]:
    """A batch, and the order of its games: place by place, the row that stood there before."""
    markets = {id(one.lowered): one.lowered for one in portions}
    place_of = {market: place for place, market in enumerate(markets)}
    market_of = np.concatenate(
        [np.full(len(one), place_of[id(one.lowered)], np.int32) for one in portions]
    )
    repetition_of = np.concatenate([np.arange(one.first, one.first + len(one)) for one in portions])
    costs = np.array([_cost(one) for one in markets.values()])
    order = np.lexsort((repetition_of, market_of, -costs[market_of]))
    means = None
    if portions[0].means is not None:
        width = max(np.asarray(one.means).shape[1] for one in portions)
        means = np.concatenate(
            [np.pad(one.means, ((0, 0), (0, width - one.means.shape[1])))
             for one in portions if one.means is not None]
        )[order]  # fmt: skip
    batch = pack(
        list(markets.values()), market_of[order], repetition_of[order], portions[0].checkpoints,
        means=means, traced=portions[0].record.choices.shape[1],
    )  # fmt: skip
    return batch, order


def _cost(lowered: Lowered) -> int:
    """What a round costs, roughly: agents, and arms that can be in play."""
    return len(lowered.counts) + sum(lowered.rooms)
