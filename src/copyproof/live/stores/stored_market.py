"""A market within a transaction: all that a store of our own must say about it."""

from collections.abc import Sequence
from typing import Protocol

from copyproof.live.stores.appends import Generations
from copyproof.live.stores.chain import Chain
from copyproof.live.stores.leases import Lease


class StoredMarket(Protocol):
    """A market within a transaction: up to which event it is compacted, its chain and its lease."""

    compacted: int
    chain: Chain
    lease: Lease

    @property
    def last(self) -> int:
        """The number of the last event."""

    @property
    def generations(self) -> Generations:
        """From which round on which generation of ids holds."""

    def now(self) -> float:
        """The time by which leases run."""

    def set_lease(self, lease: Lease) -> None:
        """Replace the lease."""

    def set_generations(self, generations: Generations) -> None:
        """Replace the generations."""

    def add_events(self, texts: Sequence[str], heads: Sequence[str]) -> None:
        """Add events behind the last, with the head that the chain has after each.

        The last head is kept with the market, and of each the first ``MARK`` digits with the event.
        """

    def replace_event(self, number: int, text: str) -> None:
        """Replace the text of an event by one that is chained in the same way."""

    def read_events(self, upto: int) -> list[str]:
        """The events up to a number that are kept."""

    def read_marks(self, after: int, upto: int) -> dict[int, str | None]:
        """What is kept of the head after each event, as far as these are there, by number."""

    def drop_events(self, upto: int, cut: str) -> None:
        """Drop events up to a number, after which the chain had this head."""

    def snapshots(self) -> list[int]:
        """The numbers of the snapshots, the newest first."""

    def read_snapshot(self, number: int) -> tuple[bytes, str, str]:
        """Data, the caller's digest and our checksum of a snapshot."""

    def add_snapshot(self, number: int, parts: Sequence[bytes], digest: str, own: str) -> None:
        """Add a snapshot."""

    def drop_snapshot(self, number: int) -> None:
        """Drop a snapshot, if it is there."""
