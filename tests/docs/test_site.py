"""The documentation as readers have it: built, and opened from the disk in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from copyproof import __version__
from tests.browser import check_page, check_quiet, check_width, opened, screenshots, thin_out
from tests.docs.site import ROOT, built

# All pages, as one sees them in the source.
PAGES = sorted(
    str(path.relative_to(ROOT / "docs").with_suffix(""))
    for path in (ROOT / "docs").rglob("*.md")
    if "_build" not in path.parts
)
SHOWN = ["index", "gallery", "how-to/choose", "explanation/scope", "reference/glossary"]


@pytest.fixture(scope="module")
def site() -> Path:
    return built()


@pytest.mark.parametrize("name", PAGES)
def test_every_page(site: Path, browser: Browser, name: str) -> None:
    """axe-core, an empty console, no other host, and no wider than a phone."""
    with opened(browser, site / f"{name}.html", width=400) as page:
        check_width(page)
        page.set_viewport_size({"width": 1400, "height": 900})
        check_width(page)
        thin_out(page)
        check_page(page)


@pytest.mark.parametrize("name", SHOWN)
def test_pictures(site: Path, browser: Browser, name: str) -> None:
    with opened(browser, site / f"{name}.html") as page:
        made = screenshots(page, f"docs-{name.replace('/', '-')}")
        assert all(each.stat().st_size > 5_000 for each in made)


def test_a_formula_stays_whole(site: Path, browser: Browser) -> None:
    """Also in a picture of the whole page, which Chromium lays out once more."""
    with opened(browser, site / "explanation" / "policies.html") as page:
        formula = page.locator("div.math").first
        before = formula.screenshot()
        page.screenshot(full_page=True)
        assert formula.screenshot() == before


def test_the_landing_page_shows_the_game(site: Path, browser: Browser) -> None:
    with opened(browser, site / "index.html") as page:
        game = page.frame_locator("iframe")
        game.get_by_role("heading", level=1).wait_for()
        lever, picture = (game.locator(one).bounding_box() for one in ("#levers", ".river"))
        assert lever is not None
        assert picture is not None
        assert lever["x"] + lever["width"] <= picture["x"]  # side by side
        for door in ("I am a researcher.", "I run a platform.", "I want to contribute."):
            assert page.get_by_text(door).is_visible()
        assert page.get_by_text("make setup").first.is_visible()
        assert page.get_by_text("from copyproof import plot_regret").count() == 1
        check_quiet(page)


def test_search_has_excerpts(site: Path, browser: Browser) -> None:
    with opened(browser, site / "index.html") as page:
        page.get_by_role("textbox", name="Search").first.fill("replicator")
        page.keyboard.press("Enter")
        page.get_by_text("Search finished").wait_for()
        found = page.locator("ul.search li")
        assert found.count() >= 5
        excerpts = page.locator("ul.search li p.context").all_text_contents()
        assert len(excerpts) >= 5
        assert sum("replicator" in text.lower() for text in excerpts) >= 5
        assert not any("\\" in text for text in excerpts)  # formulas as one reads them
        check_page(page)
        screenshots(page, "docs-search")


def test_version_changelog_and_citation(site: Path, browser: Browser) -> None:
    with opened(browser, site / "index.html") as page:
        assert __version__ in page.locator(".sidebar-brand-text").first.inner_text()
        page.get_by_role("link", name="Changelog").first.click()
        assert page.get_by_role("heading", level=1).inner_text().startswith("Changelog")
        page.get_by_role("link", name="Cite").first.click()
        assert "@software{copyproof" in page.locator("pre").first.inner_text()


def test_the_keyboard_reaches_the_text(site: Path, browser: Browser) -> None:
    """The first stop is a way past the navigation; the ring of the one in focus is seen."""
    with opened(browser, site / "how-to" / "plots.html") as page:
        page.keyboard.press("Tab")
        assert (
            page.evaluate("() => document.activeElement.textContent").strip() == "Skip to content"
        )
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        style = page.evaluate(
            "() => { const s = getComputedStyle(document.activeElement);"
            " return [s.outlineStyle, s.outlineWidth]; }"
        )
        assert style == ["solid", "3px"]


def test_dark_is_dark(site: Path, browser: Browser) -> None:
    ground = "() => getComputedStyle(document.body).backgroundColor"
    with opened(browser, site / "index.html", theme="dark") as page:
        assert page.evaluate(ground) == "rgb(23, 23, 26)"
        page.emulate_media(color_scheme="light")
        assert page.evaluate(ground) == "rgb(255, 255, 255)"
