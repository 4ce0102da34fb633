"""Where the live principal keeps what happened: one contract, three stores.

``open_store("memory:")``, ``open_store("sqlite:live.db")``, ``open_store("postgresql://...")``.
"""

from copyproof.live.stores.contract import Store
from copyproof.live.stores.errors import (
    Conflict,
    Damaged,
    LeaseLost,
    StoreError,
    Uncertain,
    UnknownMarket,
)
from copyproof.live.stores.open import open_store, restore

__all__ = [
    "Conflict",
    "Damaged",
    "LeaseLost",
    "Store",
    "StoreError",
    "Uncertain",
    "UnknownMarket",
    "open_store",
    "restore",
]
