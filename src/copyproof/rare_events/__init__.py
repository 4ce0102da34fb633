"""Rare events: how likely it is that an agent is given up although it holds the best arm."""

from copyproof.rare_events.ensembles import is_compiled
from copyproof.rare_events.lost import lost_probability
from copyproof.rare_events.result import LostProbability

__all__ = ["LostProbability", "is_compiled", "lost_probability"]
