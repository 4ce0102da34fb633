"""Games by the million, on processors or on a GPU, for studies that need no folder of cells.

Games of several markets under one plan are given as arrays, one entry for each game: its market,
its repetition and, if wanted, its means. Both sides play the same games.
"""

import itertools
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof.devices import launch
from copyproof.devices.batch import Batch, pack
from copyproof.devices.cuda_compile import compiled
from copyproof.devices.shape import Shape
from copyproof.engine.lower import Lowered
from copyproof.engine.play import Record
from copyproof.simulation.threads import empty_record, fill

FIELDS = ("revenue", "agent_plays", "original_plays", "regret")
Played = dict[str, NDArray[Any]]
_LOADED: dict[Shape, Any] = {}


class Clock:
    """Stops a study in time, and adds up what the games took."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self.device_seconds = 0.0
        self.rounds = 0

    def is_over(self, reserve: float = 0.0) -> bool:
        """Whether less than the reserve is left."""
        return time.monotonic() + reserve >= self._end


def play(
    markets: Sequence[Lowered],
    market_of: NDArray[np.int64],
    repetition_of: NDArray[np.int64],
    checkpoints: Sequence[int],
    device: str,
    clock: Clock,
    *,
    means: NDArray[np.float64] | None = None,
    rules: NDArray[np.float64] | None = None,
) -> Played:
    """Play games; arrays of the result have a row for each, as wide as the largest market needs.

    ``means`` and ``rules`` have a row for each game that has means, or numbers of the policy's
    rules, of its own (``copyproof.devices.batch.pack``).
    """
    clock.rounds += len(market_of) * markets[0].horizon
    begin = time.perf_counter()
    if device == "cuda":
        batch = pack(
            markets, market_of.astype(np.int32), repetition_of, np.array(checkpoints),
            means=means, rules=rules,
        )  # fmt: skip
        found = launch.play(batch.arrays, kernel=_loaded(batch.shape))
        if found["status"].any():
            raise RuntimeError(f"games ended with status {set(found['status'].tolist())}")
        clock.device_seconds += found["seconds"]
        return {name: found[name] for name in FIELDS}
    played = _on_processors(markets, market_of, repetition_of, np.array(checkpoints), means, rules)
    clock.device_seconds += time.perf_counter() - begin
    return played


def compile_first(batches: Iterable[Batch]) -> None:
    """Have all kernels compiled, several at a time: each takes ten seconds and more."""
    shapes = list({batch.shape for batch in batches})
    with ProcessPoolExecutor(len(shapes), mp_context=get_context("spawn")) as pool:
        list(pool.map(compiled, shapes))


def one_game_of_each(
    markets: Sequence[Lowered], *, with_means: bool = False, with_rules: bool = False
) -> Batch:
    """The smallest batch of these markets: its shape is that of all."""
    each = np.arange(len(markets))
    width = max(len(one.game.rewards.originals) for one in markets)
    means = np.full((len(markets), width), 0.5) if with_means else None
    return pack(markets, each.astype(np.int32), each, np.array([markets[0].horizon]), means=means)


def _loaded(shape: Shape) -> Any:
    if shape not in _LOADED:
        _LOADED[shape] = launch.load_here(np.frombuffer(compiled(shape), np.uint8))
    return _LOADED[shape]


def _on_processors(
    markets: Sequence[Lowered],
    market_of: NDArray[np.int64],
    repetition_of: NDArray[np.int64],
    checkpoints: NDArray[np.int64],
    means: NDArray[np.float64] | None,
    rules: NDArray[np.float64] | None,
) -> Played:
    """The same with the engine: games of one market in a row are played together."""
    agents = max(len(one.counts) for one in markets)
    originals = max(len(one.game.rewards.originals) for one in markets)
    whole = empty_record(agents, originals, len(checkpoints), len(market_of))
    breaks = (np.diff(market_of) != 0) | (np.diff(repetition_of) != 1)
    if rules is not None:
        breaks |= (np.diff(rules, axis=0) != 0).any(axis=1)
    edges = [0, *(np.flatnonzero(breaks) + 1).tolist(), len(market_of)]
    for begin, end in itertools.pairwise(edges):
        one = markets[int(market_of[begin])]
        if rules is not None:
            one = with_rules(one, rules[begin])
        own = len(one.game.rewards.originals)
        record = empty_record(len(one.counts), own, len(checkpoints), end - begin)
        rows = None if means is None else np.ascontiguousarray(means[begin:end, :own])
        fill(one, checkpoints, record, workers=2, first=int(repetition_of[begin]), means=rows)
        _put(record, whole, begin, end)
    return {name: getattr(whole, name) for name in FIELDS}


def with_rules(lowered: Lowered, numbers: NDArray[np.float64]) -> Lowered:
    """The same game with other numbers in both rules: three parameters, and the tries."""
    first, second, third, tries = (float(number) for number in numbers)
    agent, arm = (
        rule._replace(parameters=(first, second, third), tries=int(tries))
        for rule in (lowered.plan.agent, lowered.plan.arm)
    )
    return replace(lowered, plan=lowered.plan._replace(agent=agent, arm=arm))


def _put(record: Record, whole: Record, begin: int, end: int) -> None:
    for name in FIELDS:
        rows = getattr(record, name)
        getattr(whole, name)[begin:end, : rows.shape[1]] = rows
