"""How a process gives markets to others: as it ends, or as another has joined.

A market is saved while it is still served, and only then given away, so that it is not away while a
snapshot is taken, and the next process has little to replay. A few are given at a time: given away
all at once, the last one would be away until the others are loaded.
"""

import logging
import threading
import time
from collections.abc import Iterable, Mapping

from copyproof.service.writer import Writer

_log = logging.getLogger("copyproof.service")

_SAVE = 5.0  # seconds that a market is waited for which is saved before it is given away
# Who gives markets away is no further ahead of those who take them over than so many of them, or
# this share if they are many; and for so many seconds it waits for the others.
_AHEAD, _SHARE, _TAKEN = 3, 1 / 16, 1.0


class Handover:
    """The markets that a process gives away, some of which are saved, and some not yet taken.

    Parameters
    ----------
    owner : str
        The name under which this process holds leases.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._saving: dict[Writer, tuple[threading.Event, float]] = {}  # and since when
        self._given: dict[str, float] = {}  # markets that another takes over, and since when

    @property
    def is_going_on(self) -> bool:
        """Whether markets are being saved that are to be given away."""
        return bool(self._saving)

    def go_on(self, writers: Iterable[Writer], leaders: Mapping[str, str], most: int) -> None:
        """Save and give away some of the markets that this process shall serve no more.

        Parameters
        ----------
        writers : iterable of Writer
            The writers of all these markets, however far they are.
        leaders : mapping
            Which process leads which market.
        most : int
            How many may be saved at a time, and how many given away that nobody has taken yet.
        """
        now, going = time.monotonic(), [each for each in writers if not each.is_closed]
        self._given = {
            market: since
            for market, since in self._given.items()
            if leaders.get(market, self._owner) == self._owner and now - since < _TAKEN
        }
        self._keep_others(going)
        for writer, (saved, since) in list(self._saving.items()):
            if len(self._given) < most and (saved.is_set() or now - since > _SAVE):
                del self._saving[writer]
                self._given[writer.market] = now
                named = {"market": writer.market}
                _log.info("market %s is given to another process", writer.market, extra=named)
                writer.stop()
        for writer in going:
            if not writer.is_closed and writer not in self._saving and len(self._saving) < most:
                self._saving[writer] = (writer.save(), now)

    def _keep_others(self, going: Iterable[Writer]) -> None:
        """Forget those that were saved to be given away, and stay after all."""
        for writer in self._saving.keys() - set(going):
            del self._saving[writer]
            writer.is_handed_over = False


def most_at_once(led: int) -> int:
    """By how many markets a process that leads so many may be ahead of those who take them over.

    Examples
    --------
    >>> most_at_once(10), most_at_once(1000)
    (3, 62)
    """
    return max(_AHEAD, int(_SHARE * led))
