"""The contract as tests, for every store: inherit and say how yours is opened.

.. code-block:: python

    class TestMine(StoreConformance):
        def opened(self, folder):
            return MyStore(folder / "store")

pytest runs it as it is. ``opened`` is called with the same folder to open the same store again, as
another process would; a store that lives in memory gives the same object, and ``close`` is no end
to it. Temporary folders come from pytest's ``tmp_path``.
"""

from copyproof.live.stores.conformance.journal import JournalConformance
from copyproof.live.stores.conformance.leases import LeaseConformance
from copyproof.live.stores.conformance.snapshots import SnapshotConformance

__all__ = ["StoreConformance"]


class StoreConformance(JournalConformance, SnapshotConformance, LeaseConformance):
    """What every store must do. A subclass says how it is opened."""
