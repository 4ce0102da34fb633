"""A live game whose rewards are coupled as the pathwise theorem couples them."""

import zlib

import numpy as np

from copyproof.drills import LiveGame


class EpochGame(LiveGame):
    """With the luck of the theorem: by agent, epoch, and the agent's play in the epoch."""

    def __init__(self, policy: str, seed: int, *, attacks: bool, horizon: int = 1500) -> None:
        super().__init__(policy, seed, attacks=attacks, horizon=horizon, config={})
        self.seed = seed
        self.streams: dict[tuple[str, int], np.random.Generator] = {}

    @property
    def epoch(self) -> int:
        """The number of the epoch of the last decision."""
        epoch = self.state.arrays.state.epoch[0]
        ended = len(self.path) < int(epoch["before"])  # with this decision
        return int(epoch["number"]) - ended

    def uniform(self, who: str) -> float:
        """The number that the agent's next play in the epoch meets."""
        key = who, self.epoch
        if key not in self.streams:
            self.streams[key] = np.random.default_rng([self.seed, zlib.crc32(who.encode()), key[1]])
        return float(self.streams[key].random())
