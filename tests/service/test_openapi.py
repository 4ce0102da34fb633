"""The OpenAPI document is true: requests made from it never break the service."""

import re
import time
from collections.abc import Iterator
from typing import Any
from zlib import crc32

import pytest
import schemathesis

from copyproof.live.stores import open_store
from copyproof.service import document
from tests.service.conftest import Service, filled
from tests.service.serving import serving

# What exists. Nothing of it is deleted, as others need it.
NAMES = (("market", "site"), ("agent", "ann"))


@schemathesis.serializer("application/x-ndjson")  # type: ignore[untyped-decorator,unused-ignore]
def _lines(context: Any, value: Any) -> bytes:
    """Send a text as it is."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@pytest.fixture(scope="module")
def fresh() -> Iterator[Service]:
    store = open_store("memory:")
    keys = filled(store)
    with serving(store) as running:
        yield Service(running, store, keys)


def _operations() -> list[tuple[str, str]]:
    return [(method, path) for path, found in document()["paths"].items() for method in found]


def _examine(service: Service, method: str, path: str, examples: int) -> None:
    import hypothesis
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

    schema = schemathesis.openapi.from_dict(document())
    schema.config.update(base_url=service.url)
    operation = schema[path][method.upper()]
    key = service.keys["operator"]

    @hypothesis.settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(case=operation.as_strategy())
    def run(case: Any) -> None:
        # Names that exist are worth more than those that do not.
        for name, value in NAMES if method != "delete" else ():
            if name in (case.path_parameters or {}) and crc32(str(case.body).encode()) % 4:
                case.path_parameters[name] = value
        headers = {"Authorization": f"Bearer {key}"}
        answer, begun = case.call(headers=headers), time.monotonic()
        while answer.status_code == 503 and time.monotonic() < begun + 60:
            assert "try again" in answer.text  # more audits wait than may
            time.sleep(0.1)
            answer = case.call(headers=headers)
        case.validate_response(
            answer,
            checks=[
                not_a_server_error,
                status_code_conformance,
                content_type_conformance,
                response_schema_conformance,
            ],
        )

    run()


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("method", "path"), _operations())
def test_requests_made_from_the_document(fresh: Service, method: str, path: str) -> None:
    _examine(fresh, method, path, 3)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("method", "path"), _operations())
def test_many_requests_made_from_the_document(fresh: Service, method: str, path: str) -> None:
    _examine(fresh, method, path, 500)


def test_the_requests_were_good_and_bad_ones(fresh: Service) -> None:
    metrics = fresh.caller()("GET", "/metrics").body.decode()
    for status in (200, 422):
        assert re.search(rf'copyproof_requests_total{{method="POST",.*status="{status}"}}', metrics)


def test_every_operation_names_its_errors_and_its_key() -> None:
    for path, operations in document()["paths"].items():
        for method, operation in operations.items():
            if path in ("/healthz", "/readyz"):
                assert set(operation["responses"]) <= {"200", "503"}
            else:
                assert {"200", "401", "422"} <= set(operation["responses"])
                assert operation["security"] == [{"key": []}]
            names = {each["name"] for each in operation.get("parameters", [])}
            assert ("Idempotency-Key" in names) == (method != "get")
            assert operation.get("description"), path
