"""What it costs to observe a request: ``python benchmarks/live_observation.py``.

Microseconds of processor time, the least of many rounds: for the id of a request, its counts and
its histogram, as the service does it (``service.observation``, plain numbers that
``prometheus_client`` reads when it is asked); with a line in the log for each; with a trace for
each; and for the counter and the histogram of ``prometheus_client`` itself, which were not taken.
Then the seconds that a scrape takes, by the number of markets.
"""

import io
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram

from copyproof.service.exposition import Exposition
from copyproof.service.leadership import Leadership
from copyproof.service.logs import set_up
from copyproof.service.metrics import MarketSizes, RequestMetrics
from copyproof.service.neighbours import Neighbours
from copyproof.service.observation import Observer
from copyproof.service.writer import ServedMarket

ROUTE = "/v1/markets/{market}/decisions"
HEADERS = {b"host": b"localhost", b"authorization": b"Bearer x", b"content-length": b"0"}


def least(do: Callable[[], object], times: int = 2000, rounds: int = 200) -> float:
    """Microseconds of one call: the least of many rounds."""
    found = []
    for _ in range(rounds):
        began = time.thread_time()
        for _ in range(times):
            do()
        found.append((time.thread_time() - began) / times)
    return 1e6 * min(found)


def observed(**settings: Any) -> Callable[[], None]:
    """A request from its beginning to its end."""
    observer = Observer(RequestMetrics(), (), **settings)

    def request() -> None:
        note = observer.begin("POST", HEADERS)
        note.route, note.key, note.market = ROUTE, "0123456789ab", "site"
        observer.end(note, "/v1/markets/site/decisions", 200)

    return request


def theirs() -> Callable[[], None]:
    """The same counts with the metrics of ``prometheus_client``."""
    registry = CollectorRegistry()
    labels = ("method", "route")
    counter = Counter("requests", "x", (*labels, "status"), registry=registry)
    seconds = Histogram("seconds", "x", labels, registry=registry)

    def request() -> None:
        counter.labels("POST", ROUTE, "200").inc()
        seconds.labels("POST", ROUTE).observe(0.001)

    return request


class _Writer:
    """What a scrape reads of a writer."""

    def __init__(self) -> None:
        self.sizes = MarketSizes()
        self.waiting = 0
        self.ready = self

    def is_set(self) -> bool:
        return True


def scrape(markets: int) -> float:
    """Seconds of a scrape."""
    from copyproof.live.stores import open_store

    store = open_store("memory:")
    leadership = Leadership(
        *(store, Neighbours(store, "x", "", 6.0)),
        owner="x",
        lease=6.0,
        waiting=1,
        clock=time.time,
        jump=3600.0,
    )
    leadership.markets = {f"m{n}": ServedMarket(f"m{n}", {}) for n in range(markets)}
    for served in leadership.markets.values():
        writer: Any = _Writer()
        served.writer = writer
    exposition = Exposition(leadership, RequestMetrics())
    return least(lambda: exposition.text(""), 1, 10) / 1e6


def main() -> None:
    """Measure."""
    set_up("json", "warning", io.StringIO())
    print(f"observed: {least(observed()):.2f} us")
    print(f"with a line in the log: {least(observed(log_requests=True), 200):.1f} us")
    if find_spec("opentelemetry.sdk") is not None:
        from opentelemetry.sdk.trace import TracerProvider

        from copyproof.service.tracing import Tracing

        traced = observed(tracing=Tracing(TracerProvider()))
        print(f"with a trace: {least(traced, 200):.1f} us")
    print(f"a counter and a histogram of prometheus_client: {least(theirs()):.2f} us")
    for markets in (10, 100, 1000):
        print(f"a scrape of {markets} markets: {1000 * scrape(markets):.1f} ms")


if __name__ == "__main__":
    main()
