"""Policies that are not ours: a library's, or one's own, played for the same luck as the engine's.

An ``OutsidePolicy`` makes a player for every game, which chooses among arm names and learns from
rewards; ``play_outside`` plays many games of it; ``named_policy`` reads one from a text.
"""

from copyproof.outside.functions import Tally, function_policy
from copyproof.outside.interpreter import interpreter_policy, smpybandits_policy
from copyproof.outside.libraries import mabwiser_policy, river_policy
from copyproof.outside.records import Factory, OutsideError, OutsidePolicy, Player
from copyproof.outside.run import Games, play_outside
from copyproof.outside.table import game_seed
from copyproof.outside.text import named_policy

__all__ = [
    "Factory",
    "Games",
    "OutsideError",
    "OutsidePolicy",
    "Player",
    "Tally",
    "function_policy",
    "game_seed",
    "interpreter_policy",
    "mabwiser_policy",
    "named_policy",
    "play_outside",
    "river_policy",
    "smpybandits_policy",
]
