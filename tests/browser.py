"""A real Chromium for the tests of pages, and what every page of ours has to pass in it.

The fixture ``browser`` (``tests/conftest.py``) is one Chromium for all tests of a process, driven
by Playwright: the machine's own, or the one that ``make test`` brings (``tools/browser.py``). A
test without one says so aloud and is skipped; where ``CI=true`` it fails.

    def test_my_page(browser: Browser, tmp_path: Path) -> None:
        with opened(browser, "http://127.0.0.1:8000/console") as page:
            page.get_by_role("button", name="Sign in").click()
            check_page(page)
            screenshots(page, "console-sign-in")

``opened`` gives a page of its own context, without cookies or a cache, that records what the
browser's console says and which hosts are asked. The tests of such a module must not run an event
loop in their own thread: Playwright's is there (``own_loop``).
"""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.pages.links import broken
from tests.patience import PATIENCE
from tests.programs import not_there
from tools import browser as _programs

OUT = Path(__file__).parents[1] / "out" / "pages"
WIDTHS = (400, 800, 1400)
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
]
# WCAG 2.2, levels A and AA.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
_AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
# That a step in a page may take: on a quiet machine it is a moment, on a loaded one it may be long.
_MILLISECONDS = 1000 * PATIENCE
expect.set_options(timeout=_MILLISECONDS)
# Colours that change slowly are looked at when they have changed.
_SETTLE = """async () => {
  for (let frames = 0; frames < 60; frames += 1) {
    await new Promise(requestAnimationFrame);
    const changing = document.getAnimations().filter(each =>
      each.playState === "running" && each.effect.getComputedTiming().endTime !== Infinity);
    if (frames > 1 && changing.length === 0) return;
    await Promise.allSettled(changing.map(each => each.finished));
  }
}"""
# Elements with a text of their own: of every kind the first and the last.
_KINDS_OF_TEXT = """() => {
  const around = new Map([[null, ""]]);
  const drawnIn = (element) => {
    if (!around.has(element)) {
      const s = getComputedStyle(element);
      const own = [s.backgroundColor, s.backgroundImage, s.opacity, s.position, s.filter,
        s.mixBlendMode].join();
      const outer = drawnIn(element.parentElement);
      around.set(element, own === PLAIN ? outer : `${outer}/${own}`);
    }
    return around.get(element);
  };
  const PLAIN = "rgba(0, 0, 0, 0),none,1,static,none,normal";
  const [first, last] = [new Map(), new Map()];
  for (const element of document.body.querySelectorAll("*")) {
    const hasText = element.matches("input, select, textarea, button") ||
      [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim() !== "");
    if (!hasText || !element.checkVisibility({visibilityProperty: true})) continue;
    const s = getComputedStyle(element);
    const kind = [s.color, s.fontSize, s.fontWeight, s.textShadow, drawnIn(element)].join();
    if (!first.has(kind)) first.set(kind, element);
    last.set(kind, element);
  }
  return [...new Set([...first.values(), ...last.values()])];
}"""


@dataclass
class _Record:
    """What a page did while it was open."""

    host: str
    said: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)


_records: dict[Page, _Record] = {}


def running() -> Iterator[Browser]:
    """A Chromium, until it is not needed any more."""
    found = _programs.find()
    if found is None:
        not_there("no Chromium is here, and `python -m tools.browser` could not bring one")
    with sync_playwright() as playwright:
        # Playwright starts it with an empty folder for the user's data, which it then removes.
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS, headless=True)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def own_loop(loop: asyncio.AbstractEventLoop | None) -> Iterator[None]:
    """Have an event loop, or none, run in this thread, as far as anybody can see."""
    before = asyncio._get_running_loop()
    asyncio._set_running_loop(loop)
    try:
        yield
    finally:
        asyncio._set_running_loop(before)


@contextmanager
def opened(
    browser: Browser,
    address: str | Path,
    *,
    width: int = 1400,
    theme: Literal["light", "dark"] = "light",
    **options: Any,
) -> Iterator[Page]:
    """A page at an address, or of a file, in a context of its own; options are the context's."""
    url = address.resolve().as_uri() if isinstance(address, Path) else address
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=theme, **options
    )
    context.set_default_timeout(_MILLISECONDS)
    page = context.new_page()
    record = _records[page] = _Record(urlsplit(url).netloc)
    page.on("console", lambda each: record.said.append(f"{each.type}: {each.text}"))
    page.on("pageerror", lambda each: record.said.append(f"uncaught: {each}"))
    page.on("requestfailed", lambda each: record.said.append(f"failed: {each.url} {each.failure}"))
    page.on("request", lambda each: _note(record, each.url))
    try:
        page.goto(url)
        yield page
    finally:
        _records.pop(page)
        context.close()


