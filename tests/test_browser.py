"""What pages have to pass in a browser can be failed, and pages that are fine pass it."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser import (
    THEMES,
    WIDTHS,
    check_page,
    check_quiet,
    check_width,
    opened,
    said,
    screenshots,
    violations,
)

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>A page</title>{head}</head>
<body><main><h1>A page</h1>{body}</main></body></html>"""


def written(folder: Path, body: str, head: str = "") -> Path:
    page = folder / "page.html"
    page.write_text(PAGE.format(body=body, head=head), encoding="utf-8")
    return page


def test_a_page_that_is_fine(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, "<p>Text.</p>")) as page:
        check_page(page)


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">', "image-alt"),
        ('<p style="color: #bbb; background: #fff">pale</p>', "color-contrast"),
        ("<button></button>", "button-name"),
        ('<input type="text">', "label"),
    ],
)
def test_what_not_everyone_can_use(browser: Browser, tmp_path: Path, body: str, rule: str) -> None:
    with opened(browser, written(tmp_path, body)) as page:
        assert [line.partition(":")[0] for line in violations(page)] == [rule]


def test_dark_is_looked_at_too(browser: Browser, tmp_path: Path) -> None:
    head = (
        "<style>@media (prefers-color-scheme: dark) { p { color: #777; background: #666 } }</style>"
    )
    with opened(browser, written(tmp_path, "<p>Text.</p>", head)) as page:
        check_page(page, themes=("light",))
        with pytest.raises(AssertionError, match="dark"):
            check_page(page)


@pytest.mark.parametrize(
    ("body", "said_is"),
    [
        ("<script>console.log('hello')</script>", "log: hello"),
        ("<script>throw Error('lost')</script>", "uncaught: lost"),
        ('<img alt="none" src="missing.png">', "failed: "),
    ],
)
def test_the_console_is_not_empty(
    browser: Browser, tmp_path: Path, body: str, said_is: str
) -> None:
    with opened(browser, written(tmp_path, body)) as page:
        assert any(said_is in line for line in said(page))
        with pytest.raises(AssertionError):
            check_quiet(page)


def test_another_host_is_asked(browser: Browser, tmp_path: Path) -> None:
    body = '<img alt="a picture of another host" src="http://127.0.0.1:9/picture.png">'
    with opened(browser, written(tmp_path, body)) as page, pytest.raises(AssertionError):
        check_quiet(page)


def test_a_page_that_is_too_wide(browser: Browser, tmp_path: Path) -> None:
    page_file = written(tmp_path, '<div style="width: 900px">wide</div>')
    wide = pytest.raises(AssertionError, match="pixels wide in a window of 800")
    with opened(browser, page_file, width=800) as page, wide:
        check_width(page)


def test_pictures_of_every_width_and_theme(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.browser.OUT", tmp_path / "pages")
    with opened(browser, written(tmp_path, "<p>Text.</p>")) as page:
        made = screenshots(page, "text")
    names = [f"text-{width}-{theme}.png" for width in WIDTHS for theme in THEMES]
    assert [each.name for each in made] == names
    assert sorted(each.name for each in (tmp_path / "pages").iterdir()) == sorted(names)


def test_without_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.browser import running

    monkeypatch.setattr("tools.browser.find", lambda: None)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="UNCHECKED: no Chromium is here"):
        next(running())
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="UNCHECKED"):
        next(running())
