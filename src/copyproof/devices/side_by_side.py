"""Jobs side by side on one GPU: how their games lie on the chip, and when they begin.

A game is one thread from its beginning to its end, and a chain of rounds: the chip cannot be faster
than its longest game. What slows a long game is its company. Threads of a warp wait for each other
where they do different things, and warps of different kernels push each other's code out of a
multiprocessor's cache. So a multiprocessor has games of one job at a time, few of long ones, each
in a warp of its own, and many of short ones; where a job has enough for all of them, in blocks of
the usual size.

Needs NumPy and CuPy alone, as ``launch``.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from copyproof.devices import launch

WARPS = 16  # of one multiprocessor: its registers are enough for so many
_THREADS = 32 * WARPS
_WAVE_ROUNDS = 20_000_000_000  # of all jobs side by side: between two waves a run can be broken off


def play_many(
    jobs: Sequence[dict[str, Any]], kernels: Sequence[Any]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Play several jobs side by side, in streams; give results as they come, with the job's number.

    Long games begin first, and short ones fill the chip beside them. ``seconds`` of a result is the
    time of its kernel; ``busy``, summed over all results, the time in which any kernel was there,
    or was prepared.
    """
    cupy = launch.load_cupy()
    processors = cupy.cuda.Device().attributes["MultiProcessorCount"]
    rounds = [int(job["checkpoints"][-1]) for job in jobs]
    spreads = spreads_of([len(job["market_of"]) for job in jobs], rounds, processors)
    waiting = sorted(range(len(jobs)), key=lambda number: -rounds[number])
    while waiting:
        left, work = launch.room(cupy), 0
        streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(launch.STREAMS)]
        queued = [0] * launch.STREAMS
        wave: list[tuple[int, Any, launch.Launch]] = []
        while waiting:
            number = waiting[0]
            job = jobs[number]
            needed = launch.bytes_of(job)
            work += len(job["market_of"]) * rounds[number]
            if wave and (needed > left or work > _WAVE_ROUNDS):
                break
            waiting.pop(0)
            place = queued.index(min(queued))
            queued[place] += rounds[number]
            spread, slots = spreads[number], launch.slots_of(job, left)
            if slots < len(job["market_of"]):  # they take turns in what memory there is
                spread = _spread_of(-(-slots // processors))
            with streams[place]:
                begun = launch.Launch(job, kernels[number], spread, left)
            wave.append((number, streams[place], begun))
            left -= min(needed, left)
        yield from _played(cupy, wave)


def _played(
    cupy: Any, wave: Sequence[tuple[int, Any, launch.Launch]]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Launch what is laid out on the device, and fetch the results."""
    preparing, prepared = cupy.cuda.Event(), cupy.cuda.Event()
    with wave[0][1]:
        preparing.record()
    for _, stream, one in wave:
        with stream:
            one.prepare()
    for _, stream, _ in wave:
        stream.synchronize()  # arrays are there before the first game begins
    with wave[0][1]:
        prepared.record()
    for _, stream, one in wave:
        with stream:
            one.start()
    first = wave[0][2].begin
    times: list[tuple[float, float]] = []
    for place, (number, stream, one) in enumerate(wave):
        with stream:
            result = one.result()
        begin, end = (
            cupy.cuda.get_elapsed_time(first, event) / 1000.0 for event in (one.begin, one.end)
        )
        times.append((begin, end))
        result["busy"] = 0.0
        if place == len(wave) - 1:
            result["busy"] = covered(times)
            result["busy"] += cupy.cuda.get_elapsed_time(preparing, prepared) / 1000.0
        yield number, result


def covered(times: Sequence[tuple[float, float]]) -> float:
    """The length of the union of intervals.

    >>> covered([(0.0, 2.0), (1.0, 3.0), (5.0, 6.0)])
    4.0
    """
    total, until = 0.0, -np.inf
    for begin, end in sorted(times):
        total += max(0.0, end - max(begin, until))
        until = max(until, end)
    return total


def spreads_of(games: Sequence[int], rounds: Sequence[int], processors: int) -> list[launch.Spread]:
    """How jobs side by side lie on the chip, each with so many games of so many rounds.

    A block takes all registers of a multiprocessor. The job of the longest game has the fewest
    games to a block that leave time for all others, and theirs lie the denser the shorter they are.

    >>> [one.games for one in spreads_of([40, 1400], [1_000_000, 100_000], 132)]
    [1, 32]
    """
    if len(games) == 1:  # evenly
        return [_spread_of(min(_THREADS, -(-games[0] // processors)))]
    longest = max(rounds)
    for few in (1, 2, 3, 5, 8, 12, 20, 32, 64, 128, 256, _THREADS):
        sizes = [
            max(1, min(count, _THREADS, int(few * (longest / one) ** 1.5)))
            for count, one in zip(games, rounds, strict=True)
        ]
        work = sum(
            -(-count // size) * one * slowed(size)
            for count, one, size in zip(games, rounds, sizes, strict=True)
        )
        if work <= 0.75 * processors * longest * slowed(few):
            break
    return [_spread_of(size) for size in sizes]


def slowed(games: int) -> float:
    """About how much longer a round takes with so many games on a multiprocessor than with one.

    As measured for four policies: 1.1 for 4, 1.5 for 16, 2.6 for 128, 4 to 8 for 512.
    """
    return 1.0 + 0.14 * (math.sqrt(games) - 1.0)


def _spread_of(size: int) -> launch.Spread:
    """Few games over the warps of a large block; many in blocks of the usual size."""
    if size == _THREADS:
        return launch.Spread(launch.BLOCK, launch.BLOCK // 32, 32)
    lanes = -(-size // WARPS)
    return launch.Spread(_THREADS, -(-size // lanes), lanes)
