"""A process that appends numbered events as fast as it can, to be killed at any moment.

``python -m tests.live.stores.appender URL [LIMIT]`` prints the number of the last event after each
append that returned, and kills itself when the limit is reached. When the store fails, it reads
again how far the journal got, as whoever uses a store must, and goes on. Now and then it saves a
snapshot and compacts.
"""

import os
import signal
import sys
import time

from copyproof.live.stores import Store, StoreError, open_store

MARKET = "m"
SIZES = (1, 2, 1, 7)


def patient(url: str) -> Store:
    """Open a store, as soon as it is there."""
    while True:
        try:
            store = open_store(url)
            if MARKET not in store.markets():
                store.create_market(MARKET, {})
            return store
        except StoreError as error:
            print(error, file=sys.stderr, flush=True)
            time.sleep(0.02)


def step(store: Store, turn: int) -> int:
    """Append some events; the number of the last."""
    first = store.last(MARKET) + 1
    events = [{"item": first + more} for more in range(SIZES[turn % len(SIZES)])]
    store.append(MARKET, first, events)
    last = events[-1]["item"]
    if turn % 40 == 39:
        store.save_snapshot(MARKET, last, str(last).encode() * 1000, "")
    if turn % 120 == 119:
        store.compact(MARKET, last - 200 if last > 200 else 0)
    return last


def main(url: str, limit: int = 10**9) -> None:
    """Append until killed; at the limit by its own hand, as closing the store would sync."""
    store = patient(url)
    turn, last = 0, 0
    while last < limit:
        try:
            last = step(store, turn)
        except StoreError as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            time.sleep(0.02)
            continue
        turn += 1
        os.write(1, b"%d\n" % last)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
