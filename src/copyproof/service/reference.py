"""The page at ``/docs``: every request, its fields and its answers, made from the OpenAPI document.

It has no script and loads nothing, so that it works where there is no network. The document itself
is at ``/openapi.json``, for tools. Both are written once (``DescribedPages``).
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson
from starlette.concurrency import run_in_threadpool

from copyproof.pages import anchor, render
from copyproof.service.open_pages import Page, page_of

_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
}


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A field of a body or an answer, or a parameter."""

    name: str
    kind: str
    about: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One request."""

    method: str
    path: str
    anchor: str
    about: str
    parameters: tuple[FieldRow, ...]
    body: tuple[FieldRow, ...]
    answer: tuple[FieldRow, ...]
    refusals: str


@dataclass(frozen=True, slots=True)
class ReferencePage:
    """All that ``reference.html.j2`` is given."""

    title: str
    about: str
    operations: tuple[Operation, ...]


def reference_page(document: Mapping[str, Any]) -> str:
    """Return the page for an OpenAPI document.

    Examples
    --------
    >>> from copyproof.service import document
    >>> page = reference_page(document())
    >>> "/v1/markets/{market}/decisions" in page, "<script" in page
    (True, False)
    """
    schemas = document["components"]["schemas"]
    operations = tuple(
        _operation(method, path, found, schemas)
        for path, methods in document["paths"].items()
        for method, found in methods.items()
    )
    info = document["info"]
    page = ReferencePage(info["title"], info["summary"], operations)
    return render("copyproof.service", "reference.html.j2", page)


class Described(NamedTuple):
    """All requests, as a page for people and as the document for tools."""

    for_people: Page
    for_tools: Page


class DescribedPages:
    """Both pages, written when somebody first asks for one, on another thread.

    Parameters
    ----------
    document : callable
        Returns the OpenAPI document.
    """

    def __init__(self, document: Callable[[], Mapping[str, Any]]) -> None:
        self._document = document
        self._writing: asyncio.Task[Described] | None = None

    async def written(self) -> Described:
        """Return both."""
        if self._writing is None:
            self._writing = asyncio.create_task(run_in_threadpool(self._write))
        return await asyncio.shield(self._writing)

    def _write(self) -> Described:
        document = self._document()
        page = reference_page(document).encode()
        return Described(
            page_of("text/html; charset=utf-8", page),
            page_of("application/json", orjson.dumps(document)),
        )


def _operation(
    method: str, path: str, found: Mapping[str, Any], schemas: Mapping[str, Any]
) -> Operation:
    answers = found["responses"]
    refusals = [
        f"{status}: {each['description']}" for status, each in answers.items() if status != "200"
    ]
    parameters = tuple(
        FieldRow(each["name"], _kind(each["schema"], schemas), each.get("description", ""))
        for each in found.get("parameters", ())
    )
    return Operation(
        method.upper(),
        path,
        anchor(f"{method} {path}"),
        found["description"],
        parameters,
        tuple(_fields(_content(found.get("requestBody", {})), schemas)),
        tuple(_fields(_content(answers["200"]), schemas)),
        "; ".join(refusals),
    )


def _content(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of a body or an answer."""
    for media in part.get("content", {}).values():
        schema: Mapping[str, Any] = media.get("schema", {})
        return schema
    return {}


def _fields(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[FieldRow]:
    """Return the fields of an object; of one of several, all of them."""
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    for each in schema.get("anyOf", ()):
        yield from _fields(each, schemas)
    needed = schema.get("required", ())
    for name, each in schema.get("properties", {}).items():
        about = "" if name in needed or "default" in each else "may be left out"
        if "default" in each and name not in needed:
            about = f"{each['default']} if it is left out"
        yield FieldRow(name, _kind(each, schemas), about)


def _kind(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    """Return what a value may be, in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        inner = schemas[name].get("properties", {})
        return f"{{{', '.join(inner)}}}" if inner else _kind(schemas[name], schemas)
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(_kind(each, schemas) for each in schema["anyOf"])
    match schema.get("type"):
        case "array":
            items = schema.get("items") or {}
            return f"list of {_kind(items, schemas)}" if items else "list"
        case "object":
            return "object"
        case "null":
            return "null"
        case kind:
            low = schema.get("minimum", schema.get("exclusiveMinimum"))
            high = schema.get("maximum", schema.get("exclusiveMaximum"))
            limits = f" from {low:g} to {high:g}" if None not in (low, high) else ""
            return _WORDS.get(str(kind), "anything") + limits
