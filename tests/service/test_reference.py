"""The page at /docs says what can be asked for, and needs nothing from elsewhere."""

import re

from playwright.sync_api import Browser

from copyproof.service import document
from tests.browser import check_page, opened, screenshots
from tests.service.conftest import Service


def test_the_page_works_without_a_network(service: Service) -> None:
    call = service.caller()
    call.key = None
    answer = call("GET", "/docs")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/html")
    page = answer.body.decode()
    assert page.count("<link") == page.count('<link rel="icon" href="data:,">') == 1
    assert re.findall(r"<script|<img|@import|url\(|https?://", page) == []
    for path, methods in document()["paths"].items():
        for method in methods:
            assert f"{method.upper()} {path}</code></h2>" in page
    assert "whole number from 1 to 1000" in page
    assert "counted | ignored | corrected | refused-late" in page or "{decision, status" in page


def test_the_page_in_a_browser(service: Service, browser: Browser) -> None:
    with opened(browser, f"{service.url}/docs") as page:
        check_page(page)
        screenshots(page, "service-requests", full=False)


def test_a_body_that_may_be_left_out_is_an_object_and_nothing_else() -> None:
    optional = [
        media["schema"]
        for methods in document()["paths"].values()
        for operation in methods.values()
        if not operation.get("requestBody", {"required": True}).get("required", False)
        for media in operation["requestBody"]["content"].values()
    ]
    assert {"$ref": "#/components/schemas/AskIn"} in optional
    assert all(set(schema) == {"$ref"} for schema in optional)


def test_ask_without_a_body_or_with_an_empty_one(service: Service) -> None:
    call = service.caller()
    path = "/v1/markets/site/decisions"
    as_json = {"Content-Type": "application/json"}
    assert call("POST", path).status == 200
    assert call("POST", path, raw=b"", headers=as_json).status == 200
    assert call("POST", path, {}).status == 200
