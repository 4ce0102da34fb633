"""Tables of luck: what an agent's next plays will pay, before anybody knows which arm they meet.

The k-th play of agent i in repetition r meets the uniform u_{i,k} keyed by (seed, owner i + 1,
epoch 0, k, purpose REWARD, arm 0, repetition r), exactly as in ``play``. So a block of plays can be
laid out in advance: the uniforms themselves, or the rewards F⁻¹(u_{i,k}) that one original pays
for them. A round loop that is not compiled reads such blocks instead of calling a kernel a round.
"""

import numpy as np

from copyproof.engine.cache import kernel
from copyproof.engine.quantiles import Rewards, reward
from copyproof.engine.streams import REWARD, stream_key, uniform


@kernel
def fill_uniforms(
    seed: np.uint64, agent: int, first: int, repetition: int, out: np.ndarray
) -> None:
    """Put the uniforms of the agent's plays number ``first``, ``first`` + 1, … into ``out``."""
    key0, key1 = stream_key(seed, agent + 1, 0)
    for place in range(out.shape[0]):
        out[place] = uniform(key0, key1, first + place, REWARD, 0, repetition)


@kernel
def fill_rewards(
    rewards: Rewards,
    seed: np.uint64,
    agent: int,
    original: int,
    first: int,
    repetition: int,
    out: np.ndarray,
) -> None:
    """Put what one original pays for the plays ``first``, ``first`` + 1, … into ``out``.

    Not for an original whose mean changes: what it pays depends on the round.
    """
    key0, key1 = stream_key(seed, agent + 1, 0)
    for place in range(out.shape[0]):
        u = uniform(key0, key1, first + place, REWARD, 0, repetition)
        out[place] = reward(rewards, original, u, 1)
