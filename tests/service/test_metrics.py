"""Counts are right, also when several threads count."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from copyproof.service.metrics import GroupMetrics, Histogram, RequestMetrics


def test_a_value_on_a_limit_is_within_it() -> None:
    found = Histogram((1, 2))
    for value in (1, 1.5, 2, 3):
        found.add(value)
    assert found.buckets() == [("1.0", 1), ("2.0", 3), ("+Inf", 4)]
    assert found.sum == 7.5


def test_requests_are_counted_by_route() -> None:
    found = RequestMetrics()
    for status in (200, 200, 404):
        found.add("GET", "/a", status, 0.1)
    found.add("GET", "/b", 200, 0.1)
    answered = [(("GET", "/a", 200), 2), (("GET", "/a", 404), 1), (("GET", "/b", 200), 1)]
    assert found.answered() == answered
    routes = found.by_route()
    assert routes["GET", "/a"].sum == pytest.approx(0.3)
    assert [each.buckets()[-1][1] for each in routes.values()] == [3, 1]


def test_no_group_is_lost_when_many_threads_count() -> None:
    found = GroupMetrics()

    def many(_: int) -> None:
        for _ in range(20_000):
            found.add(1, 0.5, 0.25)
            found.add_failure("m")
            found.add_lost("m")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(many, range(4)))
    assert found.requests.buckets()[-1] == ("+Inf", 80_000)
    assert (found.requests.sum, found.seconds.sum, found.sync.sum) == (80_000, 40_000, 20_000)
    assert (found.failures["m"], found.lost["m"]) == (80_000, 80_000)
