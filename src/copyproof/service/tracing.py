"""OpenTelemetry traces: a span for each request, and within it one for the wait for its writer.

This is the only module that knows OpenTelemetry, and it is loaded when traces are asked for; the
extra ``copyproof[otel]`` brings what it needs. The trace of the caller goes on (``traceparent``).
What exporters, samplers and processors there are is said by the variables ``OTEL_...``, as in any
other program that has traces.
"""

from collections.abc import Awaitable
from contextvars import Token
from typing import TYPE_CHECKING, TypeVar

from opentelemetry import context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from copyproof._version import __version__

if TYPE_CHECKING:
    from copyproof.service.observation import RequestNote

Answer = TypeVar("Answer")

_PARENTS = (b"traceparent", b"tracestate")


def by_otlp() -> "Tracing":
    """Return traces that are sent by OTLP over HTTP, in batches and on a thread of their own."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    provider = TracerProvider(resource=Resource.create({"service.name": "copyproof"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Tracing(provider)


class Tracing:
    """Where traces go.

    Parameters
    ----------
    provider : TracerProvider
        Of OpenTelemetry, with its exporters.
    """

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("copyproof", __version__)
        self._reader = TraceContextTextMapPropagator()

    def begin(self, headers: dict[bytes, bytes]) -> "RequestTrace":
        """Begin the span of a request."""
        given = {
            name.decode(): headers[name].decode("latin-1") for name in _PARENTS if name in headers
        }
        return RequestTrace(self._tracer, self._reader.extract(given))

    def close(self) -> None:
        """Send what is left."""
        self._provider.shutdown()


class RequestTrace:
    """The spans of one request."""

    def __init__(self, tracer: Tracer, parent: context.Context) -> None:
        self._tracer = tracer
        self._span: Span = tracer.start_span("request", parent, SpanKind.SERVER)
        self._token: Token[context.Context] = context.attach(
            set_span_in_context(self._span, parent)
        )

    @property
    def id(self) -> str:
        """The id of the trace, in hexadecimal digits."""
        return f"{self._span.get_span_context().trace_id:032x}"

    async def written(self, answer: Awaitable[Answer]) -> Answer:
        """Wait for a market's writer, in a span of its own."""
        with self._tracer.start_as_current_span("write"):
            return await answer

    def end(self, note: "RequestNote", route: str, status: int) -> None:
        """End the span, and say what the request was."""
        span = self._span
        span.update_name(f"{note.method} {route}")
        said = {"http.request.method": note.method, "http.route": route}
        for name, value in note.fields().items():
            if name != "trace":
                said[f"copyproof.{name}"] = value
        span.set_attributes({**said, "http.response.status_code": status})
        if status >= 500:
            span.set_status(StatusCode.ERROR)
        span.end()
        context.detach(self._token)
