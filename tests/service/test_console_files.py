"""The files of the console: from the package alone, and nothing in them that could be a danger."""

import re

import pytest

from copyproof.service.routes.console import POLICY, assets
from tests.service.conftest import Service

NAMESPACE = "http://www.w3.org/2000/svg"
# What would make markup or code of a text, keep a secret, or begin a stream without a header.
NEVER = (
    *("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"),
    *("localStorage", "sessionStorage", "document.cookie", "indexedDB", "new EventSource"),
    *("XMLHttpRequest", "console.log", "importScripts", "serviceWorker", "srcdoc"),
)


@pytest.mark.parametrize("name", sorted(assets()))
def test_a_file(service: Service, name: str) -> None:
    page = assets()[name]
    kind, data, tag = page.kind, page.body, page.tag
    call = service.caller()
    call.key = None
    answer = call("GET", f"/console/{name}")
    assert (answer.status, answer.body) == (200, data)
    assert answer.headers["content-type"] == kind
    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    again = call("GET", f"/console/{name}", headers={"If-None-Match": tag})
    assert (again.status, again.body) == (304, b"")
    text = data.decode()
    assert re.findall(r"https?://|//[a-z]+\.[a-z]", text.replace(NAMESPACE, "")) == []
    if name.endswith(".js"):
        code = re.sub(r"^\s*(//|/?\*).*$", "", text, flags=re.M)
        assert [word for word in NEVER if word in code] == []
    if name == "index.html":
        assert re.findall(r"<script(?![^>]* src=)|<style| on\w+=| style=", text) == []


def test_the_page_and_what_is_none_of_it(service: Service) -> None:
    call = service.caller()
    call.key = None
    assert call("GET", "/console").body == assets()["index.html"].body
    for path in ("/console/", "/console/nothing.js", "/console/../app.py", "/console/a/b"):
        answer = call("GET", path)
        assert (answer.status, answer.field) == (404, "path"), path
    assert call("POST", "/console", {}).status == 405
    assert call("GET", "/consoles").status == 401


def test_every_file_is_asked_for() -> None:
    named = set(
        re.findall(
            r'"(?:console/|\./)([\w.]+)"',
            "".join(page.body.decode() for page in assets().values()),
        )
    )
    assert named == set(assets()) - {"index.html"}


def test_the_policy_is_strict() -> None:
    rules = dict(rule.partition(" ")[::2] for rule in POLICY.split("; "))
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in POLICY
    assert {rules[name] for name in ("script-src", "style-src", "img-src", "connect-src")} == {
        "'self'"
    }
