"""The console while time passes: what it shows is of now or says when; the keyboard stays."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.service import console as at
from tests.service.console import Console, check, complaints, console_service, go, loaded, signed_in
from tests.service.serving import Answer

SITE = "/v1/markets/site"


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    with console_service(tmp_path_factory.mktemp("backups")) as found:
        yield found


def calling(console: Console) -> Callable[..., Answer]:
    """Requests of an operator, each over a new connection: one that is idle for long is closed."""
    return lambda *request: console.caller()(*request)


def section(page: Page, title: str) -> Locator:
    return page.locator("section").filter(has=page.get_by_role("heading", name=title, exact=True))


def test_what_is_promised_follows_what_others_change(browser: Browser, console: Console) -> None:
    call = calling(console)
    with signed_in(browser, console) as page:
        go(page, "market/site")
        promise = section(page, "What is promised about copies")
        expect(promise).to_contain_text("copies of an agent's only arm change nothing")
        assert call("PUT", f"{SITE}/policy", {"policy": "ucb1"}).status == 200
        expect(promise).to_contain_text("no guarantee")
        assert call("PUT", f"{SITE}/policy", {"policy": "h-ucb"}).status == 200
        expect(promise).to_contain_text("copies of an agent's only arm change nothing")
        learn = "learn from each other's decisions"
        candidate = {"policy": "trial-anytime", "share": 0}
        for share in (0, 0.5, 0):
            assert call("PUT", f"{SITE}/policy", {**candidate, "share": share}).status == 200
            expect(page.locator("[data-tile=policy]")).to_contain_text(
                "50 %" if share else "shadow"
            )
            if share:
                expect(promise).to_contain_text(learn)
            else:
                expect(promise).not_to_contain_text(learn)
        assert call("DELETE", f"{SITE}/candidate").status == 200
        assert complaints(page) == []


def test_what_is_promised_is_the_guarantee(browser: Browser, console: Console) -> None:
    """Each thing that pays is one line: there are commas in them."""
    call, path = calling(console), "/v1/markets/promised"
    assert call("PUT", path, {"policy": "h-ucb", "seed": 1, "seen": "content"}).status == 200
    with signed_in(browser, console) as page:
        go(page, "market/promised")
        promise = section(page, "What is promised about copies")
        expect(promise.get_by_role("list")).to_have_count(3)
        lists = [one.get_by_role("listitem") for one in promise.get_by_role("list").all()]
        proven, audited, pays = (one.all_inner_texts() for one in lists)
        assert pays[0] == "copies that `seen` takes for another content, or for a rival's"
        assert "to become worse and be told late, where another one is, too" in pays
        said = f"proven: {'; '.join(proven)}; audited only: {audited[0]}; pays: {'; '.join(pays)}"
        assert said == call("GET", path).json["guarantee"]


def test_less_that_is_proven_is_called_weaker(browser: Browser, console: Console) -> None:
    call, path = calling(console), "/v1/markets/proven"
    assert call("PUT", path, {"policy": "trial-anytime", "seed": 1}).status == 200
    assert call("POST", f"{path}/agents/ann/arms", {"arms": ["a"]}).status == 200
    with signed_in(browser, console) as page:
        go(page, "policy/proven")
        loaded(page)
        notice, preview = page.locator(".notice"), page.get_by_role("button", name="Preview")
        for policy, how, is_weaker in (
            ("h-ucb", "for good", True),
            ("h-ucb", "for 5 %", True),
            ("h-ucb", "as a shadow: nothing that is shown changes", False),
            ("trial-anytime(lost=0.2)", "for good", False),
        ):
            page.get_by_label("Policy").fill(policy)
            page.get_by_label("How").select_option(label=how)
            preview.click()
            expect(page.get_by_text("Promised then")).to_be_visible()
            expect(notice).to_have_count(int(is_weaker))
            if is_weaker:
                expect(notice.get_by_role("listitem")).to_have_count(1)
                expect(notice).to_contain_text("No longer proven:an agent's best arm alone")
                check(page)
                page.get_by_role("button", name="Apply").click()
                said = page.get_by_role("dialog")
                expect(said).to_contain_text("promises less about copies")
                page.keyboard.press("Escape")
            page.get_by_role("button", name="Discard").click()
        page.get_by_label("Policy").fill("h-ucb")
        preview.click()
        expect(page.get_by_text("Promised then")).to_be_visible()
        assert call("PUT", f"{path}/policy", {"policy": "h-ucb"}).status == 200  # another operator
        expect(notice).to_contain_text("The market was changed: preview it again.")
        expect(page.get_by_role("button", name="Apply")).to_have_count(0)
        assert complaints(page) == []


def test_lists_say_when_and_are_refreshed(browser: Browser, console: Console) -> None:
    call, path = calling(console), "/v1/markets/refreshed"
    assert call("PUT", path, {"policy": "h-ucb", "seed": 1}).status == 200

    def register(agent: str, arm: str) -> None:
        body = {"arms": [arm], "fingerprints": {arm: {"hash": "0123456789abcdef"}}}
        assert call("POST", f"{path}/agents/{agent}/arms", body).status == 200

    register("ann", "a1")
    made = call("POST", "/v1/keys", {"role": "agent", "markets": ["refreshed"], "agent": "ann"})
    console.keys["refreshed"] = made.json["key"]
    with signed_in(browser, console) as page:
        go(page, "agent/refreshed/ann")
        arms = page.get_by_role("region", name="Arms")
        expect(arms.get_by_text("a1")).to_be_visible()
        expect(page.locator("main")).to_contain_text("As of 20")
        register("ann", "a2")
        page.get_by_role("button", name="Refresh").click()
        expect(arms.get_by_text("a2")).to_be_visible()
        expect(page.get_by_role("button", name="Refresh")).to_be_focused()
        go(page, "market/refreshed")
        newcomers = section(page, "Newcomers")
        expect(newcomers).to_contain_text("ann")
        go(page, "copies/refreshed")
        queue = section(page, "Review queue")
        expect(queue).to_contain_text("No two agents")
        register("bob", "b1")
        queue.get_by_role("button", name="Refresh").click()
        expect(queue.locator("tbody tr")).to_have_count(1)
        expect(section(page, "Arms that look like copies")).to_contain_text("As of 20")
        check(page)
        go(page, "market/refreshed")
        expect(newcomers).to_contain_text("bob")
        register("eve", "e1")
        newcomers.get_by_role("button", name="Refresh").click()
        expect(newcomers).to_contain_text("eve")
        check(page)
    with signed_in(browser, console, "refreshed") as page:
        arms = page.get_by_role("region", name="Arms")
        expect(arms.get_by_text("a2")).to_be_visible()
        register("ann", "a3")
        page.get_by_role("button", name="Refresh").click()
        expect(arms.get_by_text("a3")).to_be_visible()
        assert complaints(page) == []


def test_the_keyboard_stays_where_it_was(browser: Browser, console: Console) -> None:
    """After a question, after what it has changed, and after a table was made anew."""
    call = calling(console)
    with signed_in(browser, console) as page:
        go(page, "market/site")
        suspend = page.get_by_role("button", name="Suspend ann")
        suspend.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Cancel")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(suspend).to_be_focused()
        page.keyboard.press("Enter")
        # The table is made anew while the question is open.
        assert call("POST", f"{SITE}/agents/bob/suspend").status == 200
        page.locator("button", has_text="Resume").wait_for()
        page.keyboard.press("Escape")
        expect(suspend).to_be_focused()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Resume ann")).to_be_focused()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(suspend).to_be_focused()
        link = page.get_by_role("region", name="Agents that lead").get_by_role("link", name="ann")
        link.focus()
        assert call("POST", f"{SITE}/agents/bob/resume").status == 200
        expect(page.get_by_role("button", name="Suspend bob")).to_be_visible()
        expect(link).to_be_focused()
        go(page, "keys")
        rotate = page.get_by_role("button", name="Rotate").first
        rotate.focus()
        page.keyboard.press("Enter")
        page.get_by_role("dialog").get_by_role("button", name="Rotate").click()
        expect(page.get_by_text("It is shown this once")).to_be_visible()
        page.keyboard.press("Escape")
        expect(rotate).to_be_focused()
        assert complaints(page) == []


def test_who_comes_back_finds_what_was_typed(browser: Browser, console: Console) -> None:
    """A console that was hidden for over a minute has closed its stream, and opens it again."""
    hide = """isHidden => {
      Object.defineProperty(document, "hidden", {value: isHidden, configurable: true});
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    later = "() => { const now = performance.now(); performance.now = () => now + 120000; }"
    asked: list[str] = []
    with signed_in(browser, console) as page:
        go(page, "policy/site")
        loaded(page)
        page.get_by_label("Policy").fill("fair")
        with page.expect_event("requestfailed", lambda each: "/v1/events" in each.url):
            page.evaluate(hide, True)
            page.evaluate(later)
        call = calling(console)
        assert call("PUT", f"{SITE}/policy", {"policy": "rh-ucb-online(L=3)"}).status == 200
        page.on("request", lambda each: asked.append(each.url))
        page.evaluate(hide, False)
        expect(page.locator("main")).to_contain_text("decided by rh-ucb-online(L=3)")
        expect(page.get_by_label("Policy")).to_have_value("fair")
        assert sum("/v1/events" in each for each in asked) == 1
        assert call("PUT", f"{SITE}/policy", {"policy": "h-ucb"}).status == 200
        assert complaints(page) == []


def test_an_address_that_is_none_leads_home(browser: Browser, console: Console) -> None:
    with signed_in(browser, console) as page:
        for where in ("market/%", "%E0%A4%A", "nothing/here"):
            go(page, where)
            expect(page.get_by_role("heading", level=1)).to_have_text("Markets")
        assert complaints(page) == []


def test_a_provider_is_told_of_arms_that_are_not_listed(browser: Browser, console: Console) -> None:
    call, path = calling(console), "/v1/markets/many"
    assert call("PUT", path, {"policy": "h-ucb", "seed": 1}).status == 200
    for arms in ([f"{n}" for n in range(1000)], ["one more"]):
        assert call("POST", f"{path}/agents/ann/arms", {"arms": arms}).status == 200
    made = call("POST", "/v1/keys", {"role": "agent", "markets": ["many"], "agent": "ann"})
    console.keys["many"] = made.json["key"]
    with signed_in(browser, console, "many") as page:
        expect(page.get_by_text("There are more: these are the first 1,000.")).to_be_visible()
        expect(page.locator("tbody tr")).to_have_count(1000)


def test_a_provider_with_a_hostile_name(browser: Browser, console: Console) -> None:
    for agent in (at.MARKUP, at.HEBREW, at.LONG):
        body = {"role": "agent", "markets": ["site"], "agent": agent}
        console.keys[agent] = console.caller()("POST", "/v1/keys", body).json["key"]
        with signed_in(browser, console, agent) as page:
            loaded(page)
            expect(page.get_by_role("heading", level=1)).to_contain_text(agent)
            expect(page.locator("#session").get_by_text(agent)).to_be_visible()
            page.get_by_role("button", name="Verify").click()
            expect(page.locator("[data-live=verdict]")).to_contain_text("add up to")
            found = page.evaluate(
                "() => [window.hacked ?? null, document.querySelectorAll('img, script').length]"
            )
            assert found == [None, 1], agent  # the page's own script
            check(page)
            page.set_viewport_size({"width": 400, "height": 900})
            check(page)


def test_arms_of_who_is_suspended(browser: Browser, console: Console) -> None:
    call = calling(console)
    assert call("POST", f"{SITE}/agents/ann/suspend").status == 200
    with signed_in(browser, console, "auditor") as page:
        go(page, "agent/site/ann")
        state = page.locator('td[data-label="State"]')
        expect(state).to_have_text(["▲ agent suspended"])
        assert call("POST", f"{SITE}/agents/ann/resume").status == 200
        page.get_by_role("button", name="Refresh").click()
        expect(state).to_have_text(["● in play"])
        go(page, "policy/site")  # an auditor has no form there to be pointed at
        expect(section(page, "Shadow comparison").get_by_role("paragraph")).to_have_text(
            "No candidate runs beside the policy."
        )


def test_the_smallest_limit_is_shown(browser: Browser, console: Console) -> None:
    """Of 5e-8 and 0.3 as numbers; as texts 0.3 would come first."""
    rails = [{"measure": "share", "last": 5000, "at_most": most} for most in (0.3, 5e-8)]
    call = calling(console)
    assert call("PUT", f"{SITE}/rails", {"rails": rails}).status == 200
    with signed_in(browser, console) as page:
        go(page, "market/site")
        limits = page.locator('td[data-label="Limit"]')
        expect(limits.first).to_have_text("0 %")
    assert call("PUT", f"{SITE}/rails", {"rails": []}).status == 200
