"""Defaults that the library and the command line share.

A module of its own that loads nothing, so that ``copyproof audit --help`` can show them at once;
the functions and records named here take theirs from it.
"""

from typing import Final

CHECKPOINTS: Final = 200
"""``simulate``: rounds at which the regret is kept."""

CONFIDENCE: Final = 0.95
"""``audit``, ``equilibrium``, ``attacks``: with which all limits of a policy hold together."""
BUDGET: Final = 300_000_000
"""Rounds that the same three may play: about a minute on two processors."""
EXTERNAL_BUDGET: Final = 2_000_000
"""Rounds of a policy that is not ours, and plays some 50,000 a second."""
REFERENCE: Final = "best"
"""``audit``, ``attacks``: what a deviation is held against, the best arm only."""
MOST_COPIES: Final = 100
"""``audit``: the largest count of the standard deviations."""
METHOD: Final = "auto"
"""``audit``: exact where that is little work, else sampling."""
CAP: Final = 10
"""``equilibrium``: most copies of one arm."""
STARTS: Final = ("truthful", "honest", "capped")
"""``equilibrium``: the profiles that best responses start from."""
IDENTITIES: Final = (2, 5, 10)
"""``attacks``: how many identities are tried."""
SPLIT: Final = "best"
"""``attacks``: what the identities register, each the best arm."""

STUDY_HORIZON: Final = 100_000
"""``paper``: rounds of a game, as in the paper."""
STUDY_REPETITIONS: Final = 100
"""``paper``: games for each point, as in the paper."""
STUDY_SEED: Final = 1
"""``paper``: one for the whole study."""

REQUEST_BYTES: Final = 1 << 20
"""``serve``: of a request's body."""
REQUEST_RATE: Final = 10_000.0
"""``serve``: requests a second of one key, in the long run."""
REQUEST_BURST: Final = 20_000
"""``serve``: requests of one key at once."""
LEASE_SECONDS: Final = 6.0
"""``serve``: until another process takes over."""
OVERLAP_SECONDS: Final = 300.0
"""``keys rotate``: for which the old secret still works."""
