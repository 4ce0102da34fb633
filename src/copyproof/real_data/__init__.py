"""Real data: logs and tables that nobody here made, fetched when asked for, and studies of them."""

from copyproof.real_data.catalogue import SETS, DataSet, data_set
from copyproof.real_data.fetch import Unreachable, get, is_there

__all__ = ["SETS", "DataSet", "Unreachable", "data_set", "get", "is_there"]
