"""The metrics of a process, as Prometheus reads them.

``METRICS`` is the table of them: name, kind, labels, a sentence, and how the values are read. The
reference and the tests of the dashboard and the alert rules are made from it. Nothing here is
touched by a decision: the numbers lie in ``metrics``, ``writer`` and ``leadership``, and
``prometheus_client`` writes them down when somebody asks.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from copyproof._version import __version__
from copyproof.live.clock import counted_seconds
from copyproof.service.leadership import Leadership
from copyproof.service.metrics import GroupMetrics, Histogram, RequestMetrics
from copyproof.service.writer import ServedMarket, Writer

Labels = tuple[str, ...]
Readings = Iterable[tuple[Labels, float | Histogram]]


@dataclass(frozen=True, slots=True)
class Process:
    """All that metrics are read from."""

    leadership: Leadership
    requests: RequestMetrics


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One metric: of each combination of labels a number, or a histogram.

    Attributes
    ----------
    name : str
        As Prometheus knows it; that of a counter ends in ``_total``.
    kind : str
        ``counter``, ``gauge`` or ``histogram``.
    labels : tuple of str
        Their names.
    about : str
        One sentence.
    read : callable
        Returns what there is to say now.
    """

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    labels: Labels
    about: str
    read: Callable[[Process], Readings]


def _markets(read: Callable[[ServedMarket], float]) -> Callable[[Process], Readings]:
    """Read a number of every market."""
    return lambda process: (((each.name,), read(each)) for each in process.leadership.all())


def _writers(
    read: Callable[[ServedMarket, Writer], float | None],
) -> Callable[[Process], Readings]:
    """Read a number of every market that this process serves."""

    def readings(process: Process) -> Iterator[tuple[Labels, float]]:
        for each in process.leadership.all():
            writer = each.writer
            if writer is not None and each.is_led:
                found = read(each, writer)
                if found is not None:
                    yield (each.name,), found

    return readings


def _counts(read: Callable[[GroupMetrics], Counter[str]]) -> Callable[[Process], Readings]:
    """Read a count of every market, 0 too: what was not there before cannot be seen to grow."""

    def readings(process: Process) -> Iterator[tuple[Labels, float]]:
        counts = read(process.leadership.groups)
        for each in process.leadership.all():
            yield (each.name,), counts[each.name]

    return readings


def _keys(process: Process) -> Readings:
    keyring = process.leadership.keyring
    now = keyring.clock()
    held = Counter(key.role for key in keyring.held.values() if key.works(now))
    return (((role,), number) for role, number in sorted(held.items()))


def _one(read: Callable[[Process], float | Histogram]) -> Callable[[Process], Readings]:
    return lambda process: [((), read(process))]


