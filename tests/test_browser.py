"""What pages have to pass in a browser can be failed, and pages that are fine pass it."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import tools.browser
import tools.programs
from tests.browser import (
    THEMES,
    WIDTHS,
    check_page,
    check_quiet,
    check_width,
    low_contrasts,
    opened,
    own_loop,
    said,
    screenshots,
    thin_out,
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


def test_one_pale_text_among_many(browser: Browser, tmp_path: Path) -> None:
    """Texts of one kind are looked at once, and one on another ground is of another kind."""
    rows = "".join(f"<p>row {number}</p>" for number in range(300))
    pale = '<div style="background: #ccc"><div><p style="color: #777">on grey</p></div></div>'
    seen = '<p style="color: #666">on white</p>'
    with opened(browser, written(tmp_path, f"{seen * 100}{rows}{pale}{rows}")) as page:
        [found] = violations(page)
        assert found.startswith("color-contrast: ")
        assert "#777777" in found
        assert "#cccccc" in found


def test_a_page_that_is_thinned_out(browser: Browser, tmp_path: Path) -> None:
    """Spans of one kind are few then; a pale one is still found, and one with a meaning stays."""
    head = "<style>@media (prefers-color-scheme: dark) { .c { color: #555 } }</style>"
    code = "<span class='a'>x</span><span class='b'>y</span> " * 500
    more = "<span class='c'>only in the dark</span><span role='img'></span>"
    dark = "<style>@media (prefers-color-scheme: dark) { body { background: #222; color: #fff } }"
    page_file = written(tmp_path, f"<p>{code}{more}{code}</p>", f"{dark}</style>{head}")
    with opened(browser, page_file) as page:
        thin_out(page)
        assert page.locator("span").count() < 10
        assert "xy xy xy" in (page.locator("p").text_content() or "")
        [unnamed] = violations(page)
        assert unnamed.startswith("role-img-alt: ")
        page.emulate_media(color_scheme="dark")
        page.evaluate("() => new Promise(requestAnimationFrame)")
        assert ["#555555" in line for line in low_contrasts(page)] == [True]


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


def test_tests_of_other_modules_have_event_loops(browser: Browser, tmp_path: Path) -> None:
    with own_loop(None):
        assert asyncio.run(asyncio.sleep(0, "done")) == "done"
    with opened(browser, written(tmp_path, "<p>Text.</p>")) as page:
        assert page.get_by_text("Text.").count() == 1


def test_without_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.browser import running

    monkeypatch.setattr("tools.browser.find", lambda: None)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="UNCHECKED: no Chromium is here"):
        next(running())
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="UNCHECKED"):
        next(running())


def test_what_was_not_checked_is_said_at_the_end(tmp_path: Path) -> None:
    test = "from tests.programs import not_there\n\ndef test_{0}():\n    not_there('no {0}')\n"
    (tmp_path / "test_it.py").write_text(test.format("page") + test.format("picture"))
    root = str(Path(__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": root, "CI": "false"}
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "-p", "tests.conftest"]
    done = subprocess.run(
        [*command, str(tmp_path)], env=environment, capture_output=True, text=True, check=True
    )
    assert "UNCHECKED: no page (tests: 1)\nUNCHECKED: no picture (tests: 1)\n" in done.stdout


def test_where_none_can_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools.browser, "FOLDER", tmp_path)
    monkeypatch.setattr(tools.browser, "find", lambda: None)
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(SystemExit, match="no Chromium could be had: no apt here; no npm here"):
        tools.browser.main()


def test_a_script_that_starts_one_from_a_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Libraries of packages lie in /lib, too, and fonts come along where the system has none."""
    monkeypatch.setattr(tools.browser, "FOLDER", tmp_path)
    monkeypatch.setattr(tools.programs, "FOLDER", tmp_path)
    monkeypatch.setattr(tools.programs, "BIN", tmp_path / "bin")
    for folder in ("lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "libdbus-1.so.3").touch()
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\necho "$LD_LIBRARY_PATH" "$@"\n')
    program.chmod(0o755)
    tools.browser._write_script(program, tmp_path / "fonts")
    started = tmp_path / "bin" / tools.browser.OWN
    said_so = subprocess.run([started, "--version"], capture_output=True, text=True, check=True)
    assert f"{tmp_path}/lib/x86_64-linux-gnu:{tmp_path}/usr/lib" in said_so.stdout
    assert said_so.stdout.endswith("--version\n")
    assert f"<dir>{tmp_path}/fonts</dir>" in (tmp_path / "fonts.conf").read_text()
