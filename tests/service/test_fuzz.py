"""Whatever is sent, the answer is a sensible one: never a 5xx, always a field."""

import random
from collections.abc import Iterator

import pytest

from copyproof.live.stores import open_store
from tests.service.conftest import Service, filled
from tests.service.fuzz import any_bodies, ask_bodies, broken, tell_bodies
from tests.service.serving import serving

TARGETS = [
    ("POST", "/v1/markets/site/decisions", ask_bodies),
    ("POST", "/v1/markets/site/rewards", tell_bodies),
    ("POST", "/v1/markets/site/agents", any_bodies),
    ("POST", "/v1/markets/site/agents/ann/arms", any_bodies),
    ("POST", "/v1/markets/site/agents/ann/arms/retire", any_bodies),
    ("POST", "/v1/markets/site/agents/ann/arms/suspend", any_bodies),
    ("POST", "/v1/markets/site/agents/ann/arms/resume", any_bodies),
    ("POST", "/v1/markets/site/agents/ann/suspend", any_bodies),
    ("POST", "/v1/markets/site/agents/ann/resume", any_bodies),
    ("PUT", "/v1/markets/site", any_bodies),
    ("PUT", "/v1/markets/site/policy", any_bodies),
    ("POST", "/v1/keys", any_bodies),
]


def _fuzz(service: Service, seed: int, bodies: int) -> dict[int, int]:
    luck = random.Random(seed)
    call = service.caller()
    seen: dict[int, int] = {}
    for number in range(bodies):
        method, path, make = luck.choice(TARGETS)
        raw = broken(luck, make(luck))
        headers = {}
        if luck.random() < 0.1:
            headers["Content-Type"] = luck.choice(["text/plain", "application/json;x", "é"])
        if luck.random() < 0.2:
            headers["Idempotency-Key"] = luck.choice(["a", "b", "x" * 160, "é", f"{number}"])
        answer = call(method, path, raw=raw, headers=headers)
        assert answer.status < 500, (method, path, raw, answer.body)
        if answer.status != 200:
            assert answer.field, (method, path, raw, answer.body)
            assert answer.json["error"]["message"]
        seen[answer.status] = seen.get(answer.status, 0) + 1
    return seen


@pytest.fixture
def fresh() -> Iterator[Service]:
    store = open_store("memory:")
    keys = filled(store)
    with serving(store) as running:
        yield Service(running, store, keys)


def test_thousand_bodies(fresh: Service) -> None:
    seen = _fuzz(fresh, 1, 1000)
    assert {200, 400, 415, 422} <= set(seen)
    assert fresh.caller()("GET", "/readyz").status == 200


@pytest.mark.slow
def test_ten_thousand_bodies(fresh: Service) -> None:
    _fuzz(fresh, 2, 10_000)
    assert fresh.caller()("GET", "/readyz").status == 200
