"""Routes answer with data: what is so now, and whether the request changed it."""

from typing import Any

import pytest

from tests.service.conftest import Service

A = "/v1/markets/shop"
Z = f"{A}/agents/zoe"
ON = {"agent": "zoe", "arm": "z1", "suspended": True}
OFF = {"agent": "zoe", "arm": "z1", "suspended": False}
WRITES: list[tuple[str, str, Any, dict[str, Any], dict[str, Any]]] = [
    (
        *("POST", f"{A}/agents", {"agent": "zoe"}),
        {"agent": "zoe", "registered": True, "changed": True},
        {"agent": "zoe", "registered": True, "changed": False},
    ),
    ("POST", f"{Z}/arms", {"arms": ["z1", "z2", "z3"]}, {"registered": 3}, {"registered": 0}),
    ("POST", f"{Z}/arms", {"arms": ["z3", "z4"]}, {"registered": 1}, {"registered": 0}),
    (
        *("POST", f"{Z}/suspend", None),
        {"agent": "zoe", "arm": None, "suspended": True, "changed": True},
        {"agent": "zoe", "arm": None, "suspended": True, "changed": False},
    ),
    (
        *("POST", f"{Z}/resume", None),
        {"agent": "zoe", "arm": None, "suspended": False, "changed": True},
        {"agent": "zoe", "arm": None, "suspended": False, "changed": False},
    ),
    (
        *("POST", f"{Z}/arms/suspend", {"arm": "z1"}),
        {**ON, "changed": True},
        {**ON, "changed": False},
    ),
    (
        *("POST", f"{Z}/arms/resume", {"arm": "z1"}),
        {**OFF, "changed": True},
        {**OFF, "changed": False},
    ),
    (
        *("POST", f"{Z}/arms/retire", {"arm": "z2"}),
        {"agent": "zoe", "arm": "z2", "retired": True, "changed": True},
        {"agent": "zoe", "arm": "z2", "retired": True, "changed": False},
    ),
    (
        *("PUT", f"{A}/policy", {"policy": "default-anytime"}),
        {"policy": "trial-anytime", "changed": True},
        {"policy": "trial-anytime", "changed": False},
    ),
]


def test_what_was_changed_is_told_as_data(service: Service) -> None:
    call = service.caller()
    for number, (method, path, body, first, again) in enumerate(WRITES):
        sent = {"Idempotency-Key": f"n{number}"}
        assert call(method, path, body, headers=sent).json == first
        assert call(method, path, body).json == again
        assert call(method, path, body, headers=sent).json == first  # a retry of the first


@pytest.mark.parametrize("path", ["/v1/keys", "/v1/markets"])
def test_lists(service: Service, path: str) -> None:
    answer = service.caller()("GET", path).json
    assert answer.pop("next") is None
    [(name, found)] = answer.items()
    assert (name, len(found)) in (("keys", 7), ("markets", 2))
    assert all("key" not in each for each in found)  # no secret, not even an empty one
