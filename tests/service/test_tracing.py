"""Traces, where they are asked for; and nothing of ours for them is loaded where they are not."""

import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from copyproof.live.stores import open_store
from copyproof.service.tracing import Tracing
from tests.service.conftest import filled
from tests.service.serving import Caller, Program, environment, serving

ASK = "/v1/markets/site/decisions"
_TRACE = "0af7651916cd43dd8448eb211c80319c"
_PARENT = f"00-{_TRACE}-b7ad6b7169203331-01"


def _traced(*requests: tuple[str, str]) -> list[ReadableSpan]:
    """The spans of some requests, in the order in which they ended."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    store = open_store("memory:")
    keys = filled(store)
    with serving(store, tracing=Tracing(provider)) as running:
        call = Caller(running.url, keys["operator"])
        for method, path in requests:
            call(method, path, headers={"traceparent": _PARENT, "X-Request-Id": "r1"})
        call.close()
    return list(exporter.get_finished_spans())


def test_a_decision_has_a_span_and_so_has_its_writing() -> None:
    write, request = _traced(("POST", ASK))
    assert request.name == "POST /v1/markets/{market}/decisions"
    assert request.kind == SpanKind.SERVER
    assert request.context is not None
    assert request.parent is not None
    assert f"{request.context.trace_id:032x}" == _TRACE
    assert f"{request.parent.span_id:016x}" == "b7ad6b7169203331"
    said = dict(request.attributes or {})
    key = said.pop("copyproof.key")
    assert isinstance(key, str)
    assert len(key) == 12
    assert said == {
        "http.request.method": "POST",
        "http.route": "/v1/markets/{market}/decisions",
        "http.response.status_code": 200,
        "copyproof.request": "r1",
        "copyproof.market": "site",
    }
    assert write.name == "write"
    assert write.parent is not None
    assert write.parent.span_id == request.context.span_id


def test_other_requests_have_spans_too() -> None:
    spans = _traced(("GET", "/v1/markets/site"), ("GET", "/none"), ("GET", "/healthz"))
    names = [span.name for span in spans if span.kind == SpanKind.SERVER]
    assert names == ["GET /v1/markets/{market}", "GET other", "GET /healthz"]
    assert all(span.status.status_code == StatusCode.UNSET for span in spans)


def test_nothing_is_loaded_where_nothing_is_traced() -> None:
    code = (
        "import sys, copyproof.service.run, copyproof.cli.serve, copyproof.service.app\n"
        "ours = ('opentelemetry.sdk', 'opentelemetry.exporter', 'copyproof.service.tracing')\n"
        "print([name for name in sys.modules if name.startswith(ours)])"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment()
    )
    assert said.stdout == "[]\n"


def test_the_program_sends_its_traces(tmp_path: Path) -> None:
    received: list[tuple[str, bytes]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            received.append((self.path, body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Collector) as collector:
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        endpoint = f"http://127.0.0.1:{collector.server_port}"
        url = f"sqlite:{tmp_path / 'live.db'}"
        with open_store(url) as store:
            key = filled(store)["operator"]
        variables = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
            "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
            "COPYPROOF_TRACES": "true",
        }
        program = Program(url, variables=variables)
        try:
            program.start()
            assert Caller(program.url, key)("POST", ASK).status == 200
            assert program.stop()[0] == 0
        finally:
            program.end()
        collector.shutdown()
    assert {path for path, _ in received} == {"/v1/traces"}
    sent = b"".join(body for _, body in received)
    assert b"POST /v1/markets/{market}/decisions" in sent
    assert key.split("_", 2)[2].encode() not in sent