def _note(record: _Record, url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("data", "blob", "about") and parts.netloc != record.host:
        record.elsewhere.append(url)


def check_page(page: Page, *, themes: tuple[Literal["light", "dark"], ...] = THEMES) -> None:
    """Fail unless axe-core finds nothing, the console is empty, and no other host was asked.

    The page must not be wider than its window, either. axe-core looks at it as it now is, in each
    of the themes; all but the first are looked at for contrast alone, as nothing else differs. A
    page in a frame is a page to be checked by itself.
    """
    check_themes(page, themes)
    check_quiet(page)
    check_width(page)


def check_themes(page: Page, themes: tuple[Literal["light", "dark"], ...] = THEMES) -> None:
    """Fail unless axe-core finds nothing in any of the themes; the page stays in the last."""
    for theme in themes:
        page.emulate_media(color_scheme=theme)
        page.evaluate(_SETTLE)
        found = violations(page) if theme == themes[0] else low_contrasts(page)
        assert found == [], f"{page.url}, {theme}: {found}"


def check_quiet(page: Page) -> None:
    """Fail if the browser's console says anything, or if another host was asked."""
    record = _records[page]
    assert record.said == [], f"{page.url}: {record.said}"
    assert record.elsewhere == [], f"{page.url}: {record.elsewhere}"


def check_width(page: Page) -> None:
    """Fail if the page can be scrolled sideways."""
    wide, window = page.evaluate(
        "() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide <= window, f"{page.url} is {wide} pixels wide in a window of {window}"


def violations(page: Page) -> list[str]:
    """What axe-core has to say against the page as it is, by its rules for WCAG 2.2 AA."""
    # Contrast takes axe-core minutes where a page has thousands of pieces of code.
    rest = {"rules": {"color-contrast": {"enabled": False}}}
    only = {"runOnly": {"type": "tag", "values": TAGS}, **rest}
    return [*_axe(page, "() => document", only), *low_contrasts(page)]


def low_contrasts(page: Page) -> list[str]:
    """The texts that axe-core finds too pale, of each kind the first and the last on the page.

    What a contrast is made of is the kind: colours and sizes of the text, and the colours of all
    that it lies in.
    """
    only = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
    return _axe(page, _KINDS_OF_TEXT, only)


def thin_out(page: Page) -> None:
    """Leave of the page's spans only those that say more than how they look, and of those a few.

    A reference has tens of thousands of them, all of some fifty kinds, and axe-core looks at each
    as if it were the first. Of each kind, in each theme, the first and the last stay.
    """
    for theme in reversed(THEMES):
        page.emulate_media(color_scheme=theme)
        page.evaluate(_SETTLE)
        page.evaluate(f"() => {{ for (const one of ({_KINDS_OF_TEXT})()) one.dataset.kind = ''; }}")
    page.evaluate(
        """() => { for (const span of [...document.querySelectorAll("span")].reverse()) {
          const isPlain = span.childElementCount === 0 &&
            [...span.attributes].every(({name}) => name === "class");
          if (isPlain) span.replaceWith(...span.childNodes);
        } }"""
    )


def _axe(page: Page, where: str, options: dict[str, Any]) -> list[str]:
    """What axe-core has to say of the part of the page that a script gives."""
    if not page.evaluate("() => 'axe' in window"):
        # Through the debugger, so that a strict Content-Security-Policy does not matter.
        page.evaluate(_AXE)
    part = page.evaluate_handle(where)
    found = page.evaluate(
        """([part, options]) => axe.run(part, {resultTypes: ["violations"], preload: false,
             iframes: false, ...options})
           .then(all => all.violations.flatMap(each => each.nodes.map(node =>
             `${each.id}: ${node.target.join(" ")}: ${node.failureSummary}`)))""",
        [part, options],
    )
    return [str(line) for line in found]


def check_report(browser: Browser, path: Path, name: str) -> None:
    """Fail unless a page of one file passes all: wide and narrow, its links, the keyboard."""
    assert broken(path) == []
    with opened(browser, path) as page:
        check_page(page)
        screenshots(page, name)
        page.set_viewport_size({"width": 400, "height": 900})
        narrow = violations(page)
        assert narrow == [], f"{page.url}, narrow: {narrow}"
        assert page.get_by_role("main").count() == 1
        levels = page.evaluate(
            "() => [...document.querySelectorAll('h1,h2,h3,h4')].map(each => +each.tagName[1])"
        )
        assert levels[0] == 1
        assert all(later <= before + 1 for before, later in pairwise(levels)), levels
        page.keyboard.press("Tab")
        width = page.evaluate("() => getComputedStyle(document.activeElement).outlineWidth")
        assert width == "3px", "what has the focus is not to be seen"


def said(page: Page) -> list[str]:
    """What the browser's console has said so far, for tests that expect something."""
    return _records[page].said


def screenshots(page: Page, name: str, *, full: bool = True) -> list[Path]:
    """Pictures of the page as it is, for each width and theme, in out/pages; it fits in each."""
    OUT.mkdir(parents=True, exist_ok=True)
    before = page.viewport_size
    made = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            path = OUT / f"{name}-{width}-{theme}.png"
            beside = path.with_name(f".{os.getpid()}-{path.name}")
            page.screenshot(path=beside, full_page=full, animations="disabled")
            made.append(beside.replace(path))
        check_width(page)
    if before is not None:
        page.set_viewport_size(before)
    page.emulate_media(color_scheme="light")
    return made
