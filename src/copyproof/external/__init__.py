"""External policies: a library's, or one's own, played for the same luck as the engine's.

An ``ExternalPolicy`` makes a learner for every game, which chooses among arm names and learns from
rewards; ``play_external`` plays many games of it; ``named_policy`` reads one from a text.
"""

from copyproof.external.functions import Tally, function_policy
from copyproof.external.game import game_seed
from copyproof.external.interpreter import interpreter_policy, smpybandits_policy
from copyproof.external.libraries import mabwiser_policy, river_policy
from copyproof.external.records import ExternalError, ExternalPolicy, Factory, Learner
from copyproof.external.run import ExternalResult, play_external
from copyproof.external.text import named_policy

__all__ = [
    "ExternalError",
    "ExternalPolicy",
    "ExternalResult",
    "Factory",
    "Learner",
    "Tally",
    "function_policy",
    "game_seed",
    "interpreter_policy",
    "mabwiser_policy",
    "named_policy",
    "play_external",
    "river_policy",
    "smpybandits_policy",
]
