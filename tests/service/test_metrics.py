"""Metrics are what Prometheus reads."""

import re

from tests.service.conftest import Service

_SAMPLE = re.compile(r'([a-z_]+)(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? (\S+)')


def test_every_line_is_a_comment_or_a_sample(service: Service) -> None:
    call = service.caller()
    for number in range(5):
        # Three agents are there, so a slate of a thousand has three arms.
        body = {"count": 1000, "slate": True} if number == 0 else {"count": 3}
        assert call("POST", "/v1/markets/site/decisions", body).status == 200
    assert call("POST", "/v1/markets/none/decisions").status == 404
    answer = call("GET", "/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    found: dict[str, float] = {}
    kinds: dict[str, str] = {}
    for line in answer.body.decode().splitlines():
        if line.startswith("# TYPE "):
            name, kind = line.split()[2:]
            assert name not in kinds
            kinds[name] = kind
        elif not line.startswith("# HELP "):
            sample = _SAMPLE.fullmatch(line)
            assert sample is not None, line
            assert re.sub("_(bucket|sum|count)$", "", sample.group(1)) in kinds
            found[sample.group(1) + (sample.group(2) or "")] = float(sample.group(4))
    assert found['copyproof_decisions_total{market="site"}'] == 3 + 4 * 3
    assert found['copyproof_requests_total{method="POST",status="404"}'] == 1
    assert found['copyproof_group_requests_count{market="site"}'] == 5
    assert found['copyproof_market_served{market="shop"}'] == 1
    buckets = [value for name, value in found.items() if name.startswith("copyproof_commit_")]
    assert max(buckets) == 5
