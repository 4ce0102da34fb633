"""One game in floating point: layers in hash tables, filled by the compiled kernels.

Every probability is a sum of products of a few dozen numbers, all of them ≥ 0, so that nothing
cancels: the relative error stays near T times the rounding of one operation.
"""

from collections.abc import Callable

import numpy as np

from copyproof.engine.exact_layers import Layer, copy_layer, expand, new_layer, put, tally
from copyproof.engine.state import power_of_two
from copyproof.exact_values.weighted_games import Played, Setting, WeightedGame, new_options

__all__ = ["play_floats"]


def play_floats(
    setting: Setting,
    game: WeightedGame,
    *,
    watch: Callable[[int, int], None],
) -> Played[float]:
    """Compute one game.

    ``watch(t, states)`` is told the states that round t has reached so far, and may raise.
    """
    work = setting.workspace(game)
    agents = len(setting.market.agents)
    options = new_options(work, agents)
    words = len(work.child)
    least = power_of_two(max(1024, 8 * len(options.fields)))
    plays = np.zeros((setting.horizon, len(setting.means), 2))
    here = new_layer(least, words)
    put(here, work.child, 1.0)
    visited = 1
    for t in range(1, setting.horizon + 1):
        after = new_layer(max(least, power_of_two(int(1.7 * here.count[0]))), words)
        start, places = 0, len(here.chance)
        while start < places:
            start = expand(work, options, t, here, start, after, plays[t - 1])
            watch(t, int(after.count[0]))
            if start < places:
                after = _larger(after)
        here = after
        visited += int(here.count[0])
    sums = np.zeros((agents, setting.horizon + 1, 2))
    tally(work.layout, here, sums)
    return Played(plays[:, :, 0].tolist(), sums[:, :, 0].tolist(), visited)


def _larger(layer: Layer) -> Layer:
    places, words = layer.keys.shape
    larger = new_layer(2 * places, words)
    copy_layer(layer, larger)
    return larger
