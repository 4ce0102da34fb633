"""Keyed random streams: every random number is a function of what it is for.

A uniform number is a pure function of (seed, owner, epoch, repetition, purpose, k, arm). Nothing is
drawn "next", so it does not matter in which order, on which thread or on which machine the numbers
are asked for: the k-th play of agent i in repetition r always meets the same uniform u_{i,k}, for
every strategy and every policy.

The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as
1, 2, 3", SC 2011), a bijection of a 128-bit counter under a 64-bit key, used twice:

- ``stream_key`` maps (seed, owner, epoch) to the key of a stream. Owner 0 is the principal, owner
  i + 1 is the agent at position i of the market.
- ``uniform`` maps the counter (k, purpose, arm, repetition) under that key to u in (0, 1).

The principal's stream is counted by the round t, an agent's stream by its own plays so far: what
happens inside an agent therefore never sees the clock or the other agents.
"""

import numpy as np
from numba import float64, int64, uint64

from copyproof.engine.cache import inlined

# What a number is for. Rejection samplers take POSTERIOR, POSTERIOR + 1, … for their attempts.
REWARD = 0
PICK = 1
COIN = 2
SAMPLE = 3
PRIORITY = 4
SPLIT = 5
MEAN = 6
OPENED = 7
POSTERIOR = 16

_MASK = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_MULTIPLY_0 = np.uint64(0xD2511F53)
_MULTIPLY_1 = np.uint64(0xCD9E8D57)
_WEYL_0 = np.uint64(0x9E3779B9)
_WEYL_1 = np.uint64(0xBB67AE85)


@inlined
def philox(
    c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, key0: np.uint64, key1: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Philox4x32-10 of one counter; all words are 32-bit numbers held in 64 bits."""
    for _ in range(10):
        product0 = _MULTIPLY_0 * c0
        product1 = _MULTIPLY_1 * c2
        c0, c1, c2, c3 = (
            (product1 >> _HALF) ^ c1 ^ key0,
            product1 & _MASK,
            (product0 >> _HALF) ^ c3 ^ key1,
            product0 & _MASK,
        )
        key0 = (key0 + _WEYL_0) & _MASK
        key1 = (key1 + _WEYL_1) & _MASK
    return c0, c1, c2, c3


@inlined
def stream_key(seed: np.uint64, owner: int, epoch: int) -> tuple[np.uint64, np.uint64]:
    """Key of the stream of one owner in one epoch."""
    seed = uint64(seed)
    key0, key1, _, _ = philox(
        uint64(owner),
        uint64(epoch),
        uint64(0),
        uint64(0),
        seed & _MASK,
        seed >> _HALF,
    )
    return key0, key1


@inlined
def branch_key(key0: np.uint64, key1: np.uint64, branch: int) -> tuple[np.uint64, np.uint64]:
    """Key of one of the streams that a stream branches into, where a state goes on as several."""
    new0, new1, _, _ = philox(
        uint64(branch), uint64(SPLIT) << uint64(16), uint64(0), uint64(0), key0, key1
    )
    return new0, new1


@inlined
def _open_unit(high: np.uint64, low: np.uint64) -> float:
    """(k + 1/2) / 2^52 for the upper 52 bits k: symmetric, and never 0 or 1."""
    bits = ((high << _HALF) | low) >> uint64(12)
    return (float64(int64(bits)) + 0.5) * 2.0**-52


@inlined
def two_uniforms(
    key0: np.uint64, key1: np.uint64, k: int, purpose: int, arm: int, repetition: int
) -> tuple[float, float]:
    """Two independent uniforms in (0, 1) of one counter; k < 2^48, purpose < 2^16."""
    count = uint64(k)
    w0, w1, w2, w3 = philox(
        count & _MASK,
        (count >> _HALF) | (uint64(purpose) << uint64(16)),
        uint64(arm),
        uint64(repetition),
        key0,
        key1,
    )
    return _open_unit(w0, w1), _open_unit(w2, w3)


@inlined
def uniform(
    key0: np.uint64, key1: np.uint64, k: int, purpose: int, arm: int, repetition: int
) -> float:
    """The uniform u in (0, 1) of one counter."""
    u, _ = two_uniforms(key0, key1, k, purpose, arm, repetition)
    return u


@inlined
def nth_of(u: float, m: int) -> int:
    """⌊u·m⌋, the place among m equals that u stands for (kept below m where u·m rounds up)."""
    return min(int(u * m), m - 1)
