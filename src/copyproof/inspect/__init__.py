"""Inspection: from a log to who copies, what that costs, and what another policy would earn.

``inspect_log`` reads a log once (``scan``), finds groups of copies (``groups``), estimates a market
with what is known of every mean (``rates``, ``estimated``), and plays games on it (``answers``).
``report`` writes a page about it.
"""

from copyproof.inspect.answers import Answer
from copyproof.inspect.groups import Group
from copyproof.inspect.problems import Problem
from copyproof.inspect.result import Inspection, LoggedAgent, LoggedArm
from copyproof.inspect.run import inspect_log

__all__ = [
    "Answer",
    "Group",
    "Inspection",
    "LoggedAgent",
    "LoggedArm",
    "Problem",
    "inspect_log",
]
