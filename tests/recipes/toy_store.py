"""A store that also counts the events it was given, as a contributor might add one."""

from collections.abc import Sequence
from typing import Any

from copyproof.live.stores.memory import MemoryStore


class ToyStore(MemoryStore):
    """A store in memory that counts."""

    counted = 0

    def append(
        self,
        market: str,
        first: int,
        events: Sequence[dict[str, Any]],
        *,
        token: int | None = None,
        generation: tuple[int, str] | None = None,
    ) -> None:
        """Append events, and count them."""
        super().append(market, first, events, token=token, generation=generation)
        self.counted += len(events)
