"""An agent's index that is made of its own rewards, T and n, and never of the round t.

Of N plays of an agent, with 2^k < N ≤ 2^(k+1), those after play 2^(k−1) count: w of them, with mean
reward r. The index is the largest q with w·kl(r, q) ≤ scale·ln T (or r + √(scale·ln T / (2 w))).
With M = min(√(T/n), ln² T), the first turns·M plays have an index above all others that falls with
N, so that agents have them in turn; up to doubt·M plays the index is at least 1 − N/(3 doubt·M).
For given N all of this is non-decreasing in every reward of the agent.

With a memory of W plays the index is the least over windows of the agent's last plays
(``memory``), where the plays in turn and in doubt are forgiven.

Where rewards come late, counts N and w are those of plays, and means those of the answers so far.
"""

import math
from typing import Any

from copyproof.engine.bounds import kl_index
from copyproof.engine.cache import inlined, part
from copyproof.engine.memory import forgets, held, mean_of, windows_of
from copyproof.engine.state import State

# Forms, added up: which plays count, and the width.
RECENT = 1
HOEFFDING = 2


@inlined
def own_index(
    item: Any,
    window: Any,
    blocks: Any,
    epoch: Any,
    parameters: tuple[float, float, float],
    form: int,
    memory: int,
) -> float:
    """The index of an agent with a window of its rewards."""
    if item.plays == 0:
        return math.inf
    scale, turns, doubt = parameters
    in_turn = turns * epoch.unit
    if item.plays < in_turn:
        return 3.0 - float(item.plays / in_turn)  # above all others
    total = item.total
    answers = item.answers
    if form & RECENT:
        total = window.recent + window.before
        answers = window.recents + window.befores
    counting = answers + (item.plays - item.answers)
    mean = total / answers if answers > 0 else 0.5
    in_doubt = doubt * epoch.unit
    forgiven = max(in_turn, in_doubt)
    level = scale * epoch.log
    index = math.inf
    if not forgets(item, forgiven, memory):
        index = _bound(mean, level / counting, form)
    for j in range(windows_of(memory)):
        answers = held(item, forgiven, memory, j)
        if answers > 0:
            counting = answers + (item.plays - item.answers)
            index = min(index, _bound(mean_of(blocks, j, answers), level / counting, form))
    if item.plays < in_doubt:
        index = max(index, 1.0 - item.plays / (3.0 * in_doubt))
    return index


@inlined
def _bound(mean: float, level: float, form: int) -> float:
    """The upper confidence bound of a mean."""
    if form & HOEFFDING:
        return mean + math.sqrt(level / 2.0)
    return kl_index(min(mean, 1.0), level)


@inlined
def remember(state: State, agent: int, reward: float) -> None:
    """Put a reward into the agent's window, before it is counted; ``state`` is modified."""
    answers = state.items[agent].answers
    window = state.windows[agent]
    if answers > 0 and answers & (answers - 1) == 0:
        window.before = window.recent
        window.befores = window.recents
        window.recent = 0.0
        window.recents = 0
    window.recent += reward
    window.recents += 1


@part
def correct_window(state: State, agent: int, number: int, change: float) -> None:
    """Let the reward of an agent's play ``number`` be worth more or less, if its window holds it.

    Sums are kept within what rewards in [0, 1] give. ``state`` is modified in place.
    """
    window = state.windows[agent]
    later = state.items[agent].answers - 1 - number
    if later < window.recents:
        window.recent = min(max(window.recent + change, 0.0), float(window.recents))
    elif later < window.recents + window.befores:
        window.before = min(max(window.before + change, 0.0), float(window.befores))
