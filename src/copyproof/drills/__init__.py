"""Drills: attacks on the live principal, over its own code paths, judged as the auditor judges.

The theorems speak of a game; a service has slates, visitors who may not see everyone, filters, late
rewards, arms that come and go. A *scenario* is one such condition with the attack that it invites.
It is played many times on a principal in memory, with the attack and without it, with the same
luck; what the attack gains is a mean with limits, under the settings of before and of now.
"""

from copyproof.drills.catalogue import SCENARIOS
from copyproof.drills.gains import Drill, ScenarioGain
from copyproof.drills.live_game import LiveGame
from copyproof.drills.run import drill
from copyproof.drills.scenario import Scenario, Setting

__all__ = ["SCENARIOS", "Drill", "LiveGame", "Scenario", "ScenarioGain", "Setting", "drill"]
