"""Studies: from one question to a hundred thousand games, on one machine or on a cluster.

A study is a file, or a ``Study``; its cells are content-addressed, its run can be broken off at any
moment, and its result is one table.
"""

from copyproof.studies.generators import (
    MixedMarkets,
    NeedlesMarkets,
    RandomMarkets,
    ZipfMarkets,
)
from copyproof.studies.run import Progress, status_of
from copyproof.studies.store import Status
from copyproof.studies.strategies import Variation
from copyproof.studies.study import Study, folder_frame, told

__all__ = [
    "MixedMarkets",
    "NeedlesMarkets",
    "Progress",
    "RandomMarkets",
    "Status",
    "Study",
    "Variation",
    "ZipfMarkets",
    "folder_frame",
    "status_of",
    "told",
]
