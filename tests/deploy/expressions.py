"""What the queries of rules and dashboards name."""

import re
from collections.abc import Iterable

from copyproof.service.exposition import METRICS

# What prometheus_client says of a process, and Prometheus of a target.
_OTHERS: dict[str, set[str]] = {
    name: set()
    for name in (
        *("up", "process_cpu_seconds_total", "process_resident_memory_bytes"),
        *("process_open_fds", "process_max_fds"),
    )
}
LABELS: dict[str, set[str]] = {
    **_OTHERS,
    **{row.name: set(row.labels) for row in METRICS if row.kind != "histogram"},
    **{
        f"{row.name}_{part}": {*row.labels, *({"le"} if part == "bucket" else ())}
        for row in METRICS
        if row.kind == "histogram"
        for part in ("bucket", "sum", "count")
    },
}
"""The names of all series, with the labels that the service gives them."""


def series(expression: str) -> list[tuple[str, set[str]]]:
    """The series that an expression names, with the labels that it asks for.

    >>> series('rate(x_total{y=~"a|b"}[5m])')
    [('x_total', {'y'})]
    """
    found = re.findall(r"([a-zA-Z_]\w*)\{((?:[^{}\"]|\"[^\"]*\")*)\}", expression)
    return [(name, set(re.findall(r"(\w+)\s*=?[=!~]", labels))) for name, labels in found]


def grouped(expression: str) -> set[str]:
    """The labels by which an expression groups."""
    return set(re.findall(r"\w+", " ".join(re.findall(r"\bby \(([^)]*)\)", expression))))


def wrong(expression: str) -> list[str]:
    """What an expression asks for that the service does not have."""
    named = series(expression)
    given = {"job", "instance"}  # by Prometheus
    bad = [name for name, _ in named if name not in LABELS]
    for name, labels in named:
        bad += [f"{name}{{{label}}}" for label in labels - LABELS.get(name, set()) - given]
    there: Iterable[set[str]] = (LABELS.get(name, set()) for name, _ in named)
    bad += sorted(grouped(expression) - given.union(*there))
    return bad if named else ["no series at all"]
