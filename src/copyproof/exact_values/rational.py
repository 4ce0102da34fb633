"""One game in rational numbers: the same layers, with a ``Fraction`` for every probability.

Which arms win is decided by the same compiled rules as in a simulation, in floating point, as the
policy would decide; chances of picks, coins and rewards are exact. A mean is the decimal number
that was written: 0.9 is 9/10.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from copyproof.engine.exact_transitions import Options, Workspace, survey
from copyproof.exact_values.weighted_games import Played, Setting, WeightedGame, new_options
from copyproof.policy import Rule
from copyproof.policy.records import clock_of

__all__ = ["as_written", "play_fractions"]

_BATCH = 1024  # states whose options are found in one call


def as_written(number: float) -> Fraction:
    """Return the decimal number that a float was written as.

    >>> as_written(0.9).denominator
    10
    """
    return Fraction(str(number))


def play_fractions(
    setting: Setting, game: WeightedGame, *, watch: Callable[[int, int], None]
) -> Played[Fraction]:
    """Compute one game.

    ``watch(t, states)`` is told the states that round t has reached so far, and may raise.
    """
    work = setting.workspace(game)
    walk = _Walk(setting, work)
    here = {(0,) * len(work.child): Fraction(1)}
    plays: list[list[Fraction]] = []
    visited = 1
    for t in range(1, setting.horizon + 1):
        after: dict[tuple[int, ...], Fraction] = {}
        chosen = [Fraction(0)] * len(setting.means)
        keys = list(here)
        for start in range(0, len(keys), _BATCH):
            some = keys[start : start + _BATCH]
            walk.play(t, some, [here[key] for key in some], after, chosen)
            watch(t, len(after))
        plays.append(chosen)
        here = after
        visited += len(here)
    return Played(plays, walk.distribution(here), visited)


class _Walk:
    """What the rounds of one game share."""

    def __init__(self, setting: Setting, work: Workspace) -> None:
        self.setting = setting
        self.work = work
        self.agents = len(setting.market.agents)
        layout = work.layout
        self.slots = int(layout.slots[-1])
        self.kind_of = np.repeat(np.arange(len(setting.means)), np.diff(layout.slots)).tolist()
        bounds = layout.slots[layout.agents].tolist()
        self.owned = [range(bounds[i], bounds[i + 1]) for i in range(self.agents)]
        self.means = [as_written(mean) for mean in setting.means]

    def play(
        self,
        t: int,
        keys: list[tuple[int, ...]],
        chances: list[Fraction],
        after: dict[tuple[int, ...], Fraction],
        chosen: list[Fraction],
    ) -> None:
        """Play round t from some states; ``after`` and ``chosen`` are modified in place."""
        work = self.work
        options = new_options(work, self.agents, (len(keys),))
        children = np.zeros((len(keys), self.slots, 2, len(work.child)), np.int64)
        packed = np.array(keys, np.int64)
        survey(work, t, packed, options, children)
        following = children.tolist()
        for row, chance in enumerate(chances):
            for slot, share in self._shares(options, row, t):
                kind = self.kind_of[slot]
                mean = self.means[kind]
                reached = chance * share
                chosen[kind] += reached
                for reward, part in ((0, 1 - mean), (1, mean)):
                    if part > 0:
                        key = tuple(following[row][slot][reward])
                        after[key] = after.get(key, Fraction(0)) + reached * part

    def _shares(self, options: Options, row: int, t: int) -> list[tuple[int, Fraction]]:
        """The slots that may be chosen in a state, and their chances."""
        policy = self.setting.policy
        arms, in_play = options.arms[row].tolist(), options.in_play[row].tolist()
        if policy.agent is None:
            coin = self._coin(policy.arm, options.arm_coins[row, 0], t - 1)
            return _mixed(range(self.slots), arms, in_play, coin)
        present = [int(len(slots) > 0) for slots in self.owned]
        coin = self._coin(policy.agent, options.agent_coin[row, 0], t - 1)
        winners = options.agents[row].tolist()
        shares = []
        for agent, share in _mixed(range(self.agents), winners, present, coin):
            plays = int(options.plays[row, agent])
            coin = self._coin(policy.arm, options.arm_coins[row, agent], plays)
            inside = _mixed(self.owned[agent], arms, in_play, coin)
            shares += [(slot, share * part) for slot, part in inside]
        return shares

    def _coin(self, rule: Rule, tossed: float, plays: int) -> Fraction:
        """The chance that any item is taken, where the kernel says that a coin is tossed at all."""
        if tossed == 0:
            return Fraction(0)
        chance, falls = rule.coin
        if not falls:
            return as_written(chance)
        tau = {"plays": max(plays, 1), "horizon": self.setting.horizon}
        return min(Fraction(1), as_written(chance) / tau.get(clock_of(rule) or "", plays + 1))

    def distribution(self, layer: dict[tuple[int, ...], Fraction]) -> list[list[Fraction]]:
        """The probability that agent i has v successes, for v = 0 … T."""
        layout = self.work.layout
        mask = (1 << layout.bits) - 1
        places = list(zip(layout.words.tolist(), layout.shifts.tolist(), strict=True))
        found = [[Fraction(0)] * (self.setting.horizon + 1) for _ in range(self.agents)]
        for key, chance in layer.items():
            for agent, slots in enumerate(self.owned):
                own = [places[slot] for slot in slots]
                successes = sum((key[word] >> shift) & mask for word, shift in own)
                found[agent][successes] += chance
        return found


def _mixed(
    places: range, winners: list[int], present: list[int], coin: Fraction
) -> list[tuple[int, Fraction]]:
    """The chance of every place: among the winners, or among all if the coin says so."""
    best = sum(winners[place] for place in places)
    everyone = sum(present[place] for place in places)
    shares = []
    for place in places:
        share = Fraction(0)
        if winners[place]:
            share += (1 - coin) * Fraction(winners[place], best)
        if coin and present[place]:
            share += coin * Fraction(present[place], everyone)
        if share:
            shares.append((place, share))
    return shares
