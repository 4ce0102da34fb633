"""External policies: a library's, or one's own, played for the same luck as the engine's.

An ``ExternalPolicy`` makes a learner for every game, which chooses among arm names and learns from
rewards; ``named_policy`` reads one from a text. ``copyproof.simulation`` plays them, as it plays
ours.
"""

from copyproof.external.functions import Tally, function_policy
from copyproof.external.game import game_seed
from copyproof.external.interpreter import interpreter_policy, smpybandits_policy
from copyproof.external.libraries import mabwiser_policy, river_policy
from copyproof.external.records import ExternalError, ExternalPolicy, Factory, Learner
from copyproof.external.stored import policy_from_dict, policy_to_dict
from copyproof.external.text import AnyPolicy, any_policy, code_of, named_policy

__all__ = [
    "AnyPolicy",
    "ExternalError",
    "ExternalPolicy",
    "Factory",
    "Learner",
    "Tally",
    "any_policy",
    "code_of",
    "function_policy",
    "game_seed",
    "interpreter_policy",
    "mabwiser_policy",
    "named_policy",
    "policy_from_dict",
    "policy_to_dict",
    "river_policy",
    "smpybandits_policy",
]
