"""Memory: windows of an agent's own last plays, so that a reputation has an end.

With a memory of W plays an agent's index is the least of the indices of nested windows: of its last
W plays, its last W/4, W/16, …, down to LEAST plays. The long ones are precise, the short ones see a
drop at once. All plays since those that are forgiven count as a window, too, while they are at most
W. A window that reaches into plays that are forgiven is not asked.

A window of v plays is kept in blocks of h = ⌊v/2⌋: the sum of the present block, and of the one
before. With N plays it holds the last h + 1 … 2h of them: how many is a function of N alone. So for
given N each window's mean is non-decreasing in every reward of the agent, and so is the least of
their indices. Sums begin with their blocks, and are no differences, which rounding could let fall.

Where rewards come late, a window holds answers, and its width counts the plays without one as well.
"""

from typing import Any

from copyproof.engine.bounds import bernoulli_kl
from copyproof.engine.cache import inlined, part
from copyproof.engine.state import WINDOWS, State

LEAST = 50  # plays of the shortest window


@inlined
def windows_of(memory: int) -> int:
    """How many windows there are; none without a memory."""
    if memory == 0:
        return 0
    count = 1
    while count < WINDOWS and memory >> (2 * count) >= LEAST:
        count += 1
    return count


@inlined
def _block(memory: int, j: int) -> int:
    """Plays of a block of window j: half of W/4^j."""
    return max(memory >> (2 * j + 1), 1)


@inlined
def held(item: Any, forgiven: float, memory: int, j: int) -> int:
    """How many answers window j holds; 0 if it is not asked."""
    h = _block(memory, j)
    before = (item.answers - 1) // h * h - h  # answers before the window
    return int(item.answers - before) if before >= max(forgiven, 1.0) else 0


@inlined
def forgets(item: Any, forgiven: float, memory: int) -> bool:
    """Whether there are more than W answers since those that are forgiven: not all count."""
    return bool(memory > 0 and item.answers - forgiven > memory)


@inlined
def mean_of(blocks: Any, j: int, answers: int) -> float:
    """The mean reward of a window that holds so many answers."""
    return min(float(blocks[j].now + blocks[j].last) / answers, 1.0)


@part
def evidence_below(
    item: Any, blocks: Any, forgiven: float, memory: int, j: int, m: float
) -> tuple[int, float]:
    """Plays w of window j, and w·kl(r, m) if its mean r is below m; 0 if not, or if not asked."""
    answers = held(item, forgiven, memory, j)
    if answers == 0:
        return 0, 0.0
    w = answers + int(item.plays - item.answers)
    r = mean_of(blocks, j, answers)
    return w, w * bernoulli_kl(r, m) if r < m else 0.0


@part
def add_to_blocks(state: State, agent: int, reward: float, memory: int) -> None:
    """Put a reward into its agent's windows, before it is counted; ``state`` is modified."""
    answers = state.items[agent].answers
    for j in range(windows_of(memory)):
        block = state.blocks[agent, j]
        if answers > 0 and answers % _block(memory, j) == 0:
            block.last = block.now
            block.now = 0.0
        block.now += reward


@part
def correct_blocks(state: State, agent: int, number: int, change: float, memory: int) -> None:
    """Let the reward of an agent's play ``number`` be worth more or less, if a window holds it.

    Sums are kept within what rewards in [0, 1] give. ``state`` is modified in place.
    """
    for j in range(windows_of(memory)):
        h = _block(memory, j)
        block = state.blocks[agent, j]
        present = (state.items[agent].answers - 1) // h
        if number // h == present:
            most = float(state.items[agent].answers - present * h)
            block.now = min(max(block.now + change, 0.0), most)
        elif number // h == present - 1:
            block.last = min(max(block.last + change, 0.0), float(h))


@part
def spread_over_blocks(state: State, agent: int, memory: int) -> None:
    """Fill the windows of an agent whose rewards were not kept in order, as if they came evenly.

    ``state`` is modified in place.
    """
    item = state.items[agent]
    for j in range(windows_of(memory)):
        h = _block(memory, j)
        present = (max(item.answers, 1) - 1) // h
        mean = item.total / item.answers if item.answers > 0 else 0.0
        state.blocks[agent, j].now = mean * (item.answers - present * h)
        state.blocks[agent, j].last = mean * h if present > 0 else 0.0
