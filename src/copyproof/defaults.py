"""Defaults that the library and the command line share.

A module of its own that loads nothing, so that ``copyproof audit --help`` can show them at once;
the functions and records named here take theirs from it.
"""

from typing import Final

# Of whatever is played, where none is given: equal seeds share their luck.
SEED: Final = 0
# ``simulate``: T, the rounds of a game.
HORIZON: Final = 10_000
# ``simulate``: games for each policy.
REPETITIONS: Final = 100
# ``simulate``: rounds at which the regret is kept.
CHECKPOINTS: Final = 200

# ``audit``, ``equilibrium``, ``attacks``: with which all limits of a policy hold together.
CONFIDENCE: Final = 0.95
# Rounds that the same three may play: about a minute on two processors.
BUDGET: Final = 300_000_000
# Rounds of a policy that is not ours, and plays some 50,000 a second.
EXTERNAL_BUDGET: Final = 2_000_000
# ``audit``, ``attacks``: what a deviation is held against, the best arm only.
REFERENCE: Final = "best"
# ``audit``: the largest count of the standard deviations.
MOST_COPIES: Final = 100
# ``audit``: exact where that is little work, else sampling.
METHOD: Final = "auto"
# ``equilibrium``: most copies of one arm.
CAP: Final = 10
# ``equilibrium``: the profiles that best responses start from.
STARTS: Final = ("truthful", "honest", "capped")
# ``attacks``: how many identities are tried.
IDENTITIES: Final = (2, 3, 5, 10)
# ``attacks``: what the identities register, each the best arm.
SPLIT: Final = "best"

# ``drill``: pairs of games for each setting of a scenario.
DRILL_GAMES: Final = 100

# ``lost``: the standard error that is aimed at, as a share of the probability.
LOST_PRECISION: Final = 0.1
# Own plays of all walkers: less than two minutes on one processor.
LOST_BUDGET: Final = 200_000_000
# Own plays of one walker.
LOST_PLAYS: Final = 1_000_000

# ``paper``: rounds of a game, as in the paper.
STUDY_HORIZON: Final = 100_000
# ``paper``: games for each point, as in the paper.
STUDY_REPETITIONS: Final = 100
# ``paper``: one for the whole study.
STUDY_SEED: Final = 1

# ``serve``: of a request's body.
REQUEST_BYTES: Final = 1 << 20
# ``serve``: decisions and rewards a second of one key, in the long run.
REQUEST_RATE: Final = 10_000.0
# ``serve``: decisions and rewards of one key at once.
REQUEST_BURST: Final = 20_000
# The same for an agent's key, which is in the hands of somebody else.
AGENT_RATE: Final = 20.0
AGENT_BURST: Final = 200
# ``serve``: requests of one market that may wait for its writer.
WAITING_REQUESTS: Final = 10_000
# ``serve``: plays of one market that may wait for their reward, of some 170 bytes each.
MOST_PENDING: Final = 10_000_000
# ``PUT /v1/markets/M``: how many arms one agent may ever register.
MOST_ARMS: Final = 10_000
# ``serve``: until another process takes over.
LEASE_SECONDS: Final = 5.0
# ``keys rotate``: for which the old secret still works.
OVERLAP_SECONDS: Final = 300.0
# The same, at most.
MOST_OVERLAP_SECONDS: Final = 86400.0

# ``serve``: seconds by which the machine's clock may leap and still be followed by markets.
CLOCK_JUMP_SECONDS: Final = 3600.0
# The same when a market is opened, since its last event: it may have been idle for long.
CLOCK_GAP_SECONDS: Final = 366 * 86400.0