_MARKET = ("market",)
METRICS: tuple[MetricRow, ...] = (
    MetricRow(
        "copyproof_requests_total",
        "counter",
        ("method", "route", "status"),
        "Requests answered; 499 if the caller hung up.",
        lambda process: (
            ((method, route, str(status)), number)
            for (method, route, status), number in process.requests.answered()
        ),
    ),
    MetricRow(
        "copyproof_request_seconds",
        "histogram",
        ("method", "route"),
        "Seconds from a request to its answer.",
        lambda process: process.requests.by_route().items(),
    ),
    MetricRow(
        "copyproof_decisions_total",
        "counter",
        _MARKET,
        "Decisions made.",
        _markets(lambda served: served.answered["decisions"]),
    ),
    MetricRow(
        "copyproof_rewards_total",
        "counter",
        _MARKET,
        "Rewards taken.",
        _markets(lambda served: served.answered["rewards"]),
    ),
    MetricRow(
        "copyproof_market_served",
        "gauge",
        _MARKET,
        "1 if this process serves the market, else 0.",
        _markets(lambda served: int(served.is_led)),
    ),
    MetricRow(
        "copyproof_market_failed",
        "gauge",
        _MARKET,
        "1 if this process could not load the market, else 0.",
        _markets(lambda served: int(served.failure is not None)),
    ),
    MetricRow(
        "copyproof_market_paused",
        "gauge",
        _MARKET,
        "1 if the market was paused, by an operator or a guard rail, else 0.",
        _writers(lambda _, writer: int(writer.sizes.is_paused)),
    ),
    MetricRow(
        "copyproof_candidate_share",
        "gauge",
        _MARKET,
        "The share of the decisions that a candidate makes, where there is one: 0 for a shadow.",
        _writers(lambda _, writer: writer.sizes.share),
    ),
    MetricRow(
        "copyproof_waiting_requests",
        "gauge",
        _MARKET,
        "Requests that wait for the market's writer.",
        _writers(lambda served, writer: writer.waiting + served.door.waiting),
    ),
    MetricRow(
        "copyproof_pending_plays",
        "gauge",
        _MARKET,
        "Plays that wait for their reward.",
        _writers(lambda _, writer: writer.sizes.pending),
    ),
    MetricRow(
        "copyproof_pending_plays_limit",
        "gauge",
        (),
        "Plays of one market that may wait for their reward; beyond it decisions are refused.",
        _one(lambda process: process.leadership.most_pending),
    ),
    MetricRow(
        "copyproof_clock_lag_seconds",
        "gauge",
        _MARKET,
        "Seconds by which the market's clock is behind the machine's.",
        _writers(lambda served, _: None if served.clock is None else served.clock.lag),
    ),
    MetricRow(
        "copyproof_snapshot_age_seconds",
        "gauge",
        _MARKET,
        "Seconds since the last snapshot was taken, or else the market was loaded.",
        _writers(lambda _, writer: time.monotonic() - writer.sizes.saved),
    ),
    MetricRow(
        "copyproof_unsaved_events",
        "gauge",
        _MARKET,
        "Events since the last snapshot, which the next start has to replay.",
        _writers(lambda _, writer: writer.sizes.unsaved),
    ),
    MetricRow(
        "copyproof_lease_age_seconds",
        "gauge",
        _MARKET,
        "Seconds since the market's lease was renewed.",
        _writers(lambda served, _: counted_seconds() - served.renewed),
    ),
    MetricRow(
        "copyproof_lease_seconds",
        "gauge",
        (),
        "Seconds that a lease lasts.",
        _one(lambda process: process.leadership.lease),
    ),
    MetricRow(
        "copyproof_leases",
        "gauge",
        (),
        "Leases that this process holds.",
        _one(lambda process: sum(one.writer is not None for one in process.leadership.all())),
    ),
    MetricRow(
        "copyproof_leases_lost_total",
        "counter",
        _MARKET,
        "Leases that ran out or went to another process before they were given back.",
        _counts(lambda groups: groups.lost),
    ),
    MetricRow(
        "copyproof_store_failures_total",
        "counter",
        _MARKET,
        "Groups of requests that could not be stored.",
        _counts(lambda groups: groups.failures),
    ),
    MetricRow(
        "copyproof_store_away",
        "gauge",
        (),
        "1 if leases and keys could not be read from the store the last time, else 0.",
        _one(lambda process: int(process.leadership.trouble is not None)),
    ),
    MetricRow(
        "copyproof_group_requests",
        "histogram",
        (),
        "Requests that shared one sync.",
        _one(lambda process: process.leadership.groups.requests),
    ),
    MetricRow(
        "copyproof_commit_seconds",
        "histogram",
        (),
        "Seconds for a group of requests, with its sync.",
        _one(lambda process: process.leadership.groups.seconds),
    ),
    MetricRow(
        "copyproof_sync_seconds",
        "histogram",
        (),
        "Seconds of that for the commit and its sync alone.",
        _one(lambda process: process.leadership.groups.sync),
    ),
    MetricRow(
        "copyproof_waiting_readers",
        "gauge",
        (),
        "Slices of statistics and journals that wait for the thread that reads.",
        _one(lambda process: process.leadership.readers.waiting),
    ),
    MetricRow(
        "copyproof_keys", "gauge", ("role",), "Keys that are neither revoked nor over.", _keys
    ),
    MetricRow(
        "copyproof_info",
        "gauge",
        ("version",),
        "1, with the version of the program.",
        lambda process: [((__version__,), 1)],
    ),
)
"""Every metric of our own; ``prometheus_client`` adds those of the process (``process_...``)."""


class _Collector(Collector):
    """Reads the table when somebody asks."""

    def __init__(self, process: Process) -> None:
        self._process = process

    def describe(self) -> Iterable[Metric]:
        """Return nothing: what there is depends on what has happened."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Return all metrics with their values."""
        for row in METRICS:
            yield _family(row, row.read(self._process))


def _family(row: MetricRow, readings: Readings) -> Metric:
    name, about, labels = row.name.removesuffix("_total"), row.about, row.labels
    match row.kind:
        case "histogram":
            histograms = HistogramMetricFamily(name, about, labels=labels)
            for values, found in readings:
                assert isinstance(found, Histogram)
                histograms.add_metric(values, found.buckets(), found.sum)
            return histograms
        case "counter":
            kind: type[CounterMetricFamily] | type[GaugeMetricFamily] = CounterMetricFamily
        case "gauge":
            kind = GaugeMetricFamily
    family = kind(name, about, labels=labels)
    for values, found in readings:
        assert not isinstance(found, Histogram)
        family.add_metric(values, found)
    return family


class Exposition:
    """The metrics of one process, written down on request.

    Parameters
    ----------
    leadership : Leadership
        The markets.
    requests : RequestMetrics
        The requests that were counted.
    """

    def __init__(self, leadership: Leadership, requests: RequestMetrics) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_Collector(Process(leadership, requests)))
        ProcessCollector(registry=self._registry)

    def text(self, accept: str) -> tuple[bytes, str]:
        """Return the text and its type: what ``Accept`` asks for, or else format 0.0.4."""
        encode, kind = choose_encoder(accept)
        return encode(self._registry), kind
